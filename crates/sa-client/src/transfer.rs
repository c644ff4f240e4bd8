//! Bodies that are too large for memory, both ways.

use crate::Result;
use crate::client::broken_answer;
use bytes::Bytes;
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Body, RequestBuilder, Response};
use std::io::{self, Read};
use tokio::sync::mpsc;

/// Bytes of one read.
const PIECE: usize = 256 * 1024;
/// Pieces that are read ahead.
const AHEAD: usize = 4;

/// A body to send.
#[derive(Debug)]
pub struct Upload {
    body: Body,
    length: Option<u64>,
}

impl Upload {
    /// Sends what a reader gives, read on a thread of its own. `length` is its size, if it is known.
    pub fn reader(mut reader: impl Read + Send + 'static, length: Option<u64>) -> Self {
        let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(AHEAD);
        tokio::task::spawn_blocking(move || {
            loop {
                let mut piece = vec![0; PIECE];
                let read = match reader.read(&mut piece) {
                    Ok(0) => return,
                    Ok(read) => read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        // Nobody waits for it when the request is gone.
                        let _ = sender.blocking_send(Err(error));
                        return;
                    }
                };
                piece.truncate(read);
                if sender.blocking_send(Ok(piece.into())).is_err() {
                    return;
                }
            }
        });
        let pieces = futures_util::stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|piece| (piece, receiver))
        });
        Self { body: Body::wrap_stream(pieces), length }
    }

    pub(crate) fn attach(self, request: RequestBuilder) -> RequestBuilder {
        let request = match self.length {
            Some(length) => request.header(CONTENT_LENGTH, length),
            None => request,
        };
        request.body(self.body)
    }
}

/// A body that comes in.
#[derive(Debug)]
pub struct Download {
    response: Response,
}

impl Download {
    pub(crate) fn new(response: Response) -> Self {
        Self { response }
    }

    /// Returns the length, if the daemon knows it.
    pub fn length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// The next bytes; nothing at the end. An end before its time is an error.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        self.response.chunk().await.map_err(broken_answer)
    }
}
