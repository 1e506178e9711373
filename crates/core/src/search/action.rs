//! What a search asks for. Each action is a value that the answer comes back with, to the method of [`super::Search`] that its
//! documentation names.

use super::{Candidate, Places, Texts};

/// A question to the database or a model.
#[derive(Debug)]
pub enum Action<I> {
    /// Answered by [`super::Search::listed`].
    Keyword(Keyword),
    /// Answered by [`super::Search::covered`].
    Coverage(Coverage<I>),
    /// Answered by [`super::Search::held`].
    Held(FirstByKeyword<I>),
    /// Answered by [`super::Search::opened`].
    Open(Open),
    /// Answered by [`super::Search::embedded`].
    Embed(Embed),
    /// Answered by [`super::Search::nearest`].
    Nearest(Nearest),
    /// Answered by [`super::Search::read`].
    Read(Read<I>),
    /// Answered by [`super::Search::compared`].
    Similarities(Similarities<I>),
    /// Answered by [`super::Search::scored`].
    KeywordScores(KeywordScores<I>),
    /// Answered by [`super::Search::documents`].
    Documents(Documents<I>),
    /// Answered by [`super::Search::texts`].
    Texts(Texts<I>),
    /// Answered by [`super::Search::places`].
    Places(Places<I>),
    /// Answered by [`super::Search::queued`].
    Queue(Queue),
    /// Answered by [`super::Search::lacking`].
    Lacking(Lacking),
}

/// The best chunks of a base by keyword.
#[derive(Debug)]
pub struct Keyword {
    /// The base.
    pub base: usize,
    /// At most this many.
    pub depth: usize,
    /// So many of them decide about the results: of chunks with the score of the last of these, the first by id, up to `depth`.
    pub needed: usize,
}

/// The shares of the question that the best chunk by keyword holds.
#[derive(Debug)]
pub struct Coverage<I> {
    /// The chunk.
    pub id: Candidate<I>,
}

/// The shares of the question that the first chunks by keyword hold in whole words.
#[derive(Debug)]
pub struct FirstByKeyword<I> {
    /// The base.
    pub base: usize,
    /// The chunks, distinct.
    pub ids: Vec<I>,
}

/// Whether the caller may read every base of a space, and its model the question. Comes before the question is embedded: only
/// readers of a base may spend its owner's money or send text out.
#[derive(Debug)]
pub struct Open {
    /// The space.
    pub space: usize,
    /// Whether an illegible question is left to the keywords. Otherwise there is nothing better.
    pub checks_question: bool,
}

/// The vector of the question.
#[derive(Debug)]
pub struct Embed {
    /// The space.
    pub space: usize,
}

/// The nearest chunks of a base.
#[derive(Debug)]
pub struct Nearest {
    /// The base.
    pub base: usize,
    /// Its space, whose vector of the question is known.
    pub space: usize,
    /// At most this many.
    pub depth: usize,
    /// How many candidates the scan of an HNSW index keeps: the more, the fewer near vectors it misses.
    pub candidates: usize,
}

/// How well the model of a space reads these chunks.
#[derive(Debug)]
pub struct Read<I> {
    /// The space.
    pub space: usize,
    /// The chunks.
    pub ids: Vec<Candidate<I>>,
}

/// How similar these chunks are to the question.
#[derive(Debug)]
pub struct Similarities<I> {
    /// The base.
    pub base: usize,
    /// Its space, whose vector of the question is known.
    pub space: usize,
    /// The chunks, distinct.
    pub ids: Vec<I>,
}

/// The scores of these chunks by keyword.
#[derive(Debug)]
pub struct KeywordScores<I> {
    /// The base.
    pub base: usize,
    /// The chunks, distinct.
    pub ids: Vec<I>,
}

/// The documents of these chunks.
#[derive(Debug)]
pub struct Documents<I> {
    /// The chunks, distinct.
    pub ids: Vec<Candidate<I>>,
}

/// Whether the queue of work has chunks of a base that lack vectors.
#[derive(Debug)]
pub struct Queue {
    /// The base.
    pub base: usize,
}

/// Whether a chunk of a base that the keywords find lacks a vector. Takes as long as a search over all chunks.
#[derive(Debug)]
pub struct Lacking {
    /// The base.
    pub base: usize,
}
