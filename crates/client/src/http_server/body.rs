//! The bodies of requests, and what is kept as long as that of an answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::Answer;

/// A client sends at least so many bytes of a body within this time, or all that is left of it.
const MIN_BYTES: usize = 10 * 1024;
const PACE_TIME: Duration = Duration::from_secs(10);
/// How long what is refused is read, and how many such bodies at the same time.
const DRAIN_TIME: Duration = Duration::from_secs(2);
const MAX_DRAINED: usize = 16;

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
    ) -> Result<Received, (StatusCode, &'static str)> {
        match timeout(limits.time, self.collect(body, limits.bytes)).await {
            Ok(received) => received,
            Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")),
        }
    }

    async fn collect(&self, body: &mut Incoming, max: usize) -> Result<Received, (StatusCode, &'static str)> {
        let too_large = (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
        let hint = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if hint > max {
            return Err(too_large);
        }
        let (mut bytes, mut memory, mut taken) = (Vec::new(), Vec::new(), 0);
        let mut pace = Pace::new();
        loop {
            let frame = match timeout_at(pace.end, body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => return Ok(Received { bytes: bytes.into(), _memory: memory }),
                Ok(Some(Err(_))) => return Err((StatusCode::BAD_REQUEST, "the body cannot be read")),
                Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body arrived too slowly")),
            };
            let Ok(data) = frame.into_data() else { continue };
            pace.moved(data.len());
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

/// How fast a body arrives.
struct Pace {
    /// When enough must have arrived.
    end: Instant,
    bytes: usize,
}

impl Pace {
    fn new() -> Pace {
        Pace { end: Instant::now() + PACE_TIME, bytes: 0 }
    }

    fn moved(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes >= MIN_BYTES {
            *self = Pace::new();
        }
    }
}

/// The body of an answer, with something that is kept as long as it lasts.
struct Kept<T> {
    body: BoxBody<Bytes, Infallible>,
    _kept: T,
}

/// Keeps something until the answer is written or its client is gone.
pub fn keep<T: Send + Sync + Unpin + 'static>(answer: Answer, kept: T) -> Answer {
    answer.map(|body| Kept { body, _kept: kept }.boxed())
}

impl<T: Unpin> Body for Kept<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
