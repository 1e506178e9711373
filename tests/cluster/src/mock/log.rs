//! The calls that the scripted provider has received.

use std::time::Instant;

use super::protocol;

/// One call: its request and its end.
#[derive(Clone, Debug)]
pub struct Call {
    /// Counted from 1, in the order of arrival.
    pub number: usize,
    /// The connection that it arrived on, from 1.
    pub connection: usize,
    /// The path and query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The model.
    pub model: String,
    /// The texts.
    pub texts: Vec<String>,
    /// The requested number of dimensions, if any.
    pub dimensions: Option<usize>,
    /// input_type, taskType or the service's other name for it.
    pub input_type: Option<String>,
    /// How many calls were running when it arrived, including this one.
    pub at_once: usize,
    /// When it had arrived completely.
    pub arrived: Instant,
    /// When its answer was written or the connection was lost.
    pub ended: Option<Instant>,
    /// The status of an answer that was written completely.
    pub status: Option<u16>,
    /// How many bytes of the answer the client accepted.
    pub sent: u64,
}

impl Call {
    /// The value of a header; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a body that is JSON")
    }

    /// Whether one of its texts contains `part`.
    pub fn mentions(&self, part: &str) -> bool {
        self.texts.iter().any(|text| text.contains(part))
    }

    /// The number of tokens in its texts, as the service counts them.
    pub fn tokens(&self) -> usize {
        protocol::tokens(&self.texts)
    }

    /// Whether it was answered with status 200.
    pub fn succeeded(&self) -> bool {
        self.status == Some(200)
    }
}
