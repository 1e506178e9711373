//! The tables `question` and `evaluation` of a base. They hold what people asked and quotes of documents: only the owner and
//! administrators have privileges on them. A base has them once a question was added.

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg};

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
            base::revoke_from_others(c, &schema, ["question", "evaluation"])?;
            let args = [Arg::new(base.schema.as_str())];
            base::each_role(
                c,
                include_str!("admins.sql"),
                &args,
                include_str!("grant.sql"),
                &[("schema", &schema)],
            )
        })
    })
}
