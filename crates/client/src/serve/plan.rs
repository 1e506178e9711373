//! What an endpoint has the database do. Endpoints make plans out of requests, without any I/O; the server carries them out.

use std::time::Duration;

use http::{HeaderName, HeaderValue, StatusCode};
use tokio_postgres::Row;
use tokio_postgres::error::{DbError, Severity};

use super::answer::{Mistake, json};
use crate::database::{As, Call, Given, Parameter, Refused, Statement, Then};
use crate::error::Failure;
use crate::http_server::{Answer, answer};

/// How long reading a file may take, and cutting and embedding what it holds.
pub const FILE_TIME: Duration = Duration::from_secs(300);

/// The header that says why an answer is empty.
const NOTICE: HeaderName = HeaderName::from_static("x-kb-rag-notice");

/// The most characters of that header.
const MAX_NOTICE: usize = 1_000;

/// Statements, and what their result means.
pub struct Plan {
    call: Call,
    status: StatusCode,
    gives: Gives,
    /// What does not exist if the statement gives NULL or no row.
    what: String,
    /// The hint for a role that lacks a privilege, if the server gives none.
    denied_hint: Option<&'static str>,
}

/// The meaning of the text that the last statement gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// The body.
    Json,
    /// A JSON object, to which the notices of the server are added.
    WithNotices,
    /// The body. A header has the second text that the statement gives, or the notices of the server.
    WithNoticeHeader,
    /// Nothing. A header has the notices of the server.
    Empty,
}

impl Plan {
    fn new(sql: &'static str, parameters: Vec<Parameter>, status: StatusCode, gives: Gives) -> Plan {
        let call = Call::new(Statement { sql, parameters });
        Plan { call, status, gives, what: "what was asked for".to_string(), denied_hint: None }
    }

    /// A statement that changes nothing and gives JSON as text: 200.
    pub fn read(sql: &'static str, parameters: Vec<Parameter>) -> Plan {
        let mut plan = Plan::new(sql, parameters, StatusCode::OK, Gives::Json);
        plan.call.may_repeat = true;
        plan
    }

    /// A statement that changes something and gives JSON as text: 200.
    pub fn change(sql: &'static str, parameters: Vec<Parameter>) -> Plan {
        Plan::new(sql, parameters, StatusCode::OK, Gives::Json)
    }

    /// A statement that changes something and gives a text, or NULL if there is nothing to change: 204.
    pub fn remove(sql: &'static str, parameters: Vec<Parameter>) -> Plan {
        Plan::new(sql, parameters, StatusCode::NO_CONTENT, Gives::Empty)
    }

    /// 201.
    pub fn created(self) -> Plan {
        Plan { status: StatusCode::CREATED, ..self }
    }

    /// Adds `notices` to the JSON object: the notices and warnings of the server.
    pub fn with_notices(self) -> Plan {
        Plan { gives: Gives::WithNotices, ..self }
    }

    /// Says in a header why the answer is empty: the second text of the statement, or the notices and warnings of the server.
    pub fn with_notice_header(self) -> Plan {
        Plan { gives: Gives::WithNoticeHeader, ..self }
    }

    pub fn then(mut self, then: Then) -> Plan {
        self.call.then.push(then);
        self
    }

    /// Takes the status from the second column of the last row, if it has one. One of 400 and above undoes what was done, and
    /// skips what would follow; the text then has the members `error` and `hint`.
    pub fn with_status(mut self) -> Plan {
        self.call.goes_on = Some(|row| status_of(row).is_none_or(|status| !status.is_client_error()));
        self
    }

    /// Says what can be done where the role lacks a privilege, if the server does not.
    pub fn denied_hint(self, hint: &'static str) -> Plan {
        Plan { denied_hint: Some(hint), ..self }
    }

    pub fn within(mut self, time: Duration) -> Plan {
        self.call.time = time;
        self
    }

    /// Names what is missing, such as `document "…"`.
    pub fn naming(self, what: impl Into<String>) -> Plan {
        Plan { what: what.into(), ..self }
    }

    /// The call, as a role, and how to answer.
    pub fn into_call(self, role: As) -> (Call, Reply) {
        let has_status = self.call.goes_on.is_some();
        let Plan { status, gives, what, denied_hint, .. } = self;
        let reply = Reply { status, gives, what, has_status, denied_hint };
        (Call { transaction: Some(role), ..self.call }, reply)
    }
}

/// How to answer once the database has.
pub struct Reply {
    status: StatusCode,
    gives: Gives,
    what: String,
    has_status: bool,
    denied_hint: Option<&'static str>,
}

impl Reply {
    /// Why the database did not answer.
    pub fn mistake(&self, refused: Refused) -> Mistake {
        match (Mistake::from(refused), self.denied_hint) {
            (mistake, Some(hint)) if mistake.is_denial_without_hint() => mistake.hint(hint),
            (mistake, _) => mistake,
        }
    }

    /// What the log gets of an answer whose notices are for the operator too: each with its severity.
    pub fn logged(&self, given: &Given) -> Vec<String> {
        if self.gives != Gives::WithNoticeHeader {
            return Vec::new();
        }
        let told = given.row.as_ref().and_then(|row| row.try_get::<_, Option<String>>(1).ok()?);
        // What is told says what a notice would, which the server gives once a session.
        let notices = given.notices.iter().filter_map(|notice| {
            let sentence = Failure::from(notice).sentence();
            match notice.parsed_severity() {
                Some(Severity::Warning) => Some(format!("warning: {sentence}")),
                _ => told.is_none().then(|| format!("notice: {sentence}")),
            }
        });
        told.iter().map(|told| format!("notice: {told}")).chain(notices).collect()
    }

    /// # Errors
    /// 404 where the statement found nothing.
    pub fn answer(self, given: Given) -> Result<Answer, Mistake> {
        let column = |at: usize| -> Result<Option<String>, Mistake> {
            let Some(row) = &given.row else { return Ok(None) };
            row.try_get(at).map_err(|error| Mistake::from(Refused::Unavailable(Failure::from(error))))
        };
        let text = column(0)?;
        let missing = || Mistake::new(StatusCode::NOT_FOUND, format!("{} does not exist", self.what));
        let text = text.ok_or_else(missing)?;
        let status =
            given.row.as_ref().filter(|_| self.has_status).and_then(status_of).unwrap_or(self.status);
        if status.is_client_error() {
            return Ok(json(status, text));
        }
        Ok(match self.gives {
            Gives::Json => json(status, text),
            Gives::WithNotices => json(status, with_notices(&text, &given.notices)),
            Gives::WithNoticeHeader => {
                let told = column(1)?.unwrap_or_else(|| sentences(&given.notices).join(" "));
                let mut answer = json(status, text);
                if let Some(value) = header(&told) {
                    answer.headers_mut().insert(NOTICE, value);
                }
                answer
            }
            Gives::Empty => {
                let mut answer = answer(status, "", "");
                if let Some(value) = header(&sentences(&given.notices).join(" ")) {
                    answer.headers_mut().insert(NOTICE, value);
                }
                answer
            }
        })
    }
}

/// The status in the second column of a row.
fn status_of(row: &Row) -> Option<StatusCode> {
    let status: i32 = row.try_get::<_, Option<i32>>(1).ok()??;
    StatusCode::from_u16(u16::try_from(status).ok()?).ok()
}

/// A JSON object with one more member.
fn with_notices(object: &str, notices: &[DbError]) -> String {
    let object = object.trim_end();
    let object = object.strip_suffix('}').unwrap_or(object);
    format!("{object}, \"notices\": {}}}", serde_json::Value::from(sentences(notices)))
}

fn sentences(notices: &[DbError]) -> Vec<String> {
    notices.iter().map(|notice| Failure::from(notice).sentence()).collect()
}

/// A text as a header, in which characters that headers do not have become question marks. None for an empty text.
fn header(text: &str) -> Option<HeaderValue> {
    let visible = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
    let text: String = text.trim().chars().take(MAX_NOTICE).map(visible).collect();
    HeaderValue::from_str(&text).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_hold_any_text() {
        let value = |text: &str| header(text).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(value("agent \"Zoë\"\r\nX: y").as_deref(), Some("agent \"Zo?\"??X: y"));
        assert_eq!(value(" \n"), None);
        assert_eq!(value(&"x".repeat(2_000)).unwrap().len(), MAX_NOTICE);
    }

    #[test]
    fn notices_are_added() {
        let whole = with_notices(r#"{"a": {"b": 1}}"#, &[]);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&whole).unwrap(),
            serde_json::json!({"a": {"b": 1}, "notices": []})
        );
    }
}
