//! Asks one name server for the addresses of one name, by UDP, and by TCP if the answer does not fit.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, PacketFlag, QCLASS, QTYPE, Question, RCODE, TYPE};

use crate::call;
use crate::fault::Fault;
use crate::reach::reach;
use crate::socket::Socket;

/// How long one kind of address waits for the other kind.
const OTHER_KIND: Duration = Duration::from_millis(300);

/// What a name server says about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Addresses(Vec<IpAddr>),
    /// The name is unknown or has no address.
    Nothing,
    /// The server failed to answer.
    Failed(String),
}

/// One of the two queries sent for a name.
struct Query {
    id: u16,
    kind: TYPE,
    message: Vec<u8>,
    reply: Option<Reply>,
}

/// Asks `server` for both kinds of address of `name`.
pub(crate) fn ask(server: SocketAddr, name: &str, timeout: Duration) -> Result<Reply, Fault> {
    let mut queries = Vec::new();
    for kind in [TYPE::AAAA, TYPE::A] {
        match query(name, kind) {
            Ok(query) => queries.push(query),
            // No name server knows such a name.
            Err(_) => return Ok(Reply::Nothing),
        }
    }
    match exchange(server, &mut queries, Instant::now() + timeout) {
        Ok(()) => {}
        Err(fault @ (Fault::TimedOut | Fault::NoConnection(_))) => return Err(fault),
        Err(fault) => return Ok(Reply::Failed(format!("name server {}: {fault}", server.ip()))),
    }
    Ok(combine(queries.into_iter().map(|query| {
        query.reply.unwrap_or_else(|| Reply::Failed(format!("no answer from name server {}", server.ip())))
    })))
}

/// The addresses, if there are any. There are none only if the server is sure for both kinds.
fn combine(replies: impl Iterator<Item = Reply>) -> Reply {
    let mut found = Vec::new();
    let mut failure = None;
    for reply in replies {
        match reply {
            Reply::Addresses(addresses) => found.push(addresses),
            Reply::Nothing => {}
            failed => failure = Some(failed),
        }
    }
    if found.is_empty() {
        return failure.unwrap_or(Reply::Nothing);
    }
    // Interleaved, so that a network without one kind does not lose time on all of its addresses.
    let longest = found.iter().map(Vec::len).max().unwrap_or(0);
    Reply::Addresses((0..longest).flat_map(|i| found.iter().filter_map(move |a| a.get(i).copied())).collect())
}

fn query(name: &str, kind: TYPE) -> Result<Query, simple_dns::SimpleDnsError> {
    // Unpredictable, to protect against forged answers.
    let id = getrandom::u32().map_err(|_| simple_dns::SimpleDnsError::FailedToWrite)? as u16;
    let mut packet = Packet::new_query(id);
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    packet.questions.push(Question::new(
        Name::new(name)?,
        QTYPE::TYPE(kind),
        QCLASS::CLASS(CLASS::IN),
        false,
    ));
    Ok(Query { id, kind, message: packet.build_bytes_vec()?, reply: None })
}

fn exchange(server: SocketAddr, queries: &mut [Query], mut until: Instant) -> Result<(), Fault> {
    let any: IpAddr =
        if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).map_err(Fault::from_error)?;
    socket.set_nonblocking(true).map_err(Fault::from_error)?;
    // Then the system drops packets from other senders and reports a closed port.
    socket.connect(server).map_err(Fault::from_error)?;
    for query in queries.iter() {
        socket.send(&query.message).map_err(Fault::from_error)?;
    }
    let mut buffer = [0; 4096];
    while queries.iter().any(|query| query.reply.is_none()) {
        if !call::wait(&mut [PollFd::new(&socket, PollFlags::IN)], Some(until))? {
            return Ok(());
        }
        let message = match socket.recv(&mut buffer) {
            Ok(length) => buffer.get(..length).unwrap_or_default(),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                continue;
            }
            Err(error) => return Err(Fault::from_error(error)),
        };
        for query in queries.iter_mut().filter(|query| query.reply.is_none()) {
            query.reply = match read(message, query) {
                Message::Foreign => continue,
                Message::Truncated => Some(ask_by_tcp(server, query)?),
                Message::Reply(reply) => Some(reply),
            };
            if matches!(query.reply, Some(Reply::Addresses(_))) {
                until = until.min(Instant::now() + OTHER_KIND);
            }
        }
    }
    Ok(())
}

/// Asks again by TCP after a truncated answer. The time limit is that of the connection.
fn ask_by_tcp(server: SocketAddr, query: &Query) -> Result<Reply, Fault> {
    match exchange_by_tcp(server, query) {
        Ok(Message::Reply(reply)) => Ok(reply),
        Ok(_) => Ok(Reply::Failed(format!("invalid answer from name server {}", server.ip()))),
        Err(fault @ Fault::TimedOut) => Err(fault),
        Err(fault) => Ok(Reply::Failed(format!("name server {} by TCP: {fault}", server.ip()))),
    }
}

fn exchange_by_tcp(server: SocketAddr, query: &Query) -> Result<Message, Fault> {
    let mut socket = Socket::new(reach(&[server])?);
    let length = u16::try_from(query.message.len()).unwrap_or(u16::MAX).to_be_bytes();
    socket.write_all(&[&length, query.message.as_slice()].concat()).map_err(Fault::from_error)?;
    let mut length = [0; 2];
    socket.read_exact(&mut length).map_err(Fault::from_error)?;
    let mut message = vec![0; u16::from_be_bytes(length).into()];
    socket.read_exact(&mut message).map_err(Fault::from_error)?;
    Ok(read(&message, query))
}

/// How a message relates to a query.
enum Message {
    /// Not an answer to the query.
    Foreign,
    /// An answer that was truncated.
    Truncated,
    /// The answer.
    Reply(Reply),
}

fn read(message: &[u8], query: &Query) -> Message {
    const ANSWER: u8 = 0x80;
    const TRUNCATED: u8 = 0x02;
    // Parsed by hand, because a truncated message may be too short for the parser.
    let &[high, low, flags, ..] = message else { return Message::Foreign };
    if u16::from_be_bytes([high, low]) != query.id || flags & ANSWER == 0 {
        return Message::Foreign;
    }
    if flags & TRUNCATED != 0 {
        return Message::Truncated;
    }
    let (Ok(packet), Ok(asked)) = (Packet::parse(message), Packet::parse(&query.message)) else {
        return Message::Foreign;
    };
    let ([question], [asked]) = (packet.questions.as_slice(), asked.questions.as_slice()) else {
        // Servers that refuse may omit the question.
        return match packet.rcode() {
            RCODE::NoError | RCODE::NameError => Message::Foreign,
            code => Message::Reply(Reply::Failed(format!("name server returned {code:?}"))),
        };
    };
    if !is_same(&question.qname, &asked.qname) || question.qtype != QTYPE::TYPE(query.kind) {
        return Message::Foreign;
    }
    Message::Reply(match packet.rcode() {
        RCODE::NoError => addresses(&packet, &asked.qname),
        RCODE::NameError => Reply::Nothing,
        code => Reply::Failed(format!("name server returned {code:?}")),
    })
}

/// The addresses of `name` and of the names that it is an alias for.
fn addresses(packet: &Packet, name: &Name) -> Reply {
    let mut names = vec![name];
    let mut addresses = Vec::new();
    // Servers send a chain of aliases in order.
    for answer in &packet.answers {
        if answer.class != CLASS::IN || !names.iter().any(|name| is_same(name, &answer.name)) {
            continue;
        }
        match &answer.rdata {
            RData::CNAME(alias) => names.push(&alias.0),
            RData::A(address) => addresses.push(IpAddr::V4(Ipv4Addr::from_bits(address.address))),
            RData::AAAA(address) => addresses.push(IpAddr::V6(Ipv6Addr::from_bits(address.address))),
            _ => {}
        }
    }
    if addresses.is_empty() { Reply::Nothing } else { Reply::Addresses(addresses) }
}

fn is_same(one: &Name, other: &Name) -> bool {
    one.get_labels().len() == other.get_labels().len()
        && one.iter().zip(other.iter()).all(|(one, other)| one.as_ref().eq_ignore_ascii_case(other.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use simple_dns::ResourceRecord;
    use simple_dns::rdata::{A, CNAME};

    #[test]
    fn accepts_any_bytes() {
        let query = query("a.example.test", TYPE::A).unwrap();
        let mut answer = Packet::new_reply(query.id);
        answer.questions = Packet::parse(&query.message).unwrap().questions.clone();
        let name = Name::new_unchecked("a.example.test");
        let alias = Name::new_unchecked("b.example.test");
        for (owner, data) in
            [(name, RData::CNAME(CNAME(alias.clone()))), (alias, RData::A(A { address: 0x01020304 }))]
        {
            answer.answers.push(ResourceRecord::new(owner, CLASS::IN, 60, data));
        }
        let whole = answer.build_bytes_vec_compressed().unwrap();
        let Message::Reply(reply) = read(&whole, &query) else { panic!("not read") };
        assert_eq!(reply, Reply::Addresses(vec!["1.2.3.4".parse().unwrap()]));
        for length in 0..whole.len() {
            read(&whole[..length], &query);
        }
        // A simple generator that always gives the same numbers.
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        for _ in 0..100_000 {
            let mut spoilt = whole.clone();
            for _ in 0..1 + random() % 4 {
                let place = 2 + random() % (spoilt.len() - 2);
                spoilt[place] = random() as u8;
            }
            spoilt[2] |= 0x80;
            spoilt[2] &= !0x02;
            read(&spoilt, &query);
        }
    }
}
