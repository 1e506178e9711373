//! What kb_attach does about row security of a table.

use pgrx::{Uuid, pg_sys};

use super::table::Candidate;
use super::write::Request;
use crate::base::{self, KnowledgeBase, Policies, RowSecurity};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::role;
use crate::postgres::spi;

/// Whether the catalog records the types of a key, without which no table can be followed: that of kb_rag 0.3 does not.
pub fn is_known() -> bool {
    catalog::has_column(c"attached_table", c"key_types")
}

/// A statement of the catalog with the columns of these types, of options and of the pace, or without.
pub fn with_types(template: &str, is_known: bool) -> String {
    let values: [(&str, &str); 12] = if is_known {
        [
            ("key_types", ", key_types"),
            ("types_of_key", include_str!("types_of_key.sql")),
            ("new_types", ", key_types = excluded.key_types"),
            ("kept_types", ", 'key_types', s.key_types, 'options', s.options"),
            ("row_security", "CASE WHEN s.key_types IS NULL THEN s.row_security ELSE 'follow' END"),
            ("options", "s.options::text"),
            ("options_column", ", options"),
            ("options_value", ", $13::jsonb"),
            ("new_options", include_str!("new_options.sql")),
            ("since", ", reading_since = coalesce(reading_since, clock_timestamp())"),
            ("no_since", ", reading_since = NULL"),
            ("seconds", "extract(epoch FROM clock_timestamp() - s.reading_since)::float8"),
        ]
    } else {
        [
            ("key_types", ""),
            ("types_of_key", ""),
            ("new_types", ""),
            ("kept_types", ""),
            ("row_security", "s.row_security"),
            ("options", "'{}'"),
            ("options_column", ""),
            ("options_value", ""),
            ("new_options", ""),
            ("since", ""),
            ("no_since", ""),
            ("seconds", "NULL::float8"),
        ]
    };
    spi::render(template, &values)
}

/// Whether row security of the table is to be followed, as it is now. If there is none, it closes the base where it is enabled later.
pub fn follows(request: &Request) -> Result<bool> {
    Ok(request.row_security == RowSecurity::Follow && !base::with_row_security(request.table)?.is_empty())
}

/// What the catalog records. Where the table is followed, policies take care of it; otherwise a library that does not know them has
/// to close the base.
pub fn stored(row_security: RowSecurity, follows: bool) -> RowSecurity {
    match row_security {
        RowSecurity::Follow if follows => RowSecurity::Ignore,
        RowSecurity::Follow => RowSecurity::Refuse,
        other => other,
    }
}

/// Whether the policies of the base are as they have to be once a source is followed, or not.
pub fn is_synced(base: &KnowledgeBase, source_id: Uuid, follows: bool) -> Result<bool> {
    if !follows && !base.follows_rows() {
        return Ok(true);
    }
    let mut wanted = base.followed_sources()?;
    wanted.retain(|id| *id != source_id);
    if follows {
        wanted.push(source_id);
        wanted.sort();
    }
    Ok(Policies::read(base)?.are_synced(&wanted))
}

/// 40001: row security of the table was enabled or disabled while locks were waited for.
pub fn altered(table: &Candidate) -> Error {
    Error::serialization(format!("row security of table {} was changed by another transaction", table.name))
        .hint("Run kb_attach again.")
}

/// Whether the owner of the base may follow a table: policies do not apply to it, since it sees all documents.
pub fn may_follow(base: &KnowledgeBase, owner_of_table: pg_sys::Oid) -> Result<bool> {
    let owner = base.owner_role()?;
    Ok(role::bypasses_row_security(owner) || role::has_privileges(owner, owner_of_table))
}

/// 0A000 if policies protect rows that would be published.
pub fn check(base: &KnowledgeBase, request: &Request, table: &Candidate) -> Result<()> {
    let secured = base::with_row_security(request.table)?;
    let Some(first) = secured.first() else { return Ok(()) };
    let with = if *first == table.name { String::new() } else { format!(" through {first}") };
    match request.row_security {
        RowSecurity::Follow if !is_known() => Err(Error::not_ready(format!(
            "row security of table {} cannot be followed by the version of kb_rag in this database",
            table.name
        ))
        .hint("Run ALTER EXTENSION kb_rag UPDATE.")),
        RowSecurity::Follow if may_follow(base, table.owner)? => Ok(()),
        RowSecurity::Follow => Err(Error::unsupported(format!(
            "row security of table {} cannot be followed: it applies to role \"{}\", which owns knowledge base \"{}\"",
            table.name, role::role_name(base.owner_role()?)?, base.name
        ))
        .detail("The owner of a knowledge base sees all documents.")
        .hint("Let the owner of the table own the knowledge base. To publish all rows, attach it with row_security => 'ignore'.")),
        RowSecurity::Refuse => Err(Error::unsupported(format!("table {} has row security{with}", table.name))
            .detail("Everybody who may read the knowledge base would find all rows.")
            .hint("To show rows to those who see them in the table, attach it with row_security => 'follow'; to publish all rows, with 'ignore'.")),
        RowSecurity::Ignore => {
            Error::not_ready(format!("row security of table {} is ignored", table.name))
                .warn("everybody who may read the knowledge base finds all rows");
            Ok(())
        }
    }
}
