//! Knowledge bases of the generated corpus, and the comparator's table with the same passages and vectors.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;
use uuid::Uuid;

use crate::corpus::{Corpus, DIMENSIONS};
use crate::report::Report;
use crate::server::{Server, Vector};

/// Documents written per statement.
const BATCH: usize = 5_000;

/// One knowledge base: the first `len` passages of the corpus.
pub struct Base {
    pub name: String,
    pub schema: String,
    pub id: Uuid,
    pub len: usize,
    /// The wide table of the comparators.
    pub wide: String,
    /// The chunk of each passage, by its number.
    pub chunks: Vec<Uuid>,
    pub times: LoadTimes,
}

/// How long loading took.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadTimes {
    pub documents: Duration,
    pub vectors: Duration,
    pub index: Duration,
    pub wide: Duration,
}

/// Makes a base with the first `len` passages. The vector index is dropped before loading and built again
/// afterwards with the same definition. The vectors of the fake model, which only reflect words, are replaced
/// by those of the corpus.
pub fn load(server: &mut Server, corpus: &Corpus, len: usize, report: &Report) -> Result<Base> {
    let name = format!("n{len}");
    let id: Uuid = server
        .query(
            "SELECT kb_create($1, model => 'fake/bench', dimensions => $2, chunk_strategy => 'none', text_config => 'simple')",
            &[&name, &(DIMENSIONS as i32)],
        )?
        .first()
        .context("kb_create returned no row")?
        .try_get(0)?;
    let schema = format!("kb_{name}");
    let mut base = Base {
        wide: format!("wide_{name}"),
        name,
        schema,
        id,
        len,
        chunks: Vec::new(),
        times: LoadTimes::default(),
    };
    let index: String = server
        .query("SELECT pg_get_indexdef(($1 || '.embedding_hnsw')::regclass)", &[&base.schema])?
        .first()
        .context("the base has no index embedding_hnsw")?
        .try_get(0)?;
    server.run(&format!("DROP INDEX {}.embedding_hnsw", base.schema))?;
    base.times.documents = documents(server, corpus, &base)?;
    report.progress(&format!("{}: {} documents in {:.1?}", base.name, base.len, base.times.documents));
    base.chunks = chunks(server, &base.schema)?;
    base.times.vectors = vectors(server, corpus, &base)?;
    base.times.index = server.run_timed(&index)?;
    report.progress(&format!(
        "{}: vectors in {:.1?}, their index in {:.1?}",
        base.name, base.times.vectors, base.times.index
    ));
    server.run(&format!(
        "VACUUM (ANALYZE) {s}.document, {s}.chunk, {s}.keyword_segment, {s}.keyword_run, {s}.embedding",
        s = base.schema
    ))?;
    Ok(base)
}

fn documents(server: &mut Server, corpus: &Corpus, base: &Base) -> Result<Duration> {
    let began = Instant::now();
    let copy = format!("COPY {}.document (source_key, content, metadata) FROM STDIN BINARY", base.schema);
    for start in (0..base.len).step_by(BATCH) {
        let mut writer =
            BinaryCopyInWriter::new(server.client.copy_in(&copy)?, &[Type::TEXT, Type::TEXT, Type::JSONB]);
        for n in start..base.len.min(start + BATCH) {
            writer.write(&[&n.to_string(), &corpus.text(n), &corpus.metadata(n)])?;
        }
        writer.finish()?;
    }
    Ok(began.elapsed())
}

/// The chunk of each passage, by its number, where documents have that as their key.
pub fn chunks(server: &mut Server, schema: &str) -> Result<Vec<Uuid>> {
    let sql = format!(
        "SELECT c.id FROM {schema}.chunk c JOIN {schema}.document d ON d.id = c.document_id ORDER BY d.source_key::int"
    );
    server.query(&sql, &[])?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

fn vectors(server: &mut Server, corpus: &Corpus, base: &Base) -> Result<Duration> {
    let began = Instant::now();
    server.run(&format!("TRUNCATE {}.embedding", base.schema))?;
    let vector =
        server.prepare("SELECT $1::vector")?.params().first().cloned().context("no type of vectors")?;
    let copy = format!("COPY {}.embedding (chunk_id, embedding) FROM STDIN BINARY", base.schema);
    let mut writer = BinaryCopyInWriter::new(server.client.copy_in(&copy)?, &[Type::UUID, vector]);
    for (n, chunk) in base.chunks.iter().enumerate() {
        writer.write(&[chunk, &Vector(corpus.vector(n))])?;
    }
    writer.finish()?;
    Ok(began.elapsed())
}

/// Makes the comparator's table from the base's own.
pub fn load_wide(server: &mut Server, base: &mut Base, report: &Report) -> Result<()> {
    let began = Instant::now();
    let table =
        include_str!("../sql/wide_table.sql").replace("{wide}", &base.wide).replace("{schema}", &base.schema);
    server.run(&table)?;
    server.run(&format!(
        "CREATE INDEX {w}_embedding ON {w} USING hnsw (embedding vector_cosine_ops)",
        w = base.wide
    ))?;
    server.run(&format!("VACUUM (ANALYZE) {}", base.wide))?;
    base.times.wide = began.elapsed();
    report.progress(&format!("{}: comparator's table in {:.1?}", base.name, base.times.wide));
    Ok(())
}

/// Sizes in bytes: the table of the chunks, their keyword index, vectors, and the vector index.
pub fn sizes(server: &mut Server, base: &Base) -> Result<[i64; 4]> {
    let sql = include_str!("../sql/sizes.sql").replace("{schema}", &base.schema);
    let row = server.client.query_one(&sql, &[])?;
    Ok([row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?])
}

/// The nearest `count` chunks among all vectors, or among those that pass a filter, without an index.
pub fn nearest(
    server: &mut Server,
    base: &Base,
    vector: &[f32],
    filter: Option<&str>,
    count: i64,
) -> Result<Vec<Uuid>> {
    let join = match filter {
        None => String::new(),
        Some(filter) => {
            format!("JOIN {}.chunk c ON c.id = e.chunk_id AND c.metadata @> '{filter}'", base.schema)
        }
    };
    let sql = format!(
        "SELECT e.chunk_id FROM {}.embedding e {join} ORDER BY (e.embedding <=> $1) + 0, e.chunk_id LIMIT $2",
        base.schema
    );
    server.query(&sql, &[&Vector(vector.to_vec()), &count])?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}
