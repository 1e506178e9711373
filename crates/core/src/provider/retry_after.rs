//! How long a provider asks to wait, in every form that a provider is known to use.

use super::said::Said;
use core::time::Duration;

/// No provider means a longer wait; a server that says so must not stop the work for good.
const MAX_SECONDS: f64 = 24.0 * 3600.0;

/// The wait that an answer asks for, from the most exact form first. `now` is in seconds since 1970.
pub fn wait(headers: &[(String, String)], said: &Said, now: f64) -> Option<Duration> {
    let header = |name| header(headers, name);
    let seconds = header("retry-after-ms")
        .and_then(number)
        .map(|milliseconds| milliseconds / 1000.0)
        .or_else(|| header("retry-after").and_then(number))
        .or_else(|| header("retry-after").and_then(date).map(|date| date - now))
        .or_else(|| said.retry_delay.as_deref().and_then(duration))
        .or_else(|| in_message(&said.message))
        .or_else(|| limits_reset(headers))?;
    // Zero or a past date does not say how long to wait.
    (seconds > 0.0).then(|| Duration::try_from_secs_f64(seconds.min(MAX_SECONDS)).ok()).flatten()
}

/// The value of a header whose name is in lower case.
pub fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Seconds since 1970 of an HTTP date.
fn date(text: &str) -> Option<f64> {
    let epoch = httpdate::parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT").ok()?;
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(epoch).ok()?.as_secs_f64())
}

/// Seconds of `41.724s`, `6m0s`, `1h2m`, `250ms`, as Go, OpenAI and Google write durations.
fn duration(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let (value, unit) = split_number(rest)?;
        let letters = unit.find(|c: char| !c.is_ascii_alphabetic() && c != 'µ').unwrap_or(unit.len());
        let (unit, after) = unit.split_at(letters);
        seconds += value * seconds_of(unit)?;
        rest = after;
    }
    (!text.trim().is_empty()).then_some(seconds)
}

fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "h" => 3600.0,
        "m" => 60.0,
        "s" => 1.0,
        "ms" => 1e-3,
        "us" | "µs" => 1e-6,
        "ns" => 1e-9,
        _ => return None,
    })
}

/// A decimal number at the start, and the rest of the text.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    Some((number.parse().ok()?, rest))
}

/// Seconds of `Please try again in 41.724s.`, `Please retry in 34s.` or `Please retry after 12 seconds.`
fn in_message(message: &str) -> Option<f64> {
    let lower = message.to_ascii_lowercase();
    ["try again in ", "retry in ", "retry after ", "try again after "].iter().find_map(|words| {
        let after = lower.get(lower.find(words)? + words.len()..)?;
        let mut parts = after.split_whitespace();
        let first = parts.next()?.trim_end_matches(['.', ',', ';', ')']);
        match (number(first), parts.next()) {
            (Some(value), Some(unit)) if unit.starts_with("millisecond") => Some(value / 1000.0),
            (Some(value), Some(unit)) if unit.starts_with("sec") => Some(value),
            (Some(value), Some(unit)) if unit.starts_with("min") => Some(value * 60.0),
            (Some(value), Some(unit)) if unit.starts_with("hour") => Some(value * 3600.0),
            (Some(_), _) => None,
            (None, _) => duration(first),
        }
    })
}

/// When OpenAI's limits are full again. Only a limit that is used up determines the wait. If none is marked
/// as used up, the shorter wait is enough for a retry.
fn limits_reset(headers: &[(String, String)]) -> Option<f64> {
    let resets = ["requests", "tokens"].map(|what| {
        let reset = header(headers, &format!("x-ratelimit-reset-{what}"))?;
        let used_up = header(headers, &format!("x-ratelimit-remaining-{what}")) == Some("0");
        Some((duration(reset).or_else(|| number(reset))?, used_up))
    });
    let resets = || resets.iter().flatten();
    let longest_used_up = resets().filter(|(_, used_up)| *used_up).map(|(reset, _)| *reset).reduce(f64::max);
    longest_used_up.or_else(|| resets().map(|(reset, _)| *reset).reduce(f64::min))
}
