//! Subtitles (WebVTT and SRT) as text: what is said, a sentence a line, each with the time at which it begins.

use kb_rag_core::extract_protocol::{Failure, Page, Properties};

use crate::text::{charset, decode};
use crate::{File, Text};

/// What is said without the end of a sentence is divided after so many characters, and by a pause, in milliseconds.
const MAX_SENTENCE: usize = 300;
const PAUSE: u64 = 4_000;

/// What is said at a time.
struct Cue {
    start: u64,
    end: u64,
    lines: Vec<String>,
}

/// A sentence that may go on.
struct Sentence {
    start: u64,
    end: u64,
    text: String,
}

/// The text of subtitles. Notes, styles, numbers and positions are left out.
///
/// # Errors
/// [`Failure::Damaged`] if no time is found.
pub fn extract(file: &File) -> Result<Text, Failure> {
    let content = decode(file.bytes, file.mime_type.and_then(charset));
    let cues = cues(&content);
    if cues.is_empty() && !content.trim_start_matches('\u{feff}').trim().is_empty() && !is_header(&content) {
        return Err(Failure::Damaged("it has no times of subtitles".into()));
    }
    let content = text(&cues);
    Ok(Text { properties: Properties::default(), pages: vec![Page { content, error: None }] })
}

/// Whether a file is WebVTT, perhaps without any cue.
fn is_header(content: &str) -> bool {
    content.trim_start_matches('\u{feff}').starts_with("WEBVTT")
}

fn cues(content: &str) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut open = false;
    // A line may be the number of the next cue.
    let mut lines = content.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if let Some((start, end)) = times(line) {
            cues.push(Cue { start, end, lines: Vec::new() });
            open = true;
        } else if line.is_empty() {
            open = false;
        } else if open && !lines.peek().is_some_and(|next| is_number(line) && times(next).is_some()) {
            let text = plain(line);
            if let Some(cue) = cues.last_mut().filter(|_| !text.is_empty()) {
                cue.lines.push(text);
            }
        }
    }
    cues
}

fn is_number(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_digit())
}

/// The times of a line such as "00:01.500 --> 00:02.000 align:start", in milliseconds.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((time(start.trim())?, time(rest.split_whitespace().next()?)?))
}

fn time(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let mut seconds = 0_u64;
    let steps: Vec<&str> = whole.split(':').collect();
    if !(2..=3).contains(&steps.len()) {
        return None;
    }
    for step in steps {
        seconds = seconds.checked_mul(60)?.checked_add(step.parse().ok()?)?;
    }
    let part: String = part.chars().chain("000".chars()).take(3).collect();
    seconds.checked_mul(1_000)?.checked_add(part.parse().ok()?)
}

/// The text of a line: without tags, positions and references; who speaks is named.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{', '&']) {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let (skipped, text) = match mark.as_bytes() {
            [b'<', ..] => tag(mark),
            [b'{', b'\\', ..] => (mark.find('}').map_or(1, |end| end + 1), String::new()),
            [b'&', ..] => reference(mark),
            _ => (1, mark.chars().take(1).collect()),
        };
        out.push_str(&text);
        rest = mark.get(skipped..).unwrap_or_default();
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How long a tag is, and what stands for it.
fn tag(mark: &str) -> (usize, String) {
    let Some(end) = mark.find('>') else { return (1, "<".to_owned()) };
    let name = mark.get(1..end).unwrap_or_default();
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') && name.len() < 200;
    if !is_tag {
        return (1, "<".to_owned());
    }
    let speaker =
        name.split_once(char::is_whitespace).filter(|(tag, _)| *tag == "v" || tag.starts_with("v."));
    (end + 1, speaker.map_or_else(String::new, |(_, speaker)| format!("{}: ", speaker.trim())))
}

fn reference(mark: &str) -> (usize, String) {
    let known = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&lrm;", ""),
        ("&rlm;", ""),
    ];
    let found = known.iter().find(|(name, _)| mark.starts_with(name));
    found.map_or_else(|| (1, "&".to_owned()), |(name, text)| (name.len(), (*text).to_owned()))
}

fn text(cues: &[Cue]) -> String {
    let mut done: Vec<String> = Vec::new();
    let mut open: Option<Sentence> = None;
    // Captions that roll show the line before again.
    let mut shown: &[String] = &[];
    for cue in cues {
        let again = cue.lines.iter().take_while(|line| shown.contains(line)).count();
        let said = cue.lines.get(again..).unwrap_or_default().join(" ");
        if !cue.lines.is_empty() {
            shown = &cue.lines;
        }
        if said.is_empty() {
            continue;
        }
        let goes_on = open.as_ref().is_some_and(|sentence| sentence.takes(cue, &said));
        match open.as_mut().filter(|_| goes_on) {
            Some(sentence) => {
                sentence.text.push(' ');
                sentence.text.push_str(&said);
                sentence.end = cue.end;
            }
            None => {
                done.extend(open.take().map(|sentence| sentence.line()));
                open = Some(Sentence { start: cue.start, end: cue.end, text: said });
            }
        }
    }
    done.extend(open.map(|sentence| sentence.line()));
    done.join("\n")
}

impl Sentence {
    /// Whether a cue is a part of it.
    fn takes(&self, cue: &Cue, said: &str) -> bool {
        let ends = self.text.trim_end_matches(['"', '\'', '”', '’', '»', ')', '」']);
        let is_whole = ends.ends_with(['.', '!', '?', '…', '。', '！', '？', '♪', ']']);
        let speaker = said.split_once(": ").is_some_and(|(name, _)| {
            name.split_whitespace().count() <= 3 && name.starts_with(char::is_uppercase)
        });
        let another = speaker || said.starts_with(['-', '–', '—', '[', '(', '♪']) || said.starts_with(">>");
        !is_whole
            && !another
            && cue.start < self.end.saturating_add(PAUSE)
            && self.text.len() + said.len() <= MAX_SENTENCE
    }

    fn line(self) -> String {
        let seconds = self.start / 1_000;
        format!("[{:02}:{:02}:{:02}] {}", seconds / 3_600, seconds / 60 % 60, seconds % 60, self.text)
    }
}
