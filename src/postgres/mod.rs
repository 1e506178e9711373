//! What speaks about PostgreSQL and not about knowledge bases: statements, rows, roles, settings, timers, types at the
//! boundary. The order of its modules is in the list of layers of the crate.

pub mod analyze;
pub mod background_worker;
pub mod boundary;
pub mod deadline;
pub mod expression;
pub mod guc;
pub mod interrupt;
pub mod jsonb;
pub mod lexemes;
pub mod limit;
pub mod lock_tag;
pub mod lookup;
pub mod name;
pub mod parsed;
pub mod privilege;
pub mod procedure;
pub mod process;
pub mod regclass;
pub mod regconfig;
pub mod relation;
pub mod role;
pub mod scan;
pub mod server;
pub mod snapshot;
pub mod spi;
pub mod subtransaction;
pub mod test_point;
pub mod timer;
pub mod transaction;
pub mod trigger;
pub mod tsvector;
pub mod tuple;
pub mod typed;
pub mod uuid;
pub mod vector;
