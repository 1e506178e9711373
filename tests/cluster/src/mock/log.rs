//! What the scripted provider was asked.

use std::time::Instant;

use super::protocol;

/// One call, as it arrived and as it ended.
#[derive(Clone, Debug)]
pub struct Call {
    /// From 1, in the order of arrival.
    pub number: usize,
    /// The connection it came over, from 1.
    pub connection: usize,
    /// The path and query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The model.
    pub model: String,
    /// The texts.
    pub texts: Vec<String>,
    /// The length of vectors that was asked for, if any.
    pub dimensions: Option<usize>,
    /// input_type, taskType or what else the service calls it.
    pub input_type: Option<String>,
    /// How many calls were under way when it arrived, with this one.
    pub at_once: usize,
    /// When it had arrived whole.
    pub arrived: Instant,
    /// When its answer was written, or the connection lost.
    pub ended: Option<Instant>,
    /// The status of an answer that was written whole.
    pub status: Option<u16>,
    /// The bytes of the answer that were taken.
    pub sent: u64,
}

impl Call {
    /// The value of a header; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// Whether one of its texts holds this.
    pub fn mentions(&self, part: &str) -> bool {
        self.texts.iter().any(|text| text.contains(part))
    }

    /// The tokens of its texts, as the service counts them.
    pub fn tokens(&self) -> usize {
        protocol::tokens(&self.texts)
    }

    /// Whether it was answered with status 200.
    pub fn succeeded(&self) -> bool {
        self.status == Some(200)
    }
}
