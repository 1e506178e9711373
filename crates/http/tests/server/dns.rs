//! A name server on loopback with scripted answers.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use kb_rag_http::Names;
use simple_dns::rdata::{A, AAAA, CNAME, RData};
use simple_dns::{CLASS, Name, Packet, PacketFlag, QCLASS, QTYPE, Question, RCODE, ResourceRecord, TYPE};

use super::LONG;

/// What a name server does with a query: sends records, a code, or nothing.
#[derive(Clone)]
pub enum Zone {
    Silent,
    Code(RCODE),
    /// Records for the queried name.
    Addresses(Vec<IpAddr>),
    /// Records for another name, for which the queried name is an alias.
    Alias(Vec<IpAddr>),
    /// Too long for UDP; these over TCP.
    Long(Vec<IpAddr>),
    Garbage,
    /// First answers with a wrong id and to a wrong question, then correctly.
    Forged(Vec<IpAddr>),
}

/// A name server, and the names for which it received A queries.
pub struct NameServer {
    pub address: SocketAddr,
    asked: Receiver<String>,
}

/// The name that [`NameServer::asked`] asks for.
const LAST: &str = "last.query";

impl NameServer {
    pub fn start(zone: impl Fn(&str) -> Zone + Send + Clone + 'static) -> NameServer {
        // One port for both protocols.
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
            if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()) {
                break (udp, tcp);
            }
        };
        let address = udp.local_addr().unwrap();
        let (sender, asked) = channel();
        let by_tcp = zone.clone();
        thread::spawn(move || {
            for mut stream in tcp.incoming().map(Result::unwrap) {
                let mut length = [0; 2];
                stream.read_exact(&mut length).unwrap();
                let mut message = vec![0; u16::from_be_bytes(length).into()];
                stream.read_exact(&mut message).unwrap();
                let Zone::Long(addresses) = by_tcp(&name(&message)) else { continue };
                let answer = answer(&message, &Zone::Addresses(addresses));
                stream.write_all(&(answer.len() as u16).to_be_bytes()).unwrap();
                stream.write_all(&answer).unwrap();
            }
        });
        thread::spawn(move || {
            let mut buffer = [0; 512];
            loop {
                let (length, from) = udp.recv_from(&mut buffer).unwrap();
                let message = &buffer[..length];
                let name = name(message);
                let zone = if name == LAST { Zone::Silent } else { zone(&name) };
                if is_a(message) && sender.send(name).is_err() {
                    return;
                }
                if let Zone::Forged(addresses) = &zone {
                    let evil = Zone::Addresses(vec!["127.9.9.9".parse().unwrap()]);
                    let mut other_id = message.to_vec();
                    other_id[0] ^= 1;
                    udp.send_to(&answer(&other_id, &evil), from).unwrap();
                    let mut other_name = message.to_vec();
                    other_name[13] ^= 1;
                    udp.send_to(&answer(&other_name, &evil), from).unwrap();
                    udp.send_to(&answer(message, &Zone::Addresses(addresses.clone())), from).unwrap();
                } else if !matches!(zone, Zone::Silent) {
                    udp.send_to(&answer(message, &zone), from).unwrap();
                }
            }
        });
        NameServer { address, asked }
    }

    /// The names for which it was asked since the last call. Queries that it has not read yet come before the one that is
    /// sent here.
    pub fn asked(&self) -> Vec<String> {
        let mut query = Packet::new_query(0);
        let name = Name::new_unchecked(LAST);
        query.questions.push(Question::new(name, QTYPE::TYPE(TYPE::A), QCLASS::CLASS(CLASS::IN), false));
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.send_to(&query.build_bytes_vec().unwrap(), self.address).unwrap();
        self.asked.iter().take_while(|name| name != LAST).collect()
    }
}

fn name(message: &[u8]) -> String {
    Packet::parse(message).unwrap().questions[0].qname.to_string()
}

pub fn is_a(message: &[u8]) -> bool {
    Packet::parse(message).unwrap().questions[0].qtype == QTYPE::TYPE(TYPE::A)
}

pub fn answer(message: &[u8], zone: &Zone) -> Vec<u8> {
    let query = Packet::parse(message).unwrap();
    let is_a = is_a(message);
    let mut answer = Packet::new_reply(query.id());
    answer.questions = query.questions.clone();
    let record = |name: &Name, data| ResourceRecord::new(name.clone().into_owned(), CLASS::IN, 60, data);
    let mut owner = query.questions[0].qname.clone();
    let addresses = match zone {
        Zone::Addresses(addresses) => addresses.as_slice(),
        Zone::Alias(addresses) => {
            let alias = Name::new_unchecked("Alias.Test");
            answer.answers.push(record(&owner, RData::CNAME(CNAME(alias.clone()))));
            owner = Name::new_unchecked("alias.test");
            addresses.as_slice()
        }
        Zone::Code(code) => {
            *answer.rcode_mut() = *code;
            &[]
        }
        Zone::Long(_) => {
            answer.set_flags(PacketFlag::TRUNCATION);
            &[]
        }
        Zone::Garbage => return [&message[..2], [0x80; 30].as_slice()].concat(),
        Zone::Silent | Zone::Forged(_) => unreachable!(),
    };
    for address in addresses {
        match address {
            IpAddr::V4(v4) if is_a => {
                answer.answers.push(record(&owner, RData::A(A { address: v4.to_bits() })))
            }
            IpAddr::V6(v6) if !is_a => {
                answer.answers.push(record(&owner, RData::AAAA(AAAA { address: v6.to_bits() })));
            }
            _ => {}
        }
    }
    answer.build_bytes_vec().unwrap()
}

pub fn names(servers: &[&NameServer]) -> Names {
    let mut names = Names::new(b"", b"");
    names.servers = servers.iter().map(|server| server.address).collect();
    names.timeout = LONG;
    names
}

pub fn loopback() -> Vec<IpAddr> {
    vec!["127.0.0.1".parse().unwrap()]
}
