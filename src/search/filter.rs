//! Conditions that hold inside both arms.

use super::Request;
use super::keyword::query::{Conditions, Query};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::filter;
use crate::postgres::spi::Arg;

/// The conditions on a chunk `c` of one base.
#[derive(Clone)]
pub struct Filter<'a> {
    /// The filters of its metadata: the agent's of the base, and the call's.
    metadata: [Option<filter::Filter>; 2],
    source_type: Option<&'a str>,
    /// Row security hides documents from the caller, and so must hide their chunks.
    secured: bool,
    /// What the query demands besides its ranked lexemes.
    query: Option<&'a Conditions>,
    /// The numbers of the chunks that can satisfy the query, where they are known.
    numbers: Option<Vec<i64>>,
}

impl<'a> Filter<'a> {
    pub fn new(request: &'a Request, base: &'a KnowledgeBase) -> Result<Filter<'a>> {
        let mut filter = Filter::of_base(base)?;
        filter.metadata[1] = request.filter.as_ref().map_or(Ok(None), filter::Filter::read)?;
        filter.source_type = request.source_type;
        Ok(filter)
    }

    /// The conditions of a search that has none of its own.
    pub fn of_base(base: &'a KnowledgeBase) -> Result<Filter<'a>> {
        Ok(Filter {
            metadata: [base.agent_filter.as_ref().map_or(Ok(None), filter::Filter::read)?, None],
            source_type: None,
            secured: base.is_row_secured()?,
            query: None,
            numbers: None,
        })
    }

    /// Adds what the query demands besides its ranked lexemes.
    pub fn with_query(mut self, query: &'a Query) -> Filter<'a> {
        self.query = query.conditions.as_ref();
        self
    }

    /// Only chunks with these numbers can satisfy the query.
    pub fn with_numbers(mut self, numbers: Option<Vec<i64>>) -> Filter<'a> {
        self.numbers = numbers;
        self
    }

    /// Whether every chunk passes, so that none needs to be looked at.
    pub fn is_empty(&self) -> bool {
        self.metadata.iter().all(Option::is_none)
            && self.source_type.is_none()
            && !self.secured
            && self.query.is_none()
            && self.numbers.is_none()
    }

    /// The same without row security: for statements that run as the owner, whose rows are then checked as the caller.
    pub fn open(&self) -> Filter<'a> {
        Filter { secured: false, ..self.clone() }
    }

    /// The conditions joined by AND, with their values appended to `args`. `true` when there is none.
    pub fn conditions(&self, schema: &str, args: &mut Vec<Arg>) -> Result<String> {
        let mut conditions = Vec::new();
        let documents = format!("{schema}.document");
        let chunks = filter::Rows { metadata: "c.metadata", document: Some(&documents) };
        for metadata in self.metadata.iter().flatten() {
            conditions.push(metadata.sql(&chunks, args)?);
        }
        if let Some(source_type) = self.source_type {
            args.push(Arg::new(source_type));
            conditions.push(format!("c.source_type = ${}", args.len()));
        }
        if self.secured {
            conditions.push(format!("EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)"));
        }
        if let Some(numbers) = &self.numbers {
            args.push(Arg::new(numbers.clone()));
            conditions.push(format!("c.keyword_number = ANY (${})", args.len()));
        }
        if let Some(query) = self.query {
            args.push(Arg::new(query.condition.as_str()));
            conditions.push(format!("c.tsv @@ ${}::tsquery", args.len()));
        }
        Ok(if conditions.is_empty() { "true".to_string() } else { conditions.join(" AND ") })
    }
}
