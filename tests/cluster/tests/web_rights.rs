//! Who may have pages fetched, and what becomes of sources whose role, agent, row or base goes.

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::{Web, WebSession};
use postgres::Client;
use uuid::Uuid;

const AGENTS: [&str; 2] = ["a0000000-0000-0000-0000-00000000000a", "a0000000-0000-0000-0000-00000000000b"];

fn two_pages() -> Site {
    Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a"])),
        ("/docs/a", Page::article("A", "The page a.")),
        ("/page", Page::article("Page", "A page of its own.")),
    ])
}

/// A role that may write to `notes` and fetch.
fn fetching_role(web: &mut Web, prefix: &str) -> (String, Client) {
    let role = web.database.create_role(prefix);
    web.client
        .run(&format!("SELECT kb_grant('notes', '{role}', 'write'), kb_provider_grant('web', '{role}')"));
    let client = web.database.connect_as(&role);
    (role, client)
}

#[test]
fn only_writers_with_a_grant_add_urls() {
    let mut web = Web::from_site(two_pages());
    let url = web.site.url("/page");
    let role = web.database.create_role("writer");
    let mut as_role = web.database.connect_as(&role);
    let add = "SELECT kb_add_url('notes', $1)";
    for (given, state) in [
        ("SELECT kb_grant('notes', '{role}', 'read'), kb_provider_grant('web', '{role}')", "42501"),
        ("SELECT kb_revoke('notes', '{role}', 'read'), kb_provider_revoke('web', '{role}')", "42501"),
        ("SELECT kb_grant('notes', '{role}', 'write')", "42501"),
        ("SELECT kb_provider_grant('web', '{role}')", "00000"),
    ] {
        web.client.run(&given.replace("{role}", &role));
        assert_eq!(as_role.state_of(add, &[&url]), state, "{given}");
    }
    let error = |client: &mut Client, sql: &str, id: Uuid| client.state_of(sql, &[&id]);
    let source: Uuid = as_role.value("SELECT source_id FROM kb_source_list()", &[]);
    web.work();
    web.has(&["/page"]);
    // The rest needs them as well.
    web.client.run(&format!("SELECT kb_provider_revoke('web', '{role}')"));
    assert_eq!(error(&mut as_role, "SELECT kb_source_sync($1)", source), "42501");
    assert_eq!(as_role.value::<i64>("SELECT kb_source_sync()", &[]), 0);
    web.client
        .run(&format!("SELECT kb_grant('notes', '{role}', 'read'), kb_provider_grant('web', '{role}')"));
    assert_eq!(as_role.value::<i64>("SELECT count(*) FROM kb_source_list()", &[]), 1);
    web.client
        .run(&format!("SELECT kb_revoke('notes', '{role}', 'read'), kb_grant('notes', '{role}', 'read')"));
    assert_eq!(error(&mut as_role, "SELECT kb_source_sync($1)", source), "42501");
    assert_eq!(error(&mut as_role, "SELECT kb_source_drop($1)", source), "42501");
    // Who may not read the base does not learn that the source exists.
    web.client.run(&format!("SELECT kb_revoke('notes', '{role}', 'read')"));
    for sql in ["SELECT kb_source_sync($1)", "SELECT kb_source_drop($1)"] {
        assert_eq!(error(&mut as_role, sql, source), "42704", "{sql}");
        assert_eq!(error(&mut as_role, sql, Uuid::nil()), "42704", "{sql}");
    }
    assert_eq!(as_role.value::<i64>("SELECT count(*) FROM kb_source_list()", &[]), 0);
    web.client.run(&format!("SELECT kb_grant('notes', '{role}', 'write')"));
    assert_eq!(error(&mut as_role, "SELECT kb_source_sync($1)", source), "00000");
    assert_eq!(error(&mut as_role, "SELECT kb_source_drop($1)", source), "00000");
    web.has(&[]);
}

/// A grant for one agent is checked at each fetch, and so is one without auto_sync.
#[test]
fn grants_with_limits_hold_when_pages_are_fetched() {
    let mut web = Web::from_site(two_pages());
    let (page, site) = (web.site.url("/page"), web.site.url("/docs/"));
    let role = web.database.create_role("limited");
    let [official, regular] = AGENTS;
    web.client.run(&format!(
        "SELECT kb_grant('notes', '{role}', 'write'), kb_provider_grant('web', '{role}', auto_sync => false),
            kb_provider_grant('web', '{role}', agent_id => '{official}')"
    ));
    let mut as_role = web.database.connect_as(&role);
    let once = as_role.add_url(&page, &format!("agent_id => '{regular}'"));
    let synced = as_role.add_url(&site, &format!("agent_id => '{official}', auto_sync => true"));
    let add = format!("SELECT kb_add_url('notes', $1, agent_id => '{regular}', auto_sync => true)");
    assert_eq!(as_role.state_of(&add, &[&page]), "42501");
    web.work();
    web.succeeded(once);
    web.succeeded(synced);
    // The grant goes while both are queued again.
    for source in [once, synced] {
        assert_eq!(as_role.state_of("SELECT kb_source_sync($1)", &[&source]), "00000");
    }
    web.client.run(&format!("SELECT kb_provider_revoke('web', '{role}', '{official}')"));
    web.work();
    web.succeeded(once);
    let failed: String =
        web.client.value("SELECT error_message FROM kb_source_list() WHERE source_id = $1", &[&synced]);
    assert!(failed.contains("permission denied for provider \"web\""), "{failed}");
    let kept: i64 =
        web.client.value("SELECT documents FROM kb_source_list() WHERE source_id = $1", &[&synced]);
    assert_eq!(kept, 1);
    // The call that the hint names.
    web.client.run(&format!("SELECT kb_provider_grant('web', '{role}', agent_id => '{official}')"));
    web.sync(synced);
    web.succeeded(synced);
}

/// Writers of a base may write its table source. Nothing there is obeyed.
#[test]
fn rows_of_the_table_source_are_not_obeyed() {
    let mut web = Web::from_site(two_pages());
    let (_, mut writer) = fetching_role(&mut web, "forger");
    let source = writer.add_url(&web.site.url("/page"), "");
    web.work();
    web.site.forget();
    let forged = web.site.url("/docs/");
    writer
        .execute(
            "INSERT INTO kb_notes.source (kind, location, status, auto_sync, sync_interval, options)
             VALUES ('url', $1, 'pending', true, '15 minutes', '{\"content_type\": \"docs\", \"crawl_depth\": 5}')",
            &[&forged],
        )
        .expect("a writer may write it");
    let changed = writer
        .execute(
            "UPDATE kb_notes.source SET location = $1, options = '{\"content_type\": \"docs\"}', status = 'pending' WHERE id = $2",
            &[&forged, &source],
        )
        .expect("a writer may write it");
    assert_eq!(changed, 1);
    let fake: Uuid = web.client.value("SELECT id FROM kb_notes.source WHERE id <> $1", &[&source]);
    assert_eq!(writer.state_of("SELECT kb_source_sync($1)", &[&fake]), "42704");
    assert_eq!(writer.value::<i64>("SELECT kb_source_sync()", &[]), 0);
    web.work();
    assert_eq!(web.site.paths().len(), 0);
    // The URL that was added is shown and fetched.
    let shown: String =
        web.client.value("SELECT location FROM kb_source_list() WHERE source_id = $1", &[&source]);
    assert_eq!(shown, web.site.url("/page"));
    web.sync(source);
    assert_eq!(web.site.paths(), ["/robots.txt", "/page"]);
    web.has(&["/page"]);
}

#[test]
fn a_deleted_row_ends_the_source() {
    let mut web = Web::from_site(two_pages());
    let (_, mut writer) = fetching_role(&mut web, "writer");
    let url = web.site.url("/docs/");
    let source = writer.add_url(&url, "content_type => 'docs', auto_sync => true");
    web.work();
    web.has(&["/docs/", "/docs/a"]);
    web.site.forget();
    web.client.run(&format!("UPDATE kb_rag.web_schedule SET next_sync_at = now() - interval '1 hour'; DELETE FROM kb_notes.source WHERE id = '{source}'"));
    web.has(&[]);
    web.work();
    assert_eq!((web.site.paths().len(), web.rows()), (0, [0; 4]));
    // In the middle of a crawl.
    let source = writer.add_url(&url, "content_type => 'docs'");
    web.client.run(&format!("DELETE FROM kb_notes.source WHERE id = '{source}'"));
    web.work();
    assert_eq!((web.site.paths().len(), web.rows()), (0, [0; 4]));
    // The same URL again is a new source.
    let again = writer.add_url(&url, "content_type => 'docs'");
    web.work();
    web.succeeded(again);
    web.has(&["/docs/", "/docs/a"]);
}

#[test]
fn drops_leave_nothing() {
    let mut web = Web::from_site(two_pages());
    let source = web.crawl("/docs/", ", auto_sync => true");
    web.add("/page", "");
    web.client.run(&format!("SELECT kb_source_drop('{source}')"));
    web.work();
    web.has(&["/page"]);
    assert_eq!(web.rows(), [1, 1, 1, 0]);
    assert_eq!(web.client.value::<i64>("SELECT count(*) FROM kb_notes.source", &[]), 1);
    let chunks = "SELECT count(*) FROM kb_notes.chunk";
    assert_eq!(web.client.value::<i64>(chunks, &[]), 1);
    assert_eq!(web.client.state_of("SELECT kb_source_drop($1)", &[&source]), "42704");
    // Jobs that wait go, too.
    let source = web.add("/docs/", "content_type => 'docs'");
    web.client.run(&format!("SELECT kb_source_drop('{source}')"));
    assert_eq!(web.rows(), [1, 1, 1, 0]);
    web.add("/docs/", "content_type => 'docs'");
    web.client.run("SELECT kb_drop('notes')");
    assert_eq!(web.rows(), [0; 4]);
}

#[test]
fn a_revoked_grant_stops_the_source() {
    let mut web = Web::from_site(two_pages());
    let (role, mut writer) = fetching_role(&mut web, "writer");
    let source = writer.add_url(&web.site.url("/docs/"), "content_type => 'docs', auto_sync => true");
    web.work();
    web.succeeded(source);
    let due = "UPDATE kb_rag.web_schedule SET next_sync_at = now() - interval '1 hour'";
    for (revoke, grant, part) in [
        (
            "kb_provider_revoke('web', '{role}')",
            "kb_provider_grant('web', '{role}')",
            "permission denied for provider \"web\"",
        ),
        ("kb_grant('notes', '{role}', 'read')", "kb_grant('notes', '{role}', 'write')", "permission denied"),
    ] {
        web.site.forget();
        web.client.run(&format!("SELECT {}", revoke.replace("{role}", &role)));
        if revoke.contains("read") {
            web.client.run(&format!(
                "SELECT kb_revoke('notes', '{role}', 'read'), kb_grant('notes', '{role}', 'read')"
            ));
        }
        web.client.run(due);
        web.work();
        web.is(source, "failed", part);
        assert_eq!(web.site.paths().len(), 0, "{revoke}");
        web.has(&["/docs/", "/docs/a"]);
        web.client.run(&format!("SELECT {}; {due}", grant.replace("{role}", &role)));
        web.work();
        web.succeeded(source);
        assert_eq!(web.site.times("/docs/a"), 1);
    }
    // In the middle of a crawl: the next page is not fetched.
    web.site.forget();
    web.client.run(&format!("SELECT kb_source_sync('{source}')"));
    web.client.run("UPDATE kb_rag.web_host SET next_at = now()");
    let mut revoker = web.database.connect();
    web.site.set("/robots.txt", Page::text("User-agent: *\nCrawl-delay: 1\n"));
    web.client.run("CALL kb_work(0.3)");
    assert_eq!((web.site.times("/docs/"), web.site.times("/docs/a")), (1, 0));
    revoker.run(&format!("SELECT kb_provider_revoke('web', '{role}')"));
    web.work();
    assert_eq!((web.site.times("/docs/"), web.site.times("/docs/a")), (1, 0));
    web.is(source, "failed", "permission denied for provider \"web\"");
    web.has(&["/docs/", "/docs/a"]);
}

#[test]
fn a_dropped_role_stops_the_source() {
    let mut web = Web::from_site(two_pages());
    let (role, mut writer) = fetching_role(&mut web, "leaver");
    let source = writer.add_url(&web.site.url("/page"), "");
    web.work();
    drop(writer);
    web.site.forget();
    web.client.run(&format!(
        "SELECT kb_revoke('notes', '{role}', 'read'), kb_provider_revoke('web', '{role}'); DROP ROLE {role}"
    ));
    web.client.run(&format!("SELECT kb_source_sync('{source}')"));
    web.work();
    web.is(source, "failed", &format!("role \"{role}\", which added the URL, does not exist"));
    assert_eq!(web.site.paths().len(), 0);
    web.has(&["/page"]);
    // Whoever adds it again answers for it from then on.
    assert_eq!(web.add("/page", ""), source);
    web.work();
    web.succeeded(source);
}

#[test]
fn agents_have_sources_of_their_own() {
    let mut web = Web::from_site(two_pages());
    let url = web.site.url("/page");
    let add = |web: &mut Web, agent: &str| web.client.add_url(&url, &format!("agent_id => '{agent}'"));
    let sources = AGENTS.map(|agent| add(&mut web, agent));
    assert_ne!(sources[0], sources[1]);
    web.work();
    web.has(&["/page", "/page"]);
    for (agent, source) in AGENTS.iter().zip(sources) {
        assert_eq!(add(&mut web, agent), source);
        let listed: Vec<Uuid> = web.client.column(
            "SELECT source_id FROM kb_source_list(agent_id => $1)",
            &[&Uuid::parse_str(agent).expect("a UUID")],
        );
        assert_eq!(listed, [source]);
        let of_agent: i64 = web.client.value(
            "SELECT count(*) FROM kb_notes.document WHERE source_id = $1 AND metadata->>'agent_id' = $2",
            &[&source, agent],
        );
        assert_eq!(of_agent, 1);
    }
    web.work();
    web.has(&["/page", "/page"]);
    // A name in the metadata does not make a document that of another agent.
    web.client.add_url(
        &url,
        &format!("agent_id => '{}', metadata => '{{\"agent_id\": \"{}\"}}'", AGENTS[0], AGENTS[1]),
    );
    web.work();
    let forged: i64 = web
        .client
        .value("SELECT count(*) FROM kb_notes.document WHERE metadata->>'agent_id' = $1", &[&AGENTS[1]]);
    assert_eq!(forged, 1);
    web.client.run(&format!("SELECT kb_agent_drop('{}', true)", AGENTS[0]));
    web.has(&["/page"]);
    let left: Vec<Uuid> = web.client.column("SELECT source_id FROM kb_source_list()", &[]);
    assert_eq!(left, [sources[1]]);
    assert_eq!(web.rows(), [1, 1, 1, 0]);
}

/// Tenants who share a base under row security.
#[test]
fn tenants_have_sources_of_their_own() {
    let mut web = Web::from_site(two_pages());
    let (one, mut as_one) = fetching_role(&mut web, "one");
    let (two, mut as_two) = fetching_role(&mut web, "two");
    web.client.run(
        "ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
         CREATE POLICY own ON kb_notes.document USING (metadata->>'tenant' = current_user)",
    );
    let url = web.site.url("/page");
    let add =
        "SELECT kb_add_url('notes', $1, metadata => jsonb_build_object('tenant', $2::text), agent_id => $3)";
    // A document of the same key that was not fetched is in nobody's way.
    web.client
        .execute(
            "INSERT INTO kb_notes.document (source_type, source_key, content) VALUES ('webpage', $1, 'By hand.')",
            &[&url],
        )
        .expect("a document");
    let agents = AGENTS.map(|agent| Uuid::parse_str(agent).expect("a UUID"));
    assert_eq!(as_one.state_of(add, &[&url, &two, &agents[0]]), "42501");
    assert_eq!(as_one.state_of("SELECT kb_add_url('notes', $1)", &[&url]), "42501");
    assert_eq!(as_one.state_of(add, &[&url, &one, &agents[0]]), "00000");
    assert_eq!(as_two.state_of(add, &[&url, &two, &agents[1]]), "00000");
    web.client.run("DELETE FROM kb_notes.document WHERE content = 'By hand.'");
    web.work();
    web.has(&["/page", "/page"]);
    let listed = "SELECT metadata->>'tenant' FROM kb_source_list()";
    for (client, tenant) in [(&mut as_one, &one), (&mut as_two, &two)] {
        assert_eq!(client.column::<String>(listed, &[]), std::slice::from_ref(tenant));
        assert_eq!(
            client.column::<String>(
                "SELECT kb_source_list.metadata->>'tenant' FROM kb_source_list('notes')",
                &[]
            ),
            std::slice::from_ref(tenant)
        );
        let seen: i64 = client.value("SELECT count(*) FROM kb_search('page', 'notes', 'keyword')", &[]);
        assert_eq!(seen, 1);
    }
    assert_eq!(web.client.column::<String>(listed, &[]).len(), 2);
    // Another tenant's source can neither be fetched again, nor dropped, nor taken over.
    let of_two: Uuid = as_two.value("SELECT source_id FROM kb_source_list()", &[]);
    let in_agent = "SELECT kb_add_url('notes', $1, metadata => jsonb_build_object('tenant', current_user), agent_id => $2)";
    web.site.forget();
    assert_eq!(as_one.state_of("SELECT kb_source_sync($1)", &[&of_two]), "42704");
    assert_eq!(as_one.state_of("SELECT kb_source_sync($1, true)", &[&of_two]), "42704");
    assert_eq!(as_one.state_of("SELECT kb_source_drop($1)", &[&of_two]), "42704");
    assert_eq!(as_one.state_of(in_agent, &[&url, &agents[1]]), "42501");
    // Nor one that has no documents yet.
    let gone = web.site.url("/gone");
    assert_eq!(as_two.state_of(in_agent, &[&gone, &agents[1]]), "00000");
    web.work();
    let empty: Uuid =
        web.client.value("SELECT source_id FROM kb_source_list() WHERE location = $1", &[&gone]);
    assert_eq!(as_one.state_of("SELECT kb_source_drop($1)", &[&empty]), "42704");
    assert_eq!(as_one.value::<i64>("SELECT kb_agent_drop($1, true)::int8", &[&agents[1]]), 0);
    assert_eq!(as_one.value::<i64>("SELECT kb_source_sync()", &[]), 0);
    web.work();
    web.has(&["/page", "/page"]);
    assert_eq!(web.site.paths(), ["/robots.txt", "/gone"]);
    // The controls.
    assert_eq!(as_two.state_of("SELECT kb_source_drop($1)", &[&empty]), "00000");
    assert_eq!(as_two.state_of("SELECT kb_source_sync($1)", &[&of_two]), "00000");
    assert_eq!(as_two.state_of(in_agent, &[&url, &agents[1]]), "00000");
    let of_one: Uuid = as_one.value("SELECT source_id FROM kb_source_list()", &[]);
    assert_eq!(as_one.state_of("SELECT kb_source_drop($1)", &[&of_one]), "00000");
    assert_eq!(web.documents().len(), 1);
    assert_eq!(as_two.state_of("SELECT kb_agent_drop($1, true)", &[&agents[1]]), "00000");
    web.has(&[]);
    assert_eq!(web.rows(), [0; 4]);
}
