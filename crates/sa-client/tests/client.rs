//! The client against scripted answers on a real socket: what it sends, how it reads, when it connects again.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use sa_api::InstallAgent;
use sa_client::{AgentQuery, Client, ClientError, PostOptions, Posted};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Answers one connection after the other with the given bytes and returns the requests.
async fn script(answers: Vec<&'static str>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let requests = tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in answers {
            let (mut socket, _) = listener.accept().await.unwrap();
            requests.push(read_request(&mut socket).await);
            socket.write_all(answer.as_bytes()).await.unwrap();
        }
        requests
    });
    (endpoint, requests)
}

/// The head, and as much of a body as it announces.
async fn read_request(socket: &mut tokio::net::TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut buffer = [0; 4096];
        let count = socket.read(&mut buffer).await.unwrap();
        text.push_str(std::str::from_utf8(buffer.get(..count).unwrap()).unwrap());
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let announced = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= announced.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        assert_ne!(count, 0, "the client closed in the middle of {text:?}");
    }
}

fn has_line(request: &str, line: &str) -> bool {
    request.lines().any(|other| other.eq_ignore_ascii_case(line))
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("in time")
}

#[tokio::test]
async fn a_call_carries_the_token_and_keeps_the_gateways_path() {
    let body = r#"{"status":"ok","version":"1.2.3","uptimeMs":5}"#;
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let (endpoint, requests) = script(vec![answer.leak()]).await;
    let client = Client::new(&format!("{endpoint}/box/7/?x=1#f"), Some("s3cret")).unwrap();
    assert_eq!(client.health().await.unwrap().version, "1.2.3");
    let request = requests.await.unwrap().remove(0);
    assert!(request.starts_with("GET /box/7/v1/health HTTP/1.1\r\n"), "{request}");
    assert!(has_line(&request, "authorization: Bearer s3cret"), "{request}");
}

#[tokio::test]
async fn a_message_is_sent_as_it_is_and_the_padding_of_a_long_wait_is_no_part_of_the_answer() {
    let (endpoint, requests) = script(vec![
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n  \n{\"a\":1}",
        "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    ])
    .await;
    let client = Client::new(&endpoint, None).unwrap();
    let message = "{ \"jsonrpc\" : \"2.0\" }";
    let options =
        PostOptions { agent: Some("de mo"), agent_version: Some("1.2+x"), ..PostOptions::default() };
    let posted = client.post_acp("a/b c", options, message).await;
    assert_eq!(posted.unwrap(), Posted::Answered("{\"a\":1".into()));
    let later = PostOptions { respond_async: true, ..PostOptions::default() };
    assert_eq!(client.post_acp("x", later, message).await.unwrap(), Posted::Accepted);
    let requests = requests.await.unwrap();
    assert!(
        requests[0].starts_with("POST /v1/acp/a%2Fb%20c?agent=de+mo&agentVersion=1.2%2Bx HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
    assert!(requests[0].ends_with(&format!("\r\n\r\n{message}")), "{}", requests[0]);
    assert!(!has_line(&requests[0], "prefer: respond-async"), "{}", requests[0]);
    assert!(has_line(&requests[1], "prefer: respond-async"), "{}", requests[1]);
    assert!(has_line(&requests[1], "content-type: application/json"), "{}", requests[1]);
}

#[tokio::test]
async fn a_problem_is_told_apart_from_any_other_refusal() {
    let problem =
        r#"{"type":"urn:sandbox-agent:error:conflict","title":"Conflict","status":409,"detail":"bound"}"#;
    let (endpoint, _requests) = script(vec![
        format!(
            "HTTP/1.1 409 C\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{problem}",
            problem.len()
        )
        .leak(),
        "HTTP/1.1 502 Bad\r\ncontent-length: 4\r\nconnection: close\r\n\r\nnope",
        "HTTP/1.1 302 F\r\nlocation: http://evil/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    ])
    .await;
    let client = Client::new(&endpoint, None).unwrap();
    let mut errors = Vec::new();
    for _ in 0..3 {
        let error = client.delete_acp("x").await.unwrap_err();
        errors.push((error.to_string(), error.problem_status(), error.is_temporary()));
    }
    let expected = [
        ("Conflict: bound", Some(409), false),
        ("unexpected answer: HTTP 502 Bad Gateway, \"nope\"", None, true),
        ("unexpected answer: HTTP 302 Found, a redirect to http://evil/", None, false),
    ];
    assert_eq!(errors, expected.map(|(text, status, temporary)| (text.to_owned(), status, temporary)));
}

#[tokio::test]
async fn nobody_there_is_recognized() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert!(Client::new(&endpoint, None).unwrap().health().await.unwrap_err().is_connect());
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_before_it_is() {
    for endpoint in ["127.0.0.1:2468", "ftp://x", "nonsense", ""] {
        assert!(matches!(Client::new(endpoint, None), Err(ClientError::Argument(_))), "{endpoint}");
    }
    let refused = Client::new("http://127.0.0.1:1", Some("line\nbreak"));
    assert!(matches!(refused, Err(ClientError::Argument(_))));
    let client = Client::new("http://127.0.0.1:1", None).unwrap();
    for id in ["", ".", ".."] {
        assert!(matches!(client.delete_acp(id).await, Err(ClientError::Argument(_))), "{id}");
    }
}

#[tokio::test]
async fn a_stream_ends_when_the_daemon_ends_it_and_fails_when_it_breaks() {
    const HEAD: &str =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let (endpoint, _requests) = script(vec![
        format!("{HEAD}10\r\nid: 3\ndata: {{}}\n\n\r\n0\r\n\r\n").leak(),
        format!("{HEAD}10\r\nid: 3\ndata: {{}}\n\n\r\n").leak(),
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n",
    ])
    .await;
    let client = Client::new(&endpoint, None).unwrap();
    let mut stream = client.stream_acp("x", None).await.unwrap();
    assert_eq!(within(stream.next()).await.unwrap().unwrap().data, "{}");
    assert_eq!(within(stream.next()).await.unwrap(), None);
    drop(stream);
    let mut stream = client.stream_acp("x", None).await.unwrap();
    assert_eq!(within(stream.next()).await.unwrap().unwrap().id.as_deref(), Some("3"));
    assert!(matches!(within(stream.next()).await, Err(ClientError::Transport { .. })));
    assert!(matches!(client.stream_acp("x", None).await, Err(ClientError::Protocol { .. })));
}

#[tokio::test]
async fn an_installation_is_followed_to_its_end() {
    let steps = [
        r#"{"step":"resolving","source":"npm"}"#,
        r#"{"step":"downloading","url":"u","received":3}"#,
        r#"{"step":"done","agent":"a","version":"1","path":"/p","source":"npm","already_installed":false,"artifacts":[]}"#,
    ];
    let events: String = steps.iter().map(|step| format!("event: x\ndata: {step}\n\n")).collect();
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hello\n\n{events}");
    let broken = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"step\":\"dancing\"}\n\n";
    let (endpoint, requests) = script(vec![answer.leak(), broken]).await;
    let client = Client::new(&endpoint, None).unwrap();
    let wanted = InstallAgent { agent_version: Some("1".to_owned()), ..InstallAgent::default() };
    let mut stream = client.install_agent_events("a b", &wanted).await.unwrap();
    let mut seen = Vec::new();
    while let Some(event) = within(stream.next()).await.unwrap() {
        seen.push(event.name());
    }
    assert_eq!(seen, ["resolving", "downloading", "done"]);
    drop(stream);
    let mut stream = client.install_agent_events("a", &wanted).await.unwrap();
    assert!(matches!(within(stream.next()).await, Err(ClientError::Protocol { .. })));
    let request = requests.await.unwrap().remove(0);
    assert!(request.starts_with("POST /v1/agents/a%20b/install/sse HTTP/1.1\r\n"), "{request}");
    assert!(has_line(&request, "accept: text/event-stream"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"agentVersion\":\"1\"}"), "{request}");
}

#[tokio::test]
async fn what_is_wanted_of_agents_is_in_the_query() {
    let list = "HTTP/1.1 200 OK\r\ncontent-length: 13\r\nconnection: close\r\n\r\n{\"agents\":[]}";
    let body = r#"{"modes":[],"permissionModes":[],"combinations":[],"source":"agent","complete":true}"#;
    let modes =
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    let gone =
        "HTTP/1.1 200 OK\r\ncontent-length: 25\r\nconnection: close\r\n\r\n{\"agent\":\"\",\"removed\":[]}";
    let (endpoint, requests) = script(vec![list, list, modes.leak(), gone, gone]).await;
    let client = Client::new(&endpoint, None).unwrap();
    client.list_agents(AgentQuery::default()).await.unwrap();
    client.list_agents(AgentQuery { config: true, no_cache: true }).await.unwrap();
    client.agent_modes("x", true).await.unwrap();
    client.uninstall_agent("x", None).await.unwrap();
    client.uninstall_agent("x", Some("1+2")).await.unwrap();
    let asked: Vec<String> =
        requests.await.unwrap().iter().map(|text| text.lines().next().unwrap().to_owned()).collect();
    let expected = [
        "GET /v1/agents HTTP/1.1",
        "GET /v1/agents?config=true&noCache=true HTTP/1.1",
        "GET /v1/agents/x/modes?noCache=true HTTP/1.1",
        "DELETE /v1/agents/x HTTP/1.1",
        "DELETE /v1/agents/x?agentVersion=1%2B2 HTTP/1.1",
    ];
    assert_eq!(asked, expected);
}

#[tokio::test]
async fn following_continues_after_the_last_id_until_the_server_is_gone() {
    let problem =
        r#"{"type":"urn:sandbox-agent:error:not_found","title":"Not found","status":404,"detail":"x"}"#;
    let (endpoint, requests) = script(vec![
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 10\n\nid: 4\n\n",
        "HTTP/1.1 503 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 10\nid: 5\ndata: five\n\nid: 6\ndata: ha",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 6\ndata: six\n\n",
        format!(
            "HTTP/1.1 404 N\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{problem}",
            problem.len()
        )
        .leak(),
    ])
    .await;
    let client = Client::new(&endpoint, None).unwrap();
    let mut stream = client.follow_acp("x", None).await.unwrap();
    let mut seen = Vec::new();
    while let Some(event) = within(stream.next()).await.unwrap() {
        seen.push(event.data);
    }
    assert_eq!(seen, ["five", "six"]);
    let asked_after: Vec<_> = requests
        .await
        .unwrap()
        .iter()
        .map(|request| {
            request.lines().find_map(|line| line.strip_prefix("last-event-id: ")).unwrap_or("-").to_owned()
        })
        .collect();
    assert_eq!(asked_after, ["-", "4", "4", "5", "6"]);
}
