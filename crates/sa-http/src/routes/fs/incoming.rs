//! A request's body, piece by piece, with an end to waiting for it.

use crate::problem::{ApiError, ApiResult};
use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use sa_files::FilesError;
use std::time::Duration;

/// What is read of a body that was refused, so that the client gets to see why.
const DRAINED_BYTES: usize = 16 * 1024 * 1024;
/// And for how long.
const DRAIN: Duration = Duration::from_secs(2);

/// The body of a request.
pub(super) struct Incoming {
    body: Body,
    stall: Duration,
}

impl Incoming {
    pub(super) fn new(body: Body, stall: Duration) -> Self {
        Self { body, stall }
    }

    /// The next bytes; nothing at the end.
    pub(super) async fn next(&mut self) -> ApiResult<Option<Bytes>> {
        loop {
            let frame = tokio::time::timeout(self.stall, self.body.frame()).await.map_err(|_| {
                FilesError::Stalled(u64::try_from(self.stall.as_millis()).unwrap_or(u64::MAX))
            })?;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(error)) => {
                    return Err(ApiError::invalid(format!("the body could not be read: {error}")));
                }
            }
        }
    }

    /// Reads on for a while: many clients look at the answer only when they have sent everything.
    pub(super) async fn drain(mut self) {
        let reading = async {
            let mut read = 0;
            while read < DRAINED_BYTES {
                match self.next().await {
                    Ok(Some(bytes)) => read += bytes.len(),
                    Ok(None) | Err(_) => break,
                }
            }
        };
        // Whether it ended or time is up: either way the answer comes now.
        let _ = tokio::time::timeout(DRAIN, reading).await;
    }
}
