//! Where a URL leads: the addresses of its host, and the one to use.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use reqwest::Url;

/// How long an address may take to accept a connection before the next is tried.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads a URL with a host, of one of these schemes.
///
/// # Errors
/// What is wrong with it, in words that follow the URL.
pub fn parse(text: &str, schemes: &[&str]) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("not a URL: {error}"))?;
    if !schemes.contains(&url.scheme()) {
        return Err(format!("only {} is supported, not {}", schemes.join(" and "), url.scheme()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("no host".into());
    }
    if url.port() == Some(0) {
        return Err("port 0 is none that a server can listen on".into());
    }
    Ok(url)
}

/// Whether a user or a password is in it, which belongs into no record of a run.
pub fn has_secret(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Path and query as they are sent, with their places for the salt.
pub fn path_and_query(url: &Url) -> String {
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    // The URL type writes { and } as %7B and %7D; the salt's place is meant.
    path.replace("%7Bsalt%7D", "{salt}")
}

/// The value of the `Host` header.
pub fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// All addresses of the host, in the resolver's order.
///
/// # Errors
/// It does not resolve.
pub fn addresses(url: &Url) -> Result<Vec<SocketAddr>, String> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let addresses = (bare, port).to_socket_addrs().map_err(|error| format!("cannot resolve {host}: {error}"))?;
    let mut distinct: Vec<SocketAddr> = Vec::new();
    addresses.for_each(|address| {
        if !distinct.contains(&address) {
            distinct.push(address);
        }
    });
    if distinct.is_empty() { Err(format!("{host} has no address")) } else { Ok(distinct) }
}

/// The first that accepts a connection: `localhost` may be ::1 while the server listens on 127.0.0.1.
///
/// # Errors
/// None does; the reason of the last.
pub async fn reachable(addresses: &[SocketAddr]) -> Result<SocketAddr, String> {
    let mut reason = "the host has no address".to_owned();
    for &address in addresses {
        match tokio::time::timeout(PATIENCE, tokio::net::TcpStream::connect(address)).await {
            Ok(Ok(_)) => return Ok(address),
            Ok(Err(error)) => reason = format!("{address}: {error}"),
            Err(_) => {
                reason = format!("{address}: no answer to a connection attempt within {} s", PATIENCE.as_secs());
            }
        }
    }
    Err(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        parse(text, &["http", "https"]).unwrap()
    }

    #[test]
    fn the_place_of_the_salt_survives() {
        assert_eq!(path_and_query(&url("http://h/a/{salt}/b?c={salt}&d#e")), "/a/{salt}/b?c={salt}&d");
        assert_eq!(path_and_query(&url("http://h")), "/");
        assert_eq!(path_and_query(&url("http://h/a b?c d")), "/a%20b?c%20d");
    }

    #[test]
    fn hosts_are_as_in_the_url() {
        let hosts = ["http://h/", "http://h:81", "https://h:443/", "http://[::1]:8080/"].map(|text| host(&url(text)));
        assert_eq!(hosts, ["h", "h:81", "h", "[::1]:8080"]);
    }

    #[test]
    fn addresses_of_literals() {
        assert_eq!(addresses(&url("http://127.0.0.1:81/")).unwrap(), ["127.0.0.1:81".parse().unwrap()]);
        assert_eq!(addresses(&url("https://[::1]/")).unwrap(), ["[::1]:443".parse().unwrap()]);
        assert!(addresses(&url("http://no-such-host.invalid/")).unwrap_err().contains("no-such-host.invalid"));
    }

    #[tokio::test]
    async fn every_address_is_tried() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let good = listener.local_addr().unwrap();
        // The same port where nobody listens, as ::1 may be for `localhost`.
        let refused = SocketAddr::from(([127, 77, 0, 1], good.port()));
        assert_eq!(reachable(&[refused, good]).await, Ok(good));
        assert!(reachable(&[refused]).await.unwrap_err().contains(&refused.to_string()));
    }

    #[test]
    fn what_is_no_url() {
        for (text, reason) in [
            ("", "not a URL"),
            ("127.0.0.1:80", "not a URL"),
            ("/path", "not a URL"),
            ("localhost:80", "not localhost"),
            ("ftp://h/", "not ftp"),
            ("http://", "not a URL"),
            ("http://h:0/", "port 0"),
            ("http://h:99999/", "not a URL"),
            ("http://[::1", "not a URL"),
        ] {
            let message = parse(text, &["http", "https"]).unwrap_err();
            assert!(message.contains(reason), "{text}: {message}");
        }
    }
}
