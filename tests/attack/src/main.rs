//! Hostile use of kb_rag, generated from a seed. usage: kb_rag_attack fuzz|alter|stress SECONDS SEED
//! [DIRECTORY]
//! The report goes to standard output. If a run finds faults, the server's log is kept in the directory.

// A run that cannot be prepared ends at once with the reason.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alter;
mod attack;
mod catalog;
mod fuzz;
mod judge;
mod log;
mod pulse;
mod random;
mod report;
mod session;
mod stress;
mod values;

use std::env;
use std::fs;
use std::mem;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use attack::Attack;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let ([generator, seconds, seed] | [generator, seconds, seed, _]) = arguments.as_slice() else {
        eprintln!("usage: kb_rag_attack fuzz|alter|stress SECONDS SEED [DIRECTORY]");
        return ExitCode::from(2);
    };
    let (Ok(seconds), Ok(seed)) = (seconds.parse(), seed.parse()) else {
        eprintln!("SECONDS and SEED must be whole numbers");
        return ExitCode::from(2);
    };
    let run = match generator.as_str() {
        "fuzz" => fuzz::run,
        "alter" => alter::run,
        "stress" => stress::run,
        _ => {
            eprintln!("generator {generator}: fuzz, alter or stress");
            return ExitCode::from(2);
        }
    };
    let attack = Attack::start(generator, seed);
    run(&attack, Duration::from_secs(seconds));
    let mut deadlocks = mem::take(&mut *attack.deadlocks.lock().unwrap());
    log::judge(&attack.report, &attack.server.log(), attack.restarts.load(Ordering::SeqCst), &mut deadlocks);
    println!("{}", attack.report.text());
    if let (Some(directory), false) = (arguments.get(3), attack.report.is_clean()) {
        let file = Path::new(directory).join(format!("{generator}-{seed}.log"));
        fs::write(file, attack.server.log()).expect("a place for the server's log");
    }
    let is_clean = attack.report.is_clean();
    remove(attack);
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Removes the server, once the thread that watches for hung statements has released it.
fn remove(mut attack: Arc<Attack>) {
    loop {
        match Arc::try_unwrap(attack) {
            Ok(last) => return drop(last),
            Err(shared) => attack = shared,
        }
        thread::park_timeout(Duration::from_millis(10));
    }
}
