//! Tenants who share a base under row security: no function reveals anything about another tenant.

use std::collections::BTreeSet;

use kb_rag_cluster_tests::{Database, Session};
use postgres::{Client, Row};
use uuid::Uuid;

/// Both tenants write with these words, so that their vocabularies are the same.
const WORDS: [&str; 24] = [
    "heron", "river", "sand", "house", "stone", "water", "light", "winter", "garden", "letter", "bridge",
    "market", "engine", "copper", "island", "mirror", "window", "basket", "ladder", "candle", "forest",
    "harbor", "thunder", "velvet",
];

/// A small generator, so that every run makes the same queries.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }
}

/// A base shared by two tenants, and two with only the first tenant's documents: `alone` has the same policies, `open` has
/// none.
struct Shared {
    database: Database,
    tenant: String,
    other: String,
    as_owner: Client,
}

/// `policies`: as the manual recommends for roles that read chunks directly; otherwise on `document` only.
fn shared_base(policies: bool) -> Shared {
    let database = Database::create();
    let (tenant, other) = (database.create_role("tenant"), database.create_role("other"));
    let mut as_owner = database.connect();
    for base in ["shared", "alone", "open"] {
        as_owner.create_base(base);
        as_owner.run(&format!("SELECT kb_grant('{base}', '{tenant}', 'write')"));
    }
    as_owner.run(&format!("SELECT kb_grant('shared', '{other}', 'write')"));
    for schema in ["kb_shared", "kb_alone"] {
        as_owner.run(&format!(
            "ALTER TABLE {schema}.document ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON {schema}.document USING (metadata->>'tenant' = current_user)"
        ));
        if policies {
            as_owner.run(&format!(
                "ALTER TABLE {schema}.source ENABLE ROW LEVEL SECURITY;
                 ALTER TABLE {schema}.chunk ENABLE ROW LEVEL SECURITY;
                 ALTER TABLE {schema}.embedding ENABLE ROW LEVEL SECURITY;
                 CREATE POLICY own ON {schema}.chunk
                     USING (EXISTS (SELECT FROM {schema}.document d WHERE d.id = document_id));
                 CREATE POLICY own ON {schema}.embedding
                     USING (EXISTS (SELECT FROM {schema}.chunk c WHERE c.id = chunk_id))"
            ));
        }
    }
    let mut random = Random(7);
    for number in 0..60 {
        for (of_tenant, name) in [(true, &tenant), (false, &other)] {
            let title = random.words(2);
            let count = 5 + random.below(60);
            // The other tenant's documents use more languages and contain a word of their own.
            let (content, language) = match (of_tenant, number % 3) {
                (true, _) => (random.words(count), None),
                (false, 0) => (format!("{} confidential", random.words(count)), Some("german")),
                (false, _) => (format!("{} confidential", random.words(3 * count)), None),
            };
            let bases: &[&str] =
                if of_tenant { &["kb_shared", "kb_alone", "kb_open"] } else { &["kb_shared"] };
            let id = Uuid::from_u128(u128::from(of_tenant) << 64 | number);
            for base in bases {
                as_owner
                    .execute(
                        &format!(
                            "INSERT INTO {base}.document (id, title, content, language, metadata)
                             VALUES ($1, $2, $3, $4, jsonb_build_object('tenant', $5::text, 'n', $6::int))"
                        ),
                        &[&id, &title, &content, &language, name, &(number as i32 % 4)],
                    )
                    .unwrap();
            }
        }
    }
    Shared { database, tenant, other, as_owner }
}

/// The contents of a row, except ids of chunks and the name of the base, which differ between the two bases.
fn reported(row: &Row) -> String {
    let text = |column: &str| row.try_get::<_, Option<String>>(column).unwrap_or(None);
    let number = |column: &str| {
        let number = row.try_get::<_, Option<f64>>(column).unwrap_or(None);
        number.map(|number| format!("{number:?}"))
    };
    let rank = |column: &str| row.try_get::<_, Option<i32>>(column).unwrap_or(None);
    format!(
        "{:?} {:?} {:?} score {:?} similarity {:?} keyword {:?} ranks {:?} {:?}",
        row.try_get::<_, Uuid>("document_id").ok(),
        text("title"),
        text("content"),
        number("score"),
        number("similarity"),
        number("keyword_score"),
        rank("semantic_rank"),
        rank("keyword_rank"),
    )
}

/// The rows of a call with the name of a base in place of `{base}`. Rows with the same score are sorted,
/// because ties are broken by ids, which differ.
fn answer(client: &mut Client, call: &str, base: &str) -> Vec<String> {
    let sql = format!("SELECT * FROM {}", call.replace("{base}", base));
    let rows = client.query(&sql, &[]).unwrap_or_else(|e| panic!("{sql}\n  {e:?}"));
    let mut rows: Vec<String> = rows.iter().map(reported).collect();
    rows.sort();
    rows
}

/// One of the calls that a tenant may make, over every argument that selects a code path.
fn call(random: &mut Random) -> String {
    let count = 1 + random.below(4);
    let mut query = random.words(count);
    match random.below(6) {
        0 => query.push_str(&format!(" -{}", random.words(1))),
        1 => query.push_str(&format!(" \"{}\"", random.words(2))),
        2 => query.push_str(" confidential"),
        _ => {}
    }
    // More than exist, so that no tie is cut.
    let filter = ["{}", "{}", "{\"n\": 1}", "{\"tenant\": \"nobody\"}"][random.below(4)];
    let fusion = ["rrf", "relative"][random.below(2)];
    let ranker = ["bm25", "bm25", "ts_rank", "ts_rank_cd"][random.below(4)];
    let per_document = ["NULL", "NULL", "1"][random.below(3)];
    let arguments = format!(
        "match_count => 1000, filter => '{filter}', fusion => '{fusion}', ranker => '{ranker}', max_per_document => {per_document}"
    );
    match random.below(5) {
        0 => format!("kb_hybrid_search('{query}', '{{base}}', {arguments})"),
        1 => format!("kb_search('{query}', '{{base}}', 'semantic', {arguments})"),
        2 => format!("kb_search('{query}', '{{base}}', 'keyword', {arguments})"),
        3 => format!(
            "match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = '{{base}}'), kb_embed('{query}', 'fake/test', 8), 1000, -1)"
        ),
        _ => format!(
            "kb_hybrid_search('{query}', agent_id => (SELECT id FROM kb_list() WHERE name = '{{base}}'), {arguments})"
        ),
    }
}

/// A row of kb_rag.status: name, documents, chunks, embedded, bytes and segments.
type Counted = (String, i64, i64, i64, Option<i64>, Option<i64>);

fn a_thousand_queries(policies: bool, queries: usize) {
    let mut shared = shared_base(policies);
    let mut client = shared.database.connect_as(&shared.tenant);
    let mut as_other = shared.database.connect_as(&shared.other);
    let mut random = Random(if policies { 11 } else { 13 });
    let mut found = 0;
    for number in 0..queries {
        let call = call(&mut random);
        let in_shared = answer(&mut client, &call, "shared");
        assert_eq!(in_shared, answer(&mut client, &call, "alone"), "{call}");
        assert!(!in_shared.iter().any(|row| row.contains("confidential")), "{call}");
        found += in_shared.len();
        // The other tenant keeps writing.
        if number % 10 == 0 {
            as_other
                .execute(
                    "INSERT INTO kb_shared.document (content, metadata) VALUES ($1, jsonb_build_object('tenant', current_user))",
                    &[&format!("{} confidential", random.words(40))],
                )
                .unwrap();
        }
        if number % 50 == 0 {
            as_other.run(
                "DELETE FROM kb_shared.document
                 WHERE id IN (SELECT id FROM kb_shared.document ORDER BY created_at, id LIMIT 3)",
            );
            let counts: Vec<Counted> = client
                .query("SELECT knowledge_base, documents, chunks, embedded, table_bytes, unmerged_segments FROM kb_rag.status ORDER BY 1", &[])
                .unwrap()
                .iter()
                .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4), row.get(5)))
                .collect();
            let open = &counts[1];
            assert!(open.4.is_some() && open.5.is_some(), "sizes of a base without row security");
            for (place, name) in [(0, "alone"), (2, "shared")] {
                let expected = (name.to_string(), open.1, open.2, open.3, None, None);
                assert_eq!(counts[place], expected, "kb_rag.status");
            }
        }
    }
    assert!(found > queries * 5, "{found} chunks in {queries} answers");
    let hidden: i64 = shared
        .as_owner
        .value("SELECT count(*) FROM kb_shared.document WHERE metadata->>'tenant' <> $1", &[&shared.tenant]);
    assert!(hidden >= 60, "{hidden} documents were hidden");
}

#[test]
fn searches_under_row_security_reveal_nothing_of_other_tenants() {
    a_thousand_queries(false, 1_000);
}

#[test]
fn searches_with_policies_on_chunks_reveal_nothing_of_other_tenants() {
    a_thousand_queries(true, 300);
}

/// Under row security a search counts, ranks and reads in another way, but its answers are those of a base that hides
/// nothing.
#[test]
fn searches_under_row_security_have_the_answers_of_an_open_base() {
    let shared = shared_base(true);
    let mut client = shared.database.connect_as(&shared.tenant);
    let mut random = Random(13);
    for _ in 0..1_000 {
        let call = call(&mut random);
        let [alone, open] = ["alone", "open"].map(|base| answer(&mut client, &call, base));
        assert_eq!(alone, open, "{call}");
    }
}

/// The policies recommended in the manual make direct reads as safe as searches.
#[test]
fn direct_reads_show_a_tenant_its_own_rows() {
    let shared = shared_base(true);
    let mut client = shared.database.connect_as(&shared.tenant);
    let own: BTreeSet<Uuid> = client.column("SELECT id FROM kb_shared.document", &[]).into_iter().collect();
    let of_alone: BTreeSet<Uuid> =
        client.column("SELECT id FROM kb_alone.document", &[]).into_iter().collect();
    assert_eq!(own, of_alone);
    for (query, table) in [
        ("SELECT content FROM {schema}.chunk ORDER BY content", "chunk"),
        ("SELECT tsv::text FROM {schema}.chunk ORDER BY tsv::text", "tsv"),
        (
            "SELECT d.title || c.content || e.embedding::text FROM {schema}.embedding e
             JOIN {schema}.chunk c ON c.id = e.chunk_id JOIN {schema}.document d ON d.id = c.document_id ORDER BY 1",
            "embedding",
        ),
    ] {
        let of = |client: &mut Client, schema: &str| -> Vec<String> {
            client.column(&query.replace("{schema}", schema), &[])
        };
        let (in_shared, in_alone) = (of(&mut client, "kb_shared"), of(&mut client, "kb_alone"));
        assert!(!in_shared.is_empty());
        assert_eq!(in_shared, in_alone, "{table}");
    }
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_shared.source", &[]), 0);
    for table in ["keyword_segment", "keyword_run"] {
        assert_eq!(
            client.state_of(&format!("SELECT count(*) FROM kb_shared.{table}"), &[]),
            "42501",
            "{table}"
        );
    }
    for statement in ["TRUNCATE kb_shared.document CASCADE", "TRUNCATE kb_shared.chunk CASCADE"] {
        assert_eq!(client.state_of(statement, &[]), "42501", "{statement}");
    }
}

/// Errors that a tenant receives only quote the tenant's own text.
#[test]
fn errors_quote_nothing_of_other_tenants() {
    let mut shared = shared_base(true);
    let mut client = shared.database.connect_as(&shared.tenant);
    let (tenant, other) = (shared.tenant.clone(), shared.other.clone());
    shared.as_owner.run(&format!(
        "SELECT kb_add('shared', 'The confidential text.', title => 'confidential', source_key => 'taken',
             metadata => jsonb_build_object('tenant', '{other}'))"
    ));
    let foreign: Uuid =
        shared.as_owner.value("SELECT id FROM kb_shared.document WHERE source_key = 'taken'", &[]);
    let of = |who: &str| format!("jsonb_build_object('tenant', '{who}')");
    for (statement, state) in [
        (
            format!("SELECT kb_add('shared', 'Mine.', source_key => 'taken', metadata => {})", of(&tenant)),
            "42501",
        ),
        (format!("SELECT kb_add('shared', 'His.', metadata => {})", of(&other)), "42501"),
        (
            format!(
                "INSERT INTO kb_shared.document (content, source_key, metadata) VALUES ('Mine.', 'taken', {})",
                of(&tenant)
            ),
            "23505",
        ),
        (
            format!(
                "INSERT INTO kb_shared.document (id, content, metadata) VALUES ('{foreign}', 'Mine.', {})",
                of(&tenant)
            ),
            "23505",
        ),
        (format!("UPDATE kb_shared.document SET metadata = {}", of(&other)), "42501"),
        (format!("UPDATE kb_shared.document SET content = 'x' WHERE id = '{foreign}'"), "00000"),
        (format!("DELETE FROM kb_shared.document WHERE id = '{foreign}'"), "00000"),
        ("SET row_security = off; SELECT * FROM kb_search('heron', 'shared')".to_string(), "42501"),
        (
            "SET row_security = off; SELECT * FROM kb_search('heron', 'shared', 'semantic')".to_string(),
            "42501",
        ),
    ] {
        match client.batch_execute(&statement) {
            Ok(()) => assert_eq!(state, "00000", "{statement}"),
            Err(error) => {
                let error = error.as_db_error().unwrap_or_else(|| panic!("{statement}: {error}"));
                assert_eq!(error.code().code(), state, "{statement}: {error}");
                let said = format!("{error:?}");
                assert!(
                    !said.contains("confidential") && !said.contains(&foreign.to_string()),
                    "{statement}: {said}"
                );
                assert!(error.detail().is_none(), "{statement}: {error:?}");
            }
        }
    }
    let kept: String =
        shared.as_owner.value("SELECT content FROM kb_shared.document WHERE id = $1", &[&foreign]);
    assert_eq!(kept, "The confidential text.");
}
