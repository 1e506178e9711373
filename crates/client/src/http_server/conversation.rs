//! What a connection waits for, and how long: complete headers, the next request, or a client that reads its answer.

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
/// When a client that reads nothing is counted among those that are waited for.
const SLOW_READER: Duration = Duration::from_secs(5);

/// One connection and its client.
pub struct Conversation {
    place: Place,
    state: Mutex<State>,
    /// When the client must have sent complete headers; None while a request is answered.
    until: watch::Sender<Option<Instant>>,
}

struct State {
    phase: Phase,
    /// Whether the client has read nothing for a while.
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

    /// The client has read something.
    fn has_read(&self) {
        let mut state = self.state();
        if state.is_unread {
            state.is_unread = false;
            self.settle(&state);
        }
    }

    /// The client has read nothing for a while.
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
}

/// An answer that the client does not read.
struct Unread {
    sleep: Pin<Box<Sleep>>,
    is_slow: bool,
}

impl<S> Watched<S> {
    pub fn new(stream: S, conversation: Arc<Conversation>) -> Watched<S> {
        Watched { stream, conversation, unread: None }
    }

    /// What came of writing, or an error if the client has read nothing for too long.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if polled.is_ready() {
            self.unread = None;
            self.conversation.has_read();
            return polled;
        }
        let new = || Unread { sleep: Box::pin(sleep(SLOW_READER)), is_slow: false };
        let unread = self.unread.get_or_insert_with(new);
        while unread.sleep.as_mut().poll(context).is_ready() {
            if unread.is_slow {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            unread.is_slow = true;
            self.conversation.is_slow();
            unread.sleep.as_mut().reset(Instant::now() + (READ_TIME - SLOW_READER));
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
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
