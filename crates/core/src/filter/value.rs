//! The values of a filter's operators.

use super::condition::{Bound, Column, Subject, Test};
use super::invalid::{Invalid, invalid, shown};
use super::time::{has_year_last, micros};

/// A pattern of LIKE, in characters, and how often it may have `%`.
pub(super) const MAX_PATTERN: usize = 1_000;
pub(super) const MAX_ANY: usize = 10;

fn is_time(subject: &Subject) -> bool {
    matches!(subject, Subject::Column(Column::CreatedAt | Column::UpdatedAt))
}

/// A value to compare with. Columns have one type, so another one is a mistake.
pub(super) fn checked(subject: &Subject, operator: &str, json: &str) -> Result<String, Invalid> {
    if matches!(subject, Subject::Column(_)) {
        bound(subject, operator, json)?;
    }
    Ok(json.to_string())
}

/// A value to compare with by order: a number or a text, which may be a time.
pub(super) fn bound(subject: &Subject, operator: &str, json: &str) -> Result<Bound, Invalid> {
    let text: Option<String> = json.starts_with('"').then(|| serde_json::from_str(json).ok()).flatten();
    match (text, subject) {
        (Some(text), _) if is_time(subject) => match micros(&text) {
            Some(time) => Ok(Bound::Text(text, Some(time))),
            None => invalid(
                format!("\"{}\" is not a time", shown(&text)),
                "Write it in ISO 8601: 2024-05-31 or 2024-05-31T12:00:00+02:00.",
            ),
        },
        (Some(text), Subject::Column(_)) => Ok(Bound::Text(text, None)),
        (Some(text), Subject::Metadata(_)) if has_year_last(&text) => invalid(
            format!("filter operator \"{operator}\" cannot compare \"{}\" as a date", shown(&text)),
            "Strings sort by their bytes. Store dates in ISO 8601, and compare with 2024-05-31.",
        ),
        (Some(text), Subject::Metadata(_)) => {
            let time = micros(&text);
            Ok(Bound::Text(text, time))
        }
        (None, Subject::Metadata(_)) if json.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            Ok(Bound::Number(json.to_string()))
        }
        (None, Subject::Metadata(_)) => invalid(
            format!("filter operator \"{operator}\" cannot compare {}", shown(json)),
            "Give a number or a string.",
        ),
        (None, Subject::Column(_)) => invalid(
            format!("filter operator \"{operator}\" cannot compare {}", shown(json)),
            "Give a string.",
        ),
    }
}

/// A pattern of LIKE or ILIKE.
pub(super) fn like(subject: &Subject, operator: &str, json: &str) -> Result<Test, Invalid> {
    let pattern: Option<String> = serde_json::from_str(json).ok();
    let Some(pattern) = pattern.filter(|_| !is_time(subject)) else {
        return invalid(
            format!("filter operator \"{operator}\" is for text"),
            "Give a pattern with % and _: \"Report%\".",
        );
    };
    if pattern.chars().count() > MAX_PATTERN || pattern.matches('%').count() > MAX_ANY {
        return invalid(
            format!("the pattern of \"{operator}\" is too long"),
            format!("It holds at most {MAX_PATTERN} characters, and {MAX_ANY} times %."),
        );
    }
    if pattern.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
        return invalid(
            format!("the pattern of \"{operator}\" ends with a backslash"),
            "Write two for a backslash.",
        );
    }
    Ok(Test::Like { pattern, any_case: operator == "$ilike" })
}
