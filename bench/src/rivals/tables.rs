//! The tables of the rivals, and their statements.

use std::time::{Duration, Instant};

use anyhow::Result;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;

use crate::corpus::DIMENSIONS;
use crate::server::Server;

/// Something that finds texts by keyword.
pub struct Rival {
    pub name: &'static str,
    /// Makes its table, empty and with its index.
    pub create: String,
    /// COPY of texts.
    copy: String,
    /// INSERT of one text, $1.
    pub insert: String,
    /// What it takes until nothing is left to do.
    pub settle: String,
    /// The bytes of its index.
    pub bytes: String,
    /// The ten best with their texts, and by id alone; $1 is the question.
    texts: String,
    ids: String,
    pub drop: String,
    /// Whether the question is a tsquery.
    is_tsquery: bool,
}

impl Rival {
    pub fn texts(&self) -> &str {
        &self.texts
    }

    pub fn ids(&self) -> &str {
        &self.ids
    }

    /// A question of words as $1: any of them may be there.
    pub fn question(&self, words: &str) -> String {
        if self.is_tsquery {
            words.split_whitespace().collect::<Vec<_>>().join(" | ")
        } else {
            words.to_string()
        }
    }

    /// Adds texts by one COPY; returns how long it took.
    pub fn copy(&self, server: &mut Server, texts: &[String]) -> Result<Duration> {
        let began = Instant::now();
        let mut writer = BinaryCopyInWriter::new(server.client.copy_in(&self.copy)?, &[Type::TEXT]);
        for text in texts {
            writer.write(&[text])?;
        }
        writer.finish()?;
        Ok(began.elapsed())
    }
}

/// kb_rag, which the others are compared with, comes first.
pub fn rivals(size: usize) -> [Rival; 3] {
    let base = format!("rival_{size}");
    [
        Rival {
            name: "kb_rag",
            create: format!(
                "SELECT kb_create('{base}', model => 'fake/bench', dimensions => {DIMENSIONS}, chunk_strategy => 'none',
                     text_config => 'simple', embed => 'off')"
            ),
            copy: format!("COPY kb_{base}.document (content) FROM STDIN BINARY"),
            insert: format!("INSERT INTO kb_{base}.document (content) VALUES ($1)"),
            settle: format!(
                "VACUUM (ANALYZE) kb_{base}.document, kb_{base}.chunk, kb_{base}.keyword_segment, kb_{base}.keyword_run"
            ),
            bytes: format!(
                "SELECT pg_total_relation_size('kb_{base}.keyword_segment') + pg_total_relation_size('kb_{base}.keyword_run')
                     + pg_relation_size('kb_{base}.chunk_keyword_number')"
            ),
            texts: format!("SELECT chunk_id, content, score FROM kb_search($1, '{base}', 'keyword', 10)"),
            ids: format!("SELECT chunk_id, score FROM kb_search($1, '{base}', 'keyword', 10)"),
            drop: format!("SELECT kb_drop('{base}')"),
            is_tsquery: false,
        },
        Rival {
            name: "pg_textsearch",
            create: "CREATE EXTENSION IF NOT EXISTS pg_textsearch;
                 CREATE TABLE rival_textsearch (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content text NOT NULL);
                 CREATE INDEX rival_textsearch_bm25 ON rival_textsearch USING bm25 (content) WITH (text_config = 'simple')"
                .to_string(),
            copy: "COPY rival_textsearch (content) FROM STDIN BINARY".to_string(),
            insert: "INSERT INTO rival_textsearch (content) VALUES ($1)".to_string(),
            settle: "VACUUM (ANALYZE) rival_textsearch".to_string(),
            bytes: "SELECT pg_total_relation_size('rival_textsearch_bm25')".to_string(),
            texts: "SELECT id, content FROM rival_textsearch ORDER BY content <@> to_bm25query($1, 'rival_textsearch_bm25') LIMIT 10"
                .to_string(),
            ids: "SELECT id FROM rival_textsearch ORDER BY content <@> to_bm25query($1, 'rival_textsearch_bm25') LIMIT 10".to_string(),
            drop: "DROP TABLE rival_textsearch".to_string(),
            is_tsquery: false,
        },
        Rival {
            name: "GIN and ts_rank",
            create: "CREATE TABLE rival_gin (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content text NOT NULL,
                     tsv tsvector GENERATED ALWAYS AS (to_tsvector('simple', content)) STORED);
                 CREATE INDEX rival_gin_tsv ON rival_gin USING gin (tsv)"
                .to_string(),
            copy: "COPY rival_gin (content) FROM STDIN BINARY".to_string(),
            insert: "INSERT INTO rival_gin (content) VALUES ($1)".to_string(),
            settle: "VACUUM (ANALYZE) rival_gin".to_string(),
            bytes: "SELECT pg_total_relation_size('rival_gin_tsv')".to_string(),
            texts: "SELECT id, content FROM rival_gin, to_tsquery('simple', $1) q WHERE tsv @@ q ORDER BY ts_rank(tsv, q) DESC LIMIT 10"
                .to_string(),
            ids: "SELECT id FROM rival_gin, to_tsquery('simple', $1) q WHERE tsv @@ q ORDER BY ts_rank(tsv, q) DESC LIMIT 10".to_string(),
            drop: "DROP TABLE rival_gin".to_string(),
            is_tsquery: true,
        },
    ]
}
