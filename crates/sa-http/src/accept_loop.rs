//! Accepting connections and ending them.

use crate::stall::{StallGuard, Taken};
use crate::state::AppState;
use crate::timers::Timers;
use crate::{HttpOptions, Services, in_place, router};
use axum::Router;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Serves until `shutdown` is cancelled, then lets open connections end within the shutdown timeout.
///
/// Event streams end because the services end them: they are shut down together with `shutdown`.
pub async fn serve(
    listener: TcpListener,
    options: HttpOptions,
    services: Services,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let limits = options.limits.clone();
    let drain = Duration::from_millis(services.hub.limits().shutdown_ms);
    let state = AppState::new(options, services, shutdown.clone());
    let sockets = state.sockets.clone();
    let routes = router::build(state);
    let connections = TaskTracker::new();
    let cut_off = CancellationToken::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = Connection {
                    write_stall: Duration::from_millis(limits.write_stall_ms),
                    header_read: Duration::from_millis(limits.header_read_ms),
                    shutdown: shutdown.clone(),
                };
                let (routes, cut_off) = (routes.clone(), cut_off.clone());
                connections.spawn(async move {
                    tokio::select! {
                        () = in_place::run(connection.run(stream, routes)) => {}
                        () = cut_off.cancelled() => {}
                    }
                });
            }
            // Out of descriptors, or a connection that was gone before it was taken: the next may fare better.
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    drop(listener);
    connections.close();
    sockets.close();
    let ended = async { tokio::join!(connections.wait(), sockets.wait()) };
    if tokio::time::timeout(drain, ended).await.is_err() {
        tracing::warn!(open = connections.len() + sockets.len(), "connections were cut off");
        cut_off.cancel();
        connections.wait().await;
    }
    Ok(())
}

struct Connection {
    write_stall: Duration,
    header_read: Duration,
    shutdown: CancellationToken,
}

impl Connection {
    async fn run(self, stream: TcpStream, routes: Router) {
        // Small messages must not wait for an acknowledgement of the one before.
        let _ = stream.set_nodelay(true);
        keep_little_unsent(&stream);
        notice_vanished_peer(&stream, self.write_stall);
        let (taken, timers) = (Taken::default(), Timers::default());
        let stream = TokioIo::new(StallGuard::new(stream, self.write_stall, taken.clone()));
        let timer = timers.clone();
        let service = service_fn(move |mut request: http::Request<Incoming>| {
            request.extensions_mut().insert(taken.clone());
            request.extensions_mut().insert(timers.clone());
            router::answer(routes.clone(), request)
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(timer)
            .header_read_timeout(self.header_read)
            .serve_connection(stream, service)
            .with_upgrades();
        let mut connection = pin!(connection);
        let result = tokio::select! {
            result = connection.as_mut() => result,
            () = self.shutdown.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = result {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Bytes that the system may hold without having sent them.
#[cfg(any(target_os = "android", target_os = "linux"))]
const UNSENT: u32 = 256 * 1024;

/// A slow reader's socket takes bytes steadily then, instead of a mebibyte every few seconds, and is distinguishable from one
/// whose reader stopped.
#[cfg(any(target_os = "android", target_os = "linux"))]
fn keep_little_unsent(stream: &TcpStream) {
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT);
}

#[cfg(not(any(target_os = "android", target_os = "linux")))]
fn keep_little_unsent(_: &TcpStream) {}

/// Silence of a connection after which the system checks that its peer is still there.
const QUIET: Duration = Duration::from_secs(30);
/// Time between two such checks.
const PROBE: Duration = Duration::from_secs(10);

/// Has the system end a connection whose peer is gone without a word. Heartbeats fill no buffer, so nothing else would
/// notice for a quarter of an hour, and the peer could not take its own streams over meanwhile.
#[cfg(any(target_os = "android", target_os = "linux"))]
fn notice_vanished_peer(stream: &TcpStream, unacknowledged: Duration) {
    let socket = socket2::SockRef::from(stream);
    let keepalive = socket2::TcpKeepalive::new().with_time(QUIET).with_interval(PROBE).with_retries(3);
    let _ = socket.set_tcp_keepalive(&keepalive);
    let _ = socket.set_tcp_user_timeout(Some(unacknowledged));
}

#[cfg(not(any(target_os = "android", target_os = "linux")))]
fn notice_vanished_peer(stream: &TcpStream, _: Duration) {
    let keepalive = socket2::TcpKeepalive::new().with_time(QUIET).with_interval(PROBE);
    let _ = socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive);
}
