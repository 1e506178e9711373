//! The texts that are embedded before that of a chunk: the title of its document, its heading path, and the header of its table.

use kb_rag_core::chunk::{Before, Tokenizer};

use crate::model::Model;

/// At most this many characters of the title, and of the heading path, are embedded and indexed with each chunk.
pub const PREFIX_CHARACTERS: usize = 300;

/// Title, heading and context take at most one in this many tokens of the limit: the rest is for the text.
const PREFIX_PART: usize = 4;

/// The text that is embedded for a chunk: title, heading path and context, each on lines of its own, then its content.
pub fn embedded_text(model: &Model, title: Option<&str>, before: Before, content: &str) -> String {
    lines(prefix(model, title, before), content)
}

/// The same for a model whose tokens cannot be counted.
pub fn text_without_limit(title: Option<&str>, before: Before, content: &str) -> String {
    lines(first_characters_of(title, before), content)
}

/// The same as one text.
fn lines([title, heading, context]: [&str; 3], content: &str) -> String {
    [title, heading, context, content]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The token budget for the text after this title, heading path and context.
pub fn room_after(model: &Model, title: Option<&str>, before: Before) -> usize {
    let Some(tokenizer) = model.tokenizer() else { return usize::MAX };
    let tokens: usize = prefix(model, title, before).into_iter().map(|part| tokenizer.count(part)).sum();
    tokenizer.room().saturating_sub(tokens)
}

/// Title, heading path and context, cut to what may be embedded. The context gets half of the tokens, and what the others leave. Of the
/// rest, title and heading get half each, and what the other leaves.
fn prefix<'a>(model: &Model, title: Option<&'a str>, before: Before<'a>) -> [&'a str; 3] {
    let [title, heading, context] = first_characters_of(title, before);
    let Some(tokenizer) = model.tokenizer() else { return [title, heading, context] };
    let max = tokenizer.room() / PREFIX_PART;
    if title.len() + heading.len() + context.len() <= max {
        return [title, heading, context];
    }
    let context = if context.is_empty() {
        context
    } else {
        let others = tokenizer.count(title) + tokenizer.count(heading);
        first_tokens(&tokenizer, context, max.saturating_sub(others).max(max / 2))
    };
    let max = max.saturating_sub(tokenizer.count(context));
    let title_room = max.saturating_sub(tokenizer.count(heading)).max(max / 2);
    let title = first_tokens(&tokenizer, title, title_room);
    let heading = first_tokens(&tokenizer, heading, max.saturating_sub(tokenizer.count(title)));
    [title, heading, context]
}

fn first_characters_of<'a>(title: Option<&'a str>, before: Before<'a>) -> [&'a str; 3] {
    let first = |text: Option<&'a str>| {
        let text = text.unwrap_or_default();
        text.char_indices().nth(PREFIX_CHARACTERS).map_or(text, |(end, _)| &text[..end])
    };
    [first(title), first(before.heading), before.context.unwrap_or_default()]
}

fn first_tokens<'a>(tokenizer: &impl Tokenizer, text: &'a str, max: usize) -> &'a str {
    if tokenizer.count(text) <= max { text } else { text[..tokenizer.prefix(text, max)].trim_end() }
}
