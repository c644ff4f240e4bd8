//! A provider that accepts no credential.

use anyhow::Result;
use axum::http::StatusCode;
use axum::{Json, Router};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A provider that refuses everything, until it is dropped.
pub(super) struct RefusingProvider {
    url: String,
    task: JoinHandle<()>,
}

impl RefusingProvider {
    pub(super) async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let error = json!({ "error": { "type": "authentication_error", "message": "who is that?" } });
        let router = Router::new().fallback(move || async move { (StatusCode::UNAUTHORIZED, Json(error)) });
        let task = tokio::spawn(async move {
            // Ends with the task.
            let _served = axum::serve(listener, router).await;
        });
        Ok(Self { url, task })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for RefusingProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}
