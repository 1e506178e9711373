//! Following the row security of attached tables: a document is visible to those who see its row.
//!
//! The policies of a base ask [`row_is_visible`], which asks the table as the reader: with the reader's role, settings and
//! search_path. They hold no query on the table, which could otherwise neither be altered nor dropped, and a dump of the base
//! without the table could not be restored.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pgrx::{Uuid, pg_sys};

use crate::base::KnowledgeBase;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::privilege;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning, Row};
use crate::postgres::transaction;
use crate::postgres::typed;

/// An attached table, and whether its row security is followed.
pub struct Followed {
    /// The row in the table `source` of the base.
    pub source_id: Uuid,
    /// The name of the table when it was last looked at.
    pub location: String,
    follows: bool,
    /// None where the table was dropped, or has another key than when it was attached.
    asked: Option<Asked>,
}

/// The table that readers are asked for.
struct Asked {
    relation: pg_sys::Oid,
    /// Qualified and quoted.
    name: String,
    is_partitioned: bool,
    schema: pg_sys::Oid,
    owner: pg_sys::Oid,
    /// Names and types of the columns of the key, in its order.
    key: Vec<(String, pg_sys::Oid)>,
    /// Their numbers.
    numbers: Vec<i32>,
}

fn oid(number: i64) -> pg_sys::Oid {
    pg_sys::Oid::from_u32(u32::try_from(number).unwrap_or_default())
}

impl Followed {
    fn select(condition: &str, arg: impl FnOnce() -> Arg) -> Result<Vec<Followed>> {
        let sql = spi::render(include_str!("followed.sql"), &[("condition", condition)]);
        // PostgreSQL takes no further snapshot while a parallel query runs.
        let access = if transaction::is_parallel() { Access::Read } else { Access::Latest };
        catalog::connect(|c| c.query(&sql, access, Planning::Generic, &[arg()], Followed::read))
    }

    /// A source; None if the catalog does not know it.
    pub fn of_source(source_id: Uuid) -> Result<Option<Followed>> {
        Ok(Followed::select("s.source_id = $1", || Arg::new(source_id))?.into_iter().next())
    }

    /// The tables of a base whose row security is followed.
    pub fn of_base(base: &KnowledgeBase) -> Result<Vec<Followed>> {
        if !base.follows_rows {
            return Ok(Vec::new());
        }
        let mut found = Followed::select("s.knowledge_base_id = $1", || Arg::new(base.id))?;
        found.retain(|followed| followed.follows);
        Ok(found)
    }

    fn read(row: &Row) -> Result<Followed> {
        let asked = row.get::<pg_sys::Oid>(4)?.map(|relation| -> Result<Asked> {
            let names: Vec<String> = row.require(9)?;
            let kinds: Vec<i64> = row.require(10)?;
            Ok(Asked {
                relation,
                name: row.require(5)?,
                is_partitioned: row.require(6)?,
                schema: row.require(7)?,
                owner: row.require(8)?,
                key: names.into_iter().zip(kinds.into_iter().map(oid)).collect(),
                numbers: row.require(11)?,
            })
        });
        Ok(Followed {
            source_id: row.require(1)?,
            location: row.require(2)?,
            follows: row.require(3)?,
            asked: asked.transpose()?,
        })
    }

    /// Whether its documents are hidden from all but the owner: nobody can be asked for its rows.
    pub fn is_hidden(&self) -> bool {
        self.asked.is_none()
    }

    /// The owner of the table that readers are asked for.
    pub fn owner(&self) -> Option<pg_sys::Oid> {
        self.asked.as_ref().map(|asked| asked.owner)
    }

    /// Warns if a role, or `public`, has no privilege to see rows: none of its documents is visible then.
    pub fn warn_without_key(&self, role: &str) -> Result<()> {
        let Some(asked) = &self.asked else { return Ok(()) };
        let may_see = catalog::connect(|c| {
            let args = [
                Arg::new(role),
                Arg::new(asked.schema),
                Arg::new(asked.relation),
                Arg::new(asked.numbers.clone()),
            ];
            c.query_one(include_str!("may_see_key.sql"), Access::Latest, &args, |row| row.require::<bool>(1))
        })?;
        if may_see == Some(false) {
            let grantee = if role == "public" { "PUBLIC".to_string() } else { spi::quote_identifier(role) };
            Error::denied(format!("role \"{role}\" has no privilege on the key of table {}", asked.name))
                .hint(asked.grants(&grantee)?)
                .warn("it finds none of its documents");
        }
        Ok(())
    }
}

impl Asked {
    /// Whether the current role has the privileges to see rows; once it is told that it has not.
    fn may_be_asked(&self) -> Result<bool> {
        if privilege::may_use_schema(self.schema)
            && privilege::may_select_columns(self.relation, &self.numbers)
        {
            return Ok(true);
        }
        Error::remark(format!(
            "documents of table {} are hidden from you: permission denied for its key",
            self.name
        ))
        .hint(self.grants(&spi::quote_identifier(&role::role_name(role::current_role())?))?)
        .notify_once();
        Ok(false)
    }

    /// What lets a role see rows.
    fn grants(&self, grantee: &str) -> Result<String> {
        let key = self.key.iter().map(|(name, _)| spi::quote_identifier(name)).collect::<Vec<_>>().join(", ");
        let schema = spi::quote_identifier(&lookup::schema_name(self.schema)?);
        Ok(format!(
            "The owner of the table can run GRANT USAGE ON SCHEMA {schema} TO {grantee}; GRANT SELECT ({key}) ON {} TO {grantee}.",
            self.name
        ))
    }

    /// The table as FROM names it: without rows of tables that inherit from it.
    fn source(&self) -> String {
        if self.is_partitioned { self.name.clone() } else { format!("ONLY {}", self.name) }
    }

    /// Whether a row has the key whose parts are these expressions.
    fn has_key(&self, part: impl Fn(usize) -> String) -> Result<String> {
        let equal = self.key.iter().enumerate().map(|(index, (name, kind))| {
            Ok(format!("t.{} {} {}", spi::quote_identifier(name), equality(*kind)?, part(index)))
        });
        Ok(equal.collect::<Result<Vec<_>>>()?.join(" AND "))
    }
}

/// The operator of the primary key's index, schema-qualified so that no search path matters.
fn equality(kind: pg_sys::Oid) -> Result<String> {
    let (namespace, name) = lookup::btree_operator(kind, pg_sys::BTEqualStrategyNumber)
        .ok_or_else(|| Error::wrong_type("could not identify an equality operator for the type of a key"))?;
    Ok(format!("OPERATOR({}.{name})", spi::quote_identifier(&lookup::schema_name(namespace)?)))
}

/// Whether the current role sees rows of a table.
struct Question {
    kinds: Vec<pg_sys::Oid>,
    /// The statement for one row; its arguments are the parts of the key.
    one: String,
    /// The statement for many; its arguments are arrays of these parts, its result are positions in them.
    many: String,
}

impl Question {
    fn new(asked: &Asked) -> Result<Question> {
        let one = asked.has_key(|index| format!("${}", index + 1))?;
        let many = asked.has_key(|index| format!("k.key_{index}"))?;
        let table = asked.source();
        let list = |of: fn(usize) -> String| (0..asked.key.len()).map(of).collect::<Vec<_>>().join(", ");
        let arrays = list(|index| format!("pg_catalog.unnest(${})", index + 1));
        let parts = list(|index| format!("key_{index}"));
        let values = [
            ("table", table.as_str()),
            ("has_one_key", &one),
            ("has_key", &many),
            ("arrays", &arrays),
            ("parts", &parts),
        ];
        Ok(Question {
            kinds: asked.key.iter().map(|(_, kind)| *kind).collect(),
            one: spi::render(include_str!("sees_row.sql"), &values),
            many: spi::render(include_str!("sees_rows.sql"), &values),
        })
    }

    /// The parts of a key in the current memory context; None where the text is no key of the table.
    fn parts(&self, key: &str) -> Result<Option<Vec<pg_sys::Datum>>> {
        if let [kind] = self.kinds[..] {
            return Ok(typed::input(kind, key)?.map(|part| vec![part]));
        }
        let texts: Vec<String> = serde_json::from_str(key).unwrap_or_default();
        if texts.len() != self.kinds.len() {
            return Ok(None);
        }
        self.kinds.iter().zip(&texts).map(|(kind, text)| typed::input(*kind, text)).collect()
    }

    /// Whether the row with a key is seen.
    fn sees(&self, key: &str) -> Result<bool> {
        guc::with_callers_path(|| {
            spi::connect(|c| {
                let Some(parts) = self.parts(key)? else { return Ok(false) };
                let args: Vec<Arg> =
                    self.kinds.iter().zip(parts).map(|(kind, part)| Arg::from_datum(*kind, part)).collect();
                let found =
                    c.query(&self.one, Access::Read, Planning::Generic, &args, |row| row.require::<bool>(1))?;
                Ok(!found.is_empty())
            })
        })
    }

    /// The positions of those keys whose rows are seen.
    fn seen(&self, keys: &[&str]) -> Result<Vec<usize>> {
        // There are no arrays of arrays.
        if !self.kinds.iter().all(|kind| typed::array(*kind, &[]).is_some()) {
            let seen = keys.iter().enumerate().map(|(place, key)| Ok(self.sees(key)?.then_some(place)));
            return seen.filter_map(Result::transpose).collect();
        }
        guc::with_callers_path(|| {
            spi::connect(|c| {
                let mut columns: Vec<Vec<pg_sys::Datum>> = vec![Vec::new(); self.kinds.len()];
                let mut places = Vec::new();
                for (place, key) in keys.iter().enumerate() {
                    let Some(parts) = self.parts(key)? else { continue };
                    columns.iter_mut().zip(parts).for_each(|(column, part)| column.push(part));
                    places.push(place);
                }
                let args: Option<Vec<Arg>> = self
                    .kinds
                    .iter()
                    .zip(&columns)
                    .map(|(kind, values)| typed::array(*kind, values))
                    .collect();
                let args = args.ok_or_else(|| Error::internal("the type of a key has no arrays"))?;
                let found: Vec<i64> =
                    c.query(&self.many, Access::Read, Planning::Generic, &args, |row| row.require(1))?;
                Ok(found.into_iter().filter_map(|n| places.get(n as usize - 1).copied()).collect())
            })
        })
    }
}

/// What a source shows.
enum Rule {
    /// All documents.
    All,
    /// None.
    Nothing,
    /// Those whose rows are seen.
    Rows(Asked, Question),
}

impl Rule {
    fn find(source_id: Uuid) -> Result<Rule> {
        // The policies of a base name the sources that are followed: one that is unknown has been restored without the catalog.
        let Some(followed) = Followed::of_source(source_id)? else { return Ok(Rule::Nothing) };
        match followed.asked {
            _ if !followed.follows => Ok(Rule::All),
            None => Ok(Rule::Nothing),
            Some(asked) => {
                let question = Question::new(&asked)?;
                Ok(Rule::Rows(asked, question))
            }
        }
    }

    /// That of a source, kept until a relation changes: kb_attach and kb_detach change triggers and policies.
    fn of_source(source_id: Uuid) -> Result<Rc<Rule>> {
        if let Some(rule) = RULES.with_borrow(|rules| rules.get(&source_id).cloned()) {
            return Ok(rule);
        }
        let before = CHANGES.get();
        let rule = Rc::new(Rule::find(source_id)?);
        // A parallel statement has seen the catalog as it was.
        if CHANGES.get() == before && !transaction::is_parallel() {
            RULES.with_borrow_mut(|rules| {
                if rules.len() >= MAX_RULES {
                    rules.clear();
                }
                rules.insert(source_id, rule.clone());
            });
        }
        Ok(rule)
    }
}

/// The most rules that are kept.
const MAX_RULES: usize = 256;

thread_local! {
    /// The rules of sources.
    static RULES: RefCell<HashMap<Uuid, Rc<Rule>>> = RefCell::new(HashMap::new());
    /// How often relations have changed.
    static CHANGES: Cell<u64> = const { Cell::new(0) };
}

/// Begins to watch for changes of relations; called once when the library is loaded.
pub fn watch() {
    lookup::on_relation_change(|| {
        CHANGES.set(CHANGES.get().wrapping_add(1));
        RULES.with_borrow_mut(HashMap::clear);
    });
}

/// Whether the current role sees the row of an attached table that a document is made from, where its row security is followed. A
/// document without a key has no row.
pub fn row_is_visible(source_id: Option<Uuid>, source_key: Option<&str>) -> Result<bool> {
    let Some(source_id) = source_id else { return Ok(true) };
    match (&*Rule::of_source(source_id)?, source_key) {
        (Rule::All, _) => Ok(true),
        (Rule::Nothing, _) | (_, None) => Ok(false),
        (Rule::Rows(asked, question), Some(key)) => Ok(asked.may_be_asked()? && question.sees(key)?),
    }
}

/// Those of some chunks that the current role, which must be the caller, may see, in their order: asked by one statement for each
/// attached table. None where other policies than those that follow tables secure the base for it: PostgreSQL alone can tell
/// then.
pub fn visible_chunks(base: &KnowledgeBase, chunks: &[Uuid]) -> Result<Option<Vec<Uuid>>> {
    if !base.is_row_secured()? {
        return Ok(Some(chunks.to_vec()));
    }
    let Some(followed) = base.followed_alone()? else { return Ok(None) };
    if chunks.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let sql = spi::render(include_str!("keys_of_chunks.sql"), &[("schema", &base.quoted_schema())]);
    // As the owner: the policies would ask for every row by itself.
    let found: Vec<(Uuid, Option<Uuid>, Option<String>)> = base.connect(|c| {
        let args = [Arg::new(chunks.to_vec())];
        c.query(&sql, Access::Read, Planning::Generic, &args, |row| {
            Ok((row.require(1)?, row.get(2)?, row.get(3)?))
        })
    })?;
    let mut visible = HashSet::new();
    let mut of_tables: HashMap<Uuid, Vec<(Uuid, &str)>> = HashMap::new();
    for (chunk, source_id, key) in &found {
        match source_id.filter(|source_id| followed.contains(source_id)) {
            None => drop(visible.insert(*chunk)),
            Some(source_id) => {
                of_tables.entry(source_id).or_default().extend(key.as_deref().map(|key| (*chunk, key)));
            }
        }
    }
    for (source_id, documents) in of_tables {
        let rule = Rule::of_source(source_id)?;
        let Rule::Rows(asked, question) = &*rule else { continue };
        if asked.may_be_asked()? {
            let keys: Vec<&str> = documents.iter().map(|(_, key)| *key).collect();
            visible.extend(question.seen(&keys)?.into_iter().map(|place| documents[place].0));
        }
    }
    Ok(Some(chunks.iter().copied().filter(|chunk| visible.contains(chunk)).collect()))
}
