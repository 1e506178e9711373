//! Files made by the tests, the fuzzer and the bench.
#![allow(dead_code)] // each of them uses a part
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

pub mod docx;
pub mod mutate;
pub mod pdf;
