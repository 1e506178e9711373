//! The knowledge base that is measured, and its questions.

use serde_json::Value;
use tokio_postgres::{GenericClient, Row};
use uuid::Uuid;

use super::question::Question;
use crate::connect::Session;
use crate::error::{Failure, Result};
use crate::extension::{self, Extension};

/// A base that the caller may read.
#[derive(Clone, Debug)]
pub struct Base {
    pub name: String,
    /// The model of its vectors.
    pub model: String,
    /// The schema of its tables, quoted.
    schema: String,
    extension: Extension,
    /// Whether it has questions that the caller may read.
    pub has_questions: bool,
}

/// A question of a base.
pub struct Stored {
    pub id: Uuid,
    pub question: Question,
}

impl Base {
    /// Finds a base by name.
    ///
    /// # Errors
    /// The server's own message if the base does not exist or may not be read.
    pub async fn find(session: &Session, name: &str) -> Result<Base> {
        let extension = extension::find(session).await?;
        let in_extension = |sql: &str| sql.replace("{extension}", &extension.schema);
        let client = &session.client;
        let Some(row) = client.query_opt(&in_extension(include_str!("sql/base.sql")), &[&name]).await? else {
            client.query(&in_extension(include_str!("sql/explain_base.sql")), &[&name]).await?;
            return Err(Failure::new(format!("knowledge base \"{name}\" cannot be read")));
        };
        if !row.get::<_, bool>(2) {
            return Err(Failure::new("kb_rag in this database is of a version without questions")
                .hint("Update it: ALTER EXTENSION kb_rag UPDATE"));
        }
        let (schema, model, has_questions) = (row.get(0), row.get(1), row.get(3));
        Ok(Base { name: name.to_string(), model, schema, extension, has_questions })
    }

    /// A statement with the names of schemas filled in.
    pub fn sql(&self, statement: &str) -> String {
        statement.replace("{schema}", &self.schema).replace("{extension}", &self.extension.schema)
    }

    /// # Errors
    /// The server's own message if there are no questions, or the caller may not read them.
    pub async fn require_questions(&self, client: &impl GenericClient) -> Result<()> {
        if self.has_questions {
            return Ok(());
        }
        client.query(&self.sql(include_str!("sql/explain_questions.sql")), &[&self.name]).await?;
        Err(Failure::new(format!("the questions of knowledge base \"{}\" cannot be read", self.name)))
    }

    /// Questions with a tag and with ids, in the order in which they were added.
    pub async fn questions(
        &self,
        client: &impl GenericClient,
        tag: Option<&str>,
        ids: Option<&[Uuid]>,
    ) -> Result<Vec<Stored>> {
        let rows = client.query(&self.sql(include_str!("sql/questions.sql")), &[&tag, &ids]).await?;
        rows.iter().map(stored).collect()
    }

    /// Adds a question.
    pub async fn add(&self, client: &impl GenericClient, question: &Question) -> Result<Uuid> {
        let Question { text, keys, documents, texts, filter, agent, tags, weight, is_draft } = question;
        let filter = Value::Object(filter.clone());
        let sql = self.sql(include_str!("sql/add.sql"));
        let row = client
            .query_one(&sql, &[&self.name, text, keys, documents, texts, &filter, agent, tags, weight])
            .await?;
        let id: Uuid = row.get(0);
        if *is_draft {
            client.execute(&self.sql(include_str!("sql/mark_draft.sql")), &[&id]).await?;
        }
        Ok(id)
    }

    /// The agent of a name.
    pub async fn agent(&self, client: &impl GenericClient, name: &str) -> Result<Uuid> {
        Ok(client.query_one(&self.sql(include_str!("sql/agent.sql")), &[&name]).await?.get(0))
    }
}

fn stored(row: &Row) -> Result<Stored> {
    let filter = match row.try_get(5)? {
        Value::Object(filter) => filter,
        _ => Default::default(),
    };
    let question = Question {
        text: row.try_get(1)?,
        keys: row.try_get(2)?,
        documents: row.try_get(3)?,
        texts: row.try_get(4)?,
        filter,
        agent: row.try_get(6)?,
        tags: row.try_get(7)?,
        weight: row.try_get(8)?,
        is_draft: row.try_get(9)?,
    };
    Ok(Stored { id: row.try_get(0)?, question })
}
