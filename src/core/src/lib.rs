//! Chunking and fusion for kb_rag: pure functions, no PostgreSQL, no environment, clock or randomness.

pub mod chunk;
pub mod fake;
pub mod fusion;
pub mod slug;
