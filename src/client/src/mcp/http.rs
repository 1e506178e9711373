//! The transport "streamable HTTP": one path, `/mcp`, over HTTP/1.1.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::server::{Server, Shared};
use super::token::Token;
use crate::error::{FAILED, Failure, Result};
use crate::output;

const PATH: &str = "/mcp";
/// The most connections at the same time. Others wait.
const MOST_CONNECTIONS: usize = 256;
/// The most sessions of the older protocol.
const MOST_SESSIONS: usize = 1_000;
/// The largest body of a request. The arguments of a tool have at most 1 MiB.
const MOST_BODY_BYTES: usize = 2 * 1024 * 1024;
/// How long a client may take for the head of a request, and be silent between two.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long a request may take until its answer begins.
const REQUEST_TIME: Duration = Duration::from_secs(120);
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
    let sessions = Arc::new(LocalSessionManager::default());
    let own = Arc::clone(&shared);
    let service = StreamableHttpService::new(
        move || Ok(Server::new(Arc::clone(&own))),
        Arc::clone(&sessions),
        configuration(token.is_some(), origins),
    );
    let endpoint = Arc::new(Endpoint { service, sessions, token });
    tokio::select! {
        never = accept(&listener, &endpoint) => match never {},
        () = shared.watch() => Ok(()),
    }
}

fn configuration(has_token: bool, origins: Vec<String>) -> StreamableHttpServerConfig {
    let own = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(String::from);
    let configuration = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MOST_BODY_BYTES)
        .with_allowed_origins(own.into_iter().chain(origins))
        .enforce_origin_validation();
    // The names of hosts keep web pages away that lead a browser here by a name of theirs (DNS rebinding). They do not have the
    // token.
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
        if let Some(token) = &self.token
            && !token.is_in(request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes))
        {
            let mut answer = text(StatusCode::UNAUTHORIZED, "a valid token is required");
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return answer;
        }
        if request.uri().path() != PATH {
            return text(StatusCode::NOT_FOUND, "the path is /mcp");
        }
        let is_new = request.headers().get("mcp-session-id").is_none();
        if is_new && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            return text(StatusCode::SERVICE_UNAVAILABLE, "there are too many sessions");
        }
        match timeout(REQUEST_TIME, self.service.handle(request)).await {
            Ok(answer) => answer,
            Err(_) => text(StatusCode::REQUEST_TIMEOUT, "the request took too long"),
        }
    }
}

fn text(status: StatusCode, message: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(message.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
