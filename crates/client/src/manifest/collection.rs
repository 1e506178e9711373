//! The collection of a block of type pgvector, in any database with pgvector.
//!
//! All of it is one read-only transaction: nothing that a view or a default runs may write.

use std::time::Duration;

use kb_rag_core::manifest::table::{self, Column, Holds, Index, Unfit};
use kb_rag_core::manifest::{Identifier, Pgvector as Block, statements};
use kb_rag_core::statement::render;
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::connect::{Session, connect_to_block};
use crate::error::{Failure, Result};

/// The most bytes of all texts together.
const MAX_BYTES: usize = 16 << 20;
/// A statement that reads PostgreSQL's catalog has its names; one that reads the table has the search path of the role.
const BEGIN_CATALOG: &str = "SAVEPOINT kb_rag; SET LOCAL search_path = pg_catalog, pg_temp";
const END_CATALOG: &str = "ROLLBACK TO SAVEPOINT kb_rag";

type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// A table that can be searched.
pub struct Collection<'a> {
    session: Session,
    block: &'a Block,
    /// For SQL: the schema of pgvector.
    vector: String,
    /// For SQL: its schema and its name.
    pub name: String,
    /// The columns of the vectors and of the documents, without quotes.
    pub embedding: String,
    pub metadata: String,
    is_half: bool,
    /// That the column declares.
    pub dimensions: Option<i32>,
    pub index: Index,
}

/// A look at some rows of a table.
pub struct Sample {
    /// The fewest and the most dimensions of their vectors.
    pub dimensions: [Option<i32>; 2],
    pub rows: i64,
    pub with_key: i64,
}

/// PostgreSQL's plan of a search.
pub struct Plan {
    /// The index that gives rows in the order of their distances.
    pub index: Option<String>,
    /// The most rows of a step.
    pub rows: f64,
}

/// pgvector in a database.
struct Pgvector {
    schema: String,
    vector: Option<u32>,
    halfvec: Option<u32>,
}

/// Connects, and begins the transaction.
pub async fn connect(block: &Block, password: &str, timeout: Duration) -> Result<Session> {
    let session = connect_to_block(block, password).await?;
    session.client.batch_execute("BEGIN READ ONLY").await?;
    let sql = "SELECT pg_catalog.set_config('statement_timeout', $1, true)";
    let milliseconds = timeout.as_millis().to_string();
    session.client.query_typed(sql, &[(&milliseconds, Type::TEXT)]).await?;
    Ok(session)
}

impl<'a> Collection<'a> {
    /// Finds the table as the role that connects sees it.
    ///
    /// # Errors
    /// If there is none, if it cannot be read, if its columns do not tell which holds the vectors or the documents, or if its
    /// vectors have other dimensions than the block says.
    pub async fn find(session: Session, block: &'a Block) -> Result<Collection<'a>> {
        let client = &session.client;
        let exact = written(&block.collection, |part| quoted(&part.name));
        let folded = written(&block.collection, |part| match part.is_quoted {
            true => quoted(&part.name),
            false => quoted(&part.name.to_ascii_lowercase()),
        });
        let found = client
            .query_typed(statements::FIND_TABLE, &[(&exact, Type::TEXT), (&folded, Type::TEXT)])
            .await?;
        let relation: Option<u32> = found.first().and_then(|row| row.get(0));
        client.batch_execute(BEGIN_CATALOG).await?;
        let pgvector = pgvector(&session).await?;
        let described = match relation {
            Some(relation) => describe(&session, relation, &pgvector).await?,
            None => None,
        };
        client.batch_execute(END_CATALOG).await?;
        let Some((kind, name, columns)) = described else {
            let name = written(&block.collection, |part| part.name.clone());
            return Err(Failure::new(format!("collection \"{name}\" does not exist"))
                .hint("Name the schema too if it is not in the search_path of the user."));
        };
        if !table::is_readable(&kind) {
            return Err(Failure::new(format!("collection {name} is not a table or view")));
        }
        let (embedding, metadata) =
            table::columns(&columns, block.embedding_dimensions, &name).map_err(unfit)?;
        if let Some(hidden) = [embedding, metadata].into_iter().find(|column| !column.may_read) {
            return Err(Failure::new(format!("permission denied for column \"{}\" of {name}", hidden.name))
                .hint(format!("The owner of the table can grant it: GRANT SELECT ON {name} TO role.")));
        }
        if let Some(found) = embedding.dimensions {
            check_dimensions(block, found, &name)?;
        }
        Ok(Collection {
            block,
            vector: pgvector.schema,
            embedding: embedding.name.clone(),
            metadata: metadata.name.clone(),
            is_half: embedding.holds == Holds::HalfVectors,
            dimensions: embedding.dimensions,
            index: embedding.index(&kind),
            name,
            session,
        })
    }

    /// Looks at some rows, with the filter of the block or without it.
    ///
    /// # Errors
    /// If their vectors have other dimensions than the block says.
    pub async fn sample(&self, is_filtered: bool) -> Result<Sample> {
        let contains = format!(" AND t.{}{}$2", quoted(&self.metadata), statements::CONTAINS);
        let sql = self.render(statements::SAMPLE, &[("filter", if is_filtered { &contains } else { "" })]);
        let filter = Value::Object(self.block.metadata_filter.clone());
        let mut parameters: Vec<Parameter> = vec![(&self.block.content_key, Type::TEXT)];
        if is_filtered {
            parameters.push((&filter, Type::JSONB));
        }
        let rows = self.session.client.query_typed(&sql, &parameters).await?;
        let row = rows.first().ok_or_else(|| Failure::new("the server counted no rows"))?;
        let sample = Sample { dimensions: [row.get(0), row.get(1)], rows: row.get(2), with_key: row.get(3) };
        for found in sample.dimensions.into_iter().flatten() {
            check_dimensions(self.block, found, &self.name)?;
        }
        Ok(sample)
    }

    /// The texts of the nearest rows that pass the filter, never of fewer rows than exist: where an approximate index gives fewer,
    /// every vector is compared. Rows without a text are left out.
    ///
    /// # Errors
    /// If rows were found, but none of them has a text.
    pub async fn nearest(&self, vector: &[f32]) -> Result<Vec<String>> {
        let mut rows = Vec::new();
        if self.index != Index::None {
            self.set_index().await?;
            rows = self.run(vector, "").await?;
        }
        if self.index == Index::None || (rows.len() as i64) < self.block.top_k {
            rows = self.run(vector, statements::EXACT).await?;
        }
        let found = rows.len();
        let mut rows: Vec<(f64, Option<String>)> = rows.iter().map(|row| (row.get(1), row.get(0))).collect();
        table::nearest_first(&mut rows);
        let texts: Vec<String> =
            rows.into_iter().filter_map(|(_, text)| text).filter(|text| !text.trim().is_empty()).collect();
        if found > 0 && texts.is_empty() {
            return Err(unfit(vec![table::no_text(found, &self.block.content_key)]));
        }
        if texts.iter().map(String::len).sum::<usize>() > MAX_BYTES {
            return Err(Failure::new(format!("the documents found have more than {MAX_BYTES} bytes"))
                .hint("Use a smaller top_k, or smaller documents."));
        }
        Ok(texts)
    }

    /// The plan of a search.
    pub async fn plan(&self) -> Result<Plan> {
        self.set_index().await?;
        let mut vector = vec![0.0; usize::try_from(self.block.embedding_dimensions).unwrap_or_default()];
        if let Some(first) = vector.first_mut() {
            *first = 1.0;
        }
        let rows = self.explained(&vector).await?;
        let mut plan = Plan { index: None, rows: 0.0 };
        if let Some(found) = rows.first().map(|row| row.get::<_, Value>(0)) {
            read_plan(&found[0]["Plan"], &mut plan);
        }
        Ok(plan)
    }

    async fn set_index(&self) -> Result<()> {
        // Loads the library, which defines its parameters.
        let load = format!("SELECT '[1]'::{}.vector", self.vector);
        self.session.client.batch_execute(&load).await?;
        for (name, value) in self.index.settings(self.block.top_k) {
            let parameters: [Parameter; 2] = [(&name, Type::TEXT), (&value, Type::TEXT)];
            self.session.client.query_typed(include_str!("set.sql"), &parameters).await?;
        }
        Ok(())
    }

    async fn run(&self, vector: &[f32], exact: &str) -> Result<Vec<Row>> {
        self.query("", vector, exact).await
    }

    async fn explained(&self, vector: &[f32]) -> Result<Vec<Row>> {
        self.query("EXPLAIN (FORMAT JSON) ", vector, "").await
    }

    async fn query(&self, before: &str, vector: &[f32], exact: &str) -> Result<Vec<Row>> {
        let query = match self.is_half {
            true => format!("$1::pg_catalog.text::{}.halfvec", self.vector),
            false => format!("$1::pg_catalog.text::{}.vector", self.vector),
        };
        let has_filter = !self.block.metadata_filter.is_empty();
        let filter = match has_filter {
            true => format!(" AND t.{}{}$4", quoted(&self.metadata), statements::CONTAINS),
            false => String::new(),
        };
        let sql = self
            .render(statements::NEAREST, &[("query", query.as_str()), ("filter", &filter), ("exact", exact)]);
        // As pgvector reads them.
        let vector = format!("{vector:?}");
        let contained = Value::Object(self.block.metadata_filter.clone());
        let mut parameters: Vec<Parameter> = vec![
            (&vector, Type::TEXT),
            (&self.block.content_key, Type::TEXT),
            (&self.block.top_k, Type::INT8),
        ];
        if has_filter {
            parameters.push((&contained, Type::JSONB));
        }
        Ok(self.session.client.query_typed(&format!("{before}{sql}"), &parameters).await?)
    }

    fn render(&self, template: &str, more: &[(&str, &str)]) -> String {
        let (embedding, metadata) = (quoted(&self.embedding), quoted(&self.metadata));
        let own = [
            ("table", self.name.as_str()),
            ("embedding", &embedding),
            ("metadata", &metadata),
            ("vector", &self.vector),
        ];
        render(template, &[&own, more].concat())
    }
}

async fn pgvector(session: &Session) -> Result<Pgvector> {
    let rows = session.client.query_typed(include_str!("pgvector.sql"), &[]).await?;
    let row = rows.first().ok_or_else(|| {
        Failure::new("pgvector is not installed in this database")
            .hint("Check dbname, or run CREATE EXTENSION vector there.")
    })?;
    Ok(Pgvector { schema: row.get(0), vector: row.get(2), halfvec: row.get(3) })
}

/// The kind of a relation, its name for SQL, and its columns. None if it is gone.
async fn describe(
    session: &Session,
    relation: u32,
    pgvector: &Pgvector,
) -> Result<Option<(String, String, Vec<Column>)>> {
    let parameters: [Parameter; 1] = [(&relation, Type::OID)];
    let found = session.client.query_typed(statements::KIND_OF_TABLE, &parameters).await?;
    let Some(found) = found.first() else { return Ok(None) };
    let columns = session.client.query_typed(statements::COLUMNS, &parameters).await?;
    let columns = columns.iter().map(|row| {
        let type_oid: Option<u32> = row.get(1);
        Column {
            name: row.get(0),
            holds: match type_oid {
                Some(oid) if oid == Type::JSONB.oid() => Holds::Documents,
                Some(oid) if Some(oid) == pgvector.vector => Holds::Vectors,
                Some(oid) if Some(oid) == pgvector.halfvec => Holds::HalfVectors,
                _ => Holds::Others,
            },
            dimensions: row.get::<_, Option<i32>>(2).filter(|dimensions| *dimensions > 0),
            may_read: row.get(3),
            method: row.get(4),
            lists: row.get(5),
        }
    });
    Ok(Some((found.get(0), found.get(1), columns.collect())))
}

fn check_dimensions(block: &Block, found: i32, name: &str) -> Result<()> {
    if found == block.embedding_dimensions {
        return Ok(());
    }
    let (message, hint) = table::other_dimensions(block.embedding_dimensions, found, name);
    Err(Failure::new(message).hint(hint))
}

/// The first mistake with the others in its detail.
fn unfit(all: Vec<Unfit>) -> Failure {
    let mut all = all.into_iter();
    let Some(first) = all.next() else { return Failure::new("the collection cannot be searched") };
    let others: Vec<String> = all.map(|other| format!("{} ({})", other.message, other.hint)).collect();
    let details = [first.detail.unwrap_or_default(), others.join("; ")];
    let details: Vec<&str> = details.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    Failure {
        detail: (!details.is_empty()).then(|| details.join(" ")),
        ..Failure::new(first.message).hint(first.hint)
    }
}

/// Notes of a step of a plan, and of those below it, which index gives an order and how many rows there are.
fn read_plan(step: &Value, plan: &mut Plan) {
    plan.rows = step["Plan Rows"].as_f64().unwrap_or_default().max(plan.rows);
    if let (Some(index), true) = (step["Index Name"].as_str(), step.get("Order By").is_some()) {
        plan.index = Some(index.to_string());
    }
    for below in step["Plans"].as_array().into_iter().flatten() {
        read_plan(below, plan);
    }
}

fn written(name: &[Identifier], quote: impl Fn(&Identifier) -> String) -> String {
    name.iter().map(quote).collect::<Vec<_>>().join(".")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plan_tells_its_index() {
        let below = json!({"Node Type": "Index Scan", "Index Name": "articles_vec", "Order By": "(vec <=> $1)", "Plan Rows": 900});
        let sorted = json!({"Node Type": "Limit", "Plan Rows": 5, "Plans": [below]});
        let mut plan = Plan { index: None, rows: 0.0 };
        read_plan(&sorted, &mut plan);
        assert_eq!((plan.index.as_deref(), plan.rows), (Some("articles_vec"), 900.0));
        // An index for the filter gives no order.
        let mut plan = Plan { index: None, rows: 0.0 };
        read_plan(
            &json!({"Node Type": "Index Scan", "Index Name": "articles_key", "Plan Rows": 3}),
            &mut plan,
        );
        assert_eq!(plan.index, None);
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
