//! The C symbols that install scripts name. An older catalog calls the present library, so a symbol never changes its arguments: a
//! function with a new argument has a new symbol.

use std::collections::BTreeMap;

use kb_rag_cluster_tests::{Database, Session};
use postgres::Client;

/// Released versions with an install script in tests/upgrade.
const RELEASES: [&str; 1] = ["0.3.0"];

/// For each symbol what its functions take and return.
fn symbols(client: &mut Client) -> BTreeMap<String, Vec<String>> {
    let sql = "SELECT p.prosrc, array_agg(DISTINCT concat(
             CASE WHEN p.proretset THEN 'SETOF ' END, p.prorettype::regtype, ' ', p.proisstrict, ' (',
             (SELECT string_agg(concat_ws(' ', m.mode, t.type::regtype), ', ' ORDER BY t.n)
                 FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY t (type, n)
                 LEFT JOIN unnest(p.proargmodes) WITH ORDINALITY m (mode, n) USING (n)), ')'))
         FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
         JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
         JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
         GROUP BY p.prosrc";
    client.query(sql, &[]).unwrap().iter().map(|row| (row.get(0), row.get(1))).collect()
}

#[test]
fn a_symbol_keeps_its_arguments() {
    let now = symbols(&mut Database::create().connect());
    let mut changed = Vec::new();
    for version in RELEASES {
        let database = Database::bare("");
        let mut client = database.connect();
        client.run(&format!("CREATE EXTENSION vector; CREATE EXTENSION kb_rag VERSION '{version}'"));
        let then = symbols(&mut client);
        assert!(then.len() > 10, "{then:#?}");
        for (symbol, before) in then {
            if let Some(now) = now.get(&symbol).filter(|now| **now != before) {
                changed.push(format!("{version} {symbol}: {before:?} and now {now:?}"));
            }
        }
    }
    assert!(changed.is_empty(), "{changed:#?}");
}

/// Functions of older catalogs answer, or report what they lack, whatever their symbols are today. Where the format has not risen
/// since, none reports the version.
#[test]
fn functions_of_older_catalogs_can_be_called() {
    for version in RELEASES {
        let database = Database::bare("");
        let mut client = database.connect();
        client.run(&format!("CREATE EXTENSION vector; CREATE EXTENSION kb_rag VERSION '{version}'"));
        let start = client.server_start();
        let calls: Vec<String> = client.column(
            "SELECT format(CASE p.prokind WHEN 'p' THEN 'CALL %s(%s)' ELSE 'SELECT * FROM %s(%s)' END, p.oid::regproc,
                 (SELECT string_agg('NULL::' || format_type(t, NULL), ', ') FROM unnest(p.proargtypes) t))
             FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
             JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
             JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
             WHERE p.prorettype <> 'trigger'::regtype AND NOT ARRAY['internal', 'anyelement']::regtype[]::oid[] && p.proargtypes::oid[] ORDER BY 1",
            &[],
        );
        assert!(calls.len() > 10, "{calls:#?}");
        let mut answered = 0;
        for call in calls {
            let state = client.state_of(&call, &[]);
            assert!(["00000", "22004", "22023"].contains(&state.as_str()), "{version}: {call}: {state}");
            answered += u32::from(state == "00000");
        }
        assert!(answered > 5, "{answered} calls answer");
        assert_eq!(client.server_start(), start);
    }
}
