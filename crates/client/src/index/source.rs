//! The row of table `source` that the documents of a directory belong to.

use std::path::Path;

use tokio_postgres::GenericClient;
use uuid::Uuid;

use super::base::Base;
use crate::connect::Session;
use crate::error::{Failure, Result};

/// A directory and what to call it.
#[derive(Debug)]
pub struct Wanted {
    /// The absolute path, without symbolic links.
    pub location: String,
    /// The name of this machine: the same path on another one is another directory.
    pub host: String,
    /// That of --name.
    pub name: Option<String>,
}

/// A row of `source`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    id: Uuid,
    location: String,
    title: Option<String>,
    host: Option<String>,
    named: bool,
}

impl Wanted {
    /// The directory of `--name` or the path.
    pub fn new(directory: &Path, name: Option<String>) -> Result<Wanted> {
        let location =
            directory.to_str().ok_or_else(|| Failure::usage("the path of the directory is not UTF-8"))?;
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Ok(Wanted { location: location.to_string(), host, name })
    }

    /// The title of the row.
    fn title(&self) -> &str {
        let last = || self.location.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&self.location);
        self.name.as_deref().unwrap_or_else(last)
    }

    fn is_here(&self, row: &Row) -> bool {
        row.location == self.location && row.host.as_ref().is_none_or(|host| *host == self.host)
    }

    /// The row that is meant, among those of this path or title; None if there is none yet.
    fn choose<'a>(&self, rows: &'a [Row]) -> Result<Option<&'a Row>> {
        match &self.name {
            Some(name) => {
                // What was loaded without a name bears that of its directory by chance: it is meant only if it is this path.
                let titled = |row: &&Row| {
                    row.title.as_deref() == Some(name) && (row.named || row.location == self.location)
                };
                let all: Vec<&Row> = rows.iter().filter(titled).collect();
                let here: Vec<&Row> = all.iter().copied().filter(|row| self.is_here(row)).collect();
                match (&all[..], &here[..]) {
                    ([], _) => Ok(None),
                    ([one], _) | (_, [one]) => Ok(Some(one)),
                    _ => Err(Failure::new(format!("several sources have the name \"{name}\""))
                        .hint("Give one of them another title in the table source of the knowledge base.")),
                }
            }
            None => {
                let at_path: Vec<&Row> = rows.iter().filter(|row| row.location == self.location).collect();
                let here: Vec<&Row> = at_path.iter().copied().filter(|row| self.is_here(row)).collect();
                let unnamed: Vec<&Row> = here.iter().copied().filter(|row| !row.named).collect();
                match (&unnamed[..], &here[..], &at_path[..]) {
                    ([first, ..], _, _) => Ok(Some(first)),
                    (_, [one], _) => Ok(Some(one)),
                    (_, [], []) => Ok(None),
                    (_, [], [other, ..]) => Err(Failure::usage(format!(
                        "\"{}\" was loaded from machine \"{}\", but this is \"{}\"",
                        self.location,
                        other.host.as_deref().unwrap_or_default(),
                        self.host
                    ))
                    .hint(format!(
                        "Give --name \"{}\" if it is the same directory, or another name if it is not.",
                        other.title.as_deref().unwrap_or_default()
                    ))),
                    (_, several, _) => {
                        let names: Vec<&str> =
                            several.iter().filter_map(|row| row.title.as_deref()).collect();
                        Err(Failure::usage(format!("several sources load \"{}\"", self.location))
                            .hint(format!("Give --name with one of these: {}.", names.join(", "))))
                    }
                }
            }
        }
    }

    /// Finds the row.
    pub async fn find(&self, client: &impl GenericClient, base: &Base) -> Result<Option<Uuid>> {
        let sql = base.sql(include_str!("sql/sources.sql"));
        let rows = client.query(&sql, &[&self.location, &self.title()]).await?;
        let rows: Vec<Row> = rows
            .iter()
            .map(|row| Row {
                id: row.get("id"),
                location: row.get("location"),
                title: row.get("title"),
                host: row.get("host"),
                named: row.get("named"),
            })
            .collect();
        Ok(self.choose(&rows)?.map(|row| row.id))
    }

    /// Finds the row or makes it, and notes where the directory is now.
    pub async fn find_or_make(&self, session: &mut Session, base: &Base) -> Result<Uuid> {
        let transaction = session.client.transaction().await?;
        transaction.query(include_str!("sql/lock_sources.sql"), &[&base.name]).await?;
        let named = self.name.is_some();
        let id = match self.find(&transaction, base).await? {
            Some(id) => {
                if named {
                    let sql = base.sql(include_str!("sql/move_source.sql"));
                    transaction.execute(&sql, &[&id, &self.location, &self.host, &named]).await?;
                }
                id
            }
            None => {
                let sql = base.sql(include_str!("sql/new_source.sql"));
                transaction
                    .query_one(&sql, &[&self.location, &self.title(), &self.host, &named])
                    .await?
                    .get(0)
            }
        };
        transaction.commit().await?;
        Ok(id)
    }
}

/// Notes the end of a run; `error` says why it failed.
pub async fn finish(session: &Session, base: &Base, id: Uuid, error: Option<&str>) -> Result<()> {
    let sql = base.sql(include_str!("sql/finish_source.sql"));
    session.client.execute(&sql, &[&id, &error]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(location: &str, name: Option<&str>) -> Wanted {
        Wanted { location: location.to_string(), host: "here".to_string(), name: name.map(str::to_string) }
    }

    fn row(number: u128, location: &str, title: &str, host: &str, named: bool) -> Row {
        Row {
            id: Uuid::from_u128(number),
            location: location.to_string(),
            title: Some(title.to_string()),
            host: Some(host.to_string()),
            named,
        }
    }

    fn chosen(wanted: &Wanted, rows: &[Row]) -> std::result::Result<Option<u128>, String> {
        wanted.choose(rows).map(|row| row.map(|row| row.id.as_u128())).map_err(|failure| failure.to_string())
    }

    #[test]
    fn titles() {
        assert_eq!(wanted("/a/docs", None).title(), "docs");
        assert_eq!(wanted("/", None).title(), "/");
        assert_eq!(wanted("/a/docs", Some("x")).title(), "x");
    }

    #[test]
    fn without_a_name_the_path_counts() {
        let rows = [row(1, "/a/docs", "docs", "here", false), row(2, "/b/docs", "docs", "here", false)];
        assert_eq!(chosen(&wanted("/b/docs", None), &rows), Ok(Some(2)));
        assert_eq!(chosen(&wanted("/c/docs", None), &rows), Ok(None));
        let rows = [row(1, "/a/docs", "x", "here", true), row(2, "/a/docs", "docs", "here", false)];
        assert_eq!(chosen(&wanted("/a/docs", None), &rows), Ok(Some(2)));
        assert_eq!(chosen(&wanted("/a/docs", None), &rows[..1]), Ok(Some(1)));
        let rows = [row(1, "/a/docs", "x", "here", true), row(2, "/a/docs", "y", "here", true)];
        assert!(chosen(&wanted("/a/docs", None), &rows).unwrap_err().contains("x, y"));
    }

    #[test]
    fn the_same_path_on_another_machine_needs_a_name() {
        let rows = [row(1, "/a/docs", "docs", "there", false)];
        assert!(chosen(&wanted("/a/docs", None), &rows).unwrap_err().contains("--name \"docs\""));
        assert_eq!(chosen(&wanted("/a/docs", Some("docs")), &rows), Ok(Some(1)));
        assert_eq!(chosen(&wanted("/a/docs", Some("mine")), &[]), Ok(None));
        // A row that was written by hand.
        let rows = [Row { host: None, ..row(1, "/a/docs", "docs", "", false) }];
        assert_eq!(chosen(&wanted("/a/docs", None), &rows), Ok(Some(1)));
    }

    #[test]
    fn a_name_follows_the_directory() {
        let rows = [row(1, "/old/docs", "manual", "there", true)];
        assert_eq!(chosen(&wanted("/new/docs", Some("manual")), &rows), Ok(Some(1)));
        // That a directory has this name gives it to nobody else.
        let rows = [row(1, "/old/manual", "manual", "here", false)];
        assert_eq!(chosen(&wanted("/new/docs", Some("manual")), &rows), Ok(None));
        let rows = [row(1, "/a", "n", "here", true), row(2, "/b", "n", "here", true)];
        assert_eq!(chosen(&wanted("/b", Some("n")), &rows), Ok(Some(2)));
        assert!(chosen(&wanted("/c", Some("n")), &rows).is_err());
    }
}
