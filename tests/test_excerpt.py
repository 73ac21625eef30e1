from gym_imagetools.excerpt import MAX_CHARS, excerpt


def test_short_texts_are_whole():
    for text in ("", "x", "x" * MAX_CHARS):
        assert excerpt(text) == text


def test_long_texts_keep_their_beginning_and_their_end():
    shown = excerpt("begin " + "x" * 10**6 + r" \boxed{B}")
    assert len(shown) <= MAX_CHARS
    assert shown.startswith("begin ")
    assert shown.endswith(r"\boxed{B}")
    assert " … " in shown
