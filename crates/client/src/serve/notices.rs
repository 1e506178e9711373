//! What the log gets of the notices of the server. Callers choose parts of them, such as the name of an agent, so the same one is
//! written once an hour, and only so many in an hour.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::shown;
use crate::output;

/// How long a notice that was written is not written again.
const AGAIN: Duration = Duration::from_secs(3600);
/// The most notices within this time.
const MAX_NOTICES: usize = 1_000;
/// The most characters of one.
const MAX_CHARS: usize = 1_000;

/// The notices that were written.
#[derive(Default)]
pub struct Notices {
    hasher: RandomState,
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    /// When, by their hashes.
    at: HashMap<u64, Instant>,
    /// When it was written that others are left out.
    full: Option<Instant>,
}

impl Notices {
    /// Writes a notice in one line to standard error, unless it was written lately.
    pub fn tell(&self, notice: &str) {
        if let Some(line) = self.line(notice) {
            output::error(&line);
        }
    }

    fn line(&self, notice: &str) -> Option<String> {
        let end = notice.char_indices().nth(MAX_CHARS).map_or(notice.len(), |(end, _)| end);
        let line = shown(&notice[..end]);
        let hash = self.hasher.hash_one(&line);
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_recent = |at: &Instant| now.duration_since(*at) < AGAIN;
        if written.at.get(&hash).is_some_and(is_recent) {
            return None;
        }
        if written.at.len() >= MAX_NOTICES {
            written.at.retain(|_, at| is_recent(at));
        }
        if written.at.len() < MAX_NOTICES {
            written.at.insert(hash, now);
            return Some(line);
        }
        if written.full.as_ref().is_some_and(is_recent) {
            return None;
        }
        written.full = Some(now);
        Some(format!("warning: {MAX_NOTICES} different notices within an hour; further ones are left out"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_same_notice_is_written_once_an_hour() {
        let notices = Notices::default();
        assert_eq!(notices.line("notice: agent \"a\nb\"").as_deref(), Some("notice: agent \"a\\nb\""));
        assert_eq!(notices.line("notice: agent \"a\nb\""), None);
        assert!(notices.line("notice: agent \"c\"").is_some());
        tokio::time::advance(AGAIN - Duration::from_secs(1)).await;
        assert_eq!(notices.line("notice: agent \"c\""), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(notices.line("notice: agent \"c\"").is_some());
        assert_eq!(notices.line(&"\u{e9}".repeat(3 * MAX_CHARS)).unwrap().chars().count(), MAX_CHARS);
    }

    /// A caller that invents agents fills neither the log nor the memory.
    #[tokio::test(start_paused = true)]
    async fn so_many_notices_are_written_in_an_hour() {
        let notices = Notices::default();
        let written = |hour: usize| -> Vec<String> {
            (0..3 * MAX_NOTICES).filter_map(|n| notices.line(&format!("agent {hour} {n}"))).collect()
        };
        for hour in 0..3 {
            let lines = written(hour);
            assert_eq!(lines.len(), MAX_NOTICES + 1);
            assert!(lines[MAX_NOTICES].contains("further ones are left out"), "{}", lines[MAX_NOTICES]);
            assert_eq!(written(hour).len(), 0);
            assert_eq!(notices.written.lock().unwrap().at.len(), MAX_NOTICES);
            tokio::time::advance(AGAIN).await;
        }
    }
}
