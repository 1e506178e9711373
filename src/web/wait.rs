//! Waits that servers ask for by Retry-After: how long a host is not asked, which sources wait for that, and the one try that
//! kb_source_sync with `force` and kb_retry give a source in spite of it.

use std::time::Duration;

use pgrx::Uuid;

use super::source::Source;
use super::{host, schedule};
use crate::base::KnowledgeBase;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::test_point::test_time;

/// How often a source may be tried in spite of a wait.
const TRY_AGAIN: Duration = Duration::from_secs(60);

/// What precedes the reason of a job that waits as long as a server asked for.
pub const ASKED: &str = "the server asked to wait: ";

/// The reason of a job that is postponed; `is_asked`: for as long as a server asked for.
pub fn reason(reason: &str, is_asked: bool) -> String {
    if is_asked { format!("{ASKED}{reason}") } else { reason.to_string() }
}

/// The same with the time until which it waits, where a server asked for that.
pub fn with_time(reason: &str, until: Option<&str>) -> String {
    match (reason.strip_prefix(ASKED), until) {
        (Some(why), Some(until)) => format!("the server asked to wait until {until}: {why}"),
        _ => reason.to_string(),
    }
}

/// A source that waits: a server asked for it, or did not answer as it should.
pub struct Wait {
    pub source: Uuid,
    /// What is asked again then: a host, or the URL of a page or a source.
    pub place: String,
    pub seconds: f64,
    /// For people, with the time until which it waits.
    pub message: String,
    /// The same without the time.
    pub reason: String,
    /// Whether a server asked for it.
    is_asked: bool,
    /// Whether the whole source waits, not its pages one by one.
    is_of_source: bool,
}

impl Wait {
    /// Says that it goes on, although it was asked to end.
    fn report(&self, was_tried: bool) {
        let hint = match was_tried {
            true => "It was tried less than a minute ago; try again later.",
            false => "Run kb_source_sync with force => true to try it once.",
        };
        Error::remark(format!("{} is not fetched yet; {}", self.place, self.message)).hint(hint).notify();
    }
}

/// Whether the catalog keeps waits: that of kb_rag 0.3.0 does not.
fn are_kept() -> bool {
    catalog::has_table(c"web_wait")
}

/// A query with the waits of hosts that are in force as `{waits}`.
pub fn with_waits(sql: &str) -> String {
    let waits = match are_kept() {
        true => include_str!("waits_in_force.sql").trim_end(),
        false => {
            "(SELECT NULL::text AS origin, NULL::timestamptz AS until, NULL::text AS reason WHERE false)"
        }
    };
    spi::render(sql, &[("waits", waits)])
}

/// How long a host has asked to wait, with the reason.
pub fn of_host(origin: &str) -> Result<Option<(Duration, String)>> {
    let sql = with_waits(include_str!("host_wait.sql"));
    catalog::connect(|c| {
        c.query_one(&sql, Access::Write, &[Arg::new(origin)], |row| {
            let time = Duration::try_from_secs_f64(row.require(1)?).unwrap_or_default();
            Ok((time, row.require(2)?))
        })
    })
}

/// Sends no request to a host for this long. With a reason the host has asked for it, and what it asks for last counts.
pub fn begin(origin: &str, time: Duration, reason: Option<&str>) -> Result<()> {
    let Some(reason) = reason.filter(|_| are_kept()) else { return host::delay(origin, time) };
    catalog::connect(|c| {
        let args = [Arg::new(origin), Arg::new(time.as_secs_f64()), Arg::new(reason)];
        c.execute(include_str!("begin_wait.sql"), &args)
    })?;
    Ok(())
}

/// Ends the wait of a host that has answered a try, and makes the pages due that waited for it.
pub fn end(origin: &str) -> Result<()> {
    if are_kept() {
        let args = [Arg::new(origin), Arg::new(ASKED)];
        catalog::connect(|c| c.execute(include_str!("end_wait.sql"), &args))?;
    }
    Ok(())
}

/// The sources of a base that wait: none of their jobs is being done or due, and a server is the reason.
pub fn of_base(base: Uuid) -> Result<Vec<Wait>> {
    select(base, None)
}

/// The same for one source.
pub fn of_source(base: Uuid, source: Uuid) -> Result<Option<Wait>> {
    Ok(select(base, Some(source))?.into_iter().next())
}

fn select(base: Uuid, source: Option<Uuid>) -> Result<Vec<Wait>> {
    let sql = with_waits(include_str!("waits.sql"));
    catalog::connect(|c| {
        let args = [Arg::new(base), Arg::new(source), Arg::new(ASKED)];
        c.query(&sql, Access::Read, Planning::Auto, &args, |row| {
            let (until, reason): (String, String) = (row.require(4)?, row.require(5)?);
            let is_asked = reason.starts_with(ASKED);
            let message = match is_asked {
                true => with_time(&reason, Some(&until)),
                false => format!("tried again at {until}: {reason}"),
            };
            Ok(Wait {
                source: row.require(1)?,
                place: row.require(2)?,
                seconds: row.require(3)?,
                message,
                reason,
                is_asked,
                is_of_source: row.require(6)?,
            })
        })
    })
}

/// Whether kb_source_sync may queue a source now. With `force`, the next request for it is sent in spite of waits, at most once a
/// minute. A source that has to wait on keeps its jobs, and a notice says until when.
pub fn may_begin(base: &KnowledgeBase, source: &Source, force: bool) -> Result<bool> {
    let wait = of_source(base.id, source.id)?.filter(|wait| wait.is_asked);
    let is_let = force && let_try(source.id, wait.is_some())?;
    let Some(wait) = wait.filter(|wait| !is_let && (force || wait.is_of_source)) else { return Ok(true) };
    if force {
        schedule::force(source.id)?;
    }
    wait.report(force);
    Ok(false)
}

/// Lets the sources of a base that wait or have failed be tried once in spite of waits, as kb_retry does. Returns those that were
/// tried less than a minute ago, which wait on.
pub fn let_all_try(base: &KnowledgeBase) -> Result<Vec<Uuid>> {
    if !are_kept() {
        return Ok(Vec::new());
    }
    let mut wait_on = Vec::new();
    for wait in of_base(base.id)? {
        if !let_try(wait.source, wait.is_asked)? && wait.is_asked {
            wait.report(true);
            wait_on.push(wait.source);
        }
    }
    let failed = catalog::connect(|c| {
        c.query(
            include_str!("failed_sources.sql"),
            Access::Write,
            Planning::Auto,
            &[Arg::new(base.id)],
            |row| row.require::<Uuid>(1),
        )
    })?;
    for source in failed {
        let_try(source, false)?;
    }
    Ok(wait_on)
}

/// Lets the next request for a source be sent in spite of waits. `waits`: there is one, so that this counts. False within a minute
/// after the last one that counted.
fn let_try(source: Uuid, waits: bool) -> Result<bool> {
    if !are_kept() {
        return Ok(true);
    }
    let again = test_time("try_again", TRY_AGAIN).as_secs_f64();
    let found = catalog::connect(|c| {
        let args = [Arg::new(source), Arg::new(waits), Arg::new(again)];
        c.query_one(include_str!("let_try.sql"), Access::Write, &args, |row| row.require::<bool>(1))
    })?;
    Ok(found == Some(true))
}

/// Whether the next request for a source may be sent in spite of waits.
pub fn is_let(source: Uuid) -> Result<bool> {
    if !are_kept() {
        return Ok(false);
    }
    let found = catalog::connect(|c| {
        c.query_one(include_str!("is_let.sql"), Access::Write, &[Arg::new(source)], |row| {
            row.require::<bool>(1)
        })
    })?;
    Ok(found == Some(true))
}

/// Records that a request for a source is being sent that was let. `waits`: in spite of a wait, so that it counts.
pub fn tried(source: Uuid, waits: bool) -> Result<()> {
    if are_kept() {
        catalog::connect(|c| c.execute(include_str!("tried.sql"), &[Arg::new(source), Arg::new(waits)]))?;
    }
    Ok(())
}
