//! The arguments of kb_search as an object of JSON.

use kb_rag_core::near::near;
use pgrx::Uuid;
use serde_json::{Map, Value};

use super::question::Question;
use crate::base::Ranker;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::uuid::parse;
use crate::search::{self, Duplicates, Form, Fusion, Mode, Request, Syntax};

/// How many results a search gets that does not say: nDCG looks at ten.
const MATCH_COUNT: i64 = 10;
/// What may be given.
const NAMES: [&str; 15] = [
    "mode",
    "match_count",
    "filter",
    "source_type",
    "agent_id",
    "keyword_weight",
    "semantic_weight",
    "rrf_k",
    "ranker",
    "fusion",
    "max_per_document",
    "syntax",
    "match_threshold",
    "neighbors",
    "duplicates",
];
/// What kb_search has besides.
const GIVEN: [&str; 6] =
    ["query", "knowledge_base", "knowledge_bases", "query_embedding", "match_offset", "snippet"];

/// One set of arguments.
#[derive(Clone)]
pub struct Configuration {
    /// As given.
    pub object: Map<String, Value>,
    mode: Mode,
    pub match_count: i64,
    filter: Option<Jsonb>,
    source_type: Option<String>,
    agent: Option<Uuid>,
    keyword_weight: f64,
    semantic_weight: f64,
    rrf_k: i64,
    ranker: Option<Ranker>,
    fusion: Fusion,
    max_per_document: Option<i64>,
    syntax: Syntax,
    match_threshold: Option<f64>,
    neighbors: i64,
    duplicates: Duplicates,
}

impl Configuration {
    /// One for each object of an array, or that of one object. 22023 for anything else, and for arguments that kb_search does not have.
    pub fn all_of(value: &Value) -> Result<Vec<Configuration>> {
        match value {
            Value::Array(values) if values.is_empty() => {
                Err(Error::invalid("the array of arguments is empty")
                    .hint("Use {} for the defaults of kb_search."))
            }
            Value::Array(values) => values.iter().map(Configuration::of).collect(),
            other => Ok(vec![Configuration::of(other)?]),
        }
    }

    /// That of one object.
    pub fn of(value: &Value) -> Result<Configuration> {
        let Value::Object(object) = value else {
            return Err(Error::invalid(format!("arguments must be a JSON object, not {value}"))
                .hint("Write them by name, such as {\"mode\": \"keyword\"}."));
        };
        for name in object.keys() {
            check_name(name)?;
        }
        let reader = Reader(object);
        let configuration = Configuration {
            object: object.clone(),
            mode: reader.choice("mode")?.unwrap_or(search::DEFAULT_MODE),
            match_count: reader.integer("match_count")?.unwrap_or(MATCH_COUNT),
            filter: reader.object("filter")?,
            source_type: reader.text("source_type")?,
            agent: reader.uuid("agent_id")?,
            keyword_weight: reader.number("keyword_weight")?.unwrap_or(search::DEFAULT_WEIGHT),
            semantic_weight: reader.number("semantic_weight")?.unwrap_or(search::DEFAULT_WEIGHT),
            rrf_k: reader.integer("rrf_k")?.unwrap_or(search::DEFAULT_RRF_K),
            ranker: reader.choice("ranker")?,
            fusion: reader.choice("fusion")?.unwrap_or(search::DEFAULT_FUSION),
            max_per_document: reader.integer("max_per_document")?,
            syntax: reader.choice("syntax")?.unwrap_or(Syntax::DEFAULT),
            match_threshold: reader.number("match_threshold")?,
            neighbors: reader.integer("neighbors")?.unwrap_or(search::DEFAULT_NEIGHBORS),
            duplicates: reader.choice("duplicates")?.unwrap_or(Duplicates::OF_ROWS),
        };
        configuration.request("a question", "", None)?.check()?;
        Ok(configuration)
    }

    /// The search for a question. Its filter and its agent come from the question, if that has them.
    pub fn search<'a>(&'a self, question: &'a Question, knowledge_base: &'a str) -> Result<Request<'a>> {
        let filter = match &self.filter {
            Some(filter) if question.filter.is_empty_object() => Some(filter.clone()),
            Some(filter) => Some(Jsonb::from_text(&format!(
                "{{\"$and\": [{}, {}]}}",
                filter.to_text(),
                question.filter.to_text()
            ))?),
            None => Some(question.filter.clone()),
        };
        let request = self.request(&question.text, knowledge_base, question.agent)?;
        let request = Request { filter, ..request };
        request.check()?;
        Ok(request)
    }

    /// The search that tells whether kb_context and the tools answer a question.
    pub fn answer<'a>(&'a self, question: &'a Question, knowledge_base: &'a str) -> Result<Request<'a>> {
        let form = if self.mode == Mode::Keyword { Form::AnswerByKeyword } else { Form::Answer };
        Ok(Request { form, match_count: 1, window: None, ..self.search(question, knowledge_base)? })
    }

    fn request<'a>(
        &'a self,
        query: &'a str,
        knowledge_base: &'a str,
        agent: Option<Uuid>,
    ) -> Result<Request<'a>> {
        Ok(Request {
            knowledge_base: Some(knowledge_base),
            agent: agent.or(self.agent),
            mode: self.mode,
            match_count: self.match_count,
            filter: self.filter.clone(),
            source_type: self.source_type.as_deref(),
            keyword_weight: self.keyword_weight,
            semantic_weight: self.semantic_weight,
            rrf_k: self.rrf_k,
            ranker: self.ranker,
            fusion: self.fusion,
            max_per_document: self.max_per_document,
            syntax: self.syntax,
            match_threshold: self.match_threshold,
            window: search::window_of(self.neighbors)?,
            duplicates: self.duplicates,
            ..Request::new(query)
        })
    }
}

fn check_name(name: &str) -> Result<()> {
    if NAMES.contains(&name) {
        return Ok(());
    }
    if GIVEN.contains(&name) {
        return Err(Error::invalid(format!("argument \"{name}\" cannot be given"))
            .hint("The questions of the base are asked, in that base, from the first result on."));
    }
    let hint = match near(name, NAMES).first() {
        Some(nearest) => format!("Perhaps you meant \"{nearest}\"."),
        None => format!("kb_search has {}.", NAMES.join(", ")),
    };
    Err(Error::invalid(format!("kb_search has no argument \"{name}\"")).hint(hint))
}

/// Reads members of an object; null stands for the default.
struct Reader<'a>(&'a Map<String, Value>);

impl Reader<'_> {
    fn member(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn read<T>(&self, name: &str, kind: &str, read: impl FnOnce(&Value) -> Option<T>) -> Result<Option<T>> {
        self.member(name)
            .map(|value| {
                read(value).ok_or_else(|| {
                    Error::invalid(format!("argument \"{name}\" is {value}"))
                        .hint(format!("It has to be {kind}."))
                })
            })
            .transpose()
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        self.read(name, "a string", |value| value.as_str().map(str::to_string))
    }

    fn number(&self, name: &str) -> Result<Option<f64>> {
        self.read(name, "a number", Value::as_f64)
    }

    fn integer(&self, name: &str) -> Result<Option<i64>> {
        self.read(name, "a whole number", Value::as_i64)
    }

    fn object(&self, name: &str) -> Result<Option<Jsonb>> {
        let object = self.read(name, "an object", |value| value.is_object().then(|| value.clone()))?;
        object.map(|value| Jsonb::from_value(&value)).transpose()
    }

    fn uuid(&self, name: &str) -> Result<Option<Uuid>> {
        self.read(name, "a uuid, as kb_agent gives it", |value| parse(value.as_str()?))
    }

    fn choice<T: Choice>(&self, name: &str) -> Result<Option<T>> {
        self.text(name)?.map(|value| T::from_name(&value)).transpose()
    }
}
