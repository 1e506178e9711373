//! Time-ordered identifiers.

use std::cell::RefCell;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{Error, Result};

/// Microseconds between the Unix epoch and PostgreSQL's (2000-01-01).
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;

/// Bytes of an identifier that are random.
const RANDOM: usize = 8;
/// Identifiers whose random bytes are fetched together: where PostgreSQL was built without OpenSSL each fetch opens
/// /dev/urandom, which costs more than everything else.
const FETCHED: usize = 64;

/// Random bytes that no identifier has used yet.
struct Pool {
    bytes: [u8; RANDOM * FETCHED],
    left: usize,
    /// The process that fetched them: a fork must not use them too.
    process: i32,
}

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { bytes: [0; RANDOM * FETCHED], left: 0, process: 0 }) };
}

impl Pool {
    fn take(&mut self) -> Result<[u8; RANDOM]> {
        // SAFETY: a variable of the process.
        let process = unsafe { pg_sys::MyProcPid };
        if self.left == 0 || self.process != process {
            // SAFETY: fills exactly the bytes given.
            if !unsafe { pg_sys::pg_strong_random(self.bytes.as_mut_ptr().cast(), self.bytes.len()) } {
                self.left = 0;
                return Err(Error::internal("could not generate random bytes"));
            }
            (self.left, self.process) = (FETCHED, process);
        }
        self.left -= 1;
        let mut taken = [0; RANDOM];
        taken.copy_from_slice(&self.bytes[self.left * RANDOM..][..RANDOM]);
        Ok(taken)
    }
}

/// A version 7 UUID (RFC 9562): 48 bits of milliseconds, 12 of the fraction of the millisecond, 62 random.
pub fn v7() -> Result<pgrx::Uuid> {
    let mut bytes = [0u8; 16];
    bytes[16 - RANDOM..].copy_from_slice(&POOL.with_borrow_mut(Pool::take)?);
    // SAFETY: reads the clock.
    let micros = (unsafe { pg_sys::GetCurrentTimestamp() } + POSTGRES_EPOCH) as u64;
    let fraction = (micros % 1000) * 4096 / 1000;
    bytes[..6].copy_from_slice(&(micros / 1000).to_be_bytes()[2..]);
    bytes[6] = 0x70 | (fraction >> 8) as u8;
    bytes[7] = fraction as u8;
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    Ok(pgrx::Uuid::from_bytes(bytes))
}

/// A UUID from its hexadecimal digits, with or without hyphens.
pub fn parse(text: &str) -> Option<pgrx::Uuid> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    if digits.len() != 32 {
        return None;
    }
    u128::from_str_radix(&digits, 16).ok().map(|n| pgrx::Uuid::from_bytes(n.to_be_bytes()))
}

/// The default of the id columns.
#[pg_extern(sql = false)]
fn uuid_v7() -> Result<pgrx::Uuid, ErrorReport> {
    Ok(v7()?)
}
