//! The `http` floor: an axum server in a separate process that does nothing with the bytes. It answers a POST with
//! its body, and a GET with prepared event-stream frames. Files have a separate floor beneath it.

mod files;

use crate::wire;
use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Query};
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bytes::Bytes;
use futures_util::stream;
use sa_bench::message::Template;
use serde::Deserialize;
use std::convert::Infallible;
use std::io::Write;
use tokio::net::TcpListener;

/// Serves on a free loopback port until killed; prints the address as the daemon does.
#[tokio::main]
pub(crate) async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut out = std::io::stdout();
    writeln!(out, "{}http://{}", wire::LISTENING, listener.local_addr()?)?;
    out.flush()?;
    let app = Router::new()
        .route("/v1/health", get(|| async { r#"{"status":"ok"}"# }))
        .route(
            "/echo",
            post(|body: Bytes| async move { ([(header::CONTENT_TYPE, "application/json")], body) }),
        )
        .route("/stream", get(stream_frames))
        .route("/file", get(files::read).put(files::write))
        .route("/entries", get(files::list))
        .layer(DefaultBodyLimit::disable());
    Ok(axum::serve(listener, app).await?)
}

#[derive(Deserialize)]
struct Shape {
    count: usize,
    /// Bytes of one message.
    size: usize,
    /// Messages in one body chunk.
    batch: usize,
}

async fn stream_frames(Query(shape): Query<Shape>) -> impl IntoResponse {
    let template = Template::new(shape.size);
    let mut frame = b"event: message\nid: 1000000\ndata: ".to_vec();
    frame.extend_from_slice(template.line());
    frame.push(b'\n');
    let chunk = Bytes::from(frame.repeat(shape.batch));
    let chunks = std::iter::repeat_n(Ok::<_, Infallible>(chunk), shape.count / shape.batch.max(1));
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream::iter(chunks)))
}
