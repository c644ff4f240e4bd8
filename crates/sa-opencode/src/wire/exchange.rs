//! One request and its answer, on a connection of their own.

use crate::endpoint::Endpoint;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use sa_acp::{EventSink, MAX_LINE};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::net::Ipv4Addr;
use tokio::net::TcpStream;

/// A request as the machine writes it.
#[derive(Deserialize)]
struct Call<'a> {
    id: u64,
    method: &'a str,
    path: String,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

/// The reason why there is no answer.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Makes the request of a line and sends the answer to the agent.
pub(super) async fn exchange(endpoint: Endpoint, line: Vec<u8>, sink: EventSink) {
    let call: Call<'_> = match serde_json::from_slice(&line) {
        Ok(call) => call,
        Err(error) => return tracing::error!(%error, "a request that cannot be read"),
    };
    let body = call.body.map(|body| Bytes::copy_from_slice(body.get().as_bytes()));
    match answer(&endpoint, call.method, &call.path, body).await {
        Ok(line) => {
            let mut answer = format!("{{\"id\":{},", call.id).into_bytes();
            answer.extend_from_slice(&line);
            sink.send_line(answer).await;
        }
        Err(error) => {
            sink.send_json(&json!({ "id": call.id, "broken": error.to_string() })).await;
        }
    }
}

/// The answer as the rest of a line.
async fn answer(
    endpoint: &Endpoint,
    method: &str,
    path: &str,
    body: Option<Bytes>,
) -> Result<Vec<u8>, Failure> {
    let response = send(endpoint, method, path, body).await?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), MAX_LINE).collect().await?.to_bytes();
    let mut line = format!("\"status\":{status},\"body\":").into_bytes();
    match serde_json::from_slice::<&RawValue>(&body) {
        Ok(_) => line.extend_from_slice(&body),
        Err(_) if body.is_empty() => line.extend_from_slice(b"null"),
        Err(_) => serde_json::to_writer(&mut line, &String::from_utf8_lossy(&body))?,
    }
    line.push(b'}');
    Ok(line)
}

/// Sends a request and waits for the head of its answer.
pub(super) async fn send(
    endpoint: &Endpoint,
    method: &str,
    path: &str,
    body: Option<Bytes>,
) -> Result<Response<Incoming>, Failure> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, endpoint.port)).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    // It ends with the request, or with the body of its answer.
    tokio::spawn(connection);
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, format!("127.0.0.1:{}", endpoint.port))
        .header(AUTHORIZATION, endpoint.authorization())
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(body.unwrap_or_default()))?;
    Ok(sender.send_request(request).await?)
}
