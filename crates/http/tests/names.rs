//! Names: files, good and bad name servers, and addresses that must not be connected to.
#![allow(clippy::unwrap_used, reason = "clippy knows the functions marked as tests, not what they call")]

mod server;

use std::io::Write;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use kb_rag_http::{Error, Names, PrivateAddresses, Request, Response, post, post_by_names};
use server::dns::{NameServer, Zone, answer, is_a, loopback, names};
use server::{LONG, SHORT, Server, TWO_CHECKS, check_interrupts, is_stopped, ok, request, stop_at};
use simple_dns::RCODE;

fn get(url: &str, names: &Names) -> Result<Response, Error> {
    post_by_names(&request(url, &[]), names, check_interrupts)
}

#[test]
fn takes_addresses_from_a_name_server() {
    let server = Server::answering(ok(b"abc"));
    let port = server.address.port();
    let both = vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()];
    for zone in [
        Zone::Addresses(loopback()),
        Zone::Addresses(both),
        Zone::Alias(loopback()),
        Zone::Long(loopback()),
        Zone::Forged(loopback()),
    ] {
        let dns = NameServer::start(move |_| zone.clone());
        // This server does not keep the connection alive, so each call looks the name up.
        let response = get(&format!("http://Example.TEST:{port}/"), &names(&[&dns]));
        assert_eq!(response.unwrap().body, b"abc");
        assert_eq!(dns.asked()[0], "Example.TEST");
    }
}

#[test]
fn tries_all_addresses() {
    let server = Server::answering(ok(b"abc"));
    // Nothing listens on the first addresses.
    let addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.1"].map(|address| address.parse().unwrap()).to_vec();
    let dns = NameServer::start(move |_| Zone::Addresses(addresses.clone()));
    let response = get(&format!("http://a.test:{}/", server.address.port()), &names(&[&dns]));
    assert_eq!(response.unwrap().body, b"abc");
}

#[test]
fn says_that_there_is_no_such_host() {
    let unknown = NameServer::start(|_| Zone::Code(RCODE::NameError));
    let empty = NameServer::start(|_| Zone::Addresses(Vec::new()));
    for dns in [unknown, empty] {
        let error = get("http://a.test/", &names(&[&dns])).err();
        assert_eq!(error, Some(Error::Unreachable("a.test:80: no such host".to_owned())));
    }
    let long = format!("http://{}.test/", "a".repeat(64));
    assert!(matches!(get(&long, &names(&[])), Err(Error::Unreachable(_))));
}

#[test]
fn asks_the_next_server() {
    let server = Server::answering(ok(b"abc"));
    let url = format!("http://a.test:{}/", server.address.port());
    let good = NameServer::start(|_| Zone::Addresses(loopback()));
    let failing = NameServer::start(|_| Zone::Code(RCODE::ServerFailure));
    let refusing = NameServer::start(|_| Zone::Code(RCODE::Refused));
    assert_eq!(get(&url, &names(&[&failing, &refusing, &good])).unwrap().body, b"abc");
    // Nothing listens there; the other server is silent.
    let mut names = names(&[&good]);
    names.servers.insert(0, UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let silent = NameServer::start(|_| Zone::Silent);
    names.servers.insert(0, silent.address);
    names.timeout = Duration::from_millis(100);
    names.attempts = 50;
    assert_eq!(get(&url, &names).unwrap().body, b"abc");
    let garbage = NameServer::start(|_| Zone::Garbage);
    names.servers[0] = garbage.address;
    assert_eq!(get(&url, &names).unwrap().body, b"abc");
}

#[test]
fn says_that_name_servers_are_silent() {
    let silent = NameServer::start(|_| Zone::Silent);
    let mut names = names(&[&silent]);
    stop_at(usize::MAX);
    let hurried = Request { timeout: SHORT, ..request("http://a.test/", &[]) };
    let error = post_by_names(&hurried, &names, check_interrupts).err();
    assert_eq!(error, Some(Error::TimedOut(SHORT)));
    let connecting = Request { connect_timeout: SHORT, ..request("http://a.test/", &[]) };
    let error = post_by_names(&connecting, &names, check_interrupts).err();
    assert_eq!(error, Some(Error::Unreachable(format!("a.test:80: no connection within {SHORT:?}"))));
    stop_at(2);
    let checked = Request { timeout: TWO_CHECKS, ..request("http://a.test/", &[]) };
    assert!(is_stopped(|| post_by_names(&checked, &names, check_interrupts)));
    stop_at(usize::MAX);
    names.timeout = Duration::from_millis(50);
    let error = get("http://a.test/", &names).err();
    let why = "a.test:80: no answer from name server 127.0.0.1";
    assert_eq!(error, Some(Error::Unreachable(why.to_owned())));
    // Twice, because resolv.conf does not say otherwise.
    assert_eq!(silent.asked().len(), 5);
}

#[test]
fn does_not_wait_long_for_the_other_kind() {
    // Some servers drop AAAA queries.
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut names = names(&[]);
    names.servers = vec![udp.local_addr().unwrap()];
    thread::spawn(move || {
        let mut buffer = [0; 512];
        loop {
            let (length, from) = udp.recv_from(&mut buffer).unwrap();
            if is_a(&buffer[..length]) {
                udp.send_to(&answer(&buffer[..length], &Zone::Addresses(loopback())), from).unwrap();
            }
        }
    });
    // Waiting for the other kind as long as for a silent server would use up the time of the call.
    names.timeout = 2 * LONG;
    let server = Server::answering(ok(b"abc"));
    let response = get(&format!("http://a.test:{}/", server.address.port()), &names);
    assert_eq!(response.unwrap().body, b"abc");
}

#[test]
fn completes_names_as_resolv_conf_says() {
    let dns = NameServer::start(|_| Zone::Code(RCODE::NameError));
    let mut names = Names::new(b"", b"search one.test two.test.\noptions ndots:2\nnonsense\n");
    names.servers = vec![dns.address];
    for (host, asked) in [
        ("a", ["a.one.test", "a.two.test", "a"].as_slice()),
        ("a.b", &["a.b.one.test", "a.b.two.test", "a.b"]),
        ("a.b.c", &["a.b.c", "a.b.c.one.test", "a.b.c.two.test"]),
        ("a.", &["a"]),
    ] {
        assert!(get(&format!("http://{host}/"), &names).is_err());
        assert_eq!(dns.asked(), asked);
    }
}

#[test]
fn reads_the_files() {
    let names =
        Names::new(b"", b"nameserver 192.0.2.1\nnameserver 2001:db8::1\noptions timeout:3 attempts:4\n");
    let servers: Vec<SocketAddr> =
        ["192.0.2.1:53", "[2001:db8::1]:53"].map(|it| it.parse().unwrap()).to_vec();
    assert_eq!((names.servers, names.timeout, names.attempts), (servers, Duration::from_secs(3), 4));
    assert_eq!(Names::new(b"", b"\xff").servers, ["127.0.0.1:53".parse().unwrap()]);

    let server = Server::answering(ok(b"abc"));
    let port = server.address.port();
    let mut names =
        Names::new(b"# 1.2.3.4 example.test\n127.0.0.1 other Example.Test # example2.test\nbad\n", b"");
    names.servers.clear();
    for host in ["example.test", "EXAMPLE.test.", "localhost", "a.localhost", "LocalHost."] {
        assert_eq!(get(&format!("http://{host}:{port}/"), &names).unwrap().body, b"abc", "{host}");
    }
    assert!(matches!(get(&format!("http://example2.test:{port}/"), &names), Err(Error::Unreachable(_))));
}

#[test]
fn refuses_private_addresses() {
    let server = Server::answering(ok(b"abc"));
    let port = server.address.port();
    let refuse = |host: &str, names: &Names| {
        let url = format!("http://{host}:{port}/?key=SECRET");
        let refused = Request { private_addresses: PrivateAddresses::Refused, ..request(&url, &[]) };
        post_by_names(&refused, names, check_interrupts)
    };
    let none = names(&[]);
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[64:ff9b::7f00:1]",
        "[fd00:ec2::254]",
    ] {
        let Err(Error::PrivateAddress(what)) = refuse(host, &none) else { panic!("{host}") };
        assert!(!what.contains("SECRET"), "{what}");
    }
    // Neither a name server nor a file is consulted for a host that other programs treat as an address.
    let dns = NameServer::start(|_| {
        Zone::Addresses(vec!["2606:4700::1111".parse().unwrap(), "1.1.1.1".parse().unwrap()])
    });
    let mut anything = names(&[&dns]);
    anything.hosts = "1.1.1.1 127.1 0 localhost.localdomain.example".to_owned();
    for host in [
        "2130706433",
        "0x7f000001",
        "127.1",
        "127.0.1",
        "0177.0.0.1",
        "017700000001",
        "0x7f.0.0.1",
        "0x7F.1",
        "0",
        "0x",
        "127.0.0.1.",
        "127.1.",
        "10.1",
        "0xa9fea9fe",
        "localhost.",
        "LocalHost.",
        "a.localhost.",
        "localhost.localdomain",
        "localhost.localdomain.",
    ] {
        assert!(
            matches!(refuse(host, &anything), Err(Error::PrivateAddress(_))),
            "{host}: {:?}",
            refuse(host, &anything).err()
        );
    }
    for host in ["256.256.256.256", "1.2.3.4.5", "127.0.0.08", "4294967296", "example.1"] {
        assert!(matches!(refuse(host, &anything), Err(Error::BadUrl(_))), "{host}");
    }
    assert_eq!(dns.asked(), [""; 0], "asked for a number");
    // Where private addresses are allowed, these forms connect to them.
    assert_eq!(server.connections(), 0);
    for host in ["127.1", "2130706433", "0x7f.0.0.1", "127.0.0.1.", "localhost."] {
        assert_eq!(get(&format!("http://{host}:{port}/"), &none).unwrap().body, b"abc", "{host}");
        assert_eq!(server.connections(), 1, "{host}");
    }
    for address in ["127.0.0.1", "::ffff:127.0.0.1", "192.168.1.1"] {
        let address: IpAddr = address.parse().unwrap();
        let dns = NameServer::start(move |_| Zone::Addresses(vec![address]));
        let outcome = refuse("a.test", &names(&[&dns])).err();
        assert_eq!(outcome, Some(Error::PrivateAddress(format!("the private address {address} of a.test"))));
    }
    assert_eq!(server.connections(), 0);
}

/// A name server that gives a public address first and a private one at the next query, or both at once,
/// cannot cause a connection to the private one.
#[test]
fn connects_to_the_address_that_was_checked() {
    let server = Server::answering(ok(b"abc"));
    let url = format!("http://a.test:{}/", server.address.port());
    // Unallocated, so no host answers there.
    let public: IpAddr = "3ffe::1".parse().unwrap();
    let refused = Request {
        private_addresses: PrivateAddresses::Refused,
        connect_timeout: SHORT,
        ..request(&url, &[])
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let changing = NameServer::start(move |_| {
        // Each look-up asks twice, once for each kind of address.
        match counter.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Zone::Addresses(vec![public]),
            _ => Zone::Addresses(loopback()),
        }
    });
    let by_changing = names(&[&changing]);
    let outcome = post_by_names(&refused, &by_changing, check_interrupts).err();
    assert!(matches!(outcome, Some(Error::Unreachable(_))), "{outcome:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 2, "looked up once");
    // The next call looks the name up again, and checks again.
    let outcome = post_by_names(&refused, &by_changing, check_interrupts).err();
    assert!(matches!(outcome, Some(Error::PrivateAddress(_))), "{outcome:?}");
    for mixed in [
        vec![public, "127.0.0.1".parse().unwrap()],
        vec!["127.0.0.1".parse().unwrap(), public, "::1".parse().unwrap()],
    ] {
        let both = NameServer::start(move |_| Zone::Addresses(mixed.clone()));
        let outcome = post_by_names(&refused, &names(&[&both]), check_interrupts).err();
        assert!(matches!(outcome, Some(Error::Unreachable(_))), "{outcome:?}");
    }
    assert_eq!(server.connections(), 0);
    // A server listens there.
    assert_eq!(get(&url, &by_changing).unwrap().body, b"abc");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_connection_to_a_private_address_is_not_reused_where_it_is_not_allowed() {
    let server = Server::start(|_, mut stream| {
        while server::read_request(&mut stream).is_some() {
            stream.write_all(&ok(b"abc")).unwrap();
        }
    });
    let url = server.url();
    assert!(post(&request(&url, &[]), check_interrupts).is_ok());
    let refused = Request { private_addresses: PrivateAddresses::Refused, ..request(&url, &[]) };
    assert!(matches!(post(&refused, check_interrupts), Err(Error::PrivateAddress(_))));
}
