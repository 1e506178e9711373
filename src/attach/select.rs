//! The statements that read an attached table.

mod metadata;

use pgrx::pg_sys;

use super::attachment::{Table, damaged};
use super::column::{Column, Use};
use super::condition;
use super::embedding::{Type, Vectors};
use super::key::Comparison;
use crate::error::Result;
use crate::postgres::{lookup, spi};

/// Expressions over the columns of a table, under these aliases: `t` for the table itself, `n` and `o` for the new and old
/// transition tables, `k` for keys.
pub struct Select<'a> {
    table: &'a Table,
    content: &'a Column,
    title: Option<&'a Column>,
    metadata: Vec<&'a Column>,
    key: Vec<&'a Column>,
    more: Vec<&'a Column>,
    mime_type: Option<&'a Column>,
    language: Option<&'a Column>,
    url: Vec<&'a Column>,
    condition: Vec<&'a Column>,
    /// If the vectors of rows are taken.
    embedding: Option<(&'a Column, Type)>,
}

impl<'a> Select<'a> {
    /// Takes the columns that exist. 55000 if the content column does not.
    pub fn new(table: &'a Table) -> Result<Select<'a>> {
        let of = |wanted: Use| table.columns.iter().filter(move |c| c.used_as == wanted);
        let content = of(Use::Content)
            .next()
            .ok_or_else(|| damaged("no content column is recorded for the attached table"))?;
        let embedding = match of(Use::Embedding).next() {
            Some(column) if matches!(table.vectors, Vectors::Taken(_)) => {
                Type::of(column.kind)?.map(|kind| (column, kind))
            }
            _ => None,
        };
        Ok(Select {
            table,
            content,
            title: of(Use::Title).next(),
            metadata: of(Use::Metadata).collect(),
            key: of(Use::Key).collect(),
            more: of(Use::MoreContent).collect(),
            mime_type: of(Use::MimeType).next(),
            language: of(Use::Language).next(),
            url: of(Use::Url).collect(),
            condition: of(Use::Condition).collect(),
            embedding,
        })
    }

    /// The text that identifies a row, where `column` names each part of its key.
    fn key_text(&self, column: impl Fn(usize, &Column) -> String) -> String {
        let parts: Vec<String> =
            self.key.iter().enumerate().map(|(i, c)| format!("{}::text", column(i, c))).collect();
        match parts.as_slice() {
            [part] => part.clone(),
            parts => {
                // NULL if a part is NULL, which a primary key does not allow.
                let all = parts.iter().map(|p| format!("{p} IS NOT NULL")).collect::<Vec<_>>().join(" AND ");
                format!("CASE WHEN {all} THEN to_jsonb(ARRAY[{}])::text END", parts.join(", "))
            }
        }
    }

    /// The text that identifies a row of `alias`.
    fn key_of(&self, alias: &str) -> String {
        self.key_text(|_, c| in_table(alias, c))
    }

    /// The parts of the key of a row of `alias`, named as in `k`.
    fn keys_of(&self, alias: &str) -> String {
        let named =
            self.key.iter().enumerate().map(|(i, c)| format!("{} AS {}", in_table(alias, c), part(i)));
        named.collect::<Vec<_>>().join(", ")
    }

    fn key_texts_of(&self, alias: &str) -> String {
        self.key.iter().map(|c| format!("{}::text", in_table(alias, c))).collect::<Vec<_>>().join(", ")
    }

    /// Whether the text of a document is not that of its row: a file is read, or a page of HTML.
    pub fn is_converted(&self) -> bool {
        self.is_file() || self.mime_type.is_some() || self.table.options.mime_type.is_some()
    }

    /// Whether rows are compared with documents by hashes, and vectors, that are made here, not in SQL.
    pub fn is_hashed_here(&self) -> bool {
        self.is_converted() || self.sets_mime_type() || self.sets_language() || self.embedding.is_some()
    }

    /// Whether the rows decide on the MIME type of documents.
    pub fn sets_mime_type(&self) -> bool {
        self.is_file() || self.table.options.sets_mime_type
    }

    /// Whether the rows decide on the language of documents.
    pub fn sets_language(&self) -> bool {
        self.table.options.sets_language
    }

    fn is_file(&self) -> bool {
        lookup::base_type(self.content.kind) == pg_sys::BYTEAOID
    }

    /// The values of a row of `alias`, as [`SourceRow`](super::row::SourceRow) reads them after the key: content, title, metadata,
    /// MIME type, language, further text, all of them as text, the bytes of a file, and the vector as real[]. Without a conversion,
    /// further text is part of the content.
    fn values_of(&self, alias: &str) -> String {
        let text = |c: &Column| format!("{}::text", in_table(alias, c));
        let or_constant = |column: Option<&Column>, constant: &Option<String>| match (column, constant) {
            (Some(column), _) => text(column),
            (None, Some(constant)) => format!("{}::text", spi::quote_literal(constant)),
            (None, None) => "NULL::text".to_string(),
        };
        let content = text(self.content);
        let more = self.more_of(alias);
        let (content, more) = match (self.is_converted(), more) {
            (true, Some(more)) => (content, more),
            (true, None) => (content, "NULL::text".to_string()),
            // As text::with_more joins them.
            (false, Some(more)) => (
                format!("CASE WHEN {content} <> '' THEN {content} || {more} ELSE ltrim({more}, E'\\n') END"),
                "NULL::text".to_string(),
            ),
            (false, None) => (content, "NULL::text".to_string()),
        };
        let (content, bytes) = if self.is_file() {
            ("NULL::text".to_string(), format!("{}::bytea", in_table(alias, self.content)))
        } else {
            (content, "NULL::bytea".to_string())
        };
        let condition = self.condition_of(alias);
        let if_it_holds = |value: String| match &condition {
            Some(condition) if !value.starts_with("NULL::") => {
                format!("CASE WHEN {condition} THEN {value} END")
            }
            _ => value,
        };
        let [content, more, bytes] = [content, more, bytes].map(if_it_holds);
        [
            content,
            self.title.map_or("NULL::text".to_string(), text),
            self.metadata_of(alias),
            or_constant(self.mime_type, &self.table.options.mime_type),
            or_constant(self.language, &self.table.options.language),
            more,
            bytes,
            self.vector_of(alias),
        ]
        .join(", ")
    }

    fn vector_of(&self, alias: &str) -> String {
        let taken = self.embedding.map(|(column, kind)| kind.numbers(&in_table(alias, column)));
        taken.unwrap_or_else(|| "NULL::real[]".to_string())
    }

    /// Further text of a row of `alias`: each column under a heading, after an empty line. None if no columns have any.
    fn more_of(&self, alias: &str) -> Option<String> {
        let of_column = |c: &&Column| {
            let (text, heading) =
                (format!("{}::text", in_table(alias, c)), format!("\n\n## {}\n\n", c.label));
            format!("CASE WHEN {text} <> '' THEN {} || {text} ELSE '' END", spi::quote_literal(&heading))
        };
        let parts: Vec<String> = self.more.iter().map(of_column).collect();
        (!parts.is_empty()).then(|| format!("({})", parts.join(" || ")))
    }

    /// Whether a row of `t` has any text.
    fn has_text(&self) -> String {
        let content = in_table("t", self.content);
        let own =
            if self.is_file() { format!("length({content}) > 0") } else { format!("{content}::text <> ''") };
        let any = match self.more_of("t") {
            Some(more) => format!("({own} IS TRUE OR {more} <> '')"),
            None => own,
        };
        self.condition_of("t").map_or(any.clone(), |condition| format!("({any}) AND {condition}"))
    }

    /// Whether a row of `alias` meets the condition. None without one.
    fn condition_of(&self, alias: &str) -> Option<String> {
        let text = self.table.options.condition.as_deref()?;
        let columns: Vec<(&str, String)> =
            self.condition.iter().map(|c| (c.label.as_str(), in_table(alias, c))).collect();
        Some(condition::holds(text, &self.key_of(alias), &columns))
    }

    /// Whether two sides have the same key.
    fn same_key(
        &self,
        left: impl Fn(usize, &Column) -> String,
        right: impl Fn(usize, &Column) -> String,
    ) -> Result<String> {
        let equal = self.key.iter().enumerate().map(|(i, c)| {
            Ok(format!("{} {} {}", left(i, c), Comparison::Equal.operator(c.kind)?, right(i, c)))
        });
        Ok(equal.collect::<Result<Vec<_>>>()?.join(" AND "))
    }

    /// Whether the rows `o` and `n` are stored alike in all columns that matter. Virtual generated columns are not in the
    /// transition tables, so they are assumed to have changed.
    fn same_values(&self) -> String {
        let used = || self.values();
        if used().any(|c| c.is_virtual) {
            return "false".to_string();
        }
        let same = used().map(|c| format!("kb_rag.is_same({}, {})", in_table("o", c), in_table("n", c)));
        same.collect::<Vec<_>>().join(" AND ")
    }

    /// `template` with its placeholders filled in.
    fn fill(&self, template: &str, more: &[(&str, &str)]) -> String {
        let values = [
            ("table", self.table.source()),
            ("key_of_t", self.key_of("t")),
            ("key_texts_of_t", self.key_texts_of("t")),
            ("values_of_t", self.values_of("t")),
            ("has_text", self.has_text()),
            ("keys_of_n", self.keys_of("n")),
            ("keys_of_o", self.keys_of("o")),
            ("key_of_r", self.key_of("r")),
            ("key_of_k", self.key_text(|i, _| format!("k.{}", part(i)))),
        ];
        let values: Vec<(&str, &str)> =
            values.iter().map(|(name, value)| (*name, value.as_str())).chain(more.iter().copied()).collect();
        spi::render(template, &values)
    }

    /// The present rows with the keys that `touched` selects; a key without a row gives NULLs.
    fn rows(&self, touched: &str) -> Result<String> {
        let same = self.same_key(|_, c| in_table("t", c), |i, _| format!("k.{}", part(i)))?;
        Ok(self.fill(include_str!("rows.sql"), &[("touched", touched), ("same_key", &same)]))
    }

    /// The rows with the keys in the transition table of an INSERT.
    pub fn inserted(&self) -> Result<String> {
        self.rows(&self.fill(include_str!("touched_insert.sql"), &[]))
    }

    /// The rows with the keys in the transition table of a DELETE.
    pub fn deleted(&self) -> Result<String> {
        self.rows(&self.fill(include_str!("touched_delete.sql"), &[]))
    }

    /// The rows with the keys, before and after, for which an UPDATE changed a column that matters.
    pub fn updated(&self) -> Result<String> {
        let same_key = self.same_key(|_, c| in_table("o", c), |_, c| in_table("n", c))?;
        let values = [("same_key", same_key.as_str()), ("same_values", &self.same_values())];
        self.rows(&self.fill(include_str!("touched_update.sql"), &values))
    }

    /// The row with one key, whose parts are the arguments.
    pub fn one(&self) -> Result<String> {
        let parts = (0..self.key.len()).map(|i| format!("${} AS {}", i + 1, part(i)));
        self.rows(&spi::render(
            include_str!("one_key.sql"),
            &[("parts", &parts.collect::<Vec<_>>().join(", "))],
        ))
    }

    /// The keys that an UPDATE changed: before and after.
    pub fn moved(&self) -> String {
        self.fill(include_str!("moved.sql"), &[])
    }

    /// All rows with text, in key order: the values, then the parts of the key.
    pub fn all_values(&self) -> String {
        self.fill(include_str!("all_values.sql"), &[])
    }

    /// The same: the key, its parts, and a hash of what the document is made from.
    pub fn all(&self, with_hash: bool) -> String {
        self.fill(if with_hash { include_str!("all_rows.sql") } else { include_str!("all_keys.sql") }, &[])
    }

    /// Some rows, locked; the arguments are arrays of the parts of their keys as text.
    pub fn locked(&self) -> Result<String> {
        let typed = |i: usize, c: &Column| format!("k.{}::{}", part(i), c.type_name);
        let same = self.same_key(|_, c| in_table("t", c), typed)?;
        let list = |of: fn(usize) -> String| (0..self.key.len()).map(of).collect::<Vec<_>>().join(", ");
        let (parameters, names) = (list(|i| format!("${}::text[]", i + 1)), list(part));
        let values = [("parameters", parameters.as_str()), ("key_names", &names), ("same_typed_key", &same)];
        Ok(self.fill(include_str!("locked_rows.sql"), &values))
    }

    /// The next keys in the order of the primary key, from the first or after the one whose parts are the arguments.
    pub fn next_keys(&self, from_first: bool, limit: usize) -> Result<String> {
        self.next(include_str!("next_keys.sql"), from_first, limit, "")
    }

    /// The rows of the next keys, locked. With `wait`, waits for transactions that are writing them.
    pub fn next_rows(&self, from_first: bool, limit: usize, wait: bool) -> Result<String> {
        self.next(include_str!("next_rows.sql"), from_first, limit, if wait { "" } else { "SKIP LOCKED" })
    }

    fn next(&self, template: &str, from_first: bool, limit: usize, wait: &str) -> Result<String> {
        let after = if from_first { "true".to_string() } else { self.after(0)? };
        let order = self.key.iter().map(|c| in_table("t", c)).collect::<Vec<_>>().join(", ");
        let limit = limit.to_string();
        let values = [("after", after.as_str()), ("order", &order), ("limit", &limit), ("wait", wait)];
        Ok(self.fill(template, &values))
    }

    /// Whether a row comes after the key whose parts are the arguments, from the part `index` on.
    fn after(&self, index: usize) -> Result<String> {
        let Some(column) = self.key.get(index) else { return Ok("false".to_string()) };
        let (t, parameter) = (in_table("t", column), format!("${}::{}", index + 1, column.type_name));
        let above = format!("{t} {} {parameter}", Comparison::Above.operator(column.kind)?);
        if index + 1 == self.key.len() {
            return Ok(above);
        }
        // The first condition lets the index be used.
        Ok(format!(
            "{t} {} {parameter} AND ({above} OR {t} {} {parameter} AND {})",
            Comparison::AtLeast.operator(column.kind)?,
            Comparison::Equal.operator(column.kind)?,
            self.after(index + 1)?
        ))
    }

    /// Selects those of some keys that have a row with text.
    pub fn there(&self) -> String {
        self.fill(include_str!("there.sql"), &[])
    }

    /// Whether there is any row.
    pub fn any(&self) -> String {
        self.fill(include_str!("any_row.sql"), &[])
    }

    /// The columns whose change changes the document, without those of the key.
    fn values(&self) -> impl Iterator<Item = &'a Column> + '_ {
        let lists = [&self.metadata, &self.more, &self.url, &self.condition];
        let embedding = self.embedding.map(|(column, _)| column);
        let single = [Some(self.content), self.title, self.mime_type, self.language, embedding];
        single.into_iter().flatten().chain(lists.into_iter().flatten().copied())
    }

    /// The columns whose change changes the document, those of the key first.
    pub fn used(&self) -> impl Iterator<Item = &'a Column> + '_ {
        self.key.iter().copied().chain(self.values())
    }

    /// The columns of the key.
    pub fn key(&self) -> &[&'a Column] {
        &self.key
    }
}

fn in_table(alias: &str, column: &Column) -> String {
    format!("{alias}.{}", spi::quote_identifier(&column.name))
}

/// The name of a part of the key.
fn part(index: usize) -> String {
    format!("key_{index}")
}
