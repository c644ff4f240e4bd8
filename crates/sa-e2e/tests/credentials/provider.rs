//! A model provider on loopback, as far as a credential is concerned.

use anyhow::Result;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Provider {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    /// Answers every request with a status line and a body; without them it stays silent.
    pub(crate) async fn answering(answer: Option<(&'static str, String)>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer.clone(), Arc::clone(&kept)));
            }
        });
        Ok(Self { url, requests })
    }

    /// Returns the requests so far, headers and all, in lower case where HTTP does not care.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: Option<(&'static str, String)>,
    kept: Arc<Mutex<Vec<String>>>,
) -> Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    kept.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
    match answer {
        Some((head, body)) => {
            let head =
                format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(body.as_bytes()).await?;
        }
        // Until the caller gives up.
        None => while stream.read_buf(&mut request).await? > 0 {},
    }
    Ok(())
}
