//! What a provider says in an error, whatever its format.

use serde_json::Value;

/// Longer bodies are not error messages.
const MAX_BODY_BYTES: usize = 1 << 20;

/// An error as a provider reported it. Fields that it did not report are empty.
#[derive(Debug, Default)]
pub struct Said {
    /// For people.
    pub message: String,
    /// For programs: `code`, `type`, `status` and Google's `reason`, in lower case.
    pub codes: Vec<String>,
    /// Google's `RetryInfo.retryDelay`.
    pub retry_delay: Option<String>,
}

impl Said {
    /// Reads JSON, HTML or plain text.
    pub fn read(body: &[u8]) -> Self {
        match Self::in_json(body) {
            Some(said) => said,
            None => Self { message: plain(body), ..Self::default() },
        }
    }

    /// The error in a JSON body, if it contains one.
    pub fn in_json(body: &[u8]) -> Option<Self> {
        if body.len() > MAX_BODY_BYTES {
            return None;
        }
        let body = serde_json::from_slice::<Value>(body).ok()?;
        // Google wraps some errors in an array.
        let top = match &body {
            Value::Array(items) => items.first()?,
            other => other,
        };
        top.as_object()?;
        let error = match &top["error"] {
            Value::Null => top,
            error => error,
        };
        let nested = &error["message"]["detail"][0];
        let message =
            [error, &error["message"], nested, &error["detail"], &error["detail"][0], &error["errors"][0]]
                .into_iter()
                .find_map(message)?;
        let details = error["details"].as_array().map(Vec::as_slice).unwrap_or_default();
        let codes = [top, error].into_iter().chain(details).flat_map(codes).collect();
        let retry_delay = details.iter().find_map(|detail| detail["retryDelay"].as_str()).map(str::to_owned);
        Some(Self { message, codes, retry_delay })
    }

    /// Whether the error has one of these codes.
    pub fn has_any_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }
}

/// A string, or the `message` or FastAPI's `msg` of an object.
fn message(value: &Value) -> Option<String> {
    let text = [value, &value["message"], &value["msg"]].into_iter().find_map(Value::as_str)?;
    let place = value["loc"].as_array().map(|loc| {
        let steps = loc.iter().map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned));
        steps.collect::<Vec<_>>().join(".")
    });
    Some(place.map_or_else(|| text.to_owned(), |place| format!("{place}: {text}")))
}

fn codes(value: &Value) -> impl Iterator<Item = String> {
    ["code", "type", "error_type", "status", "reason"]
        .into_iter()
        .filter_map(|key| value.get(key)?.as_str())
        .map(str::to_ascii_lowercase)
}

/// The title of an HTML page, or the beginning of anything else.
fn plain(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..4096).unwrap_or(body));
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|tag| {
        let start = tag + lower.get(tag..)?.find('>')? + 1;
        text.get(start..start + lower.get(start..)?.find("</title")?)
    });
    match title {
        Some(title) => title.trim().to_owned(),
        None => text.into_owned(),
    }
}

/// At most `max` characters in one line. Every character that moves a cursor becomes a space.
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut room = max;
    for word in &mut words {
        let space = usize::from(!line.is_empty());
        let length = word.chars().take(room + 1).count();
        if length + space > room {
            let kept = room.saturating_sub(space + 1);
            line.extend((space == 1 && kept > 0).then_some(' '));
            line.extend(word.chars().take(kept));
            line.push('…');
            return line;
        }
        line.extend((space == 1).then_some(' '));
        line.push_str(word);
        room -= length + space;
    }
    line
}
