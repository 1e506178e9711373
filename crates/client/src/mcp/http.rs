//! The transport "streamable HTTP": one path, `/mcp`, over HTTP/1.1.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, ORIGIN, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;

use super::server::{Server, Shared};
use super::sessions::{Sessions, Visit};
use super::wire::{self, Message, Reply};
use crate::error::Result;
use crate::http_server as served;
use crate::http_server::cors::{self, Origins};
use crate::http_server::token::Token;
use crate::http_server::{Answer, BodyLimits, Memory, Tls};
use crate::output;

const PATH: &str = "/mcp";
const JSON: &str = "application/json";
/// The most of them that only wait for notifications, so that calls have space.
const MAX_STREAMS: usize = 256;
/// The largest body of a request. The arguments of a tool have at most 1 MiB.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;
/// All bodies together, in bytes.
const MAX_TOTAL_BODY_BYTES: usize = 256 * 1024 * 1024;
/// How long a client may take for the body of a request.
const BODY_TIME: Duration = Duration::from_secs(30);
/// When a session of the older protocol ends in which the client has sent nothing.
const SESSION_TIME: Duration = Duration::from_secs(1800);
/// The header with the session of a request, and with that of an answer that begins one.
const SESSION: &str = "mcp-session-id";

/// How to serve.
pub struct Settings {
    pub address: SocketAddr,
    pub token: Option<Token>,
    /// Origins of web pages that may call, besides those of this machine.
    pub origins: Vec<String>,
    pub tls: Option<Tls>,
}

type Service = StreamableHttpService<Server, LocalSessionManager>;

/// What answers a request.
struct Endpoint {
    service: Service,
    sessions: Arc<Sessions>,
    token: Option<Token>,
    origins: Origins,
    streams: Arc<Semaphore>,
    memory: Memory,
}

/// Serves until the future is dropped.
///
/// # Errors
/// Status 2 for an address that others can reach, without a token.
pub async fn serve(shared: Arc<Shared>, settings: Settings) -> Result<()> {
    let Settings { address, token, origins, tls } = settings;
    let hint = "Put a token into a file and name it with --token-file, or set KB_RAG_TOKEN.";
    let (listener, bound) = served::listen(address, token.is_some(), hint).await?;
    output::error(&format!("kb-rag mcp listens on {}://{bound}{PATH}", served::scheme(tls.as_ref())));
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_TIME);
    let sessions = Arc::new(sessions);
    let origins = Origins::new(origins);
    let own = Arc::clone(&shared);
    let service = StreamableHttpService::new(
        move || Ok(Server::new(Arc::clone(&own))),
        Arc::clone(&sessions),
        configuration(token.is_some(), &origins),
    );
    let streams = Arc::new(Semaphore::new(MAX_STREAMS));
    let endpoint = Arc::new(Endpoint {
        service,
        sessions: Arc::new(Sessions::new(sessions)),
        token,
        origins,
        streams,
        memory: Memory::new(MAX_TOTAL_BODY_BYTES),
    });
    tokio::select! {
        never = served::serve(&listener, &endpoint, tls.as_ref()) => match never {},
        () = shared.watch() => Ok(()),
    }
}

fn configuration(has_token: bool, origins: &Origins) -> StreamableHttpServerConfig {
    let configuration = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_allowed_origins(origins.patterns())
        .enforce_origin_validation();
    // A web page can reach this machine by a name of its own (DNS rebinding), so the names of hosts are checked, unless requests
    // need a token, which such a page does not have.
    if has_token { configuration.disable_allowed_hosts() } else { configuration }
}

impl served::Endpoint for Endpoint {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let origin = request.headers().get(ORIGIN).filter(|origin| self.origins.allow(origin)).cloned();
        let mut answer = match (request.method(), &origin) {
            // What a browser asks before it lets a page call.
            (&Method::OPTIONS, Some(_)) => text(StatusCode::NO_CONTENT, ""),
            _ => {
                let (head, mut body) = request.into_parts();
                let answer = self.answer_call(head, &mut body).await;
                if answer.status().is_client_error() {
                    served::drain(&mut body).await;
                }
                answer
            }
        };
        if let Some(origin) = origin {
            cors::allow(answer.headers_mut(), origin);
        }
        answer
    }
}

impl Endpoint {
    async fn answer_call(&self, head: Parts, body: &mut Incoming) -> Answer {
        let headers = &head.headers;
        if let Some(token) = &self.token
            && !token.is_in(headers.get(AUTHORIZATION).map(HeaderValue::as_bytes))
        {
            let mut answer = refused(StatusCode::UNAUTHORIZED, "a valid token is required");
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return answer;
        }
        if head.uri.path() != PATH {
            return refused(StatusCode::NOT_FOUND, "the path is /mcp");
        }
        let mut session = headers.get(SESSION).and_then(|id| self.sessions.visit(id.to_str().ok()?));
        let listens = headers.get("mcp-method").is_some_and(|method| method == "subscriptions/listen");
        let stream = match head.method == Method::GET || listens {
            true => match Arc::clone(&self.streams).try_acquire_owned() {
                Ok(permit) => Some(permit),
                Err(_) => {
                    return refused(
                        StatusCode::SERVICE_UNAVAILABLE,
                        "too many clients wait for notifications",
                    );
                }
            },
            false => None,
        };
        let limits = BodyLimits { bytes: MAX_BODY_BYTES, time: BODY_TIME };
        let received = match self.memory.receive(body, limits).await {
            Ok(received) => received,
            Err((status, why)) => return refused(status, why),
        };
        if head.method == Method::POST
            && let Some(answer) = answered_here(&received.bytes, session.as_mut())
        {
            return answer;
        }
        let sent = Full::new(received.bytes.slice(wire::mark(&received.bytes)..));
        let answer = self.service.handle(Request::from_parts(head, sent)).await;
        let session = match answer.headers().get(SESSION).map(HeaderValue::to_str) {
            Some(Ok(id)) if session.is_none() => Some(self.sessions.add(id).await),
            _ => session,
        };
        served::keep(answer, (stream, session))
    }
}

/// The answer to a message that the protocol does not get.
fn answered_here(message: &[u8], session: Option<&mut Visit>) -> Option<Answer> {
    let message = match wire::read(message) {
        Message::Good(message) => *message,
        Message::Ignored => return Some(served::answer(StatusCode::ACCEPTED, JSON, "")),
        Message::Bad(replies) => return Some(replied(&replies)),
    };
    let (ClientJsonRpcMessage::Request(request), Some(session)) = (message, session) else { return None };
    (!session.claim(&request.id)).then(|| replied(&[Reply::in_use(&request.id)]))
}

/// The answer to a message that the protocol does not handle. Clients of most SDKs read it only with the status 200, and one without
/// an id is for nobody.
fn replied(replies: &[Reply]) -> Answer {
    let status =
        if replies.iter().any(|reply| reply.id.is_some()) { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    match texts.as_slice() {
        [text] => served::answer(status, JSON, text.to_string()),
        _ => served::answer(status, JSON, format!("[{}]", texts.join(","))),
    }
}

/// An answer that ends the connection.
fn refused(status: StatusCode, message: &'static str) -> Answer {
    served::last(text(status, message))
}

fn text(status: StatusCode, message: &'static str) -> Answer {
    served::answer(status, "text/plain; charset=utf-8", message)
}
