//! The arguments of a search, checked.

use std::borrow::Cow;

use kb_rag_core::search::{Arguments, Query};
pub use kb_rag_core::search::{Fusion, Mode, Window};
use kb_rag_core::websearch::{self, WebSearch};
use pgrx::Uuid;

use crate::base::{Ranker, check_filter, check_threshold};
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::vector::Vector;

/// The most results of one search.
pub const MAX_MATCH_COUNT: i64 = 10_000;
/// A query longer than this is 54000.
const MAX_QUERY_BYTES: usize = 65_536;
const MAX_RRF_K: i64 = 1_000_000;
/// The most neighbors on each side of a chunk.
pub const MAX_NEIGHBORS: i64 = 100;
/// The defaults of arguments, which NULL stands for. SQL declares the same ones.
pub const DEFAULT_MATCH_COUNT: i64 = 5;
pub const DEFAULT_MATCH_OFFSET: i64 = 0;
pub const DEFAULT_WEIGHT: f64 = 1.0;
pub const DEFAULT_RRF_K: i64 = 10;
/// Texts with a similarity up to this are noise to a chat model. Also for answers from bases of which nothing better is known.
pub const DEFAULT_THRESHOLD: f64 = 0.3;
pub const DEFAULT_NEIGHBORS: i64 = 0;
pub const DEFAULT_MODE: Mode = Mode::Hybrid;
pub const DEFAULT_FUSION: Fusion = Fusion::RelativeScore;

impl Choice for Mode {
    const WHAT: &'static str = "search mode";
    const ALL: &'static [Mode] = &[Mode::Hybrid, Mode::Semantic, Mode::Keyword];

    fn name(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Semantic => "semantic",
            Mode::Keyword => "keyword",
        }
    }
}

impl Choice for Fusion {
    const WHAT: &'static str = "fusion";
    const ALL: &'static [Fusion] = &[Fusion::ReciprocalRank, Fusion::RelativeScore];

    fn name(self) -> &'static str {
        match self {
            Fusion::ReciprocalRank => "rrf",
            Fusion::RelativeScore => "relative",
        }
    }
}

/// Whether results with the same text stay apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// Each is a result.
    Keep,
    /// They become one, the best.
    Merge,
}

impl Duplicates {
    /// For rows; texts for chat models and people merge.
    pub const OF_ROWS: Duplicates = Duplicates::Keep;
    pub const OF_TEXTS: Duplicates = Duplicates::Merge;
}

impl Choice for Duplicates {
    const WHAT: &'static str = "value of duplicates";
    const ALL: &'static [Duplicates] = &[Duplicates::Keep, Duplicates::Merge];

    fn name(self) -> &'static str {
        match self {
            Duplicates::Keep => "keep",
            Duplicates::Merge => "merge",
        }
    }
}

/// How a query is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Text as people write it.
    Plain,
    /// With the operators of web search engines.
    Web,
}

impl Syntax {
    pub const DEFAULT: Syntax = Syntax::Plain;

    /// Splits a query into its words and operators.
    pub fn parse(self, query: &str) -> WebSearch<'_> {
        match self {
            Syntax::Plain => WebSearch { words: vec![query], ..WebSearch::default() },
            Syntax::Web => websearch::parse(query),
        }
    }
}

impl Choice for Syntax {
    const WHAT: &'static str = "query syntax";
    const ALL: &'static [Syntax] = &[Syntax::Plain, Syntax::Web];

    fn name(self) -> &'static str {
        match self {
            Syntax::Plain => "plain",
            Syntax::Web => "web",
        }
    }
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The results of kb_search, of which only the call and the bases leave anything out.
    Results,
    /// Passages to answer with, for people and chat models: bases without thresholds have those of their model, or
    /// [`DEFAULT_THRESHOLD`].
    Answer,
    /// The same in the mode keyword. The results are compared with the question by their vectors too: their similarity does not change
    /// the order, but is returned, and thresholds apply.
    AnswerByKeyword,
}

/// The arguments of a search; those that need a value have one.
pub struct Request<'a> {
    pub query: &'a str,
    pub knowledge_base: Option<&'a str>,
    /// Several bases by name.
    pub knowledge_bases: Option<Vec<String>>,
    pub agent: Option<Uuid>,
    pub mode: Mode,
    pub match_count: i64,
    /// How many of the best results are skipped.
    pub match_offset: i64,
    pub filter: Option<Jsonb>,
    pub source_type: Option<&'a str>,
    pub query_embedding: Option<Vector>,
    pub keyword_weight: f64,
    pub semantic_weight: f64,
    pub fusion: Fusion,
    pub rrf_k: i64,
    pub max_per_document: Option<i64>,
    pub duplicates: Duplicates,
    /// The part of the document that each result shows. None for its chunk alone.
    pub window: Option<Window>,
    /// Whether results have a snippet.
    pub has_snippets: bool,
    pub ranker: Option<Ranker>,
    pub syntax: Syntax,
    /// The similarity that results must exceed in all bases; None for each base's own.
    pub match_threshold: Option<f64>,
    pub form: Form,
}

impl<'a> Request<'a> {
    /// A search with the defaults of kb_search.
    pub fn new(query: &'a str) -> Request<'a> {
        Request {
            query,
            knowledge_base: None,
            knowledge_bases: None,
            agent: None,
            mode: DEFAULT_MODE,
            match_count: DEFAULT_MATCH_COUNT,
            match_offset: DEFAULT_MATCH_OFFSET,
            filter: None,
            source_type: None,
            query_embedding: None,
            keyword_weight: DEFAULT_WEIGHT,
            semantic_weight: DEFAULT_WEIGHT,
            fusion: DEFAULT_FUSION,
            rrf_k: DEFAULT_RRF_K,
            max_per_document: None,
            duplicates: Duplicates::OF_ROWS,
            window: None,
            has_snippets: false,
            ranker: None,
            syntax: Syntax::DEFAULT,
            match_threshold: None,
            form: Form::Results,
        }
    }
}

impl Request<'_> {
    /// 22023 or 54000 for an argument out of range.
    pub fn check(&self) -> Result<()> {
        check_count("match_count", self.match_count)?;
        check_offset(self.match_offset, self.match_count)?;
        if let Some(max) = self.max_per_document {
            check_count("max_per_document", max)?;
        }
        if !(0..=MAX_RRF_K).contains(&self.rrf_k) {
            return Err(Error::invalid(format!("rrf_k {} is out of range", self.rrf_k))
                .hint(format!("Use 0 to {MAX_RRF_K}; {DEFAULT_RRF_K} is the default.")));
        }
        for (name, weight) in
            [("keyword_weight", self.keyword_weight), ("semantic_weight", self.semantic_weight)]
        {
            if !weight.is_finite() || weight < 0.0 {
                return Err(Error::invalid(format!("{name} {weight} is out of range"))
                    .hint("Use 0 or a positive number; 0 turns that part of the search off."));
            }
        }
        if self.mode == Mode::Hybrid && self.keyword_weight == 0.0 && self.semantic_weight == 0.0 {
            return Err(Error::invalid("keyword_weight and semantic_weight are both 0")
                .hint("Give at least one of them a positive number."));
        }
        self.check_bases()?;
        self.match_threshold.map_or(Ok(None), check_threshold)?;
        self.filter.as_ref().map_or(Ok(()), check_filter)?;
        check_query(self.query, self.query_embedding.is_none() || self.mode == Mode::Keyword)
    }

    /// 22023 for bases beside another scope, and for none.
    fn check_bases(&self) -> Result<()> {
        let Some(names) = &self.knowledge_bases else { return Ok(()) };
        let other = if self.knowledge_base.is_some() { "knowledge_base" } else { "agent_id" };
        if self.knowledge_base.is_some() || self.agent.is_some() {
            return Err(Error::invalid(format!("knowledge_bases and {other} are both given"))
                .hint("Give one of them; knowledge_bases may have a single name."));
        }
        if names.is_empty() {
            return Err(Error::invalid("knowledge_bases is empty")
                .hint("Give the names of the knowledge bases, or NULL for all that you may read."));
        }
        Ok(())
    }

    /// Which chunks it finds, as the steps of a search need it.
    pub fn to_query(&self) -> Query {
        let arguments = Arguments {
            mode: self.mode,
            fusion: self.fusion,
            rrf_k: self.rrf_k as f64,
            keyword_weight: self.keyword_weight,
            semantic_weight: self.semantic_weight,
            count: self.match_count as usize,
            offset: self.match_offset as usize,
            max_per_document: self.max_per_document.map(|max| max as usize),
            merges_copies: self.duplicates == Duplicates::Merge,
            window: self.window,
            threshold: self.match_threshold,
        };
        match self.form {
            Form::Results => Query::plain(arguments),
            Form::Answer => Query::plain(arguments).answering(DEFAULT_THRESHOLD),
            Form::AnswerByKeyword => {
                Query::by_keyword_with_similarities(arguments).answering(DEFAULT_THRESHOLD)
            }
        }
    }

    /// Whether the caller names the knowledge bases.
    pub fn names_bases(&self) -> bool {
        self.knowledge_base.is_some() || self.knowledge_bases.is_some()
    }

    /// Whether the query is embedded.
    pub fn embeds_query(&self) -> bool {
        self.query_embedding.is_none() && self.to_query().uses_vectors()
    }

    /// What is embedded.
    pub fn embedded_query(&self) -> Cow<'_, str> {
        embedded_query(self.query, self.mode, self.syntax)
    }
}

/// What is embedded: the query without the words that a hybrid search excludes.
fn embedded_query(query: &str, mode: Mode, syntax: Syntax) -> Cow<'_, str> {
    let parsed = syntax.parse(query);
    if mode == Mode::Semantic || parsed.excluded.is_empty() || parsed.words.is_empty() {
        return Cow::Borrowed(query);
    }
    Cow::Owned(parsed.words.join(" "))
}

/// The texts that searches for this query embed, in all modes and with either syntax: the query, and what is left of it
/// where words are excluded.
pub fn embedded_queries(query: &str) -> Vec<String> {
    let mut queries = [Syntax::Plain, Syntax::Web]
        .map(|syntax| embedded_query(query, Mode::Hybrid, syntax).into_owned())
        .to_vec();
    queries.dedup();
    queries
}

/// 54000 for a query that is too long, 22023 for an empty one that is needed.
pub fn check_query(query: &str, is_needed: bool) -> Result<()> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(Error::limit(format!("the query has {} bytes", query.len()))
            .hint(format!("A query holds at most {MAX_QUERY_BYTES} bytes; ask a shorter question.")));
    }
    if is_needed && query.trim().is_empty() {
        return Err(Error::invalid("the query is empty").hint("Give a question, or a query_embedding."));
    }
    Ok(())
}

/// The window for a number of neighbors; None for 0. 22023 if that is out of range.
pub fn window_of(neighbors: i64) -> Result<Option<Window>> {
    match u32::try_from(neighbors) {
        Ok(0) => Ok(None),
        Ok(count) if neighbors <= MAX_NEIGHBORS => Ok(Some(Window::Neighbors(count))),
        _ => Err(Error::invalid(format!("neighbors {neighbors} is out of range"))
            .hint(format!("Use 0 to {MAX_NEIGHBORS}."))),
    }
}

/// The names in an array. 22004 for a NULL among them.
pub fn names_of(names: Option<Vec<Option<String>>>) -> Result<Option<Vec<String>>> {
    let Some(names) = names else { return Ok(None) };
    let names: Option<Vec<String>> = names.into_iter().collect();
    names.map(Some).ok_or_else(|| {
        Error::null_value("knowledge_bases has a null element").hint("Give the names of the knowledge bases.")
    })
}

/// 22023 unless a number of results is in range.
pub fn check_count(name: &str, count: i64) -> Result<()> {
    if (1..=MAX_MATCH_COUNT).contains(&count) {
        return Ok(());
    }
    Err(Error::invalid(format!("{name} {count} is out of range"))
        .hint(format!("Use 1 to {MAX_MATCH_COUNT}.")))
}

/// 22023 unless the results that are skipped and those that are wanted are in range together.
fn check_offset(offset: i64, count: i64) -> Result<()> {
    if (0..=MAX_MATCH_COUNT - count).contains(&offset) {
        return Ok(());
    }
    Err(Error::invalid(format!("match_offset {offset} is out of range"))
        .hint(format!("Use 0 or more; with match_count together it must be at most {MAX_MATCH_COUNT}.")))
}
