//! The transport "streamable HTTP": one path, `/mcp`, over HTTP/1.1.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::cors::{self, Origins};
use super::server::{Server, Shared};
use super::token::Token;
use crate::error::{FAILED, Failure, Result};
use crate::output;

const PATH: &str = "/mcp";
/// The most connections at the same time. Others wait.
const MOST_CONNECTIONS: usize = 512;
/// The most of them that only wait for notifications, so that calls have space.
const MOST_STREAMS: usize = 256;
/// The most sessions of the older protocol.
const MOST_SESSIONS: usize = 2_000;
/// The largest body of a request. The arguments of a tool have at most 1 MiB.
const MOST_BODY_BYTES: usize = 2 * 1024 * 1024;
/// How long a client may take for the head of a request, and be silent between two.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long a client may take for the body of a request.
const BODY_TIME: Duration = Duration::from_secs(30);
/// When a session of the older protocol ends in which the client has sent nothing.
const SESSION_TIME: Duration = Duration::from_secs(1800);
/// The first version of the protocol without sessions.
const WITHOUT_SESSIONS: &[u8] = b"2026-07-28";
/// The pause after an error of the system, as when there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How to serve.
pub struct Settings {
    pub address: SocketAddr,
    pub token: Option<Token>,
    /// Origins of web pages that may call, besides those of this machine.
    pub origins: Vec<String>,
}

type Service = StreamableHttpService<Server, LocalSessionManager>;

/// What answers a request.
struct Endpoint {
    service: Service,
    sessions: Arc<LocalSessionManager>,
    token: Option<Token>,
    origins: Origins,
    streams: Arc<Semaphore>,
}

/// Serves until the future is dropped.
///
/// # Errors
/// Status 2 for an address that others can reach, without a token.
pub async fn serve(shared: Arc<Shared>, settings: Settings) -> Result<()> {
    let Settings { address, token, origins } = settings;
    if !address.ip().is_loopback() && token.is_none() {
        return Err(Failure::usage(format!(
            "\"{address}\" can be reached by other machines, and there is no token"
        ))
        .hint("Put a token into a file and name it with --token-file, or set KB_RAG_TOKEN."));
    }
    let listener = TcpListener::bind(address).await.map_err(|error| Failure {
        status: FAILED,
        ..Failure::new(format!("cannot listen on {address}: {error}"))
    })?;
    let bound = listener.local_addr().unwrap_or(address);
    output::error(&format!("kb-rag mcp listens on http://{bound}{PATH}"));
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
    let streams = Arc::new(Semaphore::new(MOST_STREAMS));
    let endpoint = Arc::new(Endpoint { service, sessions, token, origins, streams });
    tokio::select! {
        never = accept(&listener, &endpoint) => match never {},
        () = shared.watch() => Ok(()),
    }
}

fn configuration(has_token: bool, origins: &Origins) -> StreamableHttpServerConfig {
    let configuration = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MOST_BODY_BYTES)
        .with_allowed_origins(origins.patterns())
        .enforce_origin_validation();
    // A web page can reach this machine by a name of its own (DNS rebinding), so the names of hosts are checked, unless requests
    // need a token, which such a page does not have.
    if has_token { configuration.disable_allowed_hosts() } else { configuration }
}

async fn accept(listener: &TcpListener, endpoint: &Arc<Endpoint>) -> Infallible {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        // Never closed.
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { continue };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(connection(stream, permit, Arc::clone(endpoint)));
            }
            Err(error) => {
                output::error(&format!("error: a connection failed: {error}"));
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, _permit: OwnedSemaphorePermit, endpoint: Arc<Endpoint>) {
    // Answers are small and waited for.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(endpoint.answer(request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    // A client that breaks off is no failure of this program.
    let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
}

type Answer = Response<BoxBody<Bytes, Infallible>>;

impl Endpoint {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let origin = request.headers().get(ORIGIN).filter(|origin| self.origins.allow(origin)).cloned();
        let mut answer = match (request.method(), &origin) {
            // What a browser asks before it lets a page call.
            (&Method::OPTIONS, Some(_)) => text(StatusCode::NO_CONTENT, ""),
            _ => self.answer_call(request).await,
        };
        if let Some(origin) = origin {
            cors::allow(answer.headers_mut(), origin);
        }
        answer
    }

    async fn answer_call(&self, request: Request<Incoming>) -> Answer {
        let headers = request.headers();
        if let Some(token) = &self.token
            && !token.is_in(headers.get(AUTHORIZATION).map(HeaderValue::as_bytes))
        {
            let mut answer = refused(StatusCode::UNAUTHORIZED, "a valid token is required");
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return answer;
        }
        if request.uri().path() != PATH {
            return refused(StatusCode::NOT_FOUND, "the path is /mcp");
        }
        let version = headers.get("mcp-protocol-version").map(HeaderValue::as_bytes);
        let needs_session = version.is_none_or(|version| version < WITHOUT_SESSIONS);
        let is_new = needs_session && !headers.contains_key("mcp-session-id");
        if is_new && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            return refused(StatusCode::SERVICE_UNAVAILABLE, "there are too many sessions");
        }
        let listens = headers.get("mcp-method").is_some_and(|method| method == "subscriptions/listen");
        let stream = match request.method() == Method::GET || listens {
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
        let (head, body) = request.into_parts();
        let body = match timeout(BODY_TIME, Limited::new(body, MOST_BODY_BYTES).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
            }
            Ok(Err(_)) => return refused(StatusCode::BAD_REQUEST, "the body cannot be read"),
            Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"),
        };
        let answer = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        match stream {
            Some(permit) => answer.map(|body| Held { body, _permit: permit }.boxed()),
            None => answer,
        }
    }
}

/// The body of a stream, which counts as long as it lasts.
struct Held {
    body: BoxBody<Bytes, Infallible>,
    _permit: OwnedSemaphorePermit,
}

impl Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }
}

/// An answer that ends the connection: whoever sends such requests need not be read any further.
fn refused(status: StatusCode, message: &'static str) -> Answer {
    let mut answer = text(status, message);
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

fn text(status: StatusCode, message: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(message.as_bytes())).boxed());
    *answer.status_mut() = status;
    if !message.is_empty() {
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    }
    answer
}
