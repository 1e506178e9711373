//! What is embedded before the text of a chunk: the title of its document and its heading path.

use kb_rag_core::chunk::Tokenizer;

use crate::model::Model;

/// At most this many characters of the title, and of the heading path, are embedded and indexed with each chunk.
pub const PREFIX_CHARACTERS: usize = 300;

/// Title and heading take at most one in this many tokens of the limit: the rest is for the text.
const PREFIX_PART: usize = 4;

/// The text that is embedded for a chunk: title and heading path, each on a line, then its content.
pub fn embedded_text(model: &Model, title: Option<&str>, heading: Option<&str>, content: &str) -> String {
    let (title, heading) = prefix(model, title, heading);
    lines(title, heading, content)
}

/// The same for a model whose tokens cannot be counted.
pub fn text_without_limit(title: Option<&str>, heading: Option<&str>, content: &str) -> String {
    lines(first_characters(title), first_characters(heading), content)
}

fn lines(title: &str, heading: &str, content: &str) -> String {
    [title, heading, content].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The token budget for the text after this title and heading path.
pub fn room_after(model: &Model, title: Option<&str>, heading: Option<&str>) -> usize {
    let Some(tokenizer) = model.tokenizer() else { return usize::MAX };
    let (title, heading) = prefix(model, title, heading);
    tokenizer.room().saturating_sub(tokenizer.count(title) + tokenizer.count(heading))
}

/// Title and heading path, cut to what may be embedded. Each gets half of the tokens, and what the other leaves.
fn prefix<'a>(model: &Model, title: Option<&'a str>, heading: Option<&'a str>) -> (&'a str, &'a str) {
    let (title, heading) = (first_characters(title), first_characters(heading));
    let Some(tokenizer) = model.tokenizer() else { return (title, heading) };
    let max = tokenizer.room() / PREFIX_PART;
    if title.len() + heading.len() <= max {
        return (title, heading);
    }
    let title_room = max.saturating_sub(tokenizer.count(heading)).max(max / 2);
    let title = first_tokens(&tokenizer, title, title_room);
    let heading = first_tokens(&tokenizer, heading, max.saturating_sub(tokenizer.count(title)));
    (title, heading)
}

fn first_characters(text: Option<&str>) -> &str {
    let text = text.unwrap_or_default();
    text.char_indices().nth(PREFIX_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

fn first_tokens<'a>(tokenizer: &impl Tokenizer, text: &'a str, max: usize) -> &'a str {
    if tokenizer.count(text) <= max { text } else { text[..tokenizer.prefix(text, max)].trim_end() }
}
