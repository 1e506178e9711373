//! HTTP/1.1 for the subcommands that serve: listening, the limits of requests, and who may call.
//!
//! A client that is slow, silent or broken holds one of the connections for a limited time, and nothing else.

pub mod cors;
pub mod token;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;

use crate::error::{FAILED, Failure, Result};
use crate::output;

/// The most connections at the same time. Others wait.
const MAX_CONNECTIONS: usize = 512;
/// How long a client may take for the head of a request, and be silent between two.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long a client may take to read any part of an answer.
const WRITE_TIME: Duration = Duration::from_secs(30);
/// How long a client may be silent in the middle of a body.
const SILENCE: Duration = Duration::from_secs(30);
/// How long what is refused is read, and how many such bodies at the same time.
const DRAIN_TIME: Duration = Duration::from_secs(2);
const MAX_DRAINED: usize = 16;
/// The pause after an error of the system, as when there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

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

/// Serves until the future is dropped.
pub async fn serve(listener: &TcpListener, endpoint: &Arc<impl Endpoint>) -> Infallible {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
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

async fn connection(stream: TcpStream, _permit: OwnedSemaphorePermit, endpoint: Arc<impl Endpoint>) {
    // Answers are small and waited for.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIME));
    let answer = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(endpoint.answer(request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    // A client that breaks off is no failure of this program.
    let _ = builder.serve_connection(TokioIo::new(Box::pin(stream)), answer).await;
}

/// How much a client may send, and how slowly.
#[derive(Clone, Copy)]
pub struct BodyLimits {
    pub bytes: usize,
    pub time: Duration,
}

/// The memory that all bodies together may take, in units of [`UNIT`] bytes. A body takes what has arrived of it, so that slow
/// clients hold little.
pub struct Memory(Arc<Semaphore>);

const UNIT: usize = 1024;

/// The body of a request.
pub struct Received {
    pub bytes: Bytes,
    _memory: Vec<OwnedSemaphorePermit>,
}

impl Memory {
    pub fn new(bytes: usize) -> Memory {
        Memory(Arc::new(Semaphore::new((bytes / UNIT).min(Semaphore::MAX_PERMITS))))
    }

    /// Reads the body of a request.
    ///
    /// # Errors
    /// Why there is none, with the status.
    pub async fn receive(
        &self,
        body: &mut Incoming,
        limits: BodyLimits,
    ) -> std::result::Result<Received, (StatusCode, &'static str)> {
        match timeout(limits.time, self.collect(body, limits.bytes)).await {
            Ok(received) => received,
            Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")),
        }
    }

    async fn collect(
        &self,
        body: &mut Incoming,
        max: usize,
    ) -> std::result::Result<Received, (StatusCode, &'static str)> {
        let too_large = (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
        let hint = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if hint > max {
            return Err(too_large);
        }
        let (mut bytes, mut memory, mut taken) = (Vec::new(), Vec::new(), 0);
        loop {
            let frame = match timeout(SILENCE, body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => return Ok(Received { bytes: bytes.into(), _memory: memory }),
                Ok(Some(Err(_))) => return Err((StatusCode::BAD_REQUEST, "the body cannot be read")),
                Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")),
            };
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > max {
                return Err(too_large);
            }
            bytes.extend_from_slice(&data);
            let units = bytes.len().div_ceil(UNIT);
            let more = u32::try_from(units - taken).unwrap_or(u32::MAX);
            let permit = Arc::clone(&self.0).try_acquire_many_owned(more);
            memory.push(permit.map_err(|_| {
                (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "too much is being received at the same time; try again later",
                )
            })?);
            taken = units;
        }
    }
}

/// Reads the rest of a body and throws it away, for a limited time: many clients read no answer before they have sent all, and
/// would see a broken connection instead.
pub async fn drain(body: &mut Incoming) {
    static PLACES: Semaphore = Semaphore::const_new(MAX_DRAINED);
    if body.is_end_stream() {
        return;
    }
    let Ok(_place) = PLACES.try_acquire() else { return };
    let _ = timeout(DRAIN_TIME, async { while let Some(Ok(_)) = body.frame().await {} }).await;
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
