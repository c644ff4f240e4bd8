//! The floor of files: a server that streams them from and to the disk and does nothing else. A separate thread reads
//! or writes while the connection sends or receives. No checks, no versions, no names that appear only at the end.

use axum::Json;
use axum::body::Body;
use axum::extract::Query;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// Bytes of one read of a file.
const CHUNK: usize = 256 * 1024;
/// Pieces between the thread and the connection.
const AHEAD: usize = 4;

#[derive(Deserialize)]
pub(super) struct Place {
    path: PathBuf,
    /// Wait until the bytes are on the disk.
    #[serde(default)]
    sync: bool,
}

/// An error, as text.
pub(super) struct Broken(io::Error);

impl IntoResponse for Broken {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.0.to_string()).into_response()
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

/// The body becomes the file.
pub(super) async fn write(Query(place): Query<Place>, body: Body) -> Result<(), Broken> {
    let (pieces, mut waiting) = mpsc::channel::<Bytes>(AHEAD);
    let writing = spawn_blocking(move || {
        let mut file = File::create(&place.path)?;
        while let Some(piece) = waiting.blocking_recv() {
            file.write_all(&piece)?;
        }
        if place.sync { file.sync_data() } else { Ok(()) }
    });
    let mut body = body.into_data_stream();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(io::Error::other)?;
        if pieces.send(piece).await.is_err() {
            break;
        }
    }
    drop(pieces);
    Ok(writing.await.map_err(io::Error::other)??)
}

/// Returns the file as a body.
pub(super) async fn read(Query(place): Query<Place>) -> Result<Response, Broken> {
    let file = File::open(&place.path)?;
    let length = file.metadata()?.len();
    let (pieces, mut waiting) = mpsc::channel(AHEAD);
    spawn_blocking(move || {
        let mut file = file;
        loop {
            let mut piece = Vec::with_capacity(CHUNK);
            let read = (&mut file).take(CHUNK as u64).read_to_end(&mut piece);
            let ended = !matches!(read, Ok(count) if count > 0);
            let piece = read.map(|_| Bytes::from(piece));
            if pieces.blocking_send(piece).is_err() || ended {
                return;
            }
        }
    });
    let body = Body::from_stream(stream::poll_fn(move |context| waiting.poll_recv(context)));
    Ok(([("content-length", length.to_string())], body).into_response())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    name: String,
    path: String,
    directory: bool,
    size: u64,
    modified: u64,
}

pub(super) async fn list(Query(place): Query<Place>) -> Result<Json<Vec<Entry>>, Broken> {
    Ok(Json(spawn_blocking(move || entries(&place.path)).await.map_err(io::Error::other)??))
}

fn entries(directory: &std::path::Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let facts = entry.metadata()?;
        let modified = facts.modified()?.duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        entries.push(Entry {
            name: entry.file_name().to_string_lossy().into_owned(),
            path: entry.path().to_string_lossy().into_owned(),
            directory: facts.is_dir(),
            size: facts.len(),
            modified: modified.as_secs(),
        });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}
