//! The triggers on tables that are attached to a base.

use pgrx::Uuid;

use crate::error::Result;
use crate::role;
use crate::spi::{self, Access, Arg, Planning};

/// Drops the triggers of all tables attached to a base, or of one source, as the extension's owner: who drops or
/// administers a base need not own the tables.
pub fn drop_attached_triggers(base_id: Uuid, source_id: Option<Uuid>) -> Result<()> {
    role::as_catalogue_owner(|| {
        spi::connect(|c| {
            let args =
                [Arg::new(base_id.to_string()), Arg::new(source_id.map(|source_id| source_id.to_string()))];
            let sql = include_str!("attached_triggers.sql");
            let triggers: Vec<String> =
                c.query(sql, Access::Latest, Planning::Generic, &args, |row| row.require(1))?;
            triggers.iter().try_for_each(|trigger| {
                c.run(&spi::render(include_str!("drop_trigger.sql"), &[("trigger", trigger)]))
            })
        })
    })
}
