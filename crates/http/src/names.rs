//! The addresses of a host: literals, the hosts file, localhost, DNS.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use crate::address::{NoAddress, address_of_host};
use crate::dns::{self, Reply};
use crate::fault::Fault;

/// The most addresses of a host that are tried.
const MAX_ADDRESSES: usize = 16;

/// Where names are looked up. The environment (RES_OPTIONS, LOCALDOMAIN) and services other than files and
/// DNS are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The text of the hosts file.
    pub hosts: String,
    /// Name servers, in the order in which they are asked.
    pub servers: Vec<SocketAddr>,
    /// Domains that complete names.
    pub search: Vec<String>,
    /// A name with at least this many dots is first tried as it is.
    pub ndots: usize,
    /// How long a server has to answer.
    pub timeout: Duration,
    /// How often every server is asked.
    pub attempts: usize,
}

impl Names {
    /// As in /etc/hosts and /etc/resolv.conf at present. As in the C library, a missing file counts as empty
    /// and an invalid line is ignored.
    pub fn of_system() -> Names {
        let read = |path| std::fs::read(path).unwrap_or_default();
        Names::new(&read("/etc/hosts"), &read("/etc/resolv.conf"))
    }

    /// From the texts of a hosts file and a resolv.conf.
    pub fn new(hosts: &[u8], resolv_conf: &[u8]) -> Names {
        let (config, _) = resolv_conf::Config::parse_with_errors(resolv_conf);
        let mut servers: Vec<SocketAddr> =
            config.nameservers.iter().map(|server| SocketAddr::new(server.into(), 53)).collect();
        if servers.is_empty() {
            servers.push((Ipv4Addr::LOCALHOST, 53).into());
        }
        Names {
            hosts: String::from_utf8_lossy(hosts).into_owned(),
            servers,
            search: config.get_last_search_or_domain().cloned().collect(),
            ndots: config.ndots as usize,
            timeout: Duration::from_secs(config.timeout.clamp(1, 30).into()),
            attempts: config.attempts.clamp(1, 5) as usize,
        }
    }

    /// The addresses of a host.
    pub(crate) fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Fault> {
        // A number is never looked up as a name: other programs would treat it as an address.
        match address_of_host(host) {
            Some(Ok(address)) => return Ok(vec![address]),
            Some(Err(NoAddress)) => return Err(Fault::NoConnection("no such address".to_owned())),
            None => {}
        }
        let name = host.strip_suffix('.').unwrap_or(host);
        let known = self.in_hosts(name);
        if !known.is_empty() {
            return Ok(known);
        }
        // These names must not be looked up (RFC 6761); the second is the old full form of the first.
        let lower = name.to_ascii_lowercase();
        if ["localhost", "localhost.localdomain"].contains(&&*lower) || lower.ends_with(".localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let mut failure = None;
        for name in self.candidates(host) {
            match self.ask(&name)? {
                Reply::Addresses(mut addresses) => {
                    addresses.truncate(MAX_ADDRESSES);
                    return Ok(addresses);
                }
                Reply::Nothing => {}
                Reply::Failed(why) => failure = failure.or(Some(why)),
            }
        }
        Err(Fault::NoConnection(failure.unwrap_or_else(|| "no such host".to_owned())))
    }

    fn in_hosts(&self, name: &str) -> Vec<IpAddr> {
        let mut found = Vec::new();
        for line in self.hosts.lines() {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(Ok(address)) = words.next().map(str::parse) else { continue };
            if words.any(|word| word.eq_ignore_ascii_case(name)) && found.len() < MAX_ADDRESSES {
                found.push(address);
            }
        }
        found
    }

    /// The full names that a name may stand for, without the final dot.
    fn candidates(&self, name: &str) -> Vec<String> {
        if let Some(full) = name.strip_suffix('.') {
            return vec![full.to_owned()];
        }
        let mut names: Vec<String> =
            self.search.iter().map(|domain| format!("{name}.{}", domain.trim_matches('.'))).collect();
        let position = if name.matches('.').count() >= self.ndots { 0 } else { names.len() };
        names.insert(position, name.to_owned());
        names
    }

    fn ask(&self, name: &str) -> Result<Reply, Fault> {
        let mut failure = Reply::Failed("no name server".to_owned());
        for _ in 0..self.attempts {
            for server in &self.servers {
                match dns::ask(*server, name, self.timeout)? {
                    failed @ Reply::Failed(_) => failure = failed,
                    reply => return Ok(reply),
                }
            }
        }
        Ok(failure)
    }
}
