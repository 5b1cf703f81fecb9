//! Listening sockets, bound before anything else starts, so that a port in use is noticed at once.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

use crate::variant::Variant;

/// Connections that may wait to be accepted; an event loop that computes accepts none for a while.
const BACKLOG: i32 = 1024;

/// A bound address, listening already.
#[derive(Debug)]
pub struct Listener {
    pub(super) socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens on `address` in the way that `variant` wants it. Port 0 picks a free one.
    pub fn bind(variant: Variant, address: SocketAddr) -> io::Result<Self> {
        if variant == Variant::ReusePort && address.port() != 0 {
            // Without the option a port that another server shares is in use; with it, both would get half of the clients.
            drop(listen(address, false)?);
        }
        let socket = listen(address, variant == Variant::ReusePort)?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }

    /// The address with the port that was picked.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// `count` listeners on this address, each with a queue of its own; for `reuse-port` only.
    pub(super) fn share(self, count: usize) -> io::Result<Vec<TcpListener>> {
        let address = self.address;
        let more = (1..count).map(|_| listen(address, true));
        std::iter::once(Ok(self.socket)).chain(more).collect()
    }
}

fn listen(address: SocketAddr, reuse_port: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A server can be started again while connections of the last one linger in TIME_WAIT.
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(reuse_port)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any_port() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 0))
    }

    #[test]
    fn a_port_in_use_is_an_error() {
        for variant in [Variant::EventLoop, Variant::ReusePort] {
            let first = Listener::bind(variant, any_port()).unwrap();
            let error = Listener::bind(variant, first.local_addr()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AddrInUse, "{variant}");
        }
    }

    #[test]
    fn reuse_port_shares_one_port() {
        let first = Listener::bind(Variant::ReusePort, any_port()).unwrap();
        let port = first.local_addr().port();
        let all = first.share(3).unwrap();
        assert_eq!(all.iter().map(|one| one.local_addr().unwrap().port()).collect::<Vec<_>>(), [port; 3]);
    }
}
