//! Fetching: the pages of a source, one after the other. No transaction is open while a server is waited for.

use std::time::{Duration, Instant};

use kb_rag_core::provider::retry;
use kb_rag_core::web::{Robots, WebUrl};
use pgrx::Uuid;

use super::embed::jitter;
use super::transaction::Transactions;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::extraction::Text;
use crate::postgres::guc;
use crate::postgres::interrupt;
use crate::queue::{self, FetchPlace, Job, Kind, OwnerShare};
use crate::settings;
use crate::web::{self, Fetched, Got, Mapped, Plan, Prepared, Started};

/// A page fails at this attempt.
const MAX_ATTEMPTS: i32 = 5;
/// The most jobs that are put aside at a time because their agents do not use their knowledge bases.
const MAX_HELD: usize = 1_000;
/// The delay before a source that waits for another one is looked at again.
const TURN_AGAIN: Duration = Duration::from_secs(1);
/// The most sitemaps that are read.
const MAX_SITEMAPS: usize = 20;
/// After a page that took as long, the pages of other hosts come first, even if it came in the end.
const LONG_FETCH: Duration = Duration::from_secs(10);
/// The longest time that a worker waits for the turn to ask a host.
const MAX_TURN_WAIT: Duration = Duration::from_secs(15);

/// A source or a page that is to be fetched.
pub struct Crawl {
    base: Uuid,
    kind: Kind,
    job: Job,
    /// Held while it is fetched.
    _place: FetchPlace,
    _share: Option<OwnerShare>,
}

impl Crawl {
    /// Claims a page or a source. None when others have claimed them all, or as many workers fetch as may.
    pub fn claim(base: &KnowledgeBase, kind: Kind, share: Option<OwnerShare>) -> Result<Option<Crawl>> {
        let Some(place) = FetchPlace::take(settings::workers()) else { return Ok(None) };
        for _ in 0..MAX_HELD {
            let Some(job) = queue::claim(base.id, kind, 1)?.into_iter().next() else { return Ok(None) };
            // Looked up after the claim: what was decided before it counts.
            match web::held_for(job.target, &queue::idle_agents(base.id)?)? {
                Some(agent) => queue::hold(&[(job.id, agent)])?,
                None => return Ok(Some(Crawl { base: base.id, kind, job, _place: place, _share: share })),
            }
        }
        Ok(None)
    }

    pub fn run(self, transactions: Transactions) -> Result<()> {
        let result = match self.kind {
            Kind::Source => self.source(transactions),
            _ => self.page(transactions),
        };
        let Err(error) = result else { return Ok(()) };
        if transactions.are_over(&error) || error.is_over_limit() || error.is_of_server() {
            return Err(error);
        }
        // Another session has a row or a table locked, and nothing was paid for; else an error of the owner's code, or of
        // the program that reads pages.
        let charged = !error.is_conflict();
        if charged && self.job.attempts >= MAX_ATTEMPTS {
            return self.give_up(transactions, &error.with_hint());
        }
        self.postpone(transactions, None, charged, &error.to_string())
    }

    fn backoff(&self) -> Duration {
        retry::backoff(self.job.attempts.unsigned_abs(), jitter())
    }

    /// The wait after a failure to fetch that took the time `held`.
    fn backoff_after(&self, held: Duration) -> Duration {
        retry::backoff_after_hold(held, self.job.attempts.unsigned_abs(), jitter())
    }

    fn postpone(
        &self,
        transactions: Transactions,
        after: Option<Duration>,
        charged: bool,
        error: &str,
    ) -> Result<()> {
        let after = after.unwrap_or_else(|| self.backoff());
        transactions.run(|| queue::postpone(&[self.job.id], after, charged, Some(error)))
    }

    /// Fails the page, or the source.
    fn give_up(&self, transactions: Transactions, reason: &str) -> Result<()> {
        transactions.run(|| match self.kind {
            Kind::Source => web::fail_source(self.base, self.job.target, self.job.id, reason),
            _ => web::fail_page(self.base, self.job.target, self.job.id, reason),
        })
    }

    /// Postpones a source, or fails it where it was tried often enough.
    fn later(
        &self,
        transactions: Transactions,
        reason: &str,
        asked: Option<Duration>,
        held: Duration,
    ) -> Result<()> {
        if self.job.attempts >= MAX_ATTEMPTS {
            return self.give_up(transactions, reason);
        }
        let reason = web::reason_of_wait(reason, asked.is_some());
        let after = asked.unwrap_or_else(|| self.backoff_after(held));
        self.postpone(transactions, Some(after), true, &reason)
    }

    fn source(&self, transactions: Transactions) -> Result<()> {
        let begun = transactions.run(|| guc::yielding(|| web::begin(self.base, self.job.target)))?;
        match begun {
            Started::Pages | Started::Ended => transactions.run(|| queue::done(&[self.job.id])),
            Started::MustWait => {
                transactions.run(|| queue::postpone(&[self.job.id], TURN_AGAIN, false, None))
            }
            Started::Repository(plan) => self.repository(transactions, &plan),
            Started::Remote(plan) => self.remote(transactions, &plan),
        }
    }

    fn repository(&self, transactions: Transactions, plan: &web::RepositoryPlan) -> Result<()> {
        let began = Instant::now();
        let fetched = plan.fetch();
        transactions.run(|| plan.count_calls())?;
        let archive = match fetched {
            Ok(Some(archive)) => archive,
            Ok(None) => return transactions.run(|| guc::yielding(|| plan.unchanged(self.job.id))),
            Err(fetched) => return self.not_fetched(transactions, fetched, began),
        };
        let files = match transactions.run(|| plan.read(&archive)) {
            Ok(files) => files,
            // The same archive would come again.
            Err(error) if error.is_of_file() => return self.give_up(transactions, &error.to_string()),
            Err(error) => return Err(error),
        };
        for group in files.in_groups() {
            transactions.run(|| guc::yielding(|| plan.store(group)))?;
        }
        transactions.run(|| guc::yielding(|| plan.finish(&files, &archive.sha, self.job.id)))
    }

    fn remote(&self, transactions: Transactions, plan: &web::RemotePlan) -> Result<()> {
        let began = Instant::now();
        let step = plan.step();
        transactions.run(|| plan.count_calls())?;
        match step {
            Ok(web::RemoteStep::Begun(id)) => {
                transactions.run(|| plan.begun(&id))?;
                self.poll_again(transactions, plan)
            }
            Ok(web::RemoteStep::Working) => self.poll_again(transactions, plan),
            Ok(web::RemoteStep::Pages(part)) => self.remote_pages(transactions, plan, part),
            Err(fetched) => self.not_fetched(transactions, fetched, began),
        }
    }

    /// A crawl may take hours: failures before an answer do not count any more.
    fn poll_again(&self, transactions: Transactions, plan: &web::RemotePlan) -> Result<()> {
        transactions.run(|| {
            queue::renew(&[self.job.id], &[self.job.target])?;
            queue::postpone(&[self.job.id], plan.poll_after(), false, None)
        })
    }

    fn remote_pages(
        &self,
        transactions: Transactions,
        plan: &web::RemotePlan,
        mut part: web::RemotePart,
    ) -> Result<()> {
        let unread = loop {
            for page in &part.pages {
                transactions.run(|| guc::yielding(|| plan.store(page)))?;
            }
            let began = Instant::now();
            let next = plan.next(&part);
            let ended = match next {
                Ok(Some(next)) => {
                    part = next;
                    continue;
                }
                Ok(None) => plan.unread(),
                Err(fetched) => Err(fetched),
            };
            transactions.run(|| plan.count_calls())?;
            match ended {
                Ok(unread) => break unread,
                Err(fetched) => return self.not_fetched(transactions, fetched, began),
            }
        };
        for page in &unread {
            transactions.run(|| guc::yielding(|| plan.store_unread(page)))?;
        }
        transactions.run(|| guc::yielding(|| plan.finish(self.job.id)))
    }

    /// A source that could not be fetched as a whole, by a request that began then.
    fn not_fetched(&self, transactions: Transactions, fetched: Fetched, began: Instant) -> Result<()> {
        match fetched {
            Fetched::Later { reason, after, .. } => self.later(transactions, &reason, after, began.elapsed()),
            Fetched::Gone(reason)
            | Fetched::Refused(reason)
            | Fetched::TooLarge(reason)
            | Fetched::Disallowed(reason) => self.give_up(transactions, &reason),
            Fetched::Content(_) | Fetched::Unchanged | Fetched::Waits { .. } => {
                Err(Error::internal("an answer that is none"))
            }
        }
    }

    fn page(&self, transactions: Transactions) -> Result<()> {
        let mut plan =
            match transactions.run(|| guc::yielding(|| web::prepare(self.base, self.job.target)))? {
                Prepared::Now(plan) => plan,
                Prepared::Wait(time) => {
                    return transactions.run(|| queue::postpone(&[self.job.id], time, false, None));
                }
                Prepared::Unwanted => return transactions.run(|| queue::done(&[self.job.id])),
            };
        let Visited { fetched, text, mut way, held } = visit(transactions, &plan)?;
        way.dedup();
        if plan.is_try {
            for origin in fetched.answered(way.clone()) {
                transactions.run(|| web::end_wait(&origin))?;
            }
            // Sitemaps are no part of it.
            plan.is_try = false;
        }
        if !matches!(fetched, Fetched::Later { .. }) {
            let url = plan.url()?;
            match held >= LONG_FETCH {
                true => transactions.run(|| web::slow_host(url.origin(), Duration::ZERO))?,
                false if plan.is_slow => transactions.run(|| web::prompt_host(url.origin()))?,
                false => {}
            }
        }
        let got = match fetched {
            Fetched::Later { reason, after, whole_host } => {
                let backoff = self.backoff_after(held);
                // The one that was slow, and those that lead to it.
                for origin in way.iter().filter(|_| retry::is_hold(held)) {
                    transactions.run(|| web::slow_host(origin, backoff))?;
                }
                let wait = AskedWait { asked: after, backoff, whole_host };
                return self.page_later(transactions, &plan, &reason, wait);
            }
            Fetched::Waits { reason, time } => {
                return transactions.run(|| web::later_page(&plan, self.job.id, time, false, &reason));
            }
            Fetched::Content(answer) => match text {
                Some(Ok(text)) => Got::Text { answer: Box::new(answer), text },
                Some(Err(unreadable)) => Got::Refused(unreadable),
                None => return Err(Error::internal("a page that was not read")),
            },
            other => match Got::without_text(other) {
                Some(got) => got,
                None => return Err(Error::internal("an answer that is none")),
            },
        };
        let mapped = if plan.leads_to_sitemaps() && !matches!(got, Got::Gone(_) | Got::Refused(_)) {
            let url = got.url().map_or_else(|| plan.site(), Ok)?;
            sitemaps(transactions, &plan, &url)?
        } else {
            Mapped::none()
        };
        transactions.run(|| guc::yielding(|| web::store(&plan, self.job.id, got, mapped)))
    }

    /// Postpones a page, or fails it where it was tried often enough. Its host may have asked that no other is asked for either.
    fn page_later(
        &self,
        transactions: Transactions,
        plan: &Plan,
        reason: &str,
        AskedWait { asked, backoff, whole_host }: AskedWait,
    ) -> Result<()> {
        let after = asked.unwrap_or(backoff);
        if let Some(origin) = whole_host {
            transactions.run(|| web::pause_host(&origin, after, asked.map(|_| reason)))?;
        }
        if self.job.attempts >= MAX_ATTEMPTS {
            return self.give_up(transactions, reason);
        }
        let reason = web::reason_of_wait(reason, asked.is_some());
        // Others that wait for the host are asked for first: this page would make them wait again.
        let after = asked.map_or(backoff, |asked| asked + backoff);
        transactions.run(|| web::later_page(plan, self.job.id, after, true, &reason))
    }
}

/// How long a page is to wait.
struct AskedWait {
    /// As long as the server says.
    asked: Option<Duration>,
    /// As long as without that.
    backoff: Duration,
    /// The host that waits with it.
    whole_host: Option<String>,
}

/// The results of the requests for a page.
struct Visited {
    fetched: Fetched,
    /// Its text, or why it cannot be read, where it has content.
    text: Option<std::result::Result<Text, String>>,
    /// The hosts that were asked, or were to be.
    way: Vec<String>,
    /// How long they were waited for.
    held: Duration,
}

/// Fetches and reads a page. One that sends its readers elsewhere at once is a redirect, and counts as one.
fn visit(transactions: Transactions, plan: &Plan) -> Result<Visited> {
    let (mut url, mut validators, mut is_redirected) = (plan.url()?, plan.validators(), false);
    let (mut way, mut held) = (Vec::new(), Duration::ZERO);
    loop {
        let left = web::MAX_REQUESTS.saturating_sub(way.len());
        let mut robots = |url: &WebUrl| {
            way.push(url.origin().to_string());
            rules(transactions, plan, url)
        };
        let began = Instant::now();
        let fetched = plan.fetcher.page(&url, validators, left, &mut robots)?;
        held += began.elapsed();
        let Fetched::Content(mut answer) = fetched else {
            return Ok(Visited { fetched, text: None, way, held });
        };
        let text = match transactions.run(|| web::read(&answer)) {
            Ok(text) => Ok(text),
            Err(error) if error.is_of_file() => Err(error.to_string()),
            Err(error) => return Err(error),
        };
        if let Some(next) = text.as_ref().ok().and_then(web::redirect) {
            (url, validators, is_redirected) = (next, web::Validators::default(), true);
            continue;
        }
        if is_redirected {
            // The first page would be asked for by what the last one has said, and might not have changed.
            answer.forget_validators();
        }
        return Ok(Visited { fetched: Fetched::Content(answer), text: Some(text), way, held });
    }
}

/// The rules of the host of a URL, which are fetched where they are not known.
fn rules(
    transactions: Transactions,
    plan: &Plan,
    url: &WebUrl,
) -> Result<std::result::Result<Robots, Fetched>> {
    if let Some(waits) = transactions.run(|| guc::yielding(|| web::wait_on_the_way(plan, url)))? {
        return Ok(Err(waits));
    }
    let agent = &plan.fetcher.agent;
    if let Some(robots) = transactions.run(|| web::known_robots(url, agent))? {
        return Ok(Ok(robots));
    }
    Ok(match plan.fetcher.robots(url)? {
        Ok((status, body)) => Ok(transactions.run(|| web::keep_robots(url, agent, status, &body))?),
        Err(fetched) => Err(fetched),
    })
}

/// Waits for the turn to ask the host of a URL. False if that takes too long for a worker.
fn has_turn(transactions: Transactions, plan: &Plan, url: &WebUrl) -> Result<bool> {
    while let Some(time) = transactions.run(|| web::take_turn(url, &plan.fetcher.agent))? {
        if time > MAX_TURN_WAIT {
            return Ok(false);
        }
        interrupt::sleep(time);
    }
    Ok(true)
}

/// The pages that the sitemaps of a site name: those that robots.txt names, or /sitemap.xml.
fn sitemaps(transactions: Transactions, plan: &Plan, url: &WebUrl) -> Result<Mapped> {
    let Ok(robots) = rules(transactions, plan, url)? else {
        return Ok(Mapped { pages: Vec::new(), is_complete: false });
    };
    // With whether the site names it: one that cannot be read then may name pages that no link leads to.
    let named = |map: &String| Some((url.join(map)?, true));
    let mut waiting: Vec<(WebUrl, bool)> = robots.sitemaps().iter().rev().filter_map(named).collect();
    if waiting.is_empty() {
        waiting.extend(url.join("/sitemap.xml").map(|map| (map, false)));
    }
    let (mut read, mut pages, mut is_complete) = (Vec::new(), Vec::new(), true);
    while let Some((map, is_named)) = waiting.pop() {
        if read.contains(&map) || map.origin() != url.origin() {
            continue;
        }
        if read.len() >= MAX_SITEMAPS || !has_turn(transactions, plan, &map)? {
            is_complete = false;
            break;
        }
        let mut robots = |url: &WebUrl| rules(transactions, plan, url);
        let began = Instant::now();
        match plan.fetcher.page(&map, web::Validators::default(), web::MAX_REQUESTS, &mut robots)? {
            Fetched::Content(answer) => match transactions.run(|| web::read_sitemap(&answer)) {
                Ok(found) => {
                    is_complete &= found.complete;
                    pages.extend(found.pages);
                    waiting.extend(found.sitemaps.iter().rev().filter_map(named));
                }
                Err(error) if error.is_of_file() => is_complete &= !is_named,
                Err(error) => return Err(error),
            },
            Fetched::Later { reason, after, whole_host } => {
                is_complete = false;
                if let (Some(origin), Some(after)) = (whole_host, after) {
                    transactions.run(|| web::pause_host(&origin, after, Some(&reason)))?;
                    break;
                }
                let held = began.elapsed();
                if retry::is_hold(held) {
                    let backoff = retry::backoff_after_hold(held, 1, jitter());
                    transactions.run(|| web::slow_host(map.origin(), backoff))?;
                    break;
                }
            }
            Fetched::Waits { .. } => is_complete = false,
            Fetched::Refused(_) | Fetched::TooLarge(_) | Fetched::Disallowed(_) => is_complete &= !is_named,
            Fetched::Gone(_) | Fetched::Unchanged => {}
        }
        read.push(map);
    }
    Ok(Mapped { pages, is_complete })
}
