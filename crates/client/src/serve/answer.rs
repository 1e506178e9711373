//! Answers, and how failures become statuses.

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde_json::{Map, Value};
use tokio_postgres::error::SqlState;

use crate::database::Refused;
use crate::error::{Failure, shown};
use crate::http_server::{self, Answer};
use crate::output;

const JSON: &str = "application/json";
/// In seconds.
const TRY_AGAIN_AFTER: &str = "5";

/// The end of the message about a knowledge base that does not exist.
const MISSING: &str = " does not exist";

/// Why a request is not answered as asked.
#[derive(Debug)]
pub struct Mistake {
    status: StatusCode,
    error: String,
    hint: Option<String>,
    code: Option<String>,
}

impl Mistake {
    pub fn new(status: StatusCode, error: impl Into<String>) -> Mistake {
        Mistake { status, error: error.into(), hint: None, code: None }
    }

    /// A wrong argument.
    pub fn wrong(error: impl Into<String>) -> Mistake {
        Mistake::new(StatusCode::BAD_REQUEST, error)
    }

    pub fn hint(self, hint: impl Into<String>) -> Mistake {
        Mistake { hint: Some(hint.into()), ..self }
    }

    pub fn code(self, code: &SqlState) -> Mistake {
        Mistake { code: Some(code.code().to_string()), ..self }
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The knowledge base that does not exist, or on which the role lacks a privilege, as the server names it.
    pub fn base(&self) -> Option<&str> {
        let (_, rest) = self.error.split_once("knowledge base \"")?;
        let (name, end) = rest.rsplit_once('"')?;
        let is_denied = self.code.as_deref() == Some(SqlState::INSUFFICIENT_PRIVILEGE.code());
        (end.is_empty() && is_denied || self.is_missing_base() && end == MISSING).then_some(name)
    }

    /// Whether it says that a base does not exist.
    fn is_missing_base(&self) -> bool {
        self.code.as_deref() == Some(SqlState::UNDEFINED_OBJECT.code())
            && self.error.starts_with("knowledge base \"")
    }

    /// Of a base that does not exist, or that the role may not read: the same for both.
    pub fn missing_base(name: &str) -> Mistake {
        Mistake::new(StatusCode::NOT_FOUND, format!("knowledge base \"{name}\"{MISSING}"))
            .hint("GET /api/v1/bases lists the knowledge bases that this role may read.")
            .code(&SqlState::UNDEFINED_OBJECT)
    }

    /// Whether the role lacks a privilege, and nothing says what can be done.
    pub fn is_denial_without_hint(&self) -> bool {
        self.code.as_deref() == Some(SqlState::INSUFFICIENT_PRIVILEGE.code()) && self.hint.is_none()
    }

    #[cfg(test)]
    pub fn text(&self) -> &str {
        &self.error
    }

    /// For the log.
    pub fn logged(&self) -> String {
        match &self.code {
            Some(code) => format!("{} (SQLSTATE {code})", shown(&self.error)),
            None => shown(&self.error),
        }
    }

    /// `{"error": …}`, with a hint and the SQLSTATE where there are any.
    fn into_body(self) -> Map<String, Value> {
        let parts = [("error", Some(self.error)), ("hint", self.hint), ("code", self.code)];
        (parts.into_iter())
            .filter_map(|(name, value)| Some((name.to_string(), Value::String(value?))))
            .collect()
    }

    /// The same with the status, beside other results.
    pub fn into_entry(self) -> Map<String, Value> {
        let status = self.status.as_u16();
        let mut entry = self.into_body();
        entry.insert("status".to_string(), Value::from(status));
        entry
    }

    /// The answer.
    pub fn answer(self) -> Answer {
        let status = self.status;
        let mut answer = json(status, Value::Object(self.into_body()).to_string());
        if status == StatusCode::SERVICE_UNAVAILABLE {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(TRY_AGAIN_AFTER));
        }
        answer
    }
}

impl From<Failure> for Mistake {
    /// A failure that others may read, with the status of its SQLSTATE; a wrong argument without one.
    fn from(failure: Failure) -> Mistake {
        let code = failure.code.clone();
        let status = code.as_ref().map_or(StatusCode::BAD_REQUEST, status);
        let code = code.map(|code| code.code().to_string());
        Mistake { hint: failure.hint, code, ..Mistake::new(status, failure.message) }
    }
}

impl From<Refused> for Mistake {
    fn from(refused: Refused) -> Mistake {
        let unavailable = |error: &str| Mistake::new(StatusCode::SERVICE_UNAVAILABLE, error);
        match refused {
            Refused::Call { failure, .. } => Mistake::from(failure),
            Refused::Canceled => unavailable("the request was canceled, or took too long"),
            Refused::Busy => unavailable("too many requests run at the same time; try again later"),
            Refused::Role(failure) => {
                output::error(&format!("error: the role of a token cannot be used: {failure}"));
                Mistake::new(StatusCode::FORBIDDEN, "the role of this token cannot be used")
                    .hint("The log of kb-rag says why.")
            }
            // Its address is for the log.
            Refused::Unavailable(_) => {
                unavailable("the database cannot be reached at the moment; try again later")
            }
        }
    }
}

/// The status for an error of the server: docs/reference.md lists the codes that kb_rag gives.
fn status(code: &SqlState) -> StatusCode {
    match code.code() {
        // Wrong arguments.
        "22023" | "22004" | "22000" | "42602" | "42703" | "42804" => StatusCode::BAD_REQUEST,
        "42501" => StatusCode::FORBIDDEN,
        "42704" | "42P01" => StatusCode::NOT_FOUND,
        // There already, or not in the state that is needed.
        "42710" | "55000" | "2BP01" | "25006" => StatusCode::CONFLICT,
        // Code of an owner, such as a trigger, that refuses a row.
        "P0001" | "0A000" => StatusCode::BAD_REQUEST,
        // Providers, locks, and transactions that can run again.
        "58000" | "38000" | "55P03" | "57014" => StatusCode::SERVICE_UNAVAILABLE,
        other => match other.get(..2) {
            Some("22") => StatusCode::BAD_REQUEST,
            Some("23") => StatusCode::CONFLICT,
            Some("54") => StatusCode::PAYLOAD_TOO_LARGE,
            Some("40" | "53" | "57") => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

pub fn json(status: StatusCode, body: String) -> Answer {
    http_server::answer(status, JSON, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        for (code, expected) in [
            ("22023", 400),
            ("22P02", 400),
            ("22021", 400),
            // A name that is none, such as that of a text search configuration.
            ("42602", 400),
            ("42501", 403),
            ("42704", 404),
            ("42710", 409),
            ("23505", 409),
            ("55000", 409),
            ("54000", 413),
            ("58000", 503),
            ("40001", 503),
            ("53300", 503),
            ("25006", 409),
            ("54001", 413),
            ("XX000", 500),
        ] {
            assert_eq!(status(&SqlState::from_code(code)).as_u16(), expected, "{code}");
        }
    }

    #[test]
    fn bases_that_are_missing_or_denied() {
        for (code, message, expected) in [
            ("42704", "knowledge base \"a \"b\" c\" does not exist", Some("a \"b\" c")),
            ("42501", "permission denied to read knowledge base \"notes\"", Some("notes")),
            ("42501", "must be owner of knowledge base \"notes\"", Some("notes")),
            ("42501", "permission denied for provider \"web\"", None),
            ("42501", "must be an administrator of one of the knowledge bases of agent a", None),
            ("42704", "knowledge base \"notes\" is not attached to agent a", None),
            ("42704", "source a does not exist", None),
            ("55000", "knowledge base \"notes\" does not exist", None),
        ] {
            let failure = Failure { code: Some(SqlState::from_code(code)), ..Failure::new(message) };
            assert_eq!(Mistake::from(failure).base(), expected, "{message}");
        }
        let missing = Mistake::missing_base("a");
        assert_eq!((missing.base(), missing.status()), (Some("a"), StatusCode::NOT_FOUND));
    }

    #[test]
    fn an_address_does_not_get_out() {
        let mistake =
            Mistake::from(Refused::Unavailable(Failure::new("cannot connect to host \"db.internal\"")));
        assert!(!mistake.text().contains("internal"));
        assert_eq!(mistake.answer().headers()[RETRY_AFTER], TRY_AGAIN_AFTER);
    }
}
