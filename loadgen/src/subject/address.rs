//! Where servers listen: the line that tells it, and ports for those that are told.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

/// What comes before the URL in the line that servers of ours print.
pub const ANNOUNCEMENT: &str = "listening on ";

/// Where a line says that a server listens: for `localhost` in two places, of which one may be meant.
pub fn addresses(line: &str) -> Option<Vec<SocketAddr>> {
    let authority = line.strip_prefix(ANNOUNCEMENT)?.trim().strip_prefix("http://")?;
    let (host, port) = authority.strip_suffix('/').unwrap_or(authority).rsplit_once(':')?;
    let port = port.parse().ok().filter(|&port| port != 0)?;
    let hosts = if host.eq_ignore_ascii_case("localhost") {
        vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
    } else if let Some(v6) = host.strip_prefix('[') {
        vec![IpAddr::V6(v6.strip_suffix(']')?.parse().ok()?)]
    } else {
        vec![IpAddr::V4(host.parse().ok()?)]
    };
    Some(hosts.into_iter().map(|host| SocketAddr::new(reachable(host), port)).collect())
}

/// Who listens everywhere is reached here.
fn reachable(host: IpAddr) -> IpAddr {
    match host {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        host => host,
    }
}

/// A port where nobody listens. It is not from the range that outgoing connections take theirs from, if
/// possible: otherwise one of ours could have it by the time that the server wants it.
pub fn free_port() -> io::Result<u16> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let first_outgoing: u16 = range.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(32768);
    const LOWEST: u16 = 10_240;
    let ports = first_outgoing.saturating_sub(LOWEST);
    for attempt in 0..if ports > 100 { 200 } else { 0 } {
        // Hashers of the standard library are seeded at random.
        let chance = RandomState::new().hash_one(attempt);
        let port = LOWEST + (chance % u64::from(ports)) as u16;
        if is_free(port) {
            return Ok(port);
        }
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr().map(|address| address.port())
}

fn is_free(port: u16) -> bool {
    let taken = |error: io::Error| error.kind() == io::ErrorKind::AddrInUse;
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
        // There may be no IPv6 here.
        && !TcpListener::bind((Ipv6Addr::LOCALHOST, port)).is_err_and(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_understood() {
        let check = |line: &str, expect: &[&str]| {
            let expect: Vec<SocketAddr> = expect.iter().map(|address| address.parse().unwrap()).collect();
            assert_eq!(addresses(line).unwrap_or_default(), expect, "{line}");
        };
        check("listening on http://127.0.0.1:8080", &["127.0.0.1:8080"]);
        check("listening on http://127.0.0.1:8080/ ", &["127.0.0.1:8080"]);
        check("listening on http://[::1]:3000", &["[::1]:3000"]);
        check("listening on http://localhost:80", &["127.0.0.1:80", "[::1]:80"]);
        check("listening on http://0.0.0.0:1", &["127.0.0.1:1"]);
        check("listening on http://[::]:1", &["[::1]:1"]);
        for nonsense in [
            "port 8080",
            "http://127.0.0.1",
            "https://127.0.0.1:1",
            "http://127.0.0.1:0",
            "http://127.0.0.1:70000",
            "http://:80",
            "http://[::1:80",
            "http://::1:80",
            "http://example.org:80",
            "http://127.0.0.1:80/path",
        ] {
            check(&format!("listening on {nonsense}"), &[]);
        }
    }

    #[test]
    fn a_free_port_can_be_bound() {
        let port = free_port().unwrap();
        assert!(is_free(port));
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        assert!(!is_free(port));
    }
}
