//! One call: the agent, the request, the answer, and the meaning of its errors.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

use flate2::bufread::MultiGzDecoder;
use ureq::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use ureq::http::{self, Uri};
use ureq::{Agent, AsSendBody, Body};

use crate::call;
use crate::connect::{Opener, Unresolved};
use crate::fault::Fault;
use crate::names::Names;
use crate::{Error, FRAMING_HEADERS, PrivateAddresses, Request, Response, tls, url};

/// How long connections are kept for another call.
const IDLE: Duration = Duration::from_secs(60);

/// What is asked of the resource.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// To read it. No body is sent.
    Get,
    /// To process the body.
    Post,
}

pub(crate) fn call(
    method: Method,
    request: &Request,
    check_interrupts: fn(),
    names: Option<&Names>,
) -> Result<Response, Error> {
    let uri = url::parse(request.url)?;
    let headers = headers(request.headers)?;
    let agent =
        agent(request, names).map_err(|why| Error::Unreachable(format!("{}: {why}", url::place(&uri))))?;
    let exchange = Exchange { method, request, uri: &uri, headers };
    let _running = call::begin(check_interrupts, request);
    exchange.run(&agent, IDLE).or_else(|error| {
        // A server closes a connection that was idle for long enough, possibly while the request is on its
        // way. This explains a failure only on a reused connection.
        let is_stale = !call::is_new_connection() && !call::is_answered();
        if is_stale && !matches!(error, Error::TimedOut(_)) {
            return exchange.run(&agent, Duration::ZERO);
        }
        Err(error)
    })
}

fn headers(given: &[(String, String)]) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
            return Err(Error::BadUrl("a header has characters that HTTP does not allow".to_owned()));
        };
        if FRAMING_HEADERS.contains(&name.as_str()) {
            let own = FRAMING_HEADERS.join(", ");
            return Err(Error::BadUrl(format!("these headers must not be set: {own}")));
        }
        headers.append(name, value);
    }
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    Ok(headers)
}

/// What calls must have in common to share connections, besides the origin.
#[derive(Clone, PartialEq, Eq)]
struct Terms {
    certificates: Option<Vec<u8>>,
    private_addresses: PrivateAddresses,
    names: Option<Names>,
}

/// A process has few sets of certificates, usually one.
const MAX_AGENTS: usize = 4;

thread_local! {
    static AGENTS: RefCell<Vec<(Terms, Agent)>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn forget_agents() {
    AGENTS.take();
}

fn agent(request: &Request, names: Option<&Names>) -> Result<Agent, String> {
    let terms = Terms {
        certificates: request.certificates.map(<[u8]>::to_vec),
        private_addresses: request.private_addresses,
        names: names.cloned(),
    };
    AGENTS.with_borrow_mut(|agents| {
        if let Some((_, agent)) = agents.iter().find(|(other, _)| *other == terms) {
            return Ok(agent.clone());
        }
        let tls = tls::config(request.certificates)?;
        let opener = Opener { tls, private_addresses: request.private_addresses, names: terms.names.clone() };
        // The builder looks for a proxy in the environment; the proxy is removed again. Only one connection
        // is in use at a time, so no host needs two.
        let config = Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections(4)
            .max_idle_connections_per_host(1)
            .max_idle_age(IDLE)
            .user_agent(concat!("kb_rag/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = Agent::with_parts(config, opener, Unresolved);
        if agents.len() >= MAX_AGENTS {
            agents.remove(0);
        }
        agents.push((terms, agent.clone()));
        Ok(agent)
    })
}

/// Checks for interrupts as it reads: a decompressor may do much work for little output.
struct Paced<R>(R);

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        call::tick()?;
        self.0.read(buffer)
    }
}

struct Exchange<'a> {
    method: Method,
    request: &'a Request<'a>,
    uri: &'a Uri,
    headers: HeaderMap,
}

impl Exchange<'_> {
    /// Sends the request over a connection that was idle for at most `idle`, or over a new one.
    fn run(&self, agent: &Agent, idle: Duration) -> Result<Response, Error> {
        // The type of the body tells ureq whether there is one.
        match self.method {
            Method::Get => self.send(agent, idle, http::Request::get(self.uri.clone()).body(())),
            Method::Post => {
                self.send(agent, idle, http::Request::post(self.uri.clone()).body(self.request.body))
            }
        }
    }

    fn send<B: AsSendBody>(
        &self,
        agent: &Agent,
        idle: Duration,
        request: http::Result<http::Request<B>>,
    ) -> Result<Response, Error> {
        let mut request = request.map_err(|error| Error::BadUrl(error.to_string()))?;
        *request.headers_mut() = self.headers.clone();
        let request = agent.configure_request(request).max_idle_age(idle).build();
        let answer = agent.run(request).map_err(|error| self.error(error))?;
        self.read(answer)
    }

    fn read(&self, answer: http::Response<Body>) -> Result<Response, Error> {
        let (parts, mut body) = answer.into_parts();
        let mut headers = parts.headers;
        let limit = self.request.body_limit;
        let encoding =
            headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes().to_ascii_lowercase());
        let body = match encoding.as_deref() {
            None | Some(b"" | b"identity") => {
                if body.content_length().is_some_and(|length| length > limit) {
                    return Err(Error::TooLarge(limit));
                }
                self.read_all(body.as_reader())?
            }
            Some(b"gzip" | b"x-gzip") => {
                headers.remove(header::CONTENT_ENCODING);
                headers.remove(header::CONTENT_LENGTH);
                let mut packed = BufReader::with_capacity(4 << 10, Paced(body.as_reader()));
                match packed.fill_buf().map_err(|error| self.error(error.into()))?.is_empty() {
                    true => Vec::new(),
                    false => self.read_all(MultiGzDecoder::new(packed))?,
                }
            }
            Some(_) => return Err(self.broken("its encoding was not requested")),
        };
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect();
        Ok(Response { status: parts.status.as_u16(), headers, body })
    }

    fn read_all(&self, mut reader: impl Read) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        let mut part = [0; 16 << 10];
        loop {
            let length = match reader.read(&mut part) {
                Ok(0) => return Ok(body),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(error.into())),
            };
            // It may also be a lot of output for little input.
            call::tick().map_err(|fault| self.fault(&fault))?;
            if (body.len() + length) as u64 > self.request.body_limit {
                return Err(Error::TooLarge(self.request.body_limit));
            }
            body.extend_from_slice(part.get(..length).unwrap_or_default());
        }
    }

    fn broken(&self, why: &str) -> Error {
        Error::Broken(format!("{}: {why}", url::place(self.uri)))
    }

    fn fault(&self, fault: &Fault) -> Error {
        let place = url::place(self.uri);
        match fault {
            Fault::TimedOut => Error::TimedOut(self.request.timeout),
            Fault::TooSlow(slowest) => Error::TooSlow(*slowest),
            Fault::PrivateAddress(what) => Error::PrivateAddress(what.clone()),
            Fault::NoConnection(why) => Error::Unreachable(format!("{place}: {why}")),
            Fault::Broken(why) if call::is_answered() => self.broken(why),
            Fault::Broken(why) => Error::NoAnswer(format!("{place}: {why}")),
        }
    }

    /// ureq's texts may contain headers of the answer, so they are not used.
    fn error(&self, error: ureq::Error) -> Error {
        let why = match error {
            ureq::Error::Other(other) => match other.downcast_ref::<Fault>() {
                Some(fault) => return self.fault(fault),
                None => "unknown error".to_owned(),
            },
            ureq::Error::Io(error) => return self.fault(&Fault::from_error(error)),
            ureq::Error::Protocol(_) => "the answer is not HTTP/1.1".to_owned(),
            ureq::Error::LargeResponseHeader(..) => "the headers of the answer are too long".to_owned(),
            ureq::Error::Http(_) => return Error::BadUrl("the request is not valid HTTP".to_owned()),
            _ => "unknown error".to_owned(),
        };
        self.fault(&Fault::Broken(why))
    }
}
