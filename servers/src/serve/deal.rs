//! How `multi-event-loop` brings connections to loops: one thread accepts and deals them out in turn.

use std::net::TcpListener as StdListener;
use std::net::TcpStream as StdStream;
use std::{convert::Infallible, io};

use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedSender;

use super::http_loop::accept;

/// Deals connections to `loops` for ever.
pub(super) async fn deal(listener: StdListener, loops: Vec<UnboundedSender<StdStream>>) -> io::Result<Infallible> {
    let listener = TcpListener::from_std(listener)?;
    let mut turns = loops.iter().cycle();
    loop {
        // Taken out of this loop's poller; the receiving loop registers it with its own.
        let Ok(connection) = accept(&listener).await.into_std() else {
            continue;
        };
        if let Some(to) = turns.next() {
            // A loop that has ended is noticed by whoever waits for it.
            let _ = to.send(connection);
        }
    }
}
