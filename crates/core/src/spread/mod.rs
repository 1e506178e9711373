//! Searches over knowledge bases on several servers: what the server that searches asks the others, as JSON, and what it knows from
//! their answers. The search itself is that of [`crate::search`], on the server that searches.
//!
//! Each request is `[protocol, common, own]`, each answer `[protocol, answer]`. Another number of the protocol means another meaning.
//!
//! ```text
//! statistics ─► candidates, for each batch of actions that needs one ─► rows
//! ```
//!
//! One trip a batch: what a node finds comes with what later batches ask about it, so that few batches need a trip of their own. Where
//! nothing is found, hints say why. Lists of documents have requests of their own.

mod circle;
mod documents;
mod exact;
mod hints;
mod id;
mod known;
mod protocol;
mod tools;

pub use circle::Circle;
pub use documents::{Count, Detail, Documents, DocumentsAsked, DocumentsTold, Newest};
pub use exact::{Bytes, Exact, Floats};
pub use hints::{Hint, Hinted, Hints, HintsAsked};
pub use id::Id;
pub use known::{Home, Known, Space, Unexpected};
pub use protocol::{
    About, Answered, Ask, Asked, Candidates, Copy, Failure, Found, Frequencies, OwnStatistics, PROTOCOL,
    Placed, Question, Row, RowAsked, Rows, RowsAsked, RowsTold, Scope, Shares, Statistics, StatisticsTold,
    Told, Vector, With, answer_of, of_answer, protocol_of, request_of,
};
pub use tools::{ToolBase, Tools, ToolsAsk, ToolsAsked, ToolsTold};
