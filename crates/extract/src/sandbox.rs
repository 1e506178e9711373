//! Gives up what the program does not need: files, sockets, other programs, and resources beyond its limits.
//!
//! Landlock denies all files, and seccomp all system calls but a list. A kernel without one of them still has the other, and
//! the limits; the server logs what is missing.

use std::collections::BTreeMap;
use std::io;
use std::process::{Command, ExitCode};

use kb_rag_core::extract_protocol::{Request, Sandbox};
use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus};
use rustix::process::{Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit};
use rustix::thread::set_no_new_privs;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// Ends this process as soon as its parent, the process `parent`, ends. The exit status is then 1, not a signal: a postmaster that
/// adopts the process, as in a container, takes a signal for the crash of a server process.
pub fn end_with(parent: &str) -> io::Result<()> {
    extern "C" fn end(_: libc::c_int) {
        // SAFETY: allowed in a signal handler.
        unsafe { libc::_exit(1) };
    }
    // SAFETY: a handler that only ends the process.
    if unsafe { libc::signal(libc::SIGTERM, end as extern "C" fn(libc::c_int) as libc::sighandler_t) }
        == libc::SIG_ERR
    {
        return Err(io::Error::last_os_error());
    }
    set_parent_process_death_signal(Some(Signal::TERM))?;
    // No file grows any more. Not for --check-sandbox, whose output may be a file.
    fix(Resource::Fsize, 0)?;
    // It may have ended before.
    let is_alive = getppid().is_some_and(|pid| pid.as_raw_nonzero().to_string() == parent);
    if is_alive { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

/// Closes all descriptors but the first three, and gives up files, sockets and other programs.
pub fn enter() -> io::Result<Sandbox> {
    close_others()?;
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    set_no_new_privs(true)?;
    fix(Resource::Core, 0)?;
    let files = deny_files();
    fix(Resource::Nofile, 3)?;
    Ok(Sandbox { files, calls: deny_calls().is_ok() })
}

/// The limits of a request. The file itself does not count as memory.
pub fn limit(request: &Request) -> io::Result<()> {
    fix(Resource::As, request.memory.saturating_add(request.length))?;
    setrlimit(
        Resource::Cpu,
        Rlimit { current: Some(request.cpu_seconds), maximum: Some(request.cpu_seconds.saturating_add(1)) },
    )?;
    Ok(())
}

fn fix(resource: Resource, value: u64) -> io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// The server may have left descriptors open.
fn close_others() -> io::Result<()> {
    // SAFETY: nothing has been opened yet whose owner would close it again.
    if unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) } == 0 {
        return Ok(());
    }
    // Before Linux 5.9.
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&descriptor| descriptor > 2)
        .collect();
    for descriptor in open {
        // SAFETY: as above; that of the directory is closed already.
        unsafe { libc::close(descriptor) };
    }
    Ok(())
}

/// Whether Landlock denies all files, and TCP where it can.
fn deny_files() -> bool {
    let restrict = || {
        Ruleset::default()
            .handle_access(AccessFs::from_all(ABI::V5))?
            .handle_access(AccessNet::from_all(ABI::V5))?
            .create()?
            .restrict_self()
    };
    restrict().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

/// The system calls that reading a file needs: memory, the pipes, time, and the end.
const CALLS: [libc::c_long; 37] = [
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_newfstatat,
    libc::SYS_ppoll,
    libc::SYS_prlimit64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Has every other system call fail with EPERM.
fn deny_calls() -> Result<(), Box<dyn std::error::Error>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = CALLS.iter().map(|&call| (call, Vec::new())).collect();
    // abort() sends a signal to the program itself; all other processes of the user are out of reach.
    let itself =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, u64::from(std::process::id()))?;
    rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![itself])?]);
    // The limits of the program itself, which it cannot raise.
    let own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![own])?]);
    let denied = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, denied, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?;
    seccompiler::apply_filter(&BpfProgram::try_from(filter)?)?;
    Ok(())
}

/// Shows whether the program, once it has given up its privileges, can read `file`, open a socket or start another program.
pub fn check(file: &str) -> ExitCode {
    let sandbox = match enter() {
        Ok(sandbox) => sandbox,
        Err(error) => {
            eprintln!("kb-rag-extract: {error}");
            return ExitCode::FAILURE;
        }
    };
    let show = |what: &str, result: io::Result<()>| {
        println!(
            "{what}: {}",
            result.as_ref().map_or_else(|error| format!("denied ({error})"), |()| "allowed".into())
        );
        result.is_err()
    };
    println!("Landlock: {}, seccomp: {}", on(sandbox.files), on(sandbox.calls));
    let denied = [
        show("read the file", std::fs::read(file).map(drop)),
        show("create a file", std::fs::write(format!("{file}.kb-rag-extract"), "").map(drop)),
        show("open a TCP socket", std::net::TcpListener::bind("127.0.0.1:0").map(drop)),
        show("open a Unix socket", std::os::unix::net::UnixDatagram::unbound().map(drop)),
        show("start a program", Command::new("/bin/true").status().map(drop)),
        show("signal another process", signal_parent()),
    ];
    if denied.iter().all(|&denied| denied) && sandbox.files && sandbox.calls {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn signal_parent() -> io::Result<()> {
    // SAFETY: signal 0 only asks whether a signal could be sent.
    if unsafe { libc::kill(libc::getppid(), 0) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn on(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}
