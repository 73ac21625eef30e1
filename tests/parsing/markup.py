"""Writers of the two notations, for the tests."""

import json


def xml_call(name="image_flip_tool", **parameters):
    body = "".join(f"<parameter={key}>\n{text}\n</parameter>\n" for key, text in parameters.items())
    return f"<tool_call>\n<function={name}>\n{body}</function>\n</tool_call>"


def json_call(name="image_flip_tool", **arguments):
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
