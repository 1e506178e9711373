//! The tables `question` and `evaluation` of a base. They hold what people asked and quotes of documents: only the owner and
//! administrators have privileges on them. A base has them once a question was added.

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// Whether the base has the tables, and they are its own.
pub fn are_there(base: &KnowledgeBase) -> bool {
    base.has_questions()
}

/// 55000 unless the base has questions.
pub fn require(base: &KnowledgeBase) -> Result<()> {
    if are_there(base) { Ok(()) } else { Err(none(base)) }
}

/// 55000: the base has no questions.
pub fn none(base: &KnowledgeBase) -> Error {
    Error::not_ready(format!("knowledge base \"{}\" has no questions", base.name))
        .hint("Add some with kb_question_add, or have kb_question_draft make some.")
}

/// The base of this name, for a caller that administers it, with the tables: they are created if they are missing.
pub fn of_base(knowledge_base: &str) -> Result<KnowledgeBase> {
    let base = base::by_name(knowledge_base, Access::Read)?;
    base.require_admin()?;
    if are_there(&base) {
        return Ok(base);
    }
    let base = base::locked_for_admin(knowledge_base)?;
    create(&base)?;
    Ok(base)
}

/// Creates the tables as the owner of the base, if they are missing. 42710 beside a relation of somebody else with such a name.
fn create(base: &KnowledgeBase) -> Result<()> {
    if are_there(base) {
        return Ok(());
    }
    for name in [c"question", c"evaluation"] {
        if base.has_relation(name) {
            let name = name.to_string_lossy();
            return Err(Error::exists(format!(
                "relation \"{name}\" already exists in schema \"{}\" and is not kb_rag's",
                base.schema
            ))
            .hint("Rename it, or move it to another schema."));
        }
    }
    let schema = base.quoted_schema();
    let quiet = [(c"client_min_messages", c"warning")];
    guc::with_settings(&quiet, || {
        base.connect(|c| {
            c.run(&spi::render(include_str!("tables.sql"), &[("schema", &schema)]))?;
            let tables = ["question", "evaluation"].map(|table| Arg::new(format!("{schema}.{table}")));
            each_role(c, include_str!("grantees.sql"), &tables, include_str!("revoke.sql"), &schema)?;
            let schema_name = [Arg::new(base.schema.as_str())];
            each_role(c, include_str!("admins.sql"), &schema_name, include_str!("grant.sql"), &schema)
        })
    })
}

/// Runs a statement for each role that a query gives.
fn each_role(c: &Connection, roles: &str, args: &[Arg], statement: &str, schema: &str) -> Result<()> {
    let roles = c.query(roles, Access::Write, Planning::Auto, args, |row| row.require::<String>(1))?;
    roles.iter().try_for_each(|role| c.run(&spi::render(statement, &[("schema", schema), ("role", role)])))
}
