//! Privileges on a base: granting them, and reading and writing with those of the caller.

pub mod grant;
pub mod grant_admin;
pub mod read;
mod write;
