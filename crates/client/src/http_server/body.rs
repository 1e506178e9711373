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
use tokio::time::{Instant, timeout};

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
    pub async fn receive(&self, body: &mut Incoming, limits: BodyLimits) -> Result<Received, Refusal> {
        match timeout(limits.time, self.collect(body, limits.bytes)).await {
            Ok(received) => received,
            Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")),
        }
    }

    async fn collect(&self, body: &mut Incoming, max: usize) -> Result<Received, Refusal> {
        let mut pieces = Pieces::new(body, BodyLimits { bytes: max, time: Duration::MAX })?;
        let (mut bytes, mut held) = (Vec::new(), self.hold());
        while let Some(data) = pieces.next().await? {
            bytes.extend_from_slice(&data);
            held.grow(bytes.len())?;
        }
        Ok(Received { bytes: bytes.into(), _memory: held.permits })
    }

    /// Memory for something that grows.
    pub fn hold(&self) -> Held<'_> {
        Held { memory: &self.0, permits: Vec::new(), taken: 0 }
    }
}

/// Why a body is not received, with the status.
pub type Refusal = (StatusCode, &'static str);

/// A part of the [`Memory`], until it is dropped.
pub struct Held<'a> {
    memory: &'a Arc<Semaphore>,
    permits: Vec<OwnedSemaphorePermit>,
    taken: usize,
}

impl Held<'_> {
    /// Takes so many bytes in all.
    ///
    /// # Errors
    /// If others have taken them.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Refusal> {
        let units = bytes.div_ceil(UNIT);
        let more = u32::try_from(units.saturating_sub(self.taken)).unwrap_or(u32::MAX);
        let permit = Arc::clone(self.memory).try_acquire_many_owned(more).map_err(|_| {
            (StatusCode::SERVICE_UNAVAILABLE, "too much is being received at the same time; try again later")
        })?;
        self.permits.push(permit);
        self.taken = units;
        Ok(())
    }
}

/// A body that is read piece by piece. Only the time of waiting for the client counts.
pub struct Pieces<'a> {
    body: &'a mut Incoming,
    /// What may still come.
    left: BodyLimits,
    pace: Pace,
}

impl Pieces<'_> {
    /// # Errors
    /// If the client says that it sends more.
    pub fn new(body: &mut Incoming, limits: BodyLimits) -> Result<Pieces<'_>, Refusal> {
        if usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX) > limits.bytes {
            return Err(TOO_LARGE);
        }
        Ok(Pieces { body, left: limits, pace: Pace::new() })
    }

    /// The next piece; None at the end.
    ///
    /// # Errors
    /// Why there is none, with the status.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            let start = Instant::now();
            let wait = self.pace.left.min(self.left.time);
            let frame = match timeout(wait, self.body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => return Err((StatusCode::BAD_REQUEST, "the body cannot be read")),
                Err(_) if wait < self.pace.left => {
                    return Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"));
                }
                Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body arrived too slowly")),
            };
            self.left.time = self.left.time.saturating_sub(start.elapsed());
            let Ok(data) = frame.into_data() else { continue };
            self.pace.moved(data.len(), start.elapsed());
            self.left.bytes = self.left.bytes.checked_sub(data.len()).ok_or(TOO_LARGE)?;
            return Ok(Some(data));
        }
    }
}

const TOO_LARGE: Refusal = (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");

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
    /// How long enough may still take to arrive.
    left: Duration,
    bytes: usize,
}

impl Pace {
    fn new() -> Pace {
        Pace { left: PACE_TIME, bytes: 0 }
    }

    fn moved(&mut self, bytes: usize, time: Duration) {
        self.bytes += bytes;
        self.left = self.left.saturating_sub(time);
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
