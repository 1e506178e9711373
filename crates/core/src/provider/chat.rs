//! Chat models: one question, one reply.
//!
//! OpenAI's chat completions, which many servers speak, and Ollama's `/api/chat`.

use super::{Call, Fault, Kind, answer};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The model's name at its provider.
    pub model: &'a str,
    /// What the model is to do.
    pub instructions: &'a str,
    /// What it is to do it with.
    pub text: &'a str,
}

/// What it replied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its text, without what a reasoning model thinks first; not blank.
    pub text: String,
    /// The tokens of the question, as the provider counts them.
    pub tokens: Option<u64>,
    /// The tokens of the reply, with those of the reasoning.
    pub output_tokens: Option<u64>,
}

/// Where a model's reasoning ends, in servers that do not separate it from the reply.
const END_OF_REASONING: &str = "</think>";

impl Kind {
    /// Whether providers of this kind have chat models.
    pub fn has_chat(self) -> bool {
        matches!(self, Self::OpenAi | Self::Ollama)
    }

    /// The request for a question. The caller has asked [`Kind::has_chat`].
    pub fn chat_request(self, question: &Question) -> Call {
        let (path, body) = match self {
            // A rewritten query needs no reasoning, which takes longer than a customer waits.
            Self::Ollama => ("/api/chat", json!({"think": false, "stream": false})),
            // Servers differ in the other options: none is sent.
            _ => ("/chat/completions", json!({"stream": false})),
        };
        Call { path: path.to_owned(), body: with_messages(body, question) }
    }

    /// Another request to try after an answer with this status and body: versions of Ollama refuse `think` for models that do
    /// not reason.
    pub fn chat_fallback(self, status: u16, body: &[u8], question: &Question) -> Option<Call> {
        let is_of_thinking = || String::from_utf8_lossy(body).contains("support thinking");
        (self == Self::Ollama && status == 400 && is_of_thinking()).then(|| Call {
            path: "/api/chat".to_owned(),
            body: with_messages(json!({"stream": false}), question),
        })
    }

    /// Reads the body of an answer with status 200.
    pub fn read_chat(self, body: &[u8]) -> Result<Reply, Fault> {
        let reply = match self {
            Self::Ollama => answer::read(body, |body: OllamaBody| {
                Ok(Reply {
                    text: body.message.text(),
                    tokens: answer::count(&body.prompt_eval_count),
                    output_tokens: answer::count(&body.eval_count),
                })
            }),
            _ => answer::read(body, |body: OpenAiBody| {
                let choice = body.choices.into_iter().next();
                Ok(Reply {
                    text: choice.map(|choice| choice.message.text()).unwrap_or_default(),
                    tokens: answer::count(&body.usage["prompt_tokens"]),
                    output_tokens: answer::count(&body.usage["completion_tokens"]),
                })
            }),
        }?;
        match reply.text.is_empty() {
            true => Err(Fault::NotAsDocumented("the reply has no text".to_owned())),
            false => Ok(reply),
        }
    }
}

fn with_messages(mut body: Value, question: &Question) -> Vec<u8> {
    body["model"] = question.model.into();
    body["messages"] = json!([
        {"role": "system", "content": question.instructions},
        {"role": "user", "content": question.text},
    ]);
    body.to_string().into_bytes()
}

#[derive(Deserialize)]
struct OpenAiBody {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct OllamaBody {
    message: Message,
    #[serde(default)]
    prompt_eval_count: Value,
    #[serde(default)]
    eval_count: Value,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

impl Message {
    fn text(self) -> String {
        let content = self.content.unwrap_or_default();
        let reply = content.rsplit_once(END_OF_REASONING).map_or(content.as_str(), |(_, reply)| reply);
        reply.trim().to_owned()
    }
}
