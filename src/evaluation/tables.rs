//! The tables `question` and `evaluation` of a base. They hold what people asked and quotes of documents: only the owner and
//! administrators have privileges on them. A base has them once a question was added; one that was dropped is made again.

use std::ffi::CStr;

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg};

/// 55000 unless the base has questions.
pub fn require(base: &KnowledgeBase) -> Result<()> {
    if base.has_questions() { Ok(()) } else { Err(none(base)) }
}

/// 55000: the base has no questions.
pub fn none(base: &KnowledgeBase) -> Error {
    Error::not_ready(format!("knowledge base \"{}\" has no questions", base.name))
        .hint("Add some with kb_question_add, or have kb_question_draft make some.")
}

/// The base of this name, for a caller that administers it, with the tables: those that are missing are created. `evaluation` may be a
/// table of somebody else, unless a run is to be kept.
pub fn of_base(knowledge_base: &str, keeps_run: bool) -> Result<KnowledgeBase> {
    let is_complete = |base: &KnowledgeBase| {
        base.has_questions() && (base.has_evaluations() || !keeps_run && base.has_relation(c"evaluation"))
    };
    let base = base::by_name(knowledge_base, Access::Read)?;
    base.require_admin()?;
    if is_complete(&base) {
        return Ok(base);
    }
    let base = base::locked_for_admin(knowledge_base)?;
    if !base.has_questions() {
        create(&base, c"question", include_str!("create_question.sql"))?;
    }
    if !is_complete(&base) {
        create(&base, c"evaluation", include_str!("create_evaluation.sql"))?;
    }
    Ok(base)
}

/// Creates a table as the owner of the base. 42710 beside a relation of somebody else with its name.
fn create(base: &KnowledgeBase, table: &CStr, sql: &str) -> Result<()> {
    let name = table.to_string_lossy();
    if base.has_relation(table) {
        return Err(Error::exists(format!(
            "relation \"{name}\" already exists in schema \"{}\" and is not kb_rag's",
            base.schema
        ))
        .hint("Rename it, or move it to another schema."));
    }
    let schema = base.quoted_schema();
    let quiet = [(c"client_min_messages", c"warning")];
    guc::with_settings(&quiet, || {
        base.connect(|c| {
            c.run(&spi::render(sql, &[("schema", &schema)]))?;
            base::revoke_from_others(c, &schema, &name)?;
            let args = [Arg::new(base.schema.as_str())];
            let names = [("schema", schema.as_str()), ("table", &name)];
            base::each_role(c, include_str!("admins.sql"), &args, include_str!("grant.sql"), &names)
        })
    })
}
