//! Databases whose work waits for a process: no worker could be started, since max_worker_processes was used up, or the last one
//! has left its process to others. All databases of the server share this: a file for each of them, beside those of PostgreSQL's
//! own temporary statistics, which no backup contains. What is lost with them is a hint: the work is in the queue.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pgrx::pg_sys;

use crate::postgres::test_point::test_time;

/// In the data directory, in which every process of the server runs.
const DIRECTORY: &str = "pg_stat_tmp";
const PREFIX: &str = "kb_rag_waiting.";
/// A process that was made room with is lost after this time: others may have taken it.
const GIVE_AGAIN: Duration = Duration::from_secs(10);
/// How often the log says that a database waits.
const LOG_AGAIN: Duration = Duration::from_secs(60);

fn path(database: pg_sys::Oid) -> PathBuf {
    PathBuf::from(DIRECTORY).join(format!("{PREFIX}{}", database.to_u32()))
}

/// Notes that a database waits, from a time on.
pub fn note(database: pg_sys::Oid, after: Duration) {
    let (path, since) = (path(database), milliseconds(SystemTime::now()) + after.as_millis());
    // It may have been noted for later.
    if read(&path).is_some_and(|noted| noted > since) {
        forget(database);
    }
    // One that is there already stays. Without the time in it a file is taken for the oldest.
    if let Ok(mut file) = OpenOptions::new().write(true).create_new(true).open(path) {
        let _ = file.write_all(since.to_string().as_bytes());
        let _ = file.set_modified(UNIX_EPOCH);
    }
}

/// Whether the log does not say yet, or for a minute, that a database waits, which is noted. From now on it does.
pub fn is_to_be_logged(database: pg_sys::Oid) -> bool {
    let Ok(file) = File::options().append(true).open(path(database)) else { return false };
    let logged = file.metadata().and_then(|metadata| metadata.modified()).ok();
    let again = test_time("log_again", LOG_AGAIN);
    let is_due = logged.is_none_or(|at| at.elapsed().is_ok_and(|since| since >= again));
    is_due && file.set_modified(SystemTime::now()).is_ok()
}

/// The time from which on it waits, in milliseconds since 1970. None if there is no such file.
fn read(path: &Path) -> Option<u128> {
    Some(fs::read_to_string(path).ok()?.trim().parse().unwrap_or(0))
}

fn milliseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

/// Notes that a database does not wait any more.
pub fn forget(database: pg_sys::Oid) {
    // Usually there is none.
    let _ = fs::remove_file(path(database));
    let _ = fs::remove_file(given(database));
}

/// Makes room for one of the databases that wait, other than `own`: no other worker then does the same. False if none waits, or
/// others make room for all of them.
pub fn give_way(own: pg_sys::Oid) -> bool {
    others(own).into_iter().any(|database| {
        let path = given(database);
        let made = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
        let is_old = made.is_some_and(|at| at.elapsed().is_ok_and(|time| time >= GIVE_AGAIN));
        if is_old {
            let _ = fs::remove_file(&path);
        }
        OpenOptions::new().write(true).create_new(true).open(&path).is_ok()
    })
}

/// The file that says that a worker makes room for a database.
fn given(database: pg_sys::Oid) -> PathBuf {
    PathBuf::from(DIRECTORY).join(format!("kb_rag_given.{}", database.to_u32()))
}

/// Whether a database waits.
pub fn is_noted(database: pg_sys::Oid) -> bool {
    path(database).exists()
}

/// The databases that wait now, the longest first, other than `own`.
pub fn others(own: pg_sys::Oid) -> Vec<pg_sys::Oid> {
    let Ok(entries) = fs::read_dir(DIRECTORY) else { return Vec::new() };
    let now = milliseconds(SystemTime::now());
    let mut found: Vec<(u128, pg_sys::Oid)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let number = entry.file_name().to_str()?.strip_prefix(PREFIX)?.parse::<u32>().ok()?;
            Some((read(&entry.path())?, pg_sys::Oid::from(number)))
        })
        .filter(|(since, database)| *database != own && *since <= now)
        .collect();
    found.sort_by_key(|(since, database)| (*since, database.to_u32()));
    found.into_iter().map(|(_, database)| database).collect()
}
