//! Which hosts are addresses, and which addresses are outside the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address of a host in any of the forms that programs accept as one, by the rules of the WHATWG URL
/// standard: an IPv6 address, or a host whose last label is a number, which is an IPv4 address such as
/// `127.1`, `0x7f000001` or `2130706433`. None for a name; `Err` for a number that is not an address.
pub fn address_of_host(host: &str) -> Option<Result<IpAddr, NoAddress>> {
    if host.contains(':') {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        return Some(bare.parse::<Ipv6Addr>().map(IpAddr::V6).map_err(|_| NoAddress));
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let last = labels.last()?;
    let is_number = !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()) || number(last).is_some();
    is_number.then(|| ipv4(&labels).map(IpAddr::V4).ok_or(NoAddress))
}

/// The host ends in a number but is not an address, so it is not a name either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAddress;

/// One to four numbers; the last one fills the remaining bytes.
fn ipv4(labels: &[&str]) -> Option<Ipv4Addr> {
    let (last, first) = labels.split_last()?;
    let bytes_left = 4_u32.checked_sub(first.len() as u32).filter(|left| *left > 0)?;
    let last = number(last).filter(|last| *last < 1 << (8 * bytes_left))?;
    let bytes =
        first.iter().map(|label| number(label).filter(|byte| *byte < 256)).collect::<Option<Vec<_>>>()?;
    let high = bytes.iter().zip([24, 16, 8]).fold(0, |bits, (byte, shift)| bits | byte << shift);
    u32::try_from(high | last).ok().map(Ipv4Addr::from_bits)
}

/// A decimal, octal (`0…`) or hexadecimal (`0x…`, even without digits) number; one that is too large becomes
/// the maximum.
fn number(label: &str) -> Option<u64> {
    let (digits, radix) = match label.strip_prefix("0x").or_else(|| label.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if label.len() > 1 && label.starts_with('0') => (&label[1..], 8),
        None if label.is_empty() => return None,
        None => (label, 10),
    };
    let value = |total: u64, c: char| {
        Some(total.saturating_mul(radix.into()).saturating_add(c.to_digit(radix)?.into()))
    };
    digits.chars().try_fold(0, value)
}

/// Whether a host, as it stands in a URL, is a private address or a name that only private networks have. Other names have to be
/// looked up to know.
pub fn is_private_host(host: &str) -> bool {
    match address_of_host(host) {
        Some(address) => address.map_or(true, is_private),
        None => {
            let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
            let last = name.rsplit('.').next().unwrap_or(&name);
            // RFC 6761, 6762 and 8375, and ICANN's reservation of 2024. A name without a dot is looked up in private domains.
            !name.contains('.')
                || matches!(last, "localhost" | "local" | "internal" | "test" | "invalid")
                || name.ends_with(".home.arpa")
        }
    }
}

/// Whether an address belongs to this host, its networks or a special purpose (the registries of RFC 6890),
/// or is a metadata service.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

/// A network and the length of its prefix.
const PRIVATE_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, with most metadata services.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    // Azure's host service has this address on every virtual machine.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::BROADCAST, 32),
];

fn is_private_v4(address: Ipv4Addr) -> bool {
    PRIVATE_V4
        .iter()
        .any(|(network, length)| (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length)
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let part = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match part {
        // A gateway translates these to the IPv4 address at the end.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        // 6to4.
        [0x2002, high, low, ..] => embedded(high, low),
        // Special purposes, including Teredo; two networks for documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => true,
        // Anything else outside 2000::/3 is not global unicast: mapped and compatible IPv4 (which no public
        // name has), loopback, unique local, link-local, multicast.
        [first, ..] => first & 0xe000 != 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_private_hosts() {
        let private = [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "db",
            "printer.local",
            "x.internal",
            "metadata.google.internal",
            "127.0.0.1",
            "0x7f.1",
            "2130706433",
            "169.254.169.254",
            "10.1.2.3",
            "[::1]",
            "[fe80::1]",
            "[::ffff:10.0.0.1]",
            "1.2.3.4.5",
            "router.home.arpa",
        ];
        for host in private {
            assert!(is_private_host(host), "{host}");
        }
        for host in [
            "example.com",
            "example.com.",
            "8.8.8.8",
            "[2606:4700::1111]",
            "local.example",
            "internal.example.com",
        ] {
            assert!(!is_private_host(host), "{host}");
        }
    }

    #[test]
    fn knows_the_forms_of_an_address() {
        for (host, address) in [
            ("127.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("127.0.1", "127.0.0.1"),
            ("127.65535", "127.0.255.255"),
            ("2130706433", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("0177.0.0.1", "127.0.0.1"),
            ("0x7f.0.0.1", "127.0.0.1"),
            ("0X7F.0x0.0.0x1", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("0", "0.0.0.0"),
            ("00", "0.0.0.0"),
            ("0x", "0.0.0.0"),
            ("10.0x", "10.0.0.0"),
            ("8.8.2056", "8.8.8.8"),
            ("4294967295", "255.255.255.255"),
            ("::1", "::1"),
            ("[::1]", "::1"),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1"),
        ] {
            assert_eq!(address_of_host(host), Some(Ok(address.parse().unwrap())), "{host}");
        }
        for host in [
            "256.0.0.1",
            "1.2.3.256",
            "1.2.3.4.5",
            "127.0.0.08",
            "08",
            "4294967296",
            "1.65536.0",
            "1..1",
            "127.0..1",
            ".1",
            "a.1",
            "example.0x7f",
            "99999999999999999999999999",
            "0x99999999999999999999",
            "1:2",
        ] {
            assert_eq!(address_of_host(host), Some(Err(NoAddress)), "{host}");
        }
        for host in [
            "localhost",
            "1.2.3.4.example",
            "127.0.0.1.nip.io",
            "a",
            "1a",
            "0xg",
            "x0",
            "a.b-1",
            "",
            ".",
            "1.2.3.4..",
            "a.0xzz",
        ] {
            assert_eq!(address_of_host(host), None, "{host}");
        }
    }

    #[test]
    fn knows_private_addresses() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "168.63.129.16",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "100::1",
        ] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "128.0.0.0",
            "168.63.129.15",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2001:4860:4860::8888",
            "2001:200::1",
        ] {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
    }
}
