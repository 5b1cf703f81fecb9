//! One event loop that serves HTTP/1.1: actix-web's application on a tokio runtime of one thread.
//!
//! `HttpServer` of actix-web would bring threads of its own (three for one worker). Here a loop is exactly one thread,
//! and only an executor adds more.

use std::future::Future;
use std::io;
use std::net::TcpListener as StdListener;
use std::net::TcpStream as StdStream;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use actix_http::{HttpService, KeepAlive};
use actix_service::{Service, ServiceFactory, map_config};
use actix_web::dev::AppConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{mpsc, watch};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{sleep, timeout};

use crate::http::{Site, app, expect};

/// How long requests under way may take to end after a shutdown has begun.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// Where a loop's connections come from.
pub(super) enum Incoming {
    /// It accepts them itself.
    Listener(TcpListener),
    /// Another thread accepts them.
    Dealt(UnboundedReceiver<StdStream>),
}

impl Incoming {
    /// Must be called on the loop: the listener registers with its runtime.
    pub(super) fn from_listener(listener: StdListener) -> io::Result<Self> {
        TcpListener::from_std(listener).map(Self::Listener)
    }

    /// The next connection; `None` when there will be no more.
    async fn next(&mut self) -> Option<TcpStream> {
        match self {
            Self::Listener(listener) => Some(accept(listener).await),
            Self::Dealt(connections) => loop {
                // A connection that cannot be registered (it may have been reset meanwhile) is dropped alone.
                if let Ok(connection) = TcpStream::from_std(connections.recv().await?) {
                    return Some(connection);
                }
            },
        }
    }
}

/// Accepts the next connection, whatever happens to others.
pub(super) async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => return connection,
            // Out of file descriptors or memory: trying again at once would only spin.
            Err(error) if !is_of_one_connection(&error) => sleep(Duration::from_millis(10)).await,
            Err(_) => {}
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// Runs `future` on an event loop on this thread, where it may spawn local tasks. Nothing that is left is waited for.
pub(super) fn block_on<F: Future>(future: F) -> io::Result<F::Output> {
    let runtime: Runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    let local = LocalSet::new();
    let output = local.block_on(&runtime, future);
    // Connections first: jobs that they waited for are then skipped.
    drop(local);
    runtime.shutdown_background();
    Ok(output)
}

/// Serves connections until `shutdown`, then lets requests under way end.
pub(super) async fn serve(mut incoming: Incoming, site: Site, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let (close, closing) = watch::channel(false);
    let service = HttpService::build()
        // No time limits: a loop that was blocked for a minute would find them all exceeded and disconnect everybody.
        .keep_alive(KeepAlive::Os)
        .client_request_timeout(Duration::ZERO)
        .client_disconnect_timeout(Duration::ZERO)
        .tcp_nodelay(true)
        // A client that closed its sending side counts as gone: that is how a job learns that nobody waits for it.
        .h1_allow_half_closed(false)
        .expect(expect(site.shared.clone()))
        .graceful_shutdown_signal(move || {
            let mut closing = closing.clone();
            async move {
                // An error means that the sender is gone, and the loop with it.
                let _ = closing.wait_for(|closing| *closing).await;
            }
        })
        .h1(map_config(app(site), |_| AppConfig::default()))
        .tcp()
        .new_service(())
        .await
        .map_err(|()| io::Error::other("the HTTP service could not be made"))?;
    let service = Rc::new(service);

    // Each connection holds a sender; when all are dropped, `open` ends.
    let (connection_open, mut open) = mpsc::channel::<()>(1);
    let mut shutdown = pin!(shutdown);
    loop {
        let connection = tokio::select! {
            biased;
            () = &mut shutdown => break,
            connection = incoming.next() => connection,
        };
        let Some(connection) = connection else {
            shutdown.await;
            break;
        };
        let (service, connection_open) = (Rc::clone(&service), connection_open.clone());
        // A panic or an error ends this task, that is, this connection, alone.
        spawn_local(async move {
            let _connection_open = connection_open;
            let _ = service.call(connection).await;
        });
    }
    drop(incoming);
    drop(connection_open);
    close.send_replace(true);
    // Too late is too late: what is still open is dropped.
    let _ = timeout(GRACE, open.recv()).await;
    Ok(())
}
