//! The child process kb-rag-extract: starting it, talking to it, and its end.
//!
//! It never outlives the statement: it is killed when the wait for it is canceled, and before the process of the server
//! ends. If it were left to itself, a postmaster that adopts processes, as in a container, would take its end for the crash of a
//! server process and restart the server.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use kb_rag_core::extract_protocol::{
    Failure, Frames, Hello, Message, OUT_OF_MEMORY, PROTOCOL, Request, Sitemap, frame,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};

use super::Text;
use crate::error::{Error, Result};
use crate::postgres::interrupt::{Wait, check_for_interrupts_of_call};
use crate::postgres::process;
use crate::postgres::test_point::{test_limit, test_point};

const NAME: &str = "kb-rag-extract";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The longest time between two checks for interrupts.
const SLICE: Duration = Duration::from_millis(50);

/// The most bytes that the program may send.
const MAX_OUTPUT_BYTES: usize = 256 << 20;

/// The bytes that are read from or written to the program at once.
const PIECE: usize = 64 << 10;

/// The process id of the running program; 0 for none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// What the program has sent; what it is depends on the task.
#[derive(Default)]
pub struct Sent {
    /// The text of the file itself.
    pub text: Text,
    pub sitemap: Sitemap,
    /// The files of an archive, by their path.
    pub files: Vec<(String, Text)>,
    /// How many files of an archive were not read.
    pub left_out: u32,
}

/// Has the program read a file, within `time`. The inner result is the program's own.
pub fn run(request: &Request, file: &[u8], time: Duration) -> Result<Result<Sent, Failure>> {
    let waiting = Wait::for_extraction();
    let mut program = Program::start()?;
    let answer = program.ask(request, file, Instant::now() + time, time)?;
    drop(waiting);
    Ok(answer)
}

struct Program {
    child: Child,
    /// Whether its end was waited for: its process id may be another's then.
    has_ended: bool,
    path: PathBuf,
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.has_ended {
            end(self.child.id() as i32);
        }
        RUNNING.store(0, Ordering::Relaxed);
    }
}

/// Kills the program and waits for its end. 0 is no process.
fn end(id: i32) {
    if let Some(id) = Pid::from_raw(id) {
        // Fails where the program has ended already.
        let _ = kill_process_group(id, Signal::KILL);
        while let Err(Errno::INTR) = waitpid(Some(id), WaitOptions::empty()) {}
    }
}

/// Called when the process of the server ends, which unwinds nothing.
fn at_exit() {
    end(RUNNING.swap(0, Ordering::Relaxed));
}

impl Program {
    fn start() -> Result<Program> {
        static AT_EXIT: Once = Once::new();
        AT_EXIT.call_once(|| process::at_exit(at_exit));
        let directory = process::library_directory()
            .ok_or_else(|| Error::internal("the path of the library of kb_rag is unknown"))?;
        let path = directory.join(NAME);
        let child = Command::new(&path)
            .arg("--serve")
            .arg(std::process::id().to_string())
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A signal to the group of the server process is not one to the program.
            .process_group(0)
            .spawn()
            .map_err(|error| not_started(&path, &error))?;
        RUNNING.store(child.id() as i32, Ordering::Relaxed);
        Ok(Program { child, has_ended: false, path })
    }

    fn ask(
        &mut self,
        request: &Request,
        file: &[u8],
        deadline: Instant,
        time: Duration,
    ) -> Result<Result<Sent, Failure>> {
        let head = frame(request).map_err(|error| Error::internal(error.to_string()))?;
        let pipes = self.child.stdin.take().zip(self.child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| Error::internal("the program has no pipes"))?;
        let mut talk = Talk::new([&head, file], input, output)?;
        let mut answer = Answer::default();
        test_point("extract.started");
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Err(too_slow(time)));
            }
            let is_open = talk.go_on(left.min(SLICE)).map_err(|error| self.broken(&error))?;
            check_for_interrupts_of_call();
            let max = test_limit("max_output_bytes", MAX_OUTPUT_BYTES);
            if talk.received > max {
                return Ok(Err(Failure::Limit(format!("its text is larger than {} MB", max >> 20))));
            }
            while let Some(message) = answer.next(&mut talk.frames).map_err(|error| self.broken(&error))? {
                match message {
                    Said::Hello(hello) => self.check(&hello)?,
                    Said::All(sent) => return Ok(sent.map(|sent| *sent)),
                }
            }
            if !is_open {
                return self.ended(answer.greeted, time);
            }
        }
    }

    /// 55000 unless the program speaks the library's protocol.
    fn check(&self, hello: &Hello) -> Result<()> {
        if !(hello.sandbox.files && hello.sandbox.calls) {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| {
                let missing = match (hello.sandbox.files, hello.sandbox.calls) {
                    (false, false) => "Landlock and seccomp",
                    (false, true) => "Landlock",
                    _ => "seccomp",
                };
                Error::remark(format!("{NAME} runs without {missing}, which the kernel does not offer"))
                    .log();
            });
        }
        if hello.protocol == PROTOCOL {
            return Ok(());
        }
        let path = self.path.display();
        Err(Error::not_ready(format!(
            "the program \"{path}\" has version {}, which does not work with the library of version {VERSION}",
            hello.version
        ))
        .hint(
            "Install both from the same package. A session that began before an update must connect again.",
        ))
    }

    /// The program ended before it had said everything.
    fn ended(&mut self, greeted: bool, time: Duration) -> Result<Result<Sent, Failure>> {
        let status = self.child.wait().map_err(|error| self.broken(&error))?;
        self.has_ended = true;
        RUNNING.store(0, Ordering::Relaxed);
        if !greeted {
            let path = self.path.display();
            return Err(Error::not_ready(format!("the program \"{path}\" does not run: {status}")));
        }
        Ok(Err(match status {
            status if status.code() == Some(OUT_OF_MEMORY) => {
                Failure::Limit("reading it takes more memory than kb_rag.extract_memory".to_string())
            }
            status if is_of_time(status) => too_slow(time),
            status => Failure::Crashed(format!("The program ended with {status}.")),
        }))
    }

    fn broken(&self, error: &io::Error) -> Error {
        Error::not_ready(format!("the program \"{}\" does not answer: {error}", self.path.display()))
    }
}

fn is_of_time(status: ExitStatus) -> bool {
    status.signal() == Some(libc::SIGXCPU)
}

fn too_slow(time: Duration) -> Failure {
    Failure::Limit(format!("reading it takes longer than {} s (kb_rag.extract_timeout)", time.as_secs_f32()))
}

fn not_started(path: &Path, error: &io::Error) -> Error {
    let path = path.display();
    match error.kind() {
        ErrorKind::NotFound => Error::not_ready(format!("the program \"{path}\" is missing"))
            .hint("Install it beside the library of kb_rag, as the package and make install do."),
        _ => Error::not_ready(format!("the program \"{path}\" cannot be started: {error}")),
    }
}

/// Both pipes of the program.
struct Talk<'a> {
    /// What is still to be sent, in this order; None when all is.
    to_send: [&'a [u8]; 2],
    input: Option<ChildStdin>,
    output: ChildStdout,
    frames: Frames,
    received: usize,
}

impl<'a> Talk<'a> {
    fn new(to_send: [&'a [u8]; 2], input: ChildStdin, output: ChildStdout) -> Result<Self> {
        let nonblocking =
            rustix::io::ioctl_fionbio(&input, true).and_then(|()| rustix::io::ioctl_fionbio(&output, true));
        nonblocking.map_err(|error| Error::internal(error.to_string()))?;
        Ok(Talk { to_send, input: Some(input), output, frames: Frames::default(), received: 0 })
    }

    /// Sends and receives what is possible within `time`. False when the program has closed its output.
    fn go_on(&mut self, time: Duration) -> io::Result<bool> {
        let mut descriptors = vec![PollFd::new(&self.output, PollFlags::IN)];
        if let Some(input) = &self.input {
            descriptors.push(PollFd::new(input, PollFlags::OUT));
        }
        let time = Timespec::try_from(time).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
        match poll(&mut descriptors, Some(&time)) {
            // A signal: the caller checks for interrupts.
            Err(Errno::INTR) => return Ok(true),
            result => result?,
        };
        let [can_read, can_write] =
            [0, 1].map(|i: usize| descriptors.get(i).is_some_and(|d| !d.revents().is_empty()));
        drop(descriptors);
        if can_write {
            self.send()?;
        }
        if can_read { self.receive() } else { Ok(true) }
    }

    fn send(&mut self) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        for part in &mut self.to_send {
            while !part.is_empty() {
                match input.write(&part[..part.len().min(PIECE)]) {
                    Ok(written) => *part = &part[written..],
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
                    // The program has ended: its output says why.
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                    Err(error) => return Err(error),
                }
            }
        }
        self.input = None;
        Ok(())
    }

    fn receive(&mut self) -> io::Result<bool> {
        let mut piece = [0; PIECE];
        match self.output.read(&mut piece) {
            Ok(0) => Ok(false),
            Ok(count) => {
                self.received += count;
                self.frames.push(&piece[..count]);
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// What the program has said so far.
#[derive(Default)]
struct Answer {
    greeted: bool,
    sent: Sent,
}

enum Said {
    Hello(Hello),
    All(Result<Box<Sent>, Failure>),
}

impl Answer {
    /// The next thing to act on; None if more must arrive before that.
    fn next(&mut self, frames: &mut Frames) -> io::Result<Option<Said>> {
        if !self.greeted {
            let hello = frames.take()?;
            self.greeted = hello.is_some();
            return Ok(hello.map(Said::Hello));
        }
        while let Some(message) = frames.take()? {
            match message {
                Message::Begin(properties) => self.text().properties = properties,
                Message::Page(page) => self.text().pages.push(page),
                Message::Sitemap(sitemap) => self.sent.sitemap = sitemap,
                Message::File(path) => self.sent.files.push((path, Text::default())),
                Message::More(count) => self.sent.left_out = count,
                Message::End => return Ok(Some(Said::All(Ok(Box::new(std::mem::take(&mut self.sent)))))),
                Message::Failure(failure) => return Ok(Some(Said::All(Err(failure)))),
            }
        }
        Ok(None)
    }

    /// The text that is being sent: that of the last file of an archive, or of the file itself.
    fn text(&mut self) -> &mut Text {
        match self.sent.files.last_mut() {
            Some((_, text)) => text,
            None => &mut self.sent.text,
        }
    }
}
