//! `PATCH /api/v1/documents/{id}`: changes a document that nothing else feeds. Deleting one.

use super::answer::Mistake;
use super::fields::{Fields, Path, id, identified};
use super::plan::{FILE_TIME, Plan};
use super::routes::Settings;
use crate::database::{Statement, Then, text};

/// Finds the base of the document, changes it there, and reads it.
pub fn edit(_: &Settings, path: &Path, mut fields: Fields) -> Result<Plan, Mistake> {
    let (of_base, what) = identified("document", id(path))?;
    let (document, _) = identified("document", id(path))?;
    let base = fields.text(&["knowledge_base"])?;
    let is_as_read = fields.if_match()?;
    let changes = [
        fields.text(&["title"])?,
        fields.filled(&["text"])?,
        fields.text(&["abstract"])?,
        fields.text(&["overview"])?,
        fields.object(&["metadata"])?,
    ];
    fields.end()?;
    if changes.iter().all(Option::is_none) {
        return Err(Mistake::wrong("there is nothing to change")
            .hint("Give one of title, text, abstract, overview and metadata."));
    }
    let mut parameters = vec![document];
    parameters.extend(changes.map(text));
    parameters.push(text(is_as_read));
    let change = Statement { sql: include_str!("sql/edit.sql"), parameters };
    let read = Statement { sql: include_str!("sql/edited.sql"), parameters: vec![text(base.clone())] };
    Ok(Plan::change(include_str!("sql/schema_of_document.sql"), vec![of_base, text(base)])
        .then(Then::InSchema(change))
        .then(Then::With(read))
        .with_status()
        .naming(what)
        .within(FILE_TIME))
}

/// Deletes a document, which must be as it was read if the request says so.
pub fn delete(what: &str, id: &str, base: Option<String>, fields: Fields) -> Result<Plan, Mistake> {
    let (document, missing) = identified(what, id)?;
    let is_as_read = fields.if_match()?;
    fields.end()?;
    let Some(state) = is_as_read else {
        let plan = Plan::remove(include_str!("sql/delete.sql"), vec![document, text(base)]);
        return Ok(plan.naming(missing));
    };
    let (of_base, _) = identified(what, id)?;
    let compare =
        Statement { sql: include_str!("sql/compare.sql"), parameters: vec![document, text(Some(state))] };
    let delete = Statement { sql: include_str!("sql/delete.sql"), parameters: vec![text(base.clone())] };
    Ok(Plan::remove(include_str!("sql/schema_of_document.sql"), vec![of_base, text(base)])
        .then(Then::InSchema(compare))
        .then(Then::With(delete))
        .with_status()
        .naming(missing))
}
