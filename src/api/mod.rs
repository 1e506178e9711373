//! The SQL functions: each converts its arguments, calls the work, and converts the result. Their COMMENTs are in
//! sql/comments.sql. Every argument is an Option, so that none of them is STRICT and NULL gets its own error.

mod argument;
mod attach;
mod base;
mod ingest;
mod pipeline;
mod provider;
mod rights;
mod search;
mod status;
mod text;
mod upkeep;
