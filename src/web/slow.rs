//! Hosts whose answers came too slowly, or not at all, while a worker waited: others come first for some time.

use std::time::Duration;

use super::host;
use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg};

/// For how long after its wait a host comes after others that are due. Then it comes when it is due, since others may be due
/// without end.
const YIELDS: Duration = Duration::from_secs(300);

/// Whether a host was slow, and whether others are due that come first.
#[derive(Clone, Copy, Default)]
pub struct Slow {
    pub is_slow: bool,
    pub must_yield: bool,
}

/// Whether the catalog keeps slow hosts: that of kb_rag 0.3.0 does not.
fn are_kept() -> bool {
    catalog::has_table(c"web_slow")
}

/// What is known of a host.
pub fn of_host(origin: &str) -> Result<Slow> {
    if !are_kept() {
        return Ok(Slow::default());
    }
    let found = catalog::connect(|c| {
        c.query_one(include_str!("slow_host.sql"), Access::Write, &[Arg::new(origin)], |row| {
            Ok(Slow { is_slow: true, must_yield: row.require(1)? })
        })
    })?;
    Ok(found.unwrap_or_default())
}

/// Notes that a host was slow: it is not asked for this long.
pub fn begin(origin: &str, time: Duration) -> Result<()> {
    host::delay(origin, time)?;
    if are_kept() {
        catalog::connect(|c| {
            let args = [Arg::new(origin), Arg::new((time + YIELDS).as_secs_f64())];
            c.execute(include_str!("begin_slow.sql"), &args)
        })?;
    }
    Ok(())
}

/// Notes that a host is not slow any more.
pub fn end(origin: &str) -> Result<()> {
    if are_kept() {
        catalog::connect(|c| c.execute(include_str!("end_slow.sql"), &[Arg::new(origin)]))?;
    }
    Ok(())
}
