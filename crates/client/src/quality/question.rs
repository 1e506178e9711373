//! Questions as lines of JSON.

use kb_rag_core::near::near;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::error::{Failure, Result};
use crate::input;

/// The members of a line, in the order of the documentation.
const MEMBERS: [&str; 10] = [
    "question",
    "expected_keys",
    "expected_documents",
    "expected_texts",
    "filter",
    "agent",
    "agent_id",
    "tags",
    "weight",
    "is_draft",
];

/// A question, and what it is to find.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub text: String,
    pub keys: Vec<String>,
    pub documents: Vec<Uuid>,
    pub texts: Vec<String>,
    pub filter: Map<String, Value>,
    pub agent: Option<Uuid>,
    pub tags: Vec<String>,
    pub weight: f64,
    pub is_draft: bool,
}

/// A question of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// From 1.
    pub number: usize,
    pub question: Question,
    /// The name of its agent, whose id the server knows.
    pub agent: Option<String>,
}

impl Question {
    /// What it expects, of which searches: equal for questions that expect the same, in any order.
    pub fn expectations(&self) -> String {
        let sorted = |values: &[String]| {
            let mut values = values.to_vec();
            values.sort_unstable();
            values.dedup();
            values
        };
        let documents: Vec<String> = self.documents.iter().map(Uuid::to_string).collect();
        let agent = self.agent.map(|agent| agent.to_string());
        json!([sorted(&self.keys), sorted(&documents), sorted(&self.texts), self.filter, agent]).to_string()
    }

    /// A line that [`parse`] reads, without what has its default.
    pub fn line(&self) -> String {
        let mut parts = vec![format!("\"question\": {}", json!(self.text))];
        let documents: Vec<String> = self.documents.iter().map(Uuid::to_string).collect();
        for (name, values) in [
            ("expected_keys", &self.keys),
            ("expected_documents", &documents),
            ("expected_texts", &self.texts),
        ] {
            if !values.is_empty() {
                parts.push(format!("\"{name}\": {}", json!(values)));
            }
        }
        if !self.filter.is_empty() {
            parts.push(format!("\"filter\": {}", json!(self.filter)));
        }
        if let Some(agent) = self.agent {
            parts.push(format!("\"agent_id\": \"{agent}\""));
        }
        if !self.tags.is_empty() {
            parts.push(format!("\"tags\": {}", json!(self.tags)));
        }
        if self.weight != 1.0 {
            parts.push(format!("\"weight\": {}", json!(self.weight)));
        }
        if self.is_draft {
            parts.push("\"is_draft\": true".to_string());
        }
        format!("{{{}}}", parts.join(", "))
    }
}

/// Reads lines of JSON; empty lines count, and are no questions.
///
/// # Errors
/// Status 2 for the first line with a mistake.
pub fn parse(text: &str) -> Result<Vec<Line>> {
    let lines = text.trim_start_matches('\u{feff}').lines();
    (1..)
        .zip(lines)
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| line_of(number, line).map_err(|failure| in_line(number, failure)))
        .collect()
}

/// Names the line in which something is wrong.
pub fn in_line(number: usize, failure: Failure) -> Failure {
    Failure { message: format!("line {number}: {}", failure.message), ..failure }
}

fn line_of(number: usize, line: &str) -> Result<Line> {
    let value = input::json(line).map_err(|why| {
        Failure::usage(format!("it is not JSON: {why}")).hint("Write one JSON object a line.")
    })?;
    let Value::Object(object) = value else {
        return Err(Failure::usage("it is not an object")
            .hint("Write a line as {\"question\": \"…\", \"expected_keys\": [\"…\"]}."));
    };
    if let Some(unknown) = object.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        let hint = match near(unknown, MEMBERS).first() {
            Some(nearest) => format!("Perhaps you meant \"{nearest}\"."),
            None => format!("A question has {}.", MEMBERS.join(", ")),
        };
        return Err(Failure::usage(format!("unknown member \"{unknown}\"")).hint(hint));
    }
    let members = Members(&object);
    let text = members.text("question")?.ok_or_else(|| {
        Failure::usage("\"question\" is missing").hint("Give the question as people ask it.")
    })?;
    if text.trim().is_empty() {
        return Err(Failure::usage("the question is empty").hint("Give the question as people ask it."));
    }
    let (agent, agent_id) = (members.text("agent")?, members.uuid("agent_id")?);
    if agent.is_some() && agent_id.is_some() {
        return Err(Failure::usage("both \"agent\" and \"agent_id\" are given")
            .hint("Give the name of the agent, or its id."));
    }
    let question = Question {
        text,
        keys: members.texts("expected_keys")?,
        documents: members.uuids("expected_documents")?,
        texts: members.texts("expected_texts")?,
        filter: members.object("filter")?,
        agent: agent_id,
        tags: members.texts("tags")?,
        weight: members.weight()?,
        is_draft: members.flag("is_draft")?,
    };
    Ok(Line { number, question, agent })
}

/// The members of a line. NULL stands for the default.
struct Members<'a>(&'a Map<String, Value>);

impl Members<'_> {
    fn read<T>(&self, name: &str, kind: &str, read: impl FnOnce(&Value) -> Option<T>) -> Result<Option<T>> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let wrong = || Failure::usage(format!("\"{name}\" is {value}")).hint(format!("It has to be {kind}."));
        read(value).ok_or_else(wrong).map(Some)
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        self.read(name, "a string", |value| value.as_str().map(str::to_string))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>> {
        let texts = self.read(name, "an array of strings", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_string)).collect()
        })?;
        Ok(texts.unwrap_or_default())
    }

    fn uuid(&self, name: &str) -> Result<Option<Uuid>> {
        self.read(name, "a uuid, as kb_agent gives it", |value| Uuid::parse_str(value.as_str()?).ok())
    }

    fn uuids(&self, name: &str) -> Result<Vec<Uuid>> {
        let ids = self.read(name, "an array of uuids of documents", |value| {
            value.as_array()?.iter().map(|item| Uuid::parse_str(item.as_str()?).ok()).collect()
        })?;
        Ok(ids.unwrap_or_default())
    }

    fn object(&self, name: &str) -> Result<Map<String, Value>> {
        Ok(self.read(name, "an object", |value| value.as_object().cloned())?.unwrap_or_default())
    }

    fn weight(&self) -> Result<f64> {
        let weight = self.read("weight", "a number above 0", |value| {
            value.as_f64().filter(|weight| *weight > 0.0 && weight.is_finite())
        })?;
        Ok(weight.unwrap_or(1.0))
    }

    fn flag(&self, name: &str) -> Result<bool> {
        Ok(self.read(name, "true or false", Value::as_bool)?.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_has_what_is_given_and_defaults() {
        let lines = parse("\u{feff}\r\n{\"question\": \"a\", \"tags\": null}\r\n \n{\"question\": \"b\", \"agent\": \"x\", \"weight\": 2}")
            .unwrap();
        let [a, b] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!((a.number, b.number), (2, 4));
        assert_eq!((a.question.text.as_str(), a.question.weight, a.question.tags.len()), ("a", 1.0, 0));
        assert_eq!((b.agent.as_deref(), b.question.weight), (Some("x"), 2.0));
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (line, said, hint) in [
            ("[1]", "line 2: it is not an object", "Write a line as"),
            ("{", "line 2: it is not JSON: ", "Write one JSON object a line."),
            ("{\"question\": \"a\", \"question\": \"b\"}", "line 2: it is not JSON: the key", "Write one"),
            ("{}", "line 2: \"question\" is missing", "Give the question"),
            ("{\"question\": \" \"}", "line 2: the question is empty", "Give the question"),
            ("{\"question\": 1}", "line 2: \"question\" is 1", "It has to be a string."),
            (
                "{\"question\": \"a\", \"expected_key\": []}",
                "line 2: unknown member \"expected_key\"",
                "Perhaps you meant \"expected_keys\".",
            ),
            (
                "{\"question\": \"a\", \"color\": 1}",
                "line 2: unknown member \"color\"",
                "A question has question, ",
            ),
            (
                "{\"question\": \"a\", \"expected_keys\": \"b\"}",
                "line 2: \"expected_keys\" is \"b\"",
                "It has to be an array of strings.",
            ),
            (
                "{\"question\": \"a\", \"tags\": [null]}",
                "line 2: \"tags\" is [null]",
                "It has to be an array",
            ),
            (
                "{\"question\": \"a\", \"expected_documents\": [\"b\"]}",
                "line 2: \"expected_documents\" is [\"b\"]",
                "It has to be an array of uuids",
            ),
            (
                "{\"question\": \"a\", \"weight\": 0}",
                "line 2: \"weight\" is 0",
                "It has to be a number above 0.",
            ),
            ("{\"question\": \"a\", \"filter\": []}", "line 2: \"filter\" is []", "It has to be an object."),
            (
                "{\"question\": \"a\", \"agent_id\": \"b\"}",
                "line 2: \"agent_id\" is \"b\"",
                "It has to be a uuid",
            ),
            (
                "{\"question\": \"a\", \"agent\": \"b\", \"agent_id\": \"4e7d3a52-8c1b-4f69-9a0e-6b72d5c3f184\"}",
                "line 2: both \"agent\" and",
                "Give the name",
            ),
        ] {
            let failure = parse(&format!("{{\"question\": \"good\"}}\n{line}")).unwrap_err();
            assert_eq!(failure.status, 2);
            assert!(failure.message.starts_with(said), "{failure}");
            assert!(failure.hint.as_ref().is_some_and(|given| given.starts_with(hint)), "{failure}");
        }
    }

    #[test]
    fn expectations_have_no_order() {
        let of = |line: &str| parse(line).unwrap()[0].question.expectations();
        let one =
            of("{\"question\": \"a\", \"expected_keys\": [\"x\", \"y\"], \"filter\": {\"a\": 1, \"b\": 2}}");
        assert_eq!(
            one,
            of(
                "{\"filter\": {\"b\": 2, \"a\": 1}, \"question\": \"b\", \"expected_keys\": [\"y\", \"x\", \"y\"]}"
            )
        );
        assert_ne!(
            one,
            of("{\"question\": \"a\", \"expected_texts\": [\"x\", \"y\"], \"filter\": {\"a\": 1, \"b\": 2}}")
        );
        assert_ne!(one, of("{\"question\": \"a\", \"expected_keys\": [\"x\", \"y\"]}"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            text in "\\PC{0,5}[a-z\u{1}\u{2028}\"\\\\\n]\\PC{0,5}", lists in prop::collection::vec(prop::collection::vec(any::<String>(), 0..3), 3),
            documents in prop::collection::vec(any::<u128>(), 0..3), agent in prop::option::of(any::<u128>()),
            weight in (1u32..1_000_000).prop_map(|number| f64::from(number) / 1024.0), is_draft in any::<bool>(), filter in prop::collection::btree_map(any::<String>(), any::<i64>(), 0..3),
        ) {
            prop_assume!(!text.trim().is_empty());
            let question = Question {
                text,
                keys: lists[0].clone(),
                documents: documents.into_iter().map(Uuid::from_u128).collect(),
                texts: lists[1].clone(),
                filter: filter.into_iter().map(|(name, value)| (name, json!(value))).collect(),
                agent: agent.map(Uuid::from_u128),
                tags: lists[2].clone(),
                weight,
                is_draft,
            };
            let lines = parse(&question.line()).unwrap();
            prop_assert_eq!(&lines[0].question, &question);
        }
    }
}
