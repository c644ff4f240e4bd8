//! The permission socket of an agent: programs that its CLI starts ask one question each there, and wait for the answer.

use crate::process::child::Event;
use crate::protocol::lines::{LineReader, MAX_LINE};
use sa_jsonrpc::Line;
use std::os::unix::net::UnixListener as Listener;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// Visitors that may wait at once; others wait to be let in.
const VISITORS: usize = 256;

/// How long a visitor may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between two attempts to let somebody in when the system has no room.
const PAUSE: Duration = Duration::from_millis(100);

/// A program at the permission socket. Numbers are never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VisitorId(pub u64);

/// What a visitor wants, and the way to answer it.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) visitor: VisitorId,
    pub(crate) line: Vec<u8>,
    pub(crate) answer: oneshot::Sender<Vec<u8>>,
}

/// Serves the socket in a task of its own, which ends by its handle.
pub(crate) fn open(listener: Listener, events: mpsc::Sender<Event>) -> AbortHandle {
    tokio::spawn(keep(listener, events)).abort_handle()
}

/// Lets visitors in, for ever.
async fn keep(listener: Listener, events: mpsc::Sender<Event>) {
    let listener = listener.set_nonblocking(true).and_then(|()| UnixListener::from_std(listener));
    let listener = match listener {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the permission socket cannot be served"),
    };
    let seats = Arc::new(Semaphore::new(VISITORS));
    let mut last = 0;
    loop {
        let Ok(seat) = Arc::clone(&seats).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        last += 1;
        let (visitor, events) = (VisitorId(last), events.clone());
        tokio::spawn(async move {
            attend(visitor, stream, &events).await;
            drop(seat);
        });
    }
}

/// Hears one visitor out and waits with it for the answer.
async fn attend(visitor: VisitorId, mut stream: UnixStream, events: &mpsc::Sender<Event>) {
    let (input, mut output) = stream.split();
    let mut reader = LineReader::new(input, MAX_LINE);
    if !matches!(timeout(PATIENCE, reader.fill()).await, Ok(Ok(true))) {
        return;
    }
    let Some(Line::Whole(line)) = reader.take() else { return };
    let (answer, answered) = oneshot::channel();
    let visit = Visit { visitor, line: line.to_vec(), answer };
    if events.send(Event::Visit(visit)).await.is_err() {
        return;
    }
    tokio::select! {
        answer = answered => if let Ok(line) = answer {
            // A visitor that left does not need it.
            let _ = output.write_all(&line).await;
        },
        // Nothing more is expected of it; the end of its input is its leaving.
        _ = reader.fill() => {
            let _ = events.send(Event::Left(visitor)).await;
        }
    }
}
