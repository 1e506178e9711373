//! Fetching over HTTP. Nothing here reads or writes the database: no transaction is open while a server is waited for.

use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kb_rag_core::provider::redact;
use kb_rag_core::web::{Robots, Verdict, WebUrl, verdict};
use kb_rag_http::{PrivateAddresses, Request, Response, Slowest};

use super::USER_AGENT;
use super::add::private;
use crate::error::Result;
use crate::model;
use crate::postgres::interrupt::{Wait, check_for_interrupts_of_call};
use crate::postgres::test_point::test_time;
use crate::provider::Provider;
use crate::settings;

/// The most redirects from one URL.
const MAX_HOPS: usize = 5;
/// The most requests for one page.
pub const MAX_REQUESTS: usize = MAX_HOPS + 1;
/// The most time for establishing a connection.
const MAX_CONNECT_TIME: Duration = Duration::from_secs(10);
/// The most bytes of a page or file, of robots.txt, of which the first 500 KiB are obeyed (RFC 9309, section 2.5), and of a service's answer or archive.
const MAX_PAGE_BYTES: u64 = 32 << 20;
const MAX_ROBOTS_BYTES: u64 = 8 << 20;
pub const MAX_ANSWER_BYTES: u64 = 128 << 20;
/// The slowest pace of a page: a worker waits for it, and does nothing else.
const SLOWEST: Slowest = Slowest { bytes: 10_000, over: Duration::from_secs(10) };
/// The kinds of files that can be read, in the order in which they are wanted.
const ACCEPT: &str = "text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf;q=0.9, application/xml;q=0.8, */*;q=0.5";

/// What a server answered.
pub struct Answer {
    /// The URL that answered, after redirects.
    pub url: WebUrl,
    pub content_type: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// What X-Robots-Tag says, in lower case.
    robots_tag: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// Has the next request ask for all of it.
    pub fn forget_validators(&mut self) {
        (self.etag, self.last_modified) = (None, None);
    }

    /// Whether the server asks that the page is not indexed.
    pub fn is_noindex(&self) -> bool {
        self.says("noindex")
    }

    /// Whether the server asks that links of the page are not followed.
    pub fn is_nofollow(&self) -> bool {
        self.says("nofollow")
    }

    /// A rule for one crawler, which begins with its name and a colon, is for others.
    fn says(&self, rule: &str) -> bool {
        let mut rules = self.robots_tag.split([',', ';', '\n']).map(str::trim);
        rules.any(|found| found == rule || found == "none")
    }
}

/// What a request for a page gave.
pub enum Fetched {
    Content(Answer),
    /// It has not changed since the validators were given.
    Unchanged,
    /// It does not exist any more: 404 or 410.
    Gone(String),
    /// It may be fetched later.
    Later {
        reason: String,
        after: Option<Duration>,
        whole_host: Option<String>,
    },
    /// It leads to a host that has asked to wait, and was not asked.
    Waits {
        reason: String,
        time: Duration,
    },
    /// The server does not give it, or it may not be fetched.
    Refused(String),
    /// It has more bytes than are read.
    TooLarge(String),
    /// robots.txt does not allow it.
    Disallowed(String),
}

impl Fetched {
    /// The hosts that have answered a request that went this way, from one redirect to the next.
    pub fn answered(&self, mut way: Vec<String>) -> Vec<String> {
        let is_unanswered =
            matches!(self, Fetched::Later { .. } | Fetched::Waits { .. } | Fetched::Disallowed(_));
        if let Some(last) = way.last().cloned().filter(|_| is_unanswered) {
            way.retain(|origin| *origin != last);
        }
        way
    }

    fn later(reason: String) -> Fetched {
        Fetched::Later { reason, after: None, whole_host: None }
    }
}

/// What the server said about a page when it was fetched last.
#[derive(Clone, Copy, Default)]
pub struct Validators<'a> {
    pub etag: Option<&'a str>,
    pub last_modified: Option<&'a str>,
}

/// What all requests have in common: it reads neither catalog nor settings of a role any more.
#[derive(Clone)]
pub struct Fetcher {
    /// The user-agent.
    pub agent: String,
    /// Of requests to the origin of the provider, the key among them; of a provider of the web, to every site.
    headers: Vec<(String, String)>,
    secrets: Vec<String>,
    /// The URL of the provider; empty for the web.
    pub base_url: String,
    may_reach_private: bool,
    timeout: Duration,
    certificates: Option<Rc<Vec<u8>>>,
}

impl Fetcher {
    pub fn from_provider(provider: &Provider) -> Result<Fetcher> {
        let (mut headers, secrets) = provider.headers()?;
        let agent = match headers.iter().find(|(name, _)| name == "user-agent") {
            Some((_, agent)) => agent.clone(),
            None => USER_AGENT.to_string(),
        };
        headers.retain(|(name, _)| !matches!(name.as_str(), "user-agent" | "accept"));
        Ok(Fetcher {
            agent,
            headers,
            secrets,
            base_url: provider.base_url(),
            may_reach_private: provider.may_reach_private(),
            timeout: provider.timeout,
            certificates: model::certificates()?,
        })
    }

    /// Fetches a page by at most so many requests. `robots` gives the rules of the host of a URL, or what keeps them from being
    /// known; it is asked before each of them.
    pub fn page(
        &self,
        url: &WebUrl,
        validators: Validators,
        requests: usize,
        robots: &mut dyn FnMut(&WebUrl) -> Result<std::result::Result<Robots, Fetched>>,
    ) -> Result<Fetched> {
        let mut more = vec![("accept".to_string(), ACCEPT.to_string())];
        let conditions =
            [("if-none-match", validators.etag), ("if-modified-since", validators.last_modified)];
        more.extend(
            conditions.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?.to_string()))),
        );
        self.follow(url, &more, MAX_PAGE_BYTES, requests, &mut |url| match robots(url)? {
            Ok(robots) if robots.allows(url) => Ok(None),
            Ok(_) => Ok(Some(Fetched::Disallowed(format!("robots.txt of {} disallows it", url.host())))),
            Err(fetched) => Ok(Some(fetched)),
        })
    }

    /// The status and the body of a host's robots.txt.
    pub fn robots(&self, url: &WebUrl) -> Result<std::result::Result<(u16, Vec<u8>), Fetched>> {
        let Some(url) = url.join("/robots.txt") else { return Ok(Ok((404, Vec::new()))) };
        Ok(match self.follow(&url, &[], MAX_ROBOTS_BYTES, MAX_REQUESTS, &mut |_| Ok(None))? {
            Fetched::Content(answer) => Ok((200, answer.body)),
            // A server that cannot answer may disallow all: it is asked again.
            Fetched::Later { reason, after, whole_host } => {
                Err(Fetched::Later { reason: format!("robots.txt: {reason}"), after, whole_host })
            }
            Fetched::Waits { reason, time } => {
                Err(Fetched::Waits { reason: format!("robots.txt: {reason}"), time })
            }
            // Nobody knows what it disallows.
            Fetched::TooLarge(_) => Ok((503, Vec::new())),
            Fetched::Unchanged | Fetched::Gone(_) | Fetched::Refused(_) | Fetched::Disallowed(_) => {
                Ok((404, Vec::new()))
            }
        })
    }

    /// Asks for a URL and those that it redirects to. `before` may end it before each.
    fn follow(
        &self,
        url: &WebUrl,
        headers: &[(String, String)],
        limit: u64,
        requests: usize,
        before: &mut dyn FnMut(&WebUrl) -> Result<Option<Fetched>>,
    ) -> Result<Fetched> {
        let mut url = url.clone();
        for _ in 0..requests {
            if let Some(end) = before(&url)? {
                return Ok(end);
            }
            let response = match self.get(&url, headers, limit) {
                Ok(response) => response,
                Err(fetched) => return Ok(fetched),
            };
            match verdict(&url, response.status, &response.headers, now()) {
                Verdict::Content => return Ok(Fetched::Content(answer(url, response))),
                Verdict::Unchanged => return Ok(Fetched::Unchanged),
                Verdict::Redirect(next) => url = next,
                Verdict::Gone => {
                    return Ok(Fetched::Gone(format!("the server answered {}", response.status)));
                }
                Verdict::Later { reason, after, whole_host } => {
                    let whole_host = whole_host.then(|| url.origin().to_string());
                    return Ok(Fetched::Later { reason, after, whole_host });
                }
                Verdict::Refused(reason) => return Ok(Fetched::Refused(reason)),
            }
        }
        Ok(Fetched::Refused(format!("it redirects more than {MAX_HOPS} times")))
    }

    /// One request, whatever the answer is.
    pub fn get(
        &self,
        url: &WebUrl,
        headers: &[(String, String)],
        limit: u64,
    ) -> std::result::Result<Response, Fetched> {
        self.send(url, headers, None, limit)
    }

    /// One request: POST with a body, else GET. The headers of the provider go to its own origin only.
    pub fn send(
        &self,
        url: &WebUrl,
        headers: &[(String, String)],
        body: Option<&[u8]>,
        limit: u64,
    ) -> std::result::Result<Response, Fetched> {
        let is_own = self.is_own(url);
        let mut all = headers.to_vec();
        if is_own {
            let is_new = |(name, _): &&(String, String)| headers.iter().all(|(given, _)| given != name);
            all.extend(self.headers.iter().filter(is_new).cloned());
        }
        all.push(("user-agent".to_string(), self.agent.clone()));
        let is_allowed = settings::is_allowed_host(&url.host_and_port())
            || (is_own && !self.base_url.is_empty() && self.may_reach_private);
        let request = Request {
            url: url.as_str(),
            headers: &all,
            body: body.unwrap_or_default(),
            timeout: self.timeout,
            connect_timeout: self.timeout.min(MAX_CONNECT_TIME),
            // Services are slow for reasons of their own, and an administrator has chosen them.
            slowest: self.base_url.is_empty().then(slowest),
            body_limit: limit,
            private_addresses: if is_allowed { PrivateAddresses::Allowed } else { PrivateAddresses::Refused },
            certificates: self.certificates.as_ref().map(|pem| pem.as_slice()),
        };
        let waiting = Wait::for_provider();
        let response = match body {
            Some(_) => kb_rag_http::post(&request, check_for_interrupts_of_call),
            None => kb_rag_http::get(&request, check_for_interrupts_of_call),
        };
        drop(waiting);
        response.map_err(|error| {
            let message = self.redact(error.to_string());
            match error {
                kb_rag_http::Error::PrivateAddress(_) => {
                    Fetched::Refused(private(&url.host_and_port()).with_hint())
                }
                kb_rag_http::Error::BadUrl(_) => Fetched::Refused(message),
                kb_rag_http::Error::TooLarge(_) => Fetched::TooLarge(message),
                kb_rag_http::Error::Unreachable(_)
                | kb_rag_http::Error::NoAnswer(_)
                | kb_rag_http::Error::TimedOut(_)
                | kb_rag_http::Error::TooSlow(_)
                | kb_rag_http::Error::Broken(_) => Fetched::later(message),
            }
        })
    }

    /// A message of the service without the key, in case it repeats it.
    pub fn redact(&self, message: String) -> String {
        redact(message, &self.secrets)
    }

    /// Whether a URL is at the origin of the provider, or the provider is that of the web.
    fn is_own(&self, url: &WebUrl) -> bool {
        self.base_url.is_empty()
            || WebUrl::parse(&self.base_url).is_ok_and(|own| own.origin() == url.origin())
    }
}

fn slowest() -> Slowest {
    Slowest { over: test_time("slowest_over", SLOWEST.over), ..SLOWEST }
}

/// Seconds since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

fn answer(url: WebUrl, response: Response) -> Answer {
    let header = |wanted: &str| {
        let found = response.headers.iter().find(|(name, _)| name == wanted);
        // A longer validator would not fit into a request.
        found.map(|(_, value)| value.trim().to_string()).filter(|value| (1..=1000).contains(&value.len()))
    };
    let tags = response.headers.iter().filter(|(name, _)| name == "x-robots-tag");
    let tags: Vec<String> = tags.map(|(_, value)| value.to_ascii_lowercase()).collect();
    Answer {
        url,
        robots_tag: tags.join("\n"),
        content_type: header("content-type"),
        etag: header("etag"),
        last_modified: header("last-modified"),
        body: response.body,
    }
}
