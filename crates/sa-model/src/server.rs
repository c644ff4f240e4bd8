//! A running server: a thread and a port, so that any test can have one, and it ends with its owner.

use crate::journal::{Journal, Request};
use crate::serve::router;
use axum::serve::ListenerExt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio_util::sync::CancellationToken;

/// A scripted model server on loopback. It ends when this is dropped; open connections end with it.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    journal: Arc<Journal>,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a server on a free port.
    pub fn start() -> io::Result<Self> {
        Self::start_on(0)
    }

    /// Starts a server on a port of 127.0.0.1; 0 means any that is free.
    pub fn start_on(port: u16) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let journal = Arc::<Journal>::default();
        let stop = CancellationToken::new();
        let (router, stopped) = (router(Arc::clone(&journal)), stop.clone());
        let serve = move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                // Small chunks go out at once. Without it they come late, but they come.
                let listener = listener.tap_io(|stream| {
                    let _ = stream.set_nodelay(true);
                });
                let server = axum::serve(listener, router);
                tokio::select! {
                    _ = server.into_future() => {}
                    () = stopped.cancelled() => {}
                }
            });
            // Hung requests never end by themselves.
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("model-server".to_owned()).spawn(serve)?;
        Ok(Self { address, journal, stop, thread: Some(thread) })
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The requests so far, the oldest first, as far as they are kept.
    pub fn requests(&self) -> Vec<Request> {
        self.journal.requests()
    }

    /// Forgets the requests so far. Their numbers continue.
    pub fn clear(&self) {
        self.journal.clear();
    }

    /// Waits until so many requests have come in since the server started. Set a deadline around it.
    pub async fn received(&self, count: u64) {
        // The sender lives as long as `self`.
        let _ = self.journal.count().wait_for(|received| *received >= count).await;
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed where it happened.
            let _ = thread.join();
        }
    }
}
