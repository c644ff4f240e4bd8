//! The permission socket of an agent. Helper programs that the CLI starts connect to it, send one request each, and wait for
//! the reply.

use crate::process::child::Event;
use crate::protocol::lines::{InputLine, LineReader, MAX_LINE};
use std::os::unix::net::UnixListener as Listener;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The number of helpers that are served at once. Others wait to be accepted.
const MAX_HELPERS: usize = 256;

/// The time within which a helper has to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between two attempts to accept a connection when the system is out of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// A helper program at the permission socket. Numbers are never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HelperId(pub u64);

/// A request of a helper, and the channel for the reply.
#[derive(Debug)]
pub(crate) struct HelperRequest {
    pub(crate) helper: HelperId,
    pub(crate) line: Vec<u8>,
    pub(crate) reply: oneshot::Sender<Vec<u8>>,
}

/// Serves the socket in a task of its own, which ends when the set is dropped.
pub(crate) fn open(listener: Listener, events: mpsc::Sender<Event>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(keep(listener, events));
    tasks
}

/// Accepts helpers forever.
async fn keep(listener: Listener, events: mpsc::Sender<Event>) {
    let listener = listener.set_nonblocking(true).and_then(|()| UnixListener::from_std(listener));
    let listener = match listener {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the permission socket cannot be served"),
    };
    let slots = Arc::new(Semaphore::new(MAX_HELPERS));
    let mut last = 0;
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        last += 1;
        let (helper, events) = (HelperId(last), events.clone());
        tokio::spawn(async move {
            attend(helper, stream, &events).await;
            drop(slot);
        });
    }
}

/// Reads the request of one helper and writes the reply.
async fn attend(helper: HelperId, mut stream: UnixStream, events: &mpsc::Sender<Event>) {
    let (input, mut output) = stream.split();
    let mut reader = LineReader::new(input, MAX_LINE);
    if !matches!(timeout(REQUEST_TIMEOUT, reader.fill()).await, Ok(Ok(true))) {
        return;
    }
    let Some(InputLine::Whole(line)) = reader.take() else { return };
    let (reply, replied) = oneshot::channel();
    let request = HelperRequest { helper, line: line.to_vec(), reply };
    if events.send(Event::HelperRequest(request)).await.is_err() {
        return;
    }
    tokio::select! {
        reply = replied => if let Ok(line) = reply {
            // A helper that is gone does not need it.
            let _ = output.write_all(&line).await;
        },
        // Nothing more is expected: the end of its input means that the helper is gone.
        _ = reader.fill() => {
            let _ = events.send(Event::HelperGone(helper)).await;
        }
    }
}
