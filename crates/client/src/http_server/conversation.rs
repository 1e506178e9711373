//! What a connection waits for, and how long: complete headers, the next request, or a client that reads its answer.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::places::Place;

/// How long a client may take for the headers of a request.
pub const HEAD_TIME: Duration = Duration::from_secs(5);
/// How long a client may be silent between two requests.
pub const IDLE_TIME: Duration = Duration::from_secs(30);
/// How long a client may take to read any part of an answer.
pub const READ_TIME: Duration = Duration::from_secs(30);
/// A client that is behind reads at least so many bytes within this time, or is counted among those that are waited for.
const SLOW_TIME: Duration = Duration::from_secs(5);
const MIN_READ_BYTES: usize = 64 * 1024;

/// One connection and its client.
pub struct Conversation {
    place: Place,
    state: Mutex<State>,
    /// When the client must have sent complete headers; None while a request is answered.
    until: watch::Sender<Option<Instant>>,
}

struct State {
    phase: Phase,
    /// Whether the client reads too little.
    is_unread: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The client sends headers.
    Head,
    /// A request is being answered.
    Answer,
    /// The answer is complete, but not all of it is written.
    Rest,
    /// The client may send another request.
    Idle,
}

/// A request that is being answered.
pub struct Turn(Arc<Conversation>);

impl Conversation {
    /// A new connection: its client has to send headers.
    pub fn new(place: Place) -> Arc<Conversation> {
        let state = State { phase: Phase::Head, is_unread: false };
        let until = watch::Sender::new(Some(Instant::now() + HEAD_TIME));
        Arc::new(Conversation { place, state: Mutex::new(state), until })
    }

    /// The headers are complete. None if the connection is about to end.
    pub fn begin(self: &Arc<Self>) -> Option<Turn> {
        let mut state = self.state();
        state.phase = Phase::Answer;
        self.until.send_replace(None);
        self.settle(&state).then(|| Turn(Arc::clone(self)))
    }

    /// Waits until the connection must end: another one gets its place, or the client takes too long.
    pub async fn end(&self) {
        let mut until = self.until.subscribe();
        let late = async {
            loop {
                let end = *until.borrow_and_update();
                match end {
                    Some(end) => tokio::select! {
                        () = sleep_until(end) => return,
                        _ = until.changed() => {}
                    },
                    None => {
                        let _ = until.changed().await;
                    }
                }
            }
        };
        tokio::select! {
            () = late => {}
            () = self.place.yielded() => {}
        }
    }

    /// All that was to be written is written.
    fn is_written(&self) {
        let mut state = self.state();
        if state.phase == Phase::Rest {
            state.phase = Phase::Idle;
            self.until.send_replace(Some(Instant::now() + IDLE_TIME));
            self.settle(&state);
        }
    }

    /// The client has sent something.
    fn has_sent(&self) {
        let mut state = self.state();
        if state.phase == Phase::Idle {
            state.phase = Phase::Head;
            self.until.send_replace(Some(Instant::now() + HEAD_TIME));
        }
    }

    /// The client has read enough.
    fn has_read(&self) {
        let mut state = self.state();
        if state.is_unread {
            state.is_unread = false;
            self.settle(&state);
        }
    }

    /// The client reads too little.
    fn is_slow(&self) {
        let mut state = self.state();
        state.is_unread = true;
        self.settle(&state);
    }

    /// Whether the connection still has its place.
    fn settle(&self, state: &State) -> bool {
        match state.phase {
            Phase::Answer | Phase::Rest if !state.is_unread => self.place.work(),
            _ => {
                self.place.wait();
                true
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.state().phase = Phase::Rest;
    }
}

/// The stream of a connection, which notes what its client does.
pub struct Watched<S> {
    stream: S,
    conversation: Arc<Conversation>,
    unread: Option<Unread>,
    /// A byte that was read too early.
    first: Option<u8>,
}

/// An answer of which the client has not read what could be sent.
struct Unread {
    sleep: Pin<Box<Sleep>>,
    /// When it must have read enough, and when it must have read anything.
    enough: Instant,
    anything: Instant,
    /// What it has read meanwhile.
    bytes: usize,
    /// Whether it was waited for the last time.
    is_blocked: bool,
    is_slow: bool,
}

impl Unread {
    fn new() -> Unread {
        let now = Instant::now();
        Unread {
            sleep: Box::pin(sleep(SLOW_TIME)),
            enough: now + SLOW_TIME,
            anything: now + READ_TIME,
            bytes: 0,
            is_blocked: true,
            is_slow: false,
        }
    }

    /// Notes that some bytes could be sent. Whether the client keeps up.
    fn has_read(&mut self, bytes: usize) -> bool {
        let kept_up = !std::mem::take(&mut self.is_blocked);
        self.bytes += bytes;
        self.anything = Instant::now() + READ_TIME;
        kept_up || self.bytes >= MIN_READ_BYTES
    }
}

impl<S> Watched<S> {
    pub fn new(stream: S, conversation: Arc<Conversation>) -> Watched<S> {
        Watched { stream, conversation, unread: None, first: None }
    }

    /// What came of writing, or an error if the client has read nothing for too long.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = &polled {
            let bytes = result.as_ref().map_or(0, |bytes| *bytes);
            if self.unread.take_if(|unread| unread.has_read(bytes)).is_some() {
                self.conversation.has_read();
            }
            return polled;
        }
        let unread = self.unread.get_or_insert_with(Unread::new);
        unread.is_blocked = true;
        loop {
            let now = Instant::now();
            if now >= unread.anything {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            if now >= unread.enough && !unread.is_slow {
                unread.is_slow = true;
                self.conversation.is_slow();
            }
            let next = if unread.is_slow { unread.anything } else { unread.enough.min(unread.anything) };
            unread.sleep.as_mut().reset(next);
            if unread.sleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
    }
}

impl<S: AsyncRead + Unpin> Watched<S> {
    /// The first byte that the client sends, which is read again after that. None at the end.
    pub async fn first(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        poll_fn(|context| Pin::new(&mut *self).poll_read(context, &mut buffer)).await?;
        self.first = buffer.filled().first().copied();
        Ok(self.first)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if buffer.remaining() > 0
            && let Some(first) = self.first.take()
        {
            buffer.put_slice(&[first]);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.conversation.has_sent();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper does it when it has written all.
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        if polled.is_ready() {
            if self.unread.take().is_some() {
                self.conversation.has_read();
            }
            self.conversation.is_written();
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.written(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
