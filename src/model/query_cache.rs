//! Query vectors, cached in the backend for `kb_rag.query_cache_ttl`. Those of remote models also in a table that kb_warm_query
//! writes, for pooled clients whose next query runs in another backend. Searches only read the table: they write nothing and work on
//! a standby.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg};
use crate::settings;

/// The most vectors that a backend caches: at most 16 MB.
const KEPT: usize = 256;

/// The key of a cached vector.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The URL of the provider: at another URL the same name may be another model. The variant of a local model.
    pub place: &'a str,
    /// As provider/model.
    pub model: &'a str,
    pub dimensions: i32,
    pub text: &'a str,
}

type Hash = [u8; 32];

thread_local! {
    static VECTORS: RefCell<HashMap<Hash, (Instant, Vec<f32>)>> = RefCell::default();
    /// Vectors of the evaluation that is running, however many.
    static HELD: RefCell<Option<HashMap<Hash, Vec<f32>>>> = const { RefCell::new(None) };
}

/// Empties what is held where an evaluation ends, however it ends.
struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| *held = None);
    }
}

/// Holds each vector that `work` needs until it ends: questions of an evaluation are asked more than once.
pub fn holding<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    if HELD.with_borrow(Option::is_some) {
        return work();
    }
    HELD.with_borrow_mut(|held| *held = Some(HashMap::new()));
    let _release = Release;
    work()
}

impl Query<'_> {
    fn input_hash(&self) -> Hash {
        Sha256::digest(self.text).into()
    }

    fn key(&self) -> Hash {
        let mut hash = Sha256::new();
        for part in [self.place, self.model, &self.dimensions.to_string(), self.text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

/// The cached vector of a remote model, or the one that `embed` returns, which the backend then caches.
pub fn get_or(query: &Query, embed: impl FnOnce() -> Result<Vec<f32>>) -> Result<Vec<f32>> {
    match get(query)? {
        Some(vector) => Ok(vector),
        None => {
            let vector = embed()?;
            put(query, &vector);
            Ok(vector)
        }
    }
}

/// The same for a model that computes in this process: nobody else needs its vectors, and the table has none.
pub fn get_here_or(query: &Query, embed: impl FnOnce() -> Result<Vec<f32>>) -> Result<Vec<f32>> {
    if let Some(vector) = get_here(&query.key(), settings::query_cache_ttl()) {
        return Ok(vector);
    }
    let vector = embed()?;
    put(query, &vector);
    Ok(vector)
}

/// The cached vector of a remote model.
pub fn get(query: &Query) -> Result<Option<Vec<f32>>> {
    let (key, ttl) = (query.key(), settings::query_cache_ttl());
    if let Some(vector) = get_here(&key, ttl) {
        return Ok(Some(vector));
    }
    let Some(ttl) = ttl else { return Ok(None) };
    let Some((vector, age)) = stored(query, ttl)? else { return Ok(None) };
    hold(key, &vector);
    keep(key, &vector, age, ttl);
    Ok(Some(vector))
}

/// Caches a new vector in the backend.
pub fn put(query: &Query, vector: &[f32]) {
    let key = query.key();
    hold(key, vector);
    if let Some(ttl) = settings::query_cache_ttl() {
        keep(key, vector, Duration::ZERO, ttl);
    }
}

fn hold(key: Hash, vector: &[f32]) {
    HELD.with_borrow_mut(|held| held.as_mut().map(|held| held.insert(key, vector.to_vec())));
}

fn get_here(key: &Hash, ttl: Option<Duration>) -> Option<Vec<f32>> {
    let held = HELD.with_borrow(|held| held.as_ref()?.get(key).cloned());
    held.or_else(|| kept(key, ttl?))
}

fn kept(key: &Hash, ttl: Duration) -> Option<Vec<f32>> {
    VECTORS.with_borrow(|kept| {
        kept.get(key).filter(|(since, _)| since.elapsed() < ttl).map(|(_, vector)| vector.clone())
    })
}

fn keep(key: Hash, vector: &[f32], age: Duration, ttl: Duration) {
    let Some(since) = Instant::now().checked_sub(age) else { return };
    VECTORS.with_borrow_mut(|kept| {
        if kept.len() >= KEPT {
            kept.retain(|_, (since, _)| since.elapsed() < ttl);
        }
        if kept.len() >= KEPT
            && let Some(oldest) = kept.iter().min_by_key(|(_, (since, _))| *since).map(|(key, _)| *key)
        {
            kept.remove(&oldest);
        }
        kept.insert(key, (since, vector.to_vec()));
    });
}

fn args(query: &Query, last: Arg) -> [Arg; 4] {
    [Arg::new(query.model), Arg::new(query.dimensions), Arg::new(query.input_hash().to_vec()), last]
}

/// A vector from the table, and its age.
fn stored(query: &Query, ttl: Duration) -> Result<Option<(Vec<f32>, Duration)>> {
    catalog::connect(|c| {
        let args = args(query, Arg::new(ttl.as_secs_f64()));
        c.query_one(include_str!("read_query.sql"), Access::Read, &args, |row| {
            let age = Duration::try_from_secs_f64(row.require(2)?).unwrap_or_default();
            Ok((row.require(1)?, age))
        })
    })
}

/// Writes a vector to the table, and deletes those that have expired.
pub fn store(query: &Query, vector: &[f32], ttl: Duration) -> Result<()> {
    keep(query.key(), vector, Duration::ZERO, ttl);
    catalog::connect(|c| {
        c.execute(include_str!("delete_old_queries.sql"), &[Arg::new(ttl.as_secs_f64())])?;
        c.execute(include_str!("write_query.sql"), &args(query, Arg::new(vector.to_vec()))).map(drop)
    })
}
