//! This server and database, as clients name them.

use crate::error::Result;
use crate::postgres::spi::{self, Access};

/// The name of the current database.
pub fn current_database() -> Result<String> {
    let name = spi::connect(|c| {
        c.query_one(include_str!("current_database.sql"), Access::Read, &[], |row| row.require(1))
    })?;
    Ok(name.unwrap_or_default())
}

/// Whether a host name is certainly this server: a name of loopback, the machine's own, or the address of the session.
pub fn is_own_name(host: &str) -> Result<bool> {
    let machine = rustix::system::uname();
    if ["localhost", "127.0.0.1", "[::1]"].contains(&host)
        || machine.nodename().to_str().is_ok_and(|own| own.eq_ignore_ascii_case(host))
    {
        return Ok(true);
    }
    Ok(address()?.is_some_and(|address| host.trim_matches(['[', ']']) == address))
}

/// The address that the session connected to. None for a Unix socket.
pub fn address() -> Result<Option<String>> {
    let address = spi::connect(|c| {
        c.query_one(include_str!("server_address.sql"), Access::Read, &[], |row| row.get::<String>(1))
    })?;
    Ok(address.flatten())
}

/// The port that the server listens on.
pub fn port() -> i32 {
    // SAFETY: reads a variable of this process.
    unsafe { pgrx::pg_sys::PostPortNumber }
}
