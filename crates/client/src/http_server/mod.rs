//! HTTP/1.1 for the subcommands that serve: listening, the limits of requests, and who may call.
//!
//! A client that is slow, silent or broken holds one of the connections for a limited time, and only as long as no other client
//! needs it.

mod body;
mod conversation;
pub mod cors;
mod places;
mod tls;
pub mod token;

use std::convert::Infallible;
use std::future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::error::{FAILED, Failure, Result};
use crate::output;
pub use body::{BodyLimits, Held, Memory, Pieces, Received, Refusal, drain, keep};
use conversation::{Conversation, Watched};
use places::{Place, Places};
pub use tls::Tls;

/// The most connections at the same time.
const MAX_CONNECTIONS: usize = 512;
/// The pause after an error of the system, as when there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// An answer to a request.
pub type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Answers requests.
pub trait Endpoint: Send + Sync + 'static {
    /// Answers one request. Dropped if the client goes away.
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Answer> + Send;
}

/// Listens on an address. Returns the one that was chosen, too, if the port is 0.
///
/// # Errors
/// Status 2 for an address that others can reach, unless requests need a token.
pub async fn listen(address: SocketAddr, needs_token: bool, hint: &str) -> Result<(TcpListener, SocketAddr)> {
    if !address.ip().is_loopback() && !needs_token {
        return Err(Failure::usage(format!(
            "\"{address}\" can be reached by other machines, and there is no token"
        ))
        .hint(hint));
    }
    let listener = TcpListener::bind(address).await.map_err(|error| Failure {
        status: FAILED,
        ..Failure::new(format!("cannot listen on {address}: {error}"))
    })?;
    let bound = listener.local_addr().unwrap_or(address);
    Ok((listener, bound))
}

/// The scheme of URLs.
pub fn scheme(tls: Option<&Tls>) -> &'static str {
    if tls.is_some() { "https" } else { "http" }
}

/// Where connections come from.
pub trait Listen {
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// The next connection.
    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Listen for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<TcpStream> {
        let (stream, _) = TcpListener::accept(self).await?;
        // Answers are small and waited for.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

/// Serves until the future is dropped.
pub async fn serve(listener: &impl Listen, endpoint: &Arc<impl Endpoint>, tls: Option<&Tls>) -> Infallible {
    let Some(tls) = tls else { return accept(listener, endpoint, || None).await };
    tokio::select! {
        never = accept(listener, endpoint, || Some(tls.acceptor())) => never,
        never = tls.reload() => never,
    }
}

async fn accept(
    listener: &impl Listen,
    endpoint: &Arc<impl Endpoint>,
    acceptor: impl Fn() -> Option<TlsAcceptor>,
) -> Infallible {
    let places = Places::new(MAX_CONNECTIONS);
    loop {
        match listener.accept().await {
            Ok(stream) => {
                let place = places.take().await;
                tokio::spawn(connection(stream, place, Arc::clone(endpoint), acceptor()));
            }
            Err(error) => {
                output::error(&format!("error: a connection failed: {error}"));
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    place: Place,
    endpoint: Arc<impl Endpoint>,
    acceptor: Option<TlsAcceptor>,
) {
    let conversation = Conversation::new(place);
    // Below TLS: the time for the first headers includes the handshake, and what the client reads is what leaves this machine.
    let stream = Watched::new(stream, Arc::clone(&conversation));
    let talk = async {
        match acceptor {
            Some(acceptor) => talk_over_tls(stream, acceptor, &conversation, endpoint).await,
            None => talk(stream, &conversation, endpoint).await,
        }
    };
    tokio::select! {
        () = talk => {}
        () = conversation.end() => {}
    }
}

async fn talk_over_tls(
    mut stream: Watched<impl AsyncRead + AsyncWrite + Send + Unpin + 'static>,
    acceptor: TlsAcceptor,
    conversation: &Arc<Conversation>,
    endpoint: Arc<impl Endpoint>,
) {
    match stream.first().await {
        Ok(Some(tls::HANDSHAKE)) => {
            // A client that does not trust the certificate is no failure of this program.
            if let Ok(stream) = acceptor.accept(stream).await {
                talk(stream, conversation, endpoint).await;
            }
        }
        Ok(Some(_)) => {
            let answer = service_fn(async |request: Request<Incoming>| {
                drain(&mut request.into_body()).await;
                let text = "this port takes HTTPS: begin the URL with https://\n";
                Ok::<_, Infallible>(last(answer(StatusCode::BAD_REQUEST, PLAIN_TEXT, text)))
            });
            let _ = builder().serve_connection(TokioIo::new(stream), answer).await;
        }
        Ok(None) | Err(_) => {}
    }
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    conversation: &Arc<Conversation>,
    endpoint: Arc<impl Endpoint>,
) {
    let own = Arc::clone(conversation);
    let answer = service_fn(move |request| {
        let (turn, endpoint) = (own.begin(), Arc::clone(&endpoint));
        async move {
            // The connection ends now.
            let Some(turn) = turn else { return future::pending().await };
            Ok::<_, Infallible>(keep(endpoint.answer(request).await, turn))
        }
    });
    // A client that breaks off is no failure of this program.
    let _ = builder().serve_connection(TokioIo::new(stream), answer).await;
}

/// The time for headers is that of a [`Conversation`].
fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.header_read_timeout(None);
    builder
}

/// An answer with a body.
pub fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let body = body.into();
    let has_kind = !body.is_empty();
    let mut answer = Response::new(Full::new(body).boxed());
    *answer.status_mut() = status;
    if has_kind {
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    answer
}

/// Ends the connection after an answer: whoever sends such requests need not be read any further.
pub fn last(mut answer: Answer) -> Answer {
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls_tests;
