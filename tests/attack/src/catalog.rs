//! What can be attacked: the functions, views, settings and tables that PostgreSQL's catalog lists.

use postgres::Client;

/// A function or procedure of the extension.
pub struct Function {
    /// Schema and name, quoted.
    pub name: String,
    /// Whether CALL runs it.
    pub is_procedure: bool,
    /// Whether its result is void or a trigger's, which have no text form.
    pub is_void: bool,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// How many of its last arguments have a default.
    pub defaults: usize,
}

/// An argument of a function, or a column of a table.
#[derive(Clone)]
pub struct Argument {
    /// Its name, not quoted; empty if it has none.
    pub name: String,
    /// Schema and name of its type, quoted.
    pub type_name: String,
    /// The type modifier, such as the dimensions of a vector; -1 for none.
    pub modifier: i32,
}

/// A setting of the extension.
pub struct Setting {
    /// Its name.
    pub name: String,
    /// bool, integer, real, string or enum.
    pub kind: String,
}

/// A table.
pub struct Table {
    /// Its name without the schema, not quoted.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Argument>,
}

/// The functions of the extension that can be called from SQL.
pub fn functions(client: &mut Client) -> Vec<Function> {
    let rows = client
        .query(
            "SELECT format('%I.%I', n.nspname, p.proname), p.prokind = 'p', p.prorettype IN ('void'::regtype, 'trigger'::regtype),
                 coalesce(p.proargnames[:p.pronargs], '{}'), p.pronargdefaults::int,
                 ARRAY(SELECT format('%I.%I', tn.nspname, t.typname)
                     FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a (oid, place)
                     JOIN pg_type t ON t.oid = a.oid JOIN pg_namespace tn ON tn.oid = t.typnamespace ORDER BY place)
             FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid JOIN pg_namespace n ON n.oid = p.pronamespace
             WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
                 AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'kb_rag')
                 AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[])
             ORDER BY 1, 6",
            &[],
        )
        .expect("the functions of the extension");
    rows.iter()
        .map(|row| {
            let (names, types): (Vec<String>, Vec<String>) = (row.get(3), row.get(5));
            let named = |place: usize| names.get(place).cloned().unwrap_or_default();
            Function {
                name: row.get(0),
                is_procedure: row.get(1),
                is_void: row.get(2),
                defaults: usize::try_from(row.get::<_, i32>(4)).expect("a count"),
                arguments: types
                    .into_iter()
                    .enumerate()
                    .map(|(place, type_name)| Argument { name: named(place), type_name, modifier: -1 })
                    .collect(),
            }
        })
        .collect()
}

/// The views of the extension, schema and name quoted.
pub fn views(client: &mut Client) -> Vec<String> {
    client
        .query(
            "SELECT format('%I.%I', n.nspname, c.relname)
             FROM pg_depend d JOIN pg_class c ON c.oid = d.objid JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
                 AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'kb_rag') AND c.relkind = 'v'
             ORDER BY 1",
            &[],
        )
        .expect("the views of the extension")
        .iter()
        .map(|row| row.get(0))
        .collect()
}

/// The settings of the extension. They are known once its library is loaded.
pub fn settings(client: &mut Client) -> Vec<Setting> {
    client.batch_execute("LOAD 'kb_rag'").expect("the library");
    client
        .query("SELECT name, vartype FROM pg_settings WHERE name LIKE 'kb\\_rag.%' ORDER BY name", &[])
        .expect("the settings of the extension")
        .iter()
        .map(|row| Setting { name: row.get(0), kind: row.get(1) })
        .collect()
}

/// The tables of a schema.
pub fn tables(client: &mut Client, schema: &str) -> Vec<Table> {
    let rows = client
        .query(
            "SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum),
                 array_agg(format('%I.%I', tn.nspname, t.typname) ORDER BY a.attnum), array_agg(a.atttypmod ORDER BY a.attnum)
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                 JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace tn ON tn.oid = t.typnamespace
             WHERE c.relnamespace = $1::text::regnamespace AND c.relkind IN ('r', 'p')
             GROUP BY c.relname ORDER BY c.relname",
            &[&schema],
        )
        .expect("the tables of a schema");
    rows.iter()
        .map(|row| {
            let (names, types, modifiers): (Vec<String>, Vec<String>, Vec<i32>) =
                (row.get(1), row.get(2), row.get(3));
            let columns = names.into_iter().zip(types).zip(modifiers);
            Table {
                name: row.get(0),
                columns: columns
                    .map(|((name, type_name), modifier)| Argument { name, type_name, modifier })
                    .collect(),
            }
        })
        .collect()
}
