//! One search query out of a conversation, by a chat model.

use std::time::{Duration, Instant};

use kb_rag_core::conversation::{self, Message};
use kb_rag_core::provider::Reply;
use kb_rag_core::rewrite;

use crate::error::{Error, Result};
use crate::model::{self, ChatModel};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::subtransaction;
use crate::postgres::test_point::test_time;
use crate::provider::usage::{self, Usage};
use crate::settings;

/// How long a customer waits for a better query.
const MAX_TIME: Duration = Duration::from_secs(5);

/// The query of a conversation.
pub struct Rewritten {
    /// Of any length, if it is a message.
    pub query: String,
    /// How long the chat model took; None without one.
    pub time: Option<Duration>,
    pub spent: Option<Spent>,
}

/// A call of a chat model, which counts even if what follows fails.
pub struct Spent {
    model: String,
    reply: Option<Reply>,
}

/// The messages of an argument. 22004 for NULL, 22023 for anything but messages.
pub fn messages_of(messages: Option<&Jsonb>) -> Result<Vec<Message>> {
    const EXAMPLE: &str =
        "Give an array of objects with role and content, as [{\"role\": \"user\", \"content\": \"…\"}].";
    let messages = messages.ok_or_else(|| Error::null("messages").hint(EXAMPLE))?;
    messages.check_size("messages")?;
    let messages = messages.value().ok_or_else(|| {
        Error::invalid("messages is nested too deeply, or holds a number that is too large")
    })?;
    conversation::parse(&messages).map_err(|mistake| Error::invalid(mistake).hint(EXAMPLE))
}

/// The last message of the customer. 22023 if the customer has not written.
pub fn question_of(messages: &[Message]) -> Result<&str> {
    conversation::last_of_customer(messages).ok_or_else(|| {
        Error::invalid("messages has no message of a customer")
            .hint("The query is the last message whose role is customer, user or human.")
    })
}

/// What a chat model makes of a conversation: the one of this name, or that of kb_rag.chat_model. Without one, and with a warning
/// where it fails, the last message of the customer. 22023 if the customer has not written.
pub fn query_of(
    messages: &[Message],
    model: Option<&str>,
    instructions: impl FnOnce() -> Result<Option<String>>,
) -> Result<Rewritten> {
    let last = question_of(messages)?;
    let last = || last.to_string();
    let Some(model) = model.map(str::to_string).or_else(settings::chat_model) else {
        return Ok(Rewritten { query: last(), time: None, spent: None });
    };
    let began = Instant::now();
    let mut spent = None;
    let rewritten = subtransaction::attempt(|| {
        let instructions = rewrite::instructions(instructions()?.as_deref());
        let model = model::open_chat(&model, role::current_role())?;
        ask(&model, &instructions, messages, &mut spent)
    });
    let query = match rewritten {
        Ok(query) => query,
        Err(error) if error.ends_work() => return Err(error),
        Err(error) => {
            error.warn("the query is the last message of the customer");
            last()
        }
    };
    Ok(Rewritten { query, time: Some(began.elapsed()), spent })
}

fn ask(
    model: &ChatModel,
    instructions: &str,
    messages: &[Message],
    spent: &mut Option<Spent>,
) -> Result<String> {
    let of_model = |reply| Some(Spent { model: model.name().to_string(), reply });
    *spent = of_model(None);
    let time = test_time("rewrite_max_time", MAX_TIME);
    let reply = model.ask(instructions, &rewrite::transcript(messages), time)?;
    let query = rewrite::query_of(&reply.text);
    *spent = of_model(Some(reply));
    query.ok_or_else(|| Error::refused(format!("chat model \"{}\" replied without a query", model.name())))
}

impl Rewritten {
    /// The same with a query of the length that a chat model's has at most.
    pub fn shortened(mut self) -> Rewritten {
        let end = rewrite::beginning(&self.query, rewrite::MAX_QUERY_CHARACTERS).len();
        self.query.truncate(end);
        self
    }
}

impl Spent {
    /// Adds the call to the usage, if the transaction may write.
    pub fn record(self) -> Result<()> {
        if !snapshot::may_write() {
            return Ok(());
        }
        usage::record(&Usage {
            model: &self.model,
            calls: 1,
            errors: i64::from(self.reply.is_none()),
            tokens: self.reply.as_ref().and_then(|reply| reply.tokens),
            output_tokens: self.reply.as_ref().and_then(|reply| reply.output_tokens),
            ..Usage::default()
        })
    }
}
