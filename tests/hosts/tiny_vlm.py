"""A random vision-language model of half a million weights, made in seconds on a CPU."""

from __future__ import annotations

import json
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    PreTrainedTokenizerFast,
    ProcessorMixin,
    Qwen2VLImageProcessorPil,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
)

from gym_imagetools.prompts.system import system_prompt
from gym_imagetools.tools.schemas import FUNCTION_TOOLS

_IMAGE_TOKENS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
_SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", *_IMAGE_TOKENS)
_MARKUP_TOKENS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
_PATCH_PX, _HIDDEN = 16, 64

CHAT_TEMPLATE = """\
{%- macro written(content) -%}
{%- if content is string -%}{{ content }}{%- else -%}
{%- for part in content -%}
{%- if part.type == "image" -%}<|vision_start|><|image_pad|><|vision_end|>
{%- else -%}{{ part.text }}{%- endif -%}
{%- endfor -%}{%- endif -%}
{%- endmacro -%}
{%- for message in messages -%}
{%- set said = written(message.content) -%}
{%- if message.role == "tool" -%}
{{- "<|im_start|>user\n<tool_response>\n" + said + "\n</tool_response><|im_end|>\n" -}}
{%- else -%}
{{- "<|im_start|>" + message.role + "\n" -}}
{%- if message.role == "system" and tools -%}{{- tools | tojson -}}{%- endif -%}
{{- said -}}
{%- for call in message.tool_calls or [] -%}
{{- "<tool_call>\n" + (call.function | tojson) + "\n</tool_call>" -}}
{%- endfor -%}
{{- "<|im_end|>\n" -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- "<|im_start|>assistant\n" -}}{%- endif -%}
"""
"""A chat with pictures and tools in the markup of Qwen."""


class ImageProcessor(Qwen2VLImageProcessorPil):
    """The image processor on Pillow; it gives tensors whether asked or not, as the usual one."""

    def preprocess(self, images: Any, *args: Any, **keywords: Any) -> Any:
        """Return pixel values and grids as tensors."""
        return super().preprocess(images, *args, **{**keywords, "return_tensors": "pt"})


class PictureProcessor(Qwen3VLProcessor):
    """The processor of Qwen3-VL without its video half, which would need torchvision."""

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        chat_template: str | None = None,
        **keywords: Any,
    ) -> None:
        for name in ("image", "video"):
            setattr(self, f"{name}_token", f"<|{name}_pad|>")
            setattr(self, f"{name}_token_id", tokenizer.convert_tokens_to_ids(f"<|{name}_pad|>"))
        for name in ("vision_start", "vision_end"):
            setattr(self, f"{name}_token", f"<|{name}|>")
            setattr(self, f"{name}_token_id", tokenizer.convert_tokens_to_ids(f"<|{name}|>"))
        ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)


def tiny_processor(chat_template: str) -> PictureProcessor:
    """Return a processor whose tokenizer knows the words of the prompts, which makes them short.

    Args:
        chat_template: The template of a chat with pictures and tools.
    """
    images = ImageProcessor(
        patch_size=_PATCH_PX,
        merge_size=2,
        temporal_patch_size=2,
        size={"shortest_edge": 32 * 32, "longest_edge": 64 * 64},
    )
    return PictureProcessor(images, _tokenizer(), chat_template=chat_template)


def tiny_model(tokenizer: PreTrainedTokenizerFast, seed: int = 0) -> Any:
    """Return a random Qwen3-VL.

    Args:
        tokenizer: Its tokenizer, for the ids of the special tokens.
        seed: Seeds the weights.
    """
    torch.manual_seed(seed)
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in _SPECIAL_TOKENS}
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": _HIDDEN,
            "intermediate_size": 2 * _HIDDEN,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "max_position_embeddings": 16384,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [4, 2, 2],
            },
            "eos_token_id": ids["<|im_end|>"],
            "pad_token_id": ids["<|endoftext|>"],
        },
        vision_config={
            "depth": 2,
            "hidden_size": _HIDDEN,
            "intermediate_size": 2 * _HIDDEN,
            "num_heads": 4,
            "patch_size": _PATCH_PX,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "out_hidden_size": _HIDDEN,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0, 1],
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=True,
    )
    model = Qwen3VLForConditionalGeneration(config)
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    return model


def picture_token_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    """Return the ids that stand for pictures: a random model must not say them."""
    return [tokenizer.convert_tokens_to_ids(token) for token in _IMAGE_TOKENS]


def _tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1500,
        special_tokens=list(_SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [json.dumps(FUNCTION_TOOLS), system_prompt(FUNCTION_TOOLS, "native")]
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens(list(_MARKUP_TOKENS))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
