//! The bearer token of HTTP requests.

use std::env::{self, VarError};
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::{Failure, Result};

/// Where the token is if no file is given. An argument could be read by every user of the machine.
pub const VARIABLE: &str = "KB_RAG_TOKEN";
/// A shorter one could be guessed.
const MIN_BYTES: usize = 16;

/// A token, of which only a hash is kept.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// The one in the file, else that in the environment. None without either.
    ///
    /// # Errors
    /// Status 2 where the file cannot be read, or the token is short.
    pub fn read(file: Option<&Path>) -> Result<Option<Token>> {
        let (text, place) = match file {
            Some(path) => {
                let text = fs::read_to_string(path).map_err(|error| {
                    Failure::usage(format!("--token-file \"{}\" cannot be read: {error}", path.display()))
                })?;
                (text, format!("in \"{}\"", path.display()))
            }
            None => match env::var(VARIABLE) {
                Ok(text) => (text, format!("in {VARIABLE}")),
                Err(VarError::NotPresent) => return Ok(None),
                Err(VarError::NotUnicode(_)) => {
                    return Err(Failure::usage(format!("the token in {VARIABLE} is not UTF-8")));
                }
            },
        };
        Token::new(text.trim()).map(Some).ok_or_else(|| {
            Failure::usage(format!("the token {place} has fewer than {MIN_BYTES} characters"))
                .hint("Make one with: openssl rand -hex 32")
        })
    }

    fn new(text: &str) -> Option<Token> {
        (text.len() >= MIN_BYTES).then(|| Token(Sha256::digest(text).into()))
    }

    /// Whether the value of a header `Authorization` has it. Takes the same time for every wrong token.
    pub fn is_in(&self, authorization: Option<&[u8]>) -> bool {
        let given = authorization.and_then(bearer);
        given.is_some_and(|given| Sha256::digest(given).ct_eq(&self.0).into())
    }
}

/// The token in the value of a header `Authorization`.
pub fn bearer(authorization: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = authorization.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let token = Token::new("0123456789abcdef").unwrap();
        for good in ["Bearer 0123456789abcdef", "bearer  0123456789abcdef "] {
            assert!(token.is_in(Some(good.as_bytes())), "{good}");
        }
        for bad in [
            "Bearer 0123456789abcdeF",
            "Bearer ",
            "",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
            "Bearer\u{e9}x",
        ] {
            assert!(!token.is_in(Some(bad.as_bytes())), "{bad}");
        }
        assert!(!token.is_in(None));
        assert!(Token::new("short").is_none());
    }
}
