//! The connection that a manifest's search block of type pgvector describes.

use std::env;
use std::path::PathBuf;

use kb_rag_core::manifest::Pgvector;

use super::conninfo::{APPLICATION, Settings};
use super::{Connector, Session};
use crate::error::{Failure, Result};

/// User and database of a manifest that names none.
const DEFAULT_OF_MANIFEST: &str = "postgres";
/// In seconds, for a connection of a manifest.
const CONNECT_TIMEOUT: &str = "10";
/// The mode of libpq that tries a connection without TLS first. The driver has no such mode.
const ALLOW: [&str; 2] = ["disable", "require"];

impl Settings {
    /// Those of a manifest, with its password. The environment says only which certificates to trust: it may be set for another server.
    pub fn of_manifest(
        block: &Pgvector,
        sslmode: &str,
        password: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Settings {
        let host = block.hostname.trim_matches(['[', ']']);
        let port = block.port.to_string();
        let own = [
            ("host", host),
            ("port", &port),
            ("user", block.user.as_deref().unwrap_or(DEFAULT_OF_MANIFEST)),
            ("password", password),
            ("dbname", block.dbname.as_deref().unwrap_or(DEFAULT_OF_MANIFEST)),
            ("sslmode", sslmode),
            ("application_name", APPLICATION),
            ("connect_timeout", CONNECT_TIMEOUT),
        ];
        let pairs = own.into_iter().map(|(keyword, value)| (keyword.to_string(), value.to_string()));
        let mut settings = Settings(pairs.collect());
        let from_environment = |name| variable(name).filter(|value| !value.is_empty());
        if let Some(path) = from_environment("PGSSLROOTCERT") {
            settings.0.insert("sslrootcert".to_string(), path);
        }
        settings.find_certificates(from_environment("HOME").map(PathBuf::from).as_deref());
        settings
    }
}

/// Connects as a block says.
///
/// # Errors
/// As those of a connection to any database, with hints about the fields of the block.
pub async fn connect(block: &Pgvector, password: &str) -> Result<Session> {
    let modes = match block.sslmode.as_str() {
        "allow" => ALLOW.as_slice(),
        mode => &[mode],
    };
    let mut refused = None;
    for mode in modes {
        let settings = Settings::of_manifest(block, mode, password, &|name| env::var(name).ok());
        match Connector::from_settings(settings, None)?.connect().await {
            Ok(session) => return Ok(session),
            // Only a server that answers may want TLS.
            Err(failure) if failure.code.is_some() => refused = Some(failure),
            Err(failure) => return Err(with_hint(failure, &block.password)),
        }
    }
    let failure = refused.unwrap_or_else(|| Failure::new("sslmode has no value"));
    Err(with_hint(failure, &block.password))
}

fn with_hint(failure: Failure, variable: &str) -> Failure {
    let of_password = || format!("Check user, and the variable {variable}.");
    match failure.code.as_ref().map(|code| code.code()) {
        Some("28P01") => failure.hint(of_password()),
        Some("3D000") => failure.hint("Check dbname, which is postgres by default."),
        Some(_) => failure,
        None if failure.message.contains("does not support TLS") => {
            failure.hint("Set sslmode to disable if nobody can read the network; the default is require.")
        }
        None => {
            failure.hint("Check hostname, port and sslmode, and whether this machine can reach the server.")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use kb_rag_core::manifest::{Search, parse};
    use serde_json::{Value, json};
    use tokio_postgres::config::Host;

    use super::super::conninfo::SslMode;
    use super::*;

    fn block(fields: Value) -> Pgvector {
        let mut block = json!({
            "type": "pgvector", "hostname": "db.example.com", "port": 6000, "password": "${KB_PG_PASSWORD}", "collection": "a",
            "embedding_model": "openai/small", "embedding_dimensions": 3
        });
        for (field, value) in fields.as_object().unwrap() {
            block[field] = value.clone();
        }
        let parsed = parse(&block);
        assert_eq!(parsed.mistakes, []);
        match parsed.search {
            Some(Search::Pgvector(block)) => block,
            _ => panic!("not a table"),
        }
    }

    #[test]
    fn what_a_block_leaves_open_is_not_taken_from_the_environment() {
        let environment = |name: &str| (name != "PGSSLROOTCERT").then(|| "elsewhere".to_string());
        let of = |block: &Pgvector| Settings::of_manifest(block, &block.sslmode, "se'cret", &environment);
        let settings = of(&block(json!({})));
        assert_eq!(settings.place(), "database \"postgres\" at db.example.com, port 6000, as \"postgres\"");
        assert_eq!(settings.ssl_mode(), Ok(SslMode::Require));
        let config = settings.config().unwrap();
        assert_eq!(config.get_password(), Some(b"se'cret".as_slice()));
        assert_eq!((config.get_user(), config.get_dbname()), (Some("postgres"), Some("postgres")));
        let other =
            block(json!({"user": "agent", "dbname": "kb x", "sslmode": "verify-full", "hostname": "[::1]"}));
        assert_eq!(of(&other).ssl_mode(), Ok(SslMode::VerifyFull));
        let config = of(&other).config().unwrap();
        assert_eq!((config.get_user(), config.get_dbname()), (Some("agent"), Some("kb x")));
        assert_eq!(config.get_hosts(), [Host::Tcp("::1".to_string())]);
        let trusted = Settings::of_manifest(&other, "require", "", &|name| {
            (name == "PGSSLROOTCERT").then(|| "a.crt".to_string())
        });
        assert_eq!(trusted.ssl_mode(), Ok(SslMode::VerifyCa));
    }

    /// Answers one connection after the other with these bytes, after reading what the client says first; returns its port.
    fn server(answers: Vec<Vec<u8>>) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for answer in answers {
                let (mut socket, _) = listener.accept().unwrap();
                let mut said = [0; 1024];
                let _ = socket.read(&mut said).unwrap();
                socket.write_all(&answer).unwrap();
                let _ = socket.read(&mut said);
            }
        });
        port
    }

    fn refusal(code: &str) -> Vec<u8> {
        let fields = format!("SFATAL\0C{code}\0Mrefused\0\0");
        let mut message = vec![b'E'];
        message.extend((fields.len() as u32 + 4).to_be_bytes());
        message.extend(fields.as_bytes());
        message
    }

    fn outcome(sslmode: &str, answers: Vec<Vec<u8>>) -> Failure {
        let port = server(answers);
        let block = block(json!({"hostname": "127.0.0.1", "port": port, "sslmode": sslmode}));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        match runtime.block_on(connect(&block, "se'cret")) {
            Ok(_) => panic!("connected"),
            Err(failure) => failure,
        }
    }

    #[test]
    fn failures_name_the_field_and_no_password() {
        for (mode, answers, said) in [
            ("require", vec![b"N".to_vec()], "Set sslmode to disable"),
            ("disable", vec![refusal("28P01")], "the variable KB_PG_PASSWORD"),
            // TLS is tried after a refusal only.
            ("allow", vec![refusal("28000"), b"N".to_vec()], "Set sslmode to disable"),
        ] {
            let failure = outcome(mode, answers).to_string();
            assert!(failure.contains(said), "{mode}: {failure}");
            assert!(!failure.contains("cret"), "{failure}");
        }
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let block = block(json!({"hostname": "127.0.0.1", "port": closed}));
        let failure = runtime.block_on(connect(&block, "x")).err().unwrap();
        assert!(failure.to_string().contains("Check hostname, port and sslmode"), "{failure}");
    }
}
