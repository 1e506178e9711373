use std::time::Duration;

use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::time::{Instant, sleep, timeout};

use super::*;

pub const HEAD_TIME: Duration = Duration::from_secs(5);
pub const IDLE_TIME: Duration = Duration::from_secs(30);
pub const READ_TIME: Duration = Duration::from_secs(30);

/// Connections that a test makes.
struct Queue(Mutex<mpsc::UnboundedReceiver<DuplexStream>>);

impl Listen for Queue {
    type Stream = DuplexStream;

    async fn accept(&self) -> io::Result<DuplexStream> {
        match self.0.lock().await.recv().await {
            Some(stream) => Ok(stream),
            None => future::pending().await,
        }
    }
}

/// Answers GET /wait when it may, GET /long with more than a client takes at once, and POST with the length of the body.
struct Echo {
    memory: Memory,
    may_answer: Semaphore,
}

impl Endpoint for Echo {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if request.method() == Method::POST {
            let limits = BodyLimits { bytes: 1 << 20, time: Duration::from_secs(600) };
            let received = self.memory.receive(&mut request.into_body(), limits).await;
            return match received {
                Ok(received) => answer(StatusCode::OK, "text/plain", received.bytes.len().to_string()),
                Err((status, why)) => last(answer(status, "text/plain", why)),
            };
        }
        match request.uri().path() {
            "/wait" => drop(self.may_answer.acquire().await),
            "/long" => return answer(StatusCode::OK, "text/plain", vec![b'x'; 1 << 20]),
            _ => {}
        }
        answer(StatusCode::OK, "text/plain", "done")
    }
}

/// Serves connections that are made with `connect`.
pub struct Served {
    sender: mpsc::UnboundedSender<DuplexStream>,
    endpoint: Arc<Echo>,
}

impl Served {
    fn start() -> Served {
        Served::with(None)
    }

    pub fn with(tls: Option<Tls>) -> Served {
        let (sender, receiver) = mpsc::unbounded_channel();
        let endpoint = Arc::new(Echo { memory: Memory::new(1 << 24), may_answer: Semaphore::new(0) });
        let own = Arc::clone(&endpoint);
        tokio::spawn(async move { serve(&Queue(Mutex::new(receiver)), &own, tls.as_ref()).await });
        Served { sender, endpoint }
    }

    /// A connection on which this was sent.
    pub async fn connect(&self, sent: &str) -> DuplexStream {
        let (mut client, server) = duplex(1024);
        client.write_all(sent.as_bytes()).await.unwrap();
        self.sender.send(server).unwrap();
        client
    }
}

/// What a client reads until the connection ends, and after which time that was.
pub async fn rest(stream: &mut (impl AsyncRead + Unpin)) -> (String, Duration) {
    let began = Instant::now();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    (String::from_utf8(bytes).unwrap(), began.elapsed())
}

/// Reads an answer whose body is short; the connection stays open.
pub async fn answered(stream: &mut (impl AsyncRead + Unpin)) {
    let mut read = String::new();
    while !read.ends_with("done") {
        read.push(char::from(stream.read_u8().await.unwrap()));
    }
    assert!(read.starts_with("HTTP/1.1 200 OK\r\n"), "{read}");
}

async fn is_open(stream: &mut DuplexStream) -> bool {
    timeout(Duration::from_millis(1), stream.read_u8()).await.is_err()
}

#[tokio::test(start_paused = true)]
async fn headers_are_complete_in_time_or_the_connection_ends() {
    let served = Served::start();
    for sent in ["", "GET", "GET / HTTP/1.1\r\nx: "] {
        let (mut reader, mut writer) = tokio::io::split(served.connect(sent).await);
        // It drips.
        let dripping = tokio::spawn(async move {
            while writer.write_all(b"x").await.is_ok() {
                sleep(Duration::from_millis(900)).await;
            }
        });
        let began = Instant::now();
        let mut read = Vec::new();
        let _ = reader.read_to_end(&mut read).await;
        assert_eq!((read.len(), began.elapsed()), (0, HEAD_TIME), "{sent:?}");
        dripping.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn clients_may_be_silent_between_requests() {
    let served = Served::start();
    let mut silent = served.connect("GET / HTTP/1.1\r\n\r\n").await;
    answered(&mut silent).await;
    sleep(IDLE_TIME - Duration::from_secs(1)).await;
    silent.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    answered(&mut silent).await;
    assert_eq!(rest(&mut silent).await, (String::new(), IDLE_TIME));
    // The time for headers runs from their first byte.
    let mut second = served.connect("GET / HTTP/1.1\r\n\r\n").await;
    answered(&mut second).await;
    sleep(Duration::from_secs(20)).await;
    second.write_all(b"G").await.unwrap();
    assert_eq!(rest(&mut second).await, (String::new(), HEAD_TIME));
}

#[tokio::test(start_paused = true)]
async fn clients_without_complete_headers_keep_nobody_out() {
    let served = Served::start();
    let began = Instant::now();
    let mut half_open = Vec::new();
    for _ in 0..600 {
        half_open.push(served.connect("GET / HTTP/1.1\r\nHost: x\r\nx: ").await);
    }
    let mut good = served.connect("GET / HTTP/1.1\r\n\r\n").await;
    answered(&mut good).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    // The oldest ones made room.
    for (number, stream) in half_open.iter_mut().enumerate() {
        assert_eq!(is_open(stream).await, number >= 89, "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_answered_keep_their_places() {
    let served = Served::start();
    let mut busy = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        busy.push(served.connect("GET /wait HTTP/1.1\r\n\r\n").await);
    }
    let mut other = served.connect("GET / HTTP/1.1\r\n\r\n").await;
    assert!(is_open(&mut other).await, "no place is free");
    served.endpoint.may_answer.add_permits(1);
    // One of them is answered, and its connection makes room.
    answered(&mut other).await;
    served.endpoint.may_answer.add_permits(MAX_CONNECTIONS);
    for stream in &mut busy {
        answered(stream).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_drips_is_refused() {
    let served = Served::start();
    let head = "POST / HTTP/1.1\r\nContent-Length: 40000\r\nConnection: close\r\n\r\n";
    for (bytes, expected, seconds) in [(1, "408", 10), (900, "408", 10), (1100, "200", 36), (0, "408", 10)] {
        let (mut reader, mut writer) = tokio::io::split(served.connect(head).await);
        let dripping = tokio::spawn(async move {
            let mut left = 40_000;
            while left > 0 {
                let sent = bytes.min(left);
                if writer.write_all(&vec![b'x'; sent]).await.is_err() {
                    break;
                }
                left -= sent;
                sleep(Duration::from_secs(1)).await;
            }
        });
        let began = Instant::now();
        let mut read = String::new();
        let _ = reader.read_to_string(&mut read).await;
        assert!(read.starts_with(&format!("HTTP/1.1 {expected}")), "{bytes}: {read}");
        assert_eq!(began.elapsed().as_secs(), seconds, "{bytes}");
        dripping.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_makes_room() {
    let served = Served::start();
    let mut alone = served.connect("GET /long HTTP/1.1\r\n\r\n").await;
    sleep(READ_TIME + Duration::from_secs(1)).await;
    assert!(rest(&mut alone).await.0.len() < 4096, "the connection has ended");
    let mut unread = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        unread.push(served.connect("GET /long HTTP/1.1\r\n\r\n").await);
    }
    let began = Instant::now();
    // All of them have begun to answer.
    sleep(Duration::from_millis(1)).await;
    let mut other = served.connect("GET / HTTP/1.1\r\n\r\n").await;
    answered(&mut other).await;
    assert_eq!(began.elapsed(), Duration::from_secs(5));
    // A client that reads a little now and then makes room too.
    let mut dripping = served.connect("GET /long HTTP/1.1\r\n\r\n").await;
    let still_open = timeout(Duration::from_secs(60), async {
        while dripping.read(&mut [0; 64]).await.unwrap() > 0 {
            sleep(Duration::from_secs(1)).await;
        }
    });
    assert!(still_open.await.is_err(), "while nobody needs its place, it keeps it");
    for _ in 0..MAX_CONNECTIONS {
        unread.push(served.connect("GET /wait HTTP/1.1\r\n\r\n").await);
    }
    let mut read = 0;
    while let Ok(1..) = dripping.read(&mut [0; 64]).await {
        read += 64;
        sleep(Duration::from_millis(100)).await;
    }
    assert!(read < 1 << 16, "{read}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_gets_all() {
    let served = Served::start();
    let mut slow = served.connect("GET /long HTTP/1.1\r\n\r\n").await;
    // Others need its place: 16 kB a second is not too slow.
    let mut busy = Vec::new();
    for _ in 0..=MAX_CONNECTIONS {
        busy.push(served.connect("GET /wait HTTP/1.1\r\n\r\n").await);
    }
    let mut read = 0;
    while read < 1 << 20 {
        let bytes = slow.read(&mut [0; 1024]).await.unwrap();
        assert!(bytes > 0, "{read}");
        read += bytes;
        sleep(Duration::from_millis(62)).await;
    }
}
