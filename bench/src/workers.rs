//! The background workers of the database under test.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::server::Server;

/// How long a worker may take to exit.
const MAX_EXIT_TIME: Duration = Duration::from_secs(600);

/// Prevents workers from starting, in this session too, and waits for idle ones to exit.
pub fn stop(server: &mut Server) -> Result<()> {
    allow(server, 0)?;
    // The setting of the database applies to new sessions.
    server.run("SET kb_rag.workers = 0")?;
    let deadline = Instant::now() + MAX_EXIT_TIME;
    while !pids(server)?.is_empty() {
        if Instant::now() > deadline {
            let status = server.query("SELECT s::text FROM kb_rag.status s", &[])?;
            let status: Vec<String> = status.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
            bail!("a worker does not exit: {}", status.join("; "));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Sets how many workers new sessions may start.
pub fn allow(server: &mut Server, workers: u16) -> Result<()> {
    server.run(&format!("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET kb_rag.workers = {workers}', current_database()); END $$"))
}

pub fn pids(server: &mut Server) -> Result<Vec<i64>> {
    let sql = "SELECT pid::int8 FROM pg_stat_activity
               WHERE backend_type = 'kb_rag worker' AND datname = current_database()";
    server.query(sql, &[])?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}
