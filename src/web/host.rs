//! The hosts that pages are fetched from: the time between two requests, and robots.txt. All sources and workers of the
//! database share them.

use std::time::Duration;

use kb_rag_core::web::{Robots, WebUrl};

use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg};
use crate::postgres::test_point::{test_point, test_time};
use crate::settings;

/// The longest Crawl-delay that is obeyed.
const MAX_DELAY: Duration = Duration::from_secs(10);
/// How long a robots.txt is kept, at most: a crawl begins with a new one.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// What robots.txt of a host says.
pub struct Rules {
    status: i32,
    body: Vec<u8>,
}

impl Rules {
    pub fn robots(&self, agent: &str) -> Robots {
        Robots::of_status(u16::try_from(self.status).unwrap_or(0), &self.body, agent)
    }
}

/// The rules of an origin, if they were fetched in this crawl.
pub fn rules(origin: &str) -> Result<Option<Rules>> {
    catalog::connect(|c| {
        c.query_one(include_str!("host_rules.sql"), Access::Write, &[Arg::new(origin)], |row| {
            Ok(Rules { status: row.require(1)?, body: row.require(2)? })
        })
    })
}

/// Keeps the rules of an origin.
pub fn keep_rules(origin: &str, status: u16, body: &[u8]) -> Result<Rules> {
    let rules = Rules { status: i32::from(status), body: body.to_vec() };
    catalog::connect(|c| {
        let args = [
            Arg::new(origin),
            Arg::new(rules.status),
            Arg::new(rules.body.clone()),
            Arg::new(KEPT.as_secs_f64()),
        ];
        c.execute(include_str!("keep_rules.sql"), &args)
    })?;
    Ok(rules)
}

/// Has the rules of an origin fetched again.
pub fn forget_rules(origin: &str) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("forget_rules.sql"), &[Arg::new(origin)]))?;
    Ok(())
}

/// The time between two requests that a host asks for, as far as it is obeyed.
pub fn delay_of(robots: &Robots) -> Duration {
    robots.crawl_delay().unwrap_or_default().min(test_time("max_delay", MAX_DELAY))
}

/// Takes the turn to send a request to the host of a URL. None if it may be sent now; else the time until then.
pub fn take_turn(url: &WebUrl, agent: &str) -> Result<Option<Duration>> {
    let origin = url.origin();
    let asked = rules(origin)?.map(|rules| delay_of(&rules.robots(agent))).unwrap_or_default();
    let delay = settings::crawl_delay().max(asked);
    test_point("crawl.before_turn");
    let wait = catalog::connect(|c| {
        let args = [Arg::new(origin), Arg::new(delay.as_secs_f64())];
        c.query_one(include_str!("take_turn.sql"), Access::Write, &args, |row| row.get::<f64>(1))
    })?;
    Ok(wait.flatten().map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default()))
}

/// Sends no request to a host for this long.
pub fn delay(origin: &str, time: Duration) -> Result<()> {
    catalog::connect(|c| {
        c.execute(include_str!("delay_host.sql"), &[Arg::new(origin), Arg::new(time.as_secs_f64())])
    })?;
    Ok(())
}
