"""A random vision-language model of a few hundred thousand weights, in a folder that can be served.

Gemma 3 is the kind, for its pictures need Pillow alone, and no torchvision.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    Gemma3ImageProcessorPil,
    Gemma3Processor,
    PreTrainedTokenizerFast,
)

_SPECIAL_TOKENS = {
    "pad_token": "<pad>",
    "eos_token": "<end_of_turn>",
    "bos_token": "<bos>",
    "boi_token": "<start_of_image>",
    "eoi_token": "<end_of_image>",
    "image_token": "<image_soft_token>",
}
_PICTURE_PX, _PATCH_PX, _PICTURE_TOKENS = 64, 16, 4
_HIDDEN, _VOCABULARY = 64, 2000
_TEMPLATE = """{{ bos_token }}{% for message in messages %}<start_of_turn>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}{% else %}\
{% for part in message['content'] %}\
{% if part['type'] == 'text' %}{{ part['text'] }}{% else %}<start_of_image>{% endif %}\
{% endfor %}{% endif %}<end_of_turn>
{% endfor %}{% if add_generation_prompt %}<start_of_turn>assistant
{% endif %}"""


def build(folder: Path, words: Iterable[str], seed: int = 0) -> None:
    """Write a model with random weights and its processor.

    Args:
        folder: Where the files go.
        words: What the tokenizer is trained on: texts like those that the model will read.
        seed: Seeds the weights.
    """
    processor = _processor(words)
    processor.save_pretrained(folder)
    _model(processor.tokenizer, seed).save_pretrained(folder)


def _processor(words: Iterable[str]) -> Gemma3Processor:
    pictures = Gemma3ImageProcessorPil(size={"height": _PICTURE_PX, "width": _PICTURE_PX})
    return Gemma3Processor(
        pictures, _tokenizer(words), chat_template=_TEMPLATE, image_seq_length=_PICTURE_TOKENS
    )


def _tokenizer(words: Iterable[str]) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=[*_SPECIAL_TOKENS.values(), "<start_of_turn>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(words, trainer)
    named = {name: _SPECIAL_TOKENS[name] for name in ("boi_token", "eoi_token", "image_token")}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=_SPECIAL_TOKENS["pad_token"],
        eos_token=_SPECIAL_TOKENS["eos_token"],
        bos_token=_SPECIAL_TOKENS["bos_token"],
        extra_special_tokens=named,
    )


def _model(tokenizer: PreTrainedTokenizerFast, seed: int) -> Any:
    torch.manual_seed(seed)
    ids = {name: tokenizer.convert_tokens_to_ids(word) for name, word in _SPECIAL_TOKENS.items()}
    config = Gemma3Config(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": _HIDDEN,
            "intermediate_size": 2 * _HIDDEN,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "max_position_embeddings": 32768,
            "sliding_window": 512,
        },
        vision_config={
            "hidden_size": _HIDDEN,
            "intermediate_size": 2 * _HIDDEN,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "image_size": _PICTURE_PX,
            "patch_size": _PATCH_PX,
        },
        mm_tokens_per_image=_PICTURE_TOKENS,
        boi_token_index=ids["boi_token"],
        eoi_token_index=ids["eoi_token"],
        image_token_index=ids["image_token"],
    )
    model = Gemma3ForConditionalGeneration(config)
    for name in ("pad", "eos", "bos"):
        setattr(model.generation_config, f"{name}_token_id", ids[f"{name}_token"])
    model.generation_config.do_sample = True
    return model
