//! kb_explain against kb_search: the explained results are the returned ones, in all strata.

use anyhow::Result;
use postgres::types::ToSql;
use uuid::Uuid;

use crate::bench::Bench;
use crate::queries::stratified;
use crate::server::Vector;

/// The arguments, after the question, its vector and the base.
const ARGUMENTS: [&str; 7] = [
    "mode => 'keyword'",
    "mode => 'semantic'",
    "mode => 'hybrid'",
    "fusion => 'rrf', match_count => 10",
    "filter => '{\"shelf\": \"narrow\"}', match_count => 20",
    "match_offset => 7, max_per_document => 1, duplicates => 'merge'",
    "syntax => 'web', keyword_weight => 0.3, ranker => 'bm25'",
];

pub fn measure(bench: &mut Bench) -> Result<()> {
    for len in bench.extent.compared.clone() {
        let base = bench.base(len)?.name.clone();
        let queries = stratified(&bench.corpus, len, bench.extent.filtered);
        let mut compared = 0;
        let mut rows = 0;
        let mut different = Vec::new();
        for arguments in ARGUMENTS {
            let search = bench.server.prepare(&format!(
                "SELECT chunk_id, score FROM kb_search($1, '{base}', query_embedding => $2, {arguments})"
            ))?;
            let explain = bench.server.prepare(&format!(
                "SELECT (r->>'chunk_id')::uuid, (r->>'score')::float8
                 FROM jsonb_array_elements(kb_explain($1, '{base}', query_embedding => $2, {arguments})->'results') r"
            ))?;
            for query in &queries {
                let vector = Vector(query.vector.clone());
                let params: [&(dyn ToSql + Sync); 2] = [&query.text, &vector];
                let mut answers: [Vec<(Uuid, f64)>; 2] = Default::default();
                for (answer, statement) in answers.iter_mut().zip([&search, &explain]) {
                    let (found, _) = bench.server.time(statement, &params)?;
                    *answer = found
                        .iter()
                        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                        .collect::<Result<_>>()?;
                }
                compared += 1;
                rows += answers[0].len();
                if answers[0] != answers[1] {
                    different.push(format!("{} ({}, {arguments})", query.text, query.stratum.name()));
                }
            }
        }
        let first = different.first().map(|query| format!("; the first: {query}")).unwrap_or_default();
        bench.report.check(
            &format!("kb_explain, {len} chunks: the results of kb_search in their order"),
            &format!("{} of {compared} searches with {rows} rows{first}", compared - different.len()),
            different.is_empty() && rows > compared,
        )?;
        bench.report.progress(&format!("explained searches at {len} chunks"));
    }
    Ok(())
}
