//! Who calls: the role that a bearer token stands for.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::database::As;
use crate::error::{Failure, Result};
use crate::http_server::token::{Token, bearer};

/// A name of a role has at most so many bytes.
const MAX_NAME_BYTES: usize = 63;

/// How requests are let in.
pub enum Roles {
    /// Every request is the role that connected.
    Open,
    /// So is every request with this token.
    One(Token),
    /// Each token has a role.
    Each(Vec<Entry>),
}

/// A line of the file of tokens.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// SHA-256 of the token. A token has at least 16 random bytes, so that nothing slower is needed.
    hash: [u8; 32],
    pub role: String,
    /// Whether the token is for a scheduler.
    is_cron: bool,
}

/// The sender of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Caller {
    pub role: As,
    /// Whether it may only have sources that are due fetched again.
    pub is_cron: bool,
}

/// The last word of a line whose token is for a scheduler.
const CRON: &str = "cron";

impl Roles {
    /// Those of a file: on each line the SHA-256 of a token in hexadecimal digits and the name of a role, and `cron`
    /// if it is for a scheduler; `#` begins a comment.
    ///
    /// # Errors
    /// Status 2 for a file that cannot be read or is wrong; the line is named, but not the hash.
    pub fn read(file: &Path) -> Result<Roles> {
        let text = fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("--tokens \"{}\" cannot be read: {error}", file.display()))
        })?;
        let entries = parse(&text).map_err(|(line, why)| {
            Failure::usage(format!("--tokens \"{}\", line {line}: {why}", file.display()))
                .hint("A line has the SHA-256 of a token, as 64 hexadecimal digits, and the name of a role, and may end in cron.")
        })?;
        if entries.is_empty() {
            return Err(Failure::usage(format!("--tokens \"{}\" has no tokens", file.display())));
        }
        Ok(Roles::Each(entries))
    }

    /// Whether requests need a token.
    pub fn need_token(&self) -> bool {
        !matches!(self, Roles::Open)
    }

    /// The sender of a request with this header `Authorization`. Takes the same time for every wrong token.
    pub fn for_authorization(&self, authorization: Option<&[u8]>) -> Option<Caller> {
        let login = Caller { role: As::Login, is_cron: false };
        match self {
            Roles::Open => Some(login),
            Roles::One(token) => token.is_in(authorization).then_some(login),
            Roles::Each(entries) => {
                let hash: [u8; 32] = Sha256::digest(bearer(authorization?)?).into();
                let mut found = u32::MAX;
                for (place, entry) in (0..).zip(entries) {
                    let is_it: Choice = hash.ct_eq(&entry.hash);
                    found.conditional_assign(&place, is_it);
                }
                let entry = entries.get(usize::try_from(found).ok()?)?;
                Some(Caller { role: As::Role(entry.role.clone()), is_cron: entry.is_cron })
            }
        }
    }

    /// The names of the roles, each once.
    pub fn names(&self) -> Vec<String> {
        let Roles::Each(entries) = self else { return Vec::new() };
        let mut names: Vec<String> = entries.iter().map(|entry| entry.role.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

type Wrong = (usize, &'static str);

fn parse(text: &str) -> std::result::Result<Vec<Entry>, Wrong> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let entry = entry(line).map_err(|why| (number, why))?;
        if entries.iter().any(|known| known.hash == entry.hash) {
            return Err((number, "the token is already in the file"));
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn entry(line: &str) -> std::result::Result<Entry, &'static str> {
    let (hash, role) = line.split_once([' ', '\t']).ok_or("the role is missing")?;
    let hash = digest(hash).ok_or("the first word is not a SHA-256 in hexadecimal digits")?;
    // The name of a role may have spaces.
    let (role, is_cron) = match role.trim().rsplit_once([' ', '\t']) {
        Some((role, CRON)) => (role.trim(), true),
        _ => (role.trim(), false),
    };
    if hash == <[u8; 32]>::from(Sha256::digest("")) {
        return Err("this is the hash of an empty token");
    }
    if role.is_empty() || role.len() > MAX_NAME_BYTES || role.contains('\0') {
        return Err("this is not the name of a role");
    }
    // SET ROLE none is the role that connected.
    if role.eq_ignore_ascii_case("none") {
        return Err("no role is named none");
    }
    Ok(Entry { hash, role: role.to_string(), is_cron })
}

fn digest(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (place, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(token: &str) -> String {
        Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn each_token_has_a_role() {
        let text = format!(
            "# Tokens\n\n{} reader\n  {}\tkb Writer \n{} kb Writer\t cron\n{} cron",
            hash("first"),
            hash("second"),
            hash("third"),
            hash("fourth")
        );
        let roles = Roles::Each(parse(&text).unwrap());
        let of = |header: &str| roles.for_authorization(Some(header.as_bytes()));
        let caller = |role: &str, is_cron| Some(Caller { role: As::Role(role.to_string()), is_cron });
        assert_eq!(of("Bearer first"), caller("reader", false));
        assert_eq!(of("bearer second"), caller("kb Writer", false));
        assert_eq!(of("Bearer third"), caller("kb Writer", true));
        assert_eq!(of("Bearer fourth"), caller("cron", false));
        for wrong in ["Bearer fifth", "first", "Basic first", "Bearer ", &format!("Bearer {}", hash("first"))]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(roles.for_authorization(None), None);
        assert_eq!(roles.names(), ["cron", "kb Writer", "reader"]);
    }

    #[test]
    fn wrong_lines_are_named() {
        let good = hash("a");
        for (text, line) in [
            (format!("{good} reader\nx reader"), 2),
            (good.clone(), 1),
            (format!("{} reader", hash("")), 1),
            (format!("{good} none"), 1),
            (format!("{good} None"), 1),
            (format!("\n{} reader", &good[..62]), 2),
            (format!("{good} reader\n{good} writer"), 2),
            (format!("{good} {}", "r".repeat(64)), 1),
        ] {
            assert_eq!(parse(&text).unwrap_err().0, line, "{text}");
        }
        assert_eq!(parse("# nothing\n").unwrap(), []);
    }

    #[test]
    fn without_tokens_everybody_is_the_role_that_connected() {
        assert_eq!(Roles::Open.for_authorization(None), Some(Caller { role: As::Login, is_cron: false }));
        assert!(!Roles::Open.need_token());
    }
}
