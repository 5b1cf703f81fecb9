//! Connections to where the server listens, and from which address of this machine.

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use nix::libc::MSG_NOSIGNAL;
use nix::sys::socket::{setsockopt, sockopt::IpBindAddressNoPort};
use socket2::{Domain, SockAddr, Socket, Type};

use super::super::Target;

/// Where to connect to, in the words of the kernel.
#[derive(Debug)]
pub(in super::super) struct Address {
    address: SockAddr,
    domain: Domain,
    /// An IPv4 address of loopback, to which this machine may connect from 16 million addresses.
    loopback: bool,
}

impl Address {
    pub(in super::super) fn new(target: &Target) -> io::Result<Self> {
        let address = match target {
            Target::Tcp(address) => SockAddr::from(*address),
            Target::Unix(path) => SockAddr::unix(path).map_err(|error| {
                io::Error::new(error.kind(), format!("{} is no path of a unix socket: {error}", path.display()))
            })?,
        };
        let domain = address.domain();
        let loopback =
            matches!(target, Target::Tcp(address) if matches!(address.ip(), IpAddr::V4(ip) if ip.is_loopback()));
        Ok(Self { address, domain, loopback })
    }

    /// Begins a connection: it may be there at once, or later.
    fn connect(&self, source: Option<Ipv4Addr>) -> io::Result<Socket> {
        let socket = Socket::new(self.domain, Type::STREAM.nonblocking(), None)?;
        if self.domain != Domain::UNIX {
            socket.set_tcp_nodelay(true)?;
        }
        if let Some(source) = source {
            // The port is chosen when connecting, so that one port serves several servers.
            setsockopt(&socket, IpBindAddressNoPort, &true)?;
            socket.bind(&SocketAddr::from((source, 0)).into())?;
        }
        match socket.connect(&self.address) {
            Err(error) if error.raw_os_error() != Some(nix::libc::EINPROGRESS) => Err(error),
            _ => Ok(socket),
        }
    }
}

/// From which addresses of loopback connections are made: the usual one until its ports are used up, then others in turn.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// How many changes there were.
    changes: u8,
}

impl Sources {
    /// How many addresses there are to turn to.
    const MOST: u8 = 100;

    pub(super) fn connect(&mut self, address: &Address) -> io::Result<Socket> {
        self.connect_by(address.loopback, |source| address.connect(source))
    }

    fn connect_by<T>(
        &mut self,
        loopback: bool,
        mut connect: impl FnMut(Option<Ipv4Addr>) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut tried = 0;
        loop {
            let source = (self.changes > 0).then(|| Ipv4Addr::new(127, 0, 0, self.changes + 1));
            match connect(source) {
                Err(error) if loopback && tried < Self::MOST && error.kind() == io::ErrorKind::AddrNotAvailable => {
                    self.changes = self.changes % Self::MOST + 1;
                    tried += 1;
                }
                result => return result,
            }
        }
    }
}

/// Sends what the connection takes of two parts, from `from` on. Returns how many bytes that was.
pub(super) fn send(socket: &Socket, [head, body]: [&[u8]; 2], from: usize) -> io::Result<usize> {
    let head_left = head.get(from..).unwrap_or_default();
    let body_left = body.get(from.saturating_sub(head.len())..).unwrap_or_default();
    if body_left.is_empty() {
        socket.send_with_flags(head_left, MSG_NOSIGNAL)
    } else {
        socket.send_vectored_with_flags(&[IoSlice::new(head_left), IoSlice::new(body_left)], MSG_NOSIGNAL)
    }
}

/// Reads what has come, into `first` and then into `second`.
pub(super) fn receive(mut socket: &Socket, first: &mut [u8], second: &mut [u8]) -> io::Result<usize> {
    if first.is_empty() {
        socket.read(second)
    } else {
        socket.read_vectored(&mut [IoSliceMut::new(first), IoSliceMut::new(second)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used_up<T>() -> io::Result<T> {
        Err(io::ErrorKind::AddrNotAvailable.into())
    }

    #[test]
    fn sources_take_turns_when_ports_are_used_up_and_not_before() {
        let mut sources = Sources::default();
        let mut from = |free: &dyn Fn(Option<Ipv4Addr>) -> bool| {
            sources.connect_by(true, |source| if free(source) { Ok(source) } else { used_up() })
        };
        let at = |last| Some(Ipv4Addr::new(127, 0, 0, last));
        assert_eq!(from(&|_| true).unwrap(), None);
        assert_eq!(from(&|source| source.is_some()).unwrap(), at(2));
        assert_eq!(from(&|source| source == at(4)).unwrap(), at(4));
        assert_eq!(from(&|_| true).unwrap(), at(4));
        assert_eq!(from(&|source| source == at(3)).unwrap(), at(3));
        assert_eq!(from(&|_| false).unwrap_err().kind(), io::ErrorKind::AddrNotAvailable);
    }

    #[test]
    fn other_errors_and_other_networks_change_nothing() {
        let mut sources = Sources::default();
        let mut tries = 0;
        let refused: io::Result<()> = sources.connect_by(true, |_| {
            tries += 1;
            Err(io::ErrorKind::ConnectionRefused.into())
        });
        assert_eq!((refused.unwrap_err().kind(), tries), (io::ErrorKind::ConnectionRefused, 1));
        let outside: io::Result<()> = sources.connect_by(false, |source| {
            assert_eq!(source, None);
            used_up()
        });
        assert!(outside.is_err());
    }
}
