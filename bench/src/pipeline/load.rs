//! A base whose documents wait for a provider, and the workers that process them.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::mock::{Behavior, Mock, Tally};
use crate::bench::Bench;
use crate::corpus::DIMENSIONS;
use crate::server::{Server, processor_time};
use crate::workers;

/// Documents per statement.
const BATCH: usize = 500;
/// The time after which a run fails.
const MAX_RUN_TIME: Duration = Duration::from_secs(600);

/// What is embedded, and by which processes.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub index: &'static str,
    pub documents: usize,
    /// Passages of the corpus per document. With several, each becomes one or two chunks.
    pub passages: usize,
    /// Only the first words of a passage are used: a base of short texts is filled quickly.
    pub words: usize,
    pub workers: Workers,
    pub behavior: Behavior,
}

#[derive(Clone, Copy, Debug)]
pub enum Workers {
    /// Background workers.
    Background(u16),
    /// One session that calls kb_work.
    Session,
}

impl Workers {
    pub fn name(self) -> String {
        match self {
            Workers::Background(1) => "1 worker".to_string(),
            Workers::Background(n) => format!("{n} workers"),
            Workers::Session => "CALL kb_work()".to_string(),
        }
    }
}

/// The results of a run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub chunks: usize,
    /// From the moment when workers were allowed until the end of the last job.
    pub seconds: f64,
    /// Processor time used by the workers.
    pub processor: f64,
    pub tally: Tally,
    /// Chunks that have a vector at the end.
    pub embedded: i64,
    /// Documents that are not indexed at the end.
    pub unfinished: i64,
}

impl Run {
    pub fn rate(&self) -> f64 {
        self.chunks as f64 / self.seconds
    }

    /// Microseconds per chunk.
    pub fn processor_time(&self) -> f64 {
        self.processor * 1e6 / self.chunks as f64
    }

    /// Whether each chunk was sent once and has its vector.
    pub fn is_complete(&self) -> bool {
        self.embedded == self.chunks as i64 && self.tally.texts == self.chunks && self.unfinished == 0
    }
}

/// Fills a new base while no worker may run, then allows workers.
pub fn run(bench: &mut Bench, mock: &Mock, case: &Case) -> Result<Run> {
    let server = &mut bench.server;
    workers::stop(server)?;
    let strategy = if case.passages == 1 { "none" } else { "auto" };
    server.run(&format!(
        "SELECT kb_drop(name) FROM kb_list() WHERE name = 'pipeline';
         SELECT kb_create('pipeline', model => 'mock/bench', dimensions => {DIMENSIONS}, chunk_strategy => '{strategy}',
             text_config => 'simple', index_method => '{index}')",
        index = case.index
    ))?;
    let insert = server.prepare("INSERT INTO kb_pipeline.document (content) SELECT unnest($1::text[])")?;
    let text = |n: usize| -> String {
        let passages: Vec<String> = (0..case.passages)
            .map(|k| beginning(&bench.corpus.text((n * case.passages + k) % bench.corpus.len()), case.words))
            .collect();
        passages.join(".\n\n")
    };
    for start in (0..case.documents).step_by(BATCH) {
        let texts: Vec<String> = (start..case.documents.min(start + BATCH)).map(text).collect();
        server.client.execute(&insert, &[&texts])?;
    }
    server.run("ANALYZE kb_pipeline.document, kb_pipeline.chunk, kb_pipeline.embedding, kb_rag.job")?;
    let chunks = server.number("SELECT count(*) FROM kb_pipeline.chunk", &[])? as usize;
    mock.behave(case.behavior);
    let before = processor_time(&[server.pid()?])?;
    let began = match case.workers {
        Workers::Session => {
            let began = Instant::now();
            server.run("CALL kb_work(600)")?;
            began
        }
        Workers::Background(workers) => {
            workers::allow(server, workers)?;
            let mut visitor = server.another()?;
            let began = Instant::now();
            // The first call of a session detects the work and starts a worker.
            visitor.run("SELECT * FROM kb_search('nothing', 'pipeline', mode => 'keyword')")?;
            began
        }
    };
    wait(server, mock, chunks)?;
    let seconds = began.elapsed().as_secs_f64();
    let processor = match case.workers {
        Workers::Session => processor_time(&[server.pid()?])? - before,
        // Idle workers stay for a second.
        Workers::Background(_) => processor_time(&workers::pids(server)?)?,
    };
    let embedded = server.number("SELECT count(*) FROM kb_pipeline.embedding", &[])?;
    let unfinished =
        server.number("SELECT count(*) FROM kb_pipeline.document WHERE status <> 'indexed'", &[])?;
    Ok(Run { chunks, seconds, processor, tally: mock.tally(), embedded, unfinished })
}

fn beginning(text: &str, words: usize) -> String {
    text.split(' ').take(words).collect::<Vec<_>>().join(" ")
}

/// Polls the mock, at no cost, until the end is near; only then asks the server.
fn wait(server: &mut Server, mock: &Mock, chunks: usize) -> Result<()> {
    let deadline = Instant::now() + MAX_RUN_TIME;
    while mock.tally().texts < chunks {
        if Instant::now() > deadline {
            bail!("not done after {MAX_RUN_TIME:?}: {:?}; {}", mock.tally(), troubles(server)?);
        }
        thread::sleep(Duration::from_millis(2));
    }
    while server.number("SELECT count(*) FROM (SELECT FROM kb_rag.job LIMIT 1) j", &[])? > 0 {
        if Instant::now() > deadline {
            bail!("jobs are left after {MAX_RUN_TIME:?}: {}", troubles(server)?);
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Why there is no progress, for the message.
fn troubles(server: &mut Server) -> Result<String> {
    let sql = "SELECT s::text FROM kb_rag.status s WHERE knowledge_base = 'pipeline'";
    let rows = server.query(sql, &[])?;
    Ok(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or_default())
}
