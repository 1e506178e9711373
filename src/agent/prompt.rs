//! Prompts: instructions for rewriting conversations, in numbered versions.

use kb_rag_core::manifest::PromptReference;
use kb_rag_core::plural::counted;
use pgrx::datum::TimestampWithTimeZone;

use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::role;
use crate::postgres::spi::{Access, Arg, Planning};

/// The most bytes of an id, and of a content.
const MAX_ID_BYTES: usize = 200;
const MAX_CONTENT_BYTES: usize = 65_536;

/// A version of a prompt.
pub struct Prompt {
    pub id: String,
    pub version: i32,
    pub content: String,
    pub owner: String,
    pub created_at: TimestampWithTimeZone,
}

/// Adds a version, with this number or the next one, and returns its number. A version that is there with the same content stays.
/// 42710 for one with another content, 42501 unless the caller owns the prompt; a new one becomes the caller's.
pub fn set(id: &str, content: &str, version: Option<i32>) -> Result<i32> {
    check("id", id, MAX_ID_BYTES)?;
    check("content", content, MAX_CONTENT_BYTES)?;
    if let Some(version) = version.filter(|version| *version < 1) {
        return Err(Error::invalid(format!("version {version} is not a positive number"))
            .hint("Leave it out for the next one."));
    }
    let role = role::current_role();
    catalog::connect(|c| c.run(include_str!("lock_prompts.sql")))?;
    let newest = find(id, None, Access::Latest)?;
    if let Some(newest) = newest.as_ref().filter(|newest| !role::has_privileges_of_named(role, &newest.owner))
    {
        return Err(Error::denied(format!("must be owner of prompt \"{id}\""))
            .hint(format!("Ask role \"{}\", which owns it, or use another id.", newest.owner)));
    }
    let known = version.map(|version| find(id, Some(version), Access::Latest)).transpose()?.flatten();
    if let Some(known) = known {
        if known.content == content {
            return Ok(known.version);
        }
        return Err(Error::exists(format!("version {} of prompt \"{id}\" already exists", known.version))
            .detail("A version never changes.")
            .hint("Add the content as another version."));
    }
    let (next, owner) = match newest {
        Some(newest) => (newest.version.checked_add(1), newest.owner),
        None => (Some(1), role::role_name(role)?),
    };
    let version =
        version.or(next).ok_or_else(|| Error::limit(format!("prompt \"{id}\" has too many versions")))?;
    catalog::connect(|c| {
        let args = [Arg::new(id), Arg::new(version), Arg::new(content), Arg::new(owner)];
        c.execute(include_str!("write_prompt.sql"), &args)
    })?;
    Ok(version)
}

fn check(argument: &str, text: &str, max: usize) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::invalid(format!("{argument} is empty")));
    }
    if text.len() > max {
        return Err(Error::limit(format!("{argument} has {}", counted(text.len(), "byte")))
            .hint(format!("Use at most {max}.")));
    }
    Ok(())
}

/// All versions, by id, the newest first.
pub fn list() -> Result<Vec<Prompt>> {
    select(None, None, None, Access::Read)
}

/// The prompt that a block refers to. 42704 if there is none.
pub fn referred(reference: &PromptReference) -> Result<Prompt> {
    let PromptReference { id, version } = reference;
    if let Some(prompt) = find(id, *version, Access::Read)? {
        return Ok(prompt);
    }
    let hint = "SELECT id, version FROM kb_prompt_list() lists the prompts; kb_prompt_set adds one.";
    Err(match version {
        Some(version) => Error::not_found(format!("version {version} of prompt \"{id}\" does not exist")),
        None => Error::not_found(format!("prompt \"{id}\" does not exist")),
    }
    .hint(hint))
}

fn find(id: &str, version: Option<i32>, access: Access) -> Result<Option<Prompt>> {
    Ok(select(Some(id), version, Some(1), access)?.into_iter().next())
}

fn select(id: Option<&str>, version: Option<i32>, max: Option<i64>, access: Access) -> Result<Vec<Prompt>> {
    catalog::connect(|c| {
        let args = [Arg::new(id), Arg::new(version), Arg::new(max)];
        c.query(include_str!("select_prompts.sql"), access, Planning::Auto, &args, |row| {
            Ok(Prompt {
                id: row.require(1)?,
                version: row.require(2)?,
                content: row.require(3)?,
                owner: row.require(4)?,
                created_at: row.require(5)?,
            })
        })
    })
}
