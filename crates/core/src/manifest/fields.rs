//! Reads the fields of a block one by one, and keeps what is wrong with them.

use core::net::Ipv6Addr;
use core::ops::RangeInclusive;
use core::time::Duration;

use serde_json::{Map, Value};

use super::{Identifier, Mistake, PromptReference};
use crate::near::near;
use crate::qualified_name::quoted_part;

/// The most bytes of a name in PostgreSQL.
const MAX_NAME_BYTES: usize = 63;
/// The longest host name.
const MAX_HOST_BYTES: usize = 253;
/// The longest path.
const MAX_PATH_BYTES: usize = 2_000;

/// So many unknown keys are compared with those that are known, which takes a microsecond for each pair. Messages show fewer.
const MAX_COMPARED: usize = 100;

/// The fields of an object. A field that is null is left out.
pub struct Fields<'a> {
    members: &'a Map<String, Value>,
    /// Before the name of a field in messages.
    prefix: &'static str,
    known: Vec<&'static str>,
    pub mistakes: Vec<Mistake>,
}

impl<'a> Fields<'a> {
    pub fn from_members(members: &'a Map<String, Value>, prefix: &'static str) -> Fields<'a> {
        Fields { members, prefix, known: Vec::new(), mistakes: Vec::new() }
    }

    /// All mistakes, with the fields that nothing has read.
    pub fn finish(mut self) -> Vec<Mistake> {
        let unknown = self.members.keys().filter(|key| !self.known.contains(&key.as_str()));
        let keys = format!("The keys are {}.", self.known.join(", "));
        for (place, key) in unknown.collect::<Vec<_>>().into_iter().enumerate() {
            let names = self.known.iter().copied().filter(|_| place < MAX_COMPARED);
            let hint = match near(key, names).first() {
                Some(meant) => format!("Perhaps you meant {meant}."),
                None => keys.clone(),
            };
            self.mistakes.push(Mistake {
                field: key.clone(),
                message: format!("unrecognized key \"{}{key}\"", self.prefix),
                hint,
            });
        }
        self.mistakes
    }

    fn wrong(&mut self, field: &str, what: &str, hint: impl Into<String>) {
        let message = format!("{}{field}{what}", self.prefix);
        self.mistakes.push(Mistake { field: field.to_string(), message, hint: hint.into() });
    }

    fn get(&mut self, field: &'static str) -> Option<&'a Value> {
        self.known.push(field);
        self.members.get(field).filter(|value| !value.is_null())
    }

    fn required(&mut self, field: &'static str) -> Option<&'a Value> {
        let value = self.get(field);
        if value.is_none() {
            let hint = match field {
                "type" => "Give the search block, or a manifest that has it under agent_config.search.",
                _ => "The block needs this key.",
            };
            self.wrong(field, " is missing", hint);
        }
        value
    }

    /// A text that is not empty.
    pub fn text(&mut self, field: &'static str, is_required: bool) -> Option<String> {
        let value = if is_required { self.required(field) } else { self.get(field) }?;
        match value.as_str() {
            Some("") => self.wrong(field, " is empty", "Give a text, or leave the key out."),
            Some(text) if text.contains('\0') => {
                self.wrong(field, " has a NUL character", "Leave it out.");
            }
            Some(text) => return Some(text.to_string()),
            None => self.wrong(field, " is not a text", "Give a string."),
        }
        None
    }

    /// One of a few texts. None if it is another one, or missing without a default.
    pub fn one_of(&mut self, field: &'static str, values: &[&str], default: Option<&str>) -> Option<String> {
        let text = self.text(field, default.is_none());
        match text {
            Some(text) if values.contains(&text.as_str()) => Some(text),
            Some(text) => {
                let hint = format!("Valid values are {}.", values.join(", "));
                self.wrong(field, &format!(" \"{text}\" is not valid"), hint);
                None
            }
            None => default.map(str::to_string),
        }
    }

    /// An integer. If it is wrong, the least one.
    pub fn integer(&mut self, field: &'static str, default: Option<i64>, range: RangeInclusive<i64>) -> i64 {
        let value = if default.is_none() { self.required(field) } else { self.get(field) };
        let least = *range.start();
        let Some(value) = value else { return default.unwrap_or(least) };
        // YAML and JSON write 5.0 for some integers.
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
        match value.as_i64().or(whole.map(|number| number as i64)) {
            Some(number) if range.contains(&number) => return number,
            Some(number) => {
                let hint = format!("Use {least} to {}.", range.end());
                self.wrong(field, &format!(" {number} is out of range"), hint);
            }
            None if value.is_string() => {
                self.wrong(field, " is a string, not an integer", "Write the number without quotes.");
            }
            None => self.wrong(field, " is not an integer", format!("Use {least} to {}.", range.end())),
        }
        least
    }

    /// A time in seconds, more than 0.
    pub fn seconds(&mut self, field: &'static str, default: f64, max: f64) -> Duration {
        let default_time = Duration::from_secs_f64(default);
        let Some(value) = self.get(field) else { return default_time };
        let hint = || format!("Use more than 0 and at most {max}.");
        let time = |seconds: &f64| {
            let is_in_range = *seconds > 0.0 && *seconds <= max;
            let time = is_in_range.then(|| Duration::try_from_secs_f64(*seconds).ok()).flatten();
            time.filter(|time| !time.is_zero())
        };
        match value.as_f64() {
            Some(seconds) => match time(&seconds) {
                Some(time) => return time,
                None => self.wrong(field, &format!(" {seconds} is out of range"), hint()),
            },
            None if value.is_string() => {
                self.wrong(field, " is a string, not a number", "Write the number without quotes.");
            }
            None => self.wrong(field, " is not a number", hint()),
        }
        default_time
    }

    /// An object.
    pub fn object(&mut self, field: &'static str, example: &str) -> Option<Map<String, Value>> {
        match self.get(field)? {
            Value::Object(members) => Some(members.clone()),
            _ => {
                self.wrong(field, " is not an object", format!("Give an object, as in {example}."));
                None
            }
        }
    }

    /// The name in `${NAME}`. Another text may be a secret, so it is not shown.
    pub fn variable(&mut self, field: &'static str, is_required: bool) -> Option<String> {
        let value = if is_required { self.required(field) } else { self.get(field) }?;
        let name =
            value.as_str().and_then(|text| text.strip_prefix("${")?.strip_suffix('}')).filter(|name| {
                !name.is_empty()
                    && name.len() <= MAX_NAME_BYTES
                    && !name.starts_with(|c: char| c.is_ascii_digit())
                    && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            });
        if name.is_none() {
            let hint = format!(
                "A manifest holds no secrets: name a variable, of letters, digits and _ only, as in ${{{}}}.",
                field.to_uppercase()
            );
            self.wrong(field, " is not of the form ${VAR}", hint);
        }
        name.map(str::to_string)
    }

    /// A scheme, `http` by default, and a host, in brackets if it is an IPv6 address.
    pub fn host(&mut self, field: &'static str, may_have_scheme: bool) -> Option<(String, String)> {
        self.required(field)?;
        self.known.pop();
        let text = self.text(field, true)?;
        let (scheme, host) = match text.split_once("://") {
            Some((scheme, host)) if may_have_scheme => (scheme.to_ascii_lowercase(), host),
            _ => ("http".to_string(), text.as_str()),
        };
        let is_scheme = matches!(scheme.as_str(), "http" | "https");
        match host_of(host).filter(|_| is_scheme) {
            Some(host) => Some((scheme, host)),
            None => {
                let hint = match may_have_scheme {
                    true => {
                        "Give a host, with http:// or https:// before it if you like; port and path have keys of their own."
                    }
                    false => "Give a host without a scheme and a path; the port has a key of its own.",
                };
                // What is before an @ may be a password.
                let shown = if text.contains('@') { String::new() } else { format!(" \"{text}\"") };
                self.wrong(field, &format!("{shown} is not a host name"), hint);
                None
            }
        }
    }

    /// The path of a URL.
    pub fn path(&mut self, field: &'static str) -> Option<String> {
        let path = self.text(field, true)?;
        let hint = "Give the path of the URL, as in /agent-search.";
        let is_plain = |b: u8| b.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&b);
        if !path.starts_with('/') {
            self.wrong(field, &format!(" \"{path}\" does not start with /"), hint);
        } else if path.len() > MAX_PATH_BYTES {
            self.wrong(field, " is too long", format!("Use at most {MAX_PATH_BYTES} bytes."));
        } else if !path.bytes().all(is_plain) {
            self.wrong(
                field,
                " holds characters that a URL cannot have",
                "Write them with percent signs, as in %20.",
            );
        } else {
            return Some(path);
        }
        None
    }

    /// A model as `provider/model`.
    pub fn model(&mut self, field: &'static str) -> Option<String> {
        let model = self.text(field, true)?;
        self.checked_model(field, model)
    }

    /// The same, if the field is there.
    pub fn optional_model(&mut self, field: &'static str) -> Option<String> {
        let model = self.text(field, false)?;
        self.checked_model(field, model)
    }

    fn checked_model(&mut self, field: &'static str, model: String) -> Option<String> {
        match model.split_once('/') {
            Some((provider, name)) if !provider.is_empty() && !name.is_empty() => Some(model),
            _ => {
                self.wrong(
                    field,
                    &format!(" \"{model}\" is not of the form provider/model"),
                    "As in openai/text-embedding-3-small.",
                );
                None
            }
        }
    }

    /// The name of a table, bare or after the name of its schema.
    pub fn collection(&mut self, field: &'static str) -> Option<Vec<Identifier>> {
        let name = self.text(field, true)?;
        let parts = identifiers(&name).filter(|parts| parts.len() <= 2);
        if parts.is_none() {
            let hint =
                "Give the name of a table, or schema.table; put a name in double quotes where SQL needs it.";
            self.wrong(field, &format!(" \"{name}\" is not the name of a table"), hint);
        }
        parts
    }

    /// A prompt.
    pub fn prompt(&mut self, field: &'static str) -> Option<PromptReference> {
        let members = self.object(field, "{\"id\": \"kb-rewrite-instructions\", \"version\": 1}")?;
        let mut fields = Fields::from_members(&members, "prompt.");
        let id = fields.text("id", true);
        let version = fields.integer("version", Some(0), 1..=i64::from(i32::MAX));
        let has_version = members.get("version").is_some_and(|version| !version.is_null());
        let mistakes = fields.finish();
        self.mistakes
            .extend(mistakes.into_iter().map(|mistake| Mistake { field: field.to_string(), ..mistake }));
        let version = has_version.then(|| i32::try_from(version).unwrap_or(1));
        Some(PromptReference { id: id?, version })
    }
}

/// A host in the form that it has in a URL.
fn host_of(text: &str) -> Option<String> {
    let address = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if address.contains(':') || address.len() != text.len() {
        return address.parse::<Ipv6Addr>().ok().map(|address| format!("[{address}]"));
    }
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    (text.len() <= MAX_HOST_BYTES && text.split('.').all(is_label)).then(|| text.to_ascii_lowercase())
}

/// The parts of a qualified name. None unless each is an identifier of SQL.
fn identifiers(text: &str) -> Option<Vec<Identifier>> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (name, is_quoted, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (name, after) = quoted_part(quoted)?;
                (name, true, after)
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                (rest[..end].to_string(), false, &rest[end..])
            }
        };
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        let is_plain =
            name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit() || c == '$');
        if !(1..=MAX_NAME_BYTES).contains(&name.len()) || !(is_quoted || is_plain) {
            return None;
        }
        parts.push(Identifier { name, is_quoted });
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None => return after.is_empty().then_some(parts),
        }
    }
}
