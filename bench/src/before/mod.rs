//! Keyword search as it was up to version 0.2, for comparison: BM25 over a stock GIN index.
//!
//! The index held the lexemes of each chunk, and beside each lexeme the levels that it reached there
//! (`impact`). A search first asked for the chunks that can get the highest scores, by a condition on lexemes and
//! levels (`maxscore`), and scored them. Once the worst of the best so far was known, it asked for the others that
//! could still get above it. Here the conditions of each query are computed in advance (`plan`), with document
//! frequencies and scores that the bench knows from the texts (`texts`). What is timed is only how the server
//! finds the rows of these conditions and reads them (`table`): less than the old search did, which also counted
//! the rare lexemes, read the lexemes of every row, scored it, and fetched the results.

mod impact;
mod maxscore;
mod plan;
mod table;
mod texts;

pub use plan::conditions;
pub use table::Before;
pub use texts::Texts;
