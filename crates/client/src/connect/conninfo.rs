//! The settings of a connection as libpq takes them: connection strings, environment variables and defaults
//! (<https://www.postgresql.org/docs/current/libpq-connect.html>).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;

use super::passfile;
use crate::error::{Failure, Result, with_causes};

/// The environment variables that stand for keywords.
const VARIABLES: [(&str, &str); 15] = [
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("dbname", "PGDATABASE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
    ("passfile", "PGPASSFILE"),
    ("options", "PGOPTIONS"),
    ("application_name", "PGAPPNAME"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("target_session_attrs", "PGTARGETSESSIONATTRS"),
    ("channel_binding", "PGCHANNELBINDING"),
];

/// What would connect to another place, or as another user, if it was ignored.
const UNSUPPORTED: [(&str, &str); 6] = [
    ("service", "PGSERVICE"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("sslcrl", "PGSSLCRL"),
    ("requirepeer", "PGREQUIREPEER"),
    ("require_auth", "PGREQUIREAUTH"),
];

/// Directories of the server's socket: that of distributions, and that of PostgreSQL.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

pub const APPLICATION: &str = "kb-rag";

/// The values of `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SslMode {
    Disable,
    /// TLS where the server offers it; no certificate is checked.
    Prefer,
    /// TLS; no certificate is checked unless `sslrootcert` is given.
    Require,
    /// TLS with a certificate of a trusted authority.
    VerifyCa,
    /// TLS with a certificate of a trusted authority for this host.
    VerifyFull,
}

/// Settings by the keywords of libpq.
pub struct Settings(pub BTreeMap<String, String>);

impl Settings {
    /// Those of `--database`, else of DATABASE_URL; what they leave open is taken from other environment variables.
    pub fn collect(database: Option<&str>, variable: &dyn Fn(&str) -> Option<String>) -> Result<Settings> {
        let from_environment = |name| variable(name).filter(|value| !value.is_empty());
        let url = from_environment("DATABASE_URL");
        let mut pairs = match (database, &url) {
            (Some(text), _) => parse(text).map_err(|why| Failure::usage(format!("--database: {why}")))?,
            (None, Some(text)) => {
                parse(text).map_err(|why| Failure::usage(format!("DATABASE_URL: {why}")))?
            }
            (None, None) => BTreeMap::new(),
        };
        pairs.retain(|_, value| !value.is_empty());
        for (keyword, name) in UNSUPPORTED {
            if pairs.contains_key(keyword) || from_environment(name).is_some() {
                return Err(Failure::usage(format!("{keyword} ({name}) is not supported by kb-rag")));
            }
        }
        for (keyword, name) in VARIABLES {
            if let (false, Some(value)) = (pairs.contains_key(keyword), from_environment(name)) {
                pairs.insert(keyword.to_string(), value);
            }
        }
        let mut settings = Settings(pairs);
        settings.set_defaults(from_environment("HOME").map(PathBuf::from).as_deref());
        Ok(settings)
    }

    /// The file of certificates that libpq reads if no other is given.
    pub fn find_certificates(&mut self, home: Option<&Path>) {
        let default = home.map(|home| home.join(".postgresql/root.crt"));
        if !self.0.contains_key("sslrootcert")
            && let Some(path) = default.filter(|path| path.exists())
        {
            self.0.insert("sslrootcert".to_string(), path.display().to_string());
        }
    }

    fn set_defaults(&mut self, home: Option<&Path>) {
        let pairs = &mut self.0;
        pairs.entry("port".to_string()).or_insert_with(|| "5432".to_string());
        if !pairs.contains_key("host") && !pairs.contains_key("hostaddr") {
            let file = format!(".s.PGSQL.{}", pairs["port"]);
            let socket = SOCKETS.iter().find(|directory| Path::new(directory).join(&file).exists());
            pairs.insert("host".to_string(), socket.unwrap_or(&"localhost").to_string());
        }
        if let (false, Ok(user)) = (pairs.contains_key("user"), whoami::username()) {
            pairs.insert("user".to_string(), user);
        }
        if let (false, Some(user)) = (pairs.contains_key("dbname"), pairs.get("user").cloned()) {
            pairs.insert("dbname".to_string(), user);
        }
        pairs.entry("application_name".to_string()).or_insert_with(|| APPLICATION.to_string());
        let in_home = |name: &str| home.map(|home| home.join(name));
        if !pairs.contains_key("password") {
            let path = pairs.get("passfile").map(PathBuf::from).or_else(|| in_home(".pgpass"));
            let password = path.and_then(|path| self.password_of(&path));
            self.0.extend(password.map(|password| ("password".to_string(), password)));
        }
        self.find_certificates(home);
    }

    /// The password of the first of the hosts that the file has one for.
    fn password_of(&self, path: &Path) -> Option<String> {
        let [hosts, ports] =
            [self.get("host").or(self.get("hostaddr")), self.get("port")].map(Option::unwrap_or_default);
        let ports: Vec<&str> = ports.split(',').collect();
        hosts.split(',').enumerate().find_map(|(at, host)| {
            let host = if SOCKETS.contains(&host) { "localhost" } else { host };
            let port = ports.get(at).or(ports.first()).copied().unwrap_or_default();
            passfile::password(path, host, port, self.get("dbname")?, self.get("user")?)
        })
    }

    /// The value of a keyword.
    pub fn get(&self, keyword: &str) -> Option<&str> {
        self.0.get(keyword).map(String::as_str)
    }

    /// How the connection is encrypted. As in libpq, `require` with a file of certificates is `verify-ca`.
    pub fn ssl_mode(&self) -> Result<SslMode> {
        let hosts = self.get("host").unwrap_or_default();
        // libpq uses no TLS on a Unix socket.
        if !hosts.is_empty() && hosts.split(',').all(|host| host.starts_with('/')) {
            return Ok(SslMode::Disable);
        }
        match self.get("sslmode").unwrap_or("prefer") {
            "disable" => Ok(SslMode::Disable),
            "prefer" => Ok(SslMode::Prefer),
            "require" if self.get("sslrootcert").is_some() => Ok(SslMode::VerifyCa),
            "require" => Ok(SslMode::Require),
            "verify-ca" => Ok(SslMode::VerifyCa),
            "verify-full" => Ok(SslMode::VerifyFull),
            "allow" => {
                Err(Failure::usage("sslmode allow is not supported by kb-rag").hint("Use prefer or disable."))
            }
            other => Err(Failure::usage(format!("sslmode \"{other}\" is unknown"))
                .hint("It is disable, prefer, require, verify-ca or verify-full.")),
        }
    }

    /// The settings for the driver.
    pub fn config(&self) -> Result<Config> {
        let mode = match self.ssl_mode()? {
            SslMode::Disable => "disable",
            SslMode::Prefer => "prefer",
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => "require",
        };
        let own = ["sslmode", "sslrootcert", "passfile"];
        let others = self.0.iter().filter(|(keyword, _)| !own.contains(&keyword.as_str()));
        let mut text = format!("sslmode={mode}");
        for (keyword, value) in others {
            text = format!("{text} {keyword}={}", quoted(value));
        }
        text.parse().map_err(|error: tokio_postgres::Error| {
            Failure::usage(format!("wrong connection setting: {}", with_causes(&error)))
        })
    }

    /// The database, for messages: without the password.
    pub fn place(&self) -> String {
        let get = |keyword| self.get(keyword).unwrap_or("?");
        let host = self.get("host").or(self.get("hostaddr")).unwrap_or("?");
        format!("database \"{}\" at {host}, port {}, as \"{}\"", get("dbname"), get("port"), get("user"))
    }
}

/// A connection string without its password, and the password. None if it has none.
pub fn without_password(text: &str) -> Option<(String, String)> {
    let mut pairs = parse(text).ok()?;
    let password = pairs.remove("password")?;
    let pairs: Vec<String> =
        pairs.iter().map(|(keyword, value)| format!("{keyword}={}", quoted(value))).collect();
    Some((pairs.join(" "), password))
}

/// A value for a connection string.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

type Parsed = std::result::Result<BTreeMap<String, String>, String>;

/// Parses a URL, `keyword=value …` or, as psql does, the name of a database.
fn parse(text: &str) -> Parsed {
    let url = ["postgres://", "postgresql://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    match url {
        Some(rest) => parse_url(rest),
        None if text.contains("://") => Err("the URL does not begin with postgres://".to_string()),
        None if text.contains('=') => parse_pairs(text),
        None => Ok(BTreeMap::from([("dbname".to_string(), text.to_string())])),
    }
}

fn parse_url(rest: &str) -> Parsed {
    let mut pairs = BTreeMap::new();
    let mut add = |keyword: &str, value: &str| -> std::result::Result<(), String> {
        let decoded =
            percent_decode_str(value).decode_utf8().map_err(|_| format!("{keyword} is not UTF-8"))?;
        if !decoded.is_empty() {
            pairs.insert(keyword.to_string(), decoded.into_owned());
        }
        Ok(())
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    // A password may contain a slash: what comes before the last @ is no path.
    let (account, rest) = rest.rsplit_once('@').unwrap_or(("", rest));
    let (user, password) = account.split_once(':').unwrap_or((account, ""));
    add("user", user)?;
    add("password", password)?;
    let (places, database) = rest.split_once('/').unwrap_or((rest, ""));
    add("dbname", database)?;
    let (mut hosts, mut ports) = (Vec::new(), Vec::new());
    for place in places.split(',') {
        let (host, port) = match place.strip_prefix('[') {
            Some(address) => {
                let (host, after) = address.split_once(']').ok_or("the address lacks its \"]\"")?;
                (host, after.strip_prefix(':').unwrap_or(after))
            }
            None => place.split_once(':').unwrap_or((place, "")),
        };
        hosts.push(host);
        ports.push(port);
    }
    add("host", &hosts.join(","))?;
    if ports.iter().any(|port| !port.is_empty()) {
        let ports: Vec<&str> = ports.iter().map(|port| if port.is_empty() { "5432" } else { port }).collect();
        add("port", &ports.join(","))?;
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (keyword, value) = pair.split_once('=').ok_or("a parameter after \"?\" has no value")?;
        // The name that JDBC uses, which libpq takes too.
        match (keyword, value) {
            ("ssl", "true") => add("sslmode", "require")?,
            _ => add(keyword, value)?,
        }
    }
    Ok(pairs)
}

fn parse_pairs(text: &str) -> Parsed {
    let mut pairs = BTreeMap::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (keyword, after) = rest.split_once('=').ok_or("a keyword has no \"=\"")?;
        let mut value = String::new();
        let after = after.trim_start();
        let quote = after.strip_prefix('\'');
        let mut chars = quote.unwrap_or(after).chars();
        let mut closed = quote.is_none();
        while let Some(c) = chars.next() {
            match c {
                '\\' => value.extend(chars.next()),
                '\'' if quote.is_some() => {
                    closed = true;
                    break;
                }
                c if c.is_whitespace() && quote.is_none() => break,
                c => value.push(c),
            }
        }
        if !closed {
            return Err("a quoted value does not end".to_string());
        }
        pairs.insert(keyword.trim().to_string(), value);
        rest = chars.as_str().trim_start();
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::Host;

    use super::*;

    fn none(_: &str) -> Option<String> {
        None
    }

    fn pairs(text: &str) -> Vec<(String, String)> {
        parse(text).unwrap().into_iter().collect()
    }

    fn expected(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    }

    #[test]
    fn connection_strings() {
        for (text, wanted) in [
            ("app", &[("dbname", "app")][..]),
            ("postgres://", &[]),
            ("postgresql://ann@db/app", &[("dbname", "app"), ("host", "db"), ("user", "ann")]),
            (
                "postgres://ann:p%40ss/w:x@db:6000/app?sslmode=verify-full&options=-c%20a%3Db",
                &[
                    ("dbname", "app"),
                    ("host", "db"),
                    ("options", "-c a=b"),
                    ("password", "p@ss/w:x"),
                    ("port", "6000"),
                    ("sslmode", "verify-full"),
                    ("user", "ann"),
                ],
            ),
            ("postgres://[::1]:1,b/app", &[("dbname", "app"), ("host", "::1,b"), ("port", "1,5432")]),
            ("postgres://%2Ftmp%2Fs/app", &[("dbname", "app"), ("host", "/tmp/s")]),
            ("postgres:///app?host=/tmp", &[("dbname", "app"), ("host", "/tmp")]),
            (
                "host=a password='it\\'s \\\\ x' user = b",
                &[("host", "a"), ("password", "it's \\ x"), ("user", "b")],
            ),
        ] {
            assert_eq!(pairs(text), expected(wanted), "{text}");
        }
        for text in
            ["mysql://a/b", "host='a", "postgres://[::1/a", "postgres://a/b?c", "a=b c", "postgres://%ff@a/b"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_the_argument_leaves_open_comes_from_the_environment() {
        let environment = |name: &str| match name {
            "DATABASE_URL" => Some("postgres://url@url.example/url".to_string()),
            "PGHOST" => Some("env.example".to_string()),
            "PGPORT" => Some("7000".to_string()),
            "PGUSER" => Some("env".to_string()),
            _ => None,
        };
        let given = Settings::collect(Some("postgres://arg.example/app"), &environment).unwrap();
        assert_eq!(given.place(), "database \"app\" at arg.example, port 7000, as \"env\"");
        let by_url = Settings::collect(None, &environment).unwrap();
        assert_eq!(by_url.place(), "database \"url\" at url.example, port 7000, as \"url\"");
        let config = by_url.config().unwrap();
        assert_eq!(config.get_hosts(), [Host::Tcp("url.example".to_string())]);
    }

    #[test]
    fn the_password_leaves_the_argument() {
        let (text, password) = without_password("postgres://ann:se'cret@db/app?sslmode=require").unwrap();
        assert_eq!(password, "se'cret");
        assert_eq!(
            pairs(&text),
            expected(&[("dbname", "app"), ("host", "db"), ("sslmode", "require"), ("user", "ann")])
        );
        assert_eq!(without_password("postgres://ann@db/app"), None);
        assert_eq!(
            without_password("host=db password=x").unwrap(),
            ("host='db'".to_string(), "x".to_string())
        );
    }

    #[test]
    fn no_message_contains_the_password() {
        for text in [
            "postgres://a:secret@h:port/d",
            "password=secret port=x",
            "password=secret sslmode=no",
            "password='secret",
        ] {
            let failure = match Settings::collect(Some(text), &none) {
                Ok(settings) => settings.config().err().unwrap(),
                Err(failure) => failure,
            };
            assert!(!failure.to_string().contains("secret"), "{failure}");
            assert_eq!(failure.status, 2);
        }
    }

    #[test]
    fn modes_of_tls() {
        let mode =
            |text: &str| Settings::collect(Some(text), &none).unwrap().ssl_mode().map_err(|f| f.message);
        assert_eq!(mode("host=a"), Ok(SslMode::Prefer));
        assert_eq!(mode("host=/tmp sslmode=verify-full"), Ok(SslMode::Disable));
        assert_eq!(mode("host=a sslmode=require"), Ok(SslMode::Require));
        assert_eq!(mode("host=a sslmode=require sslrootcert=x"), Ok(SslMode::VerifyCa));
        assert!(mode("host=a sslmode=allow").is_err());
        assert!(Settings::collect(Some("host=a service=x"), &none).is_err());
    }
}
