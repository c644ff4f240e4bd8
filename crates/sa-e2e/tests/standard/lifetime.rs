//! How long a connection and its agent live.

use crate::connection::{Connection, PUPPET};
use anyhow::Result;
use sa_e2e::{notification, poll, request, response};
use sa_testkit::{Acp, DEADLINE, Daemon, Sse};
use serde_json::{Value, json};

async fn none_left(daemon: &Daemon) -> Result<()> {
    poll("the connection to end", async || Ok(Acp::list(daemon.http()).await?.is_empty().then_some(()))).await
}

#[tokio::test]
async fn delete_ends_the_agent_and_its_streams() -> Result<()> {
    let daemon = Daemon::start().await?;
    for path in [PUPPET, "/v1/agents/puppet/acp"] {
        let connection = Connection::open(&daemon, path).await?;
        let mut stream = connection.stream(None).await?;
        let pid = Acp::list(daemon.http()).await?[0]["pid"].as_u64().unwrap() as u32;
        let deleting = connection.delete();
        let again = async {
            none_left(&daemon).await?;
            let reply = connection.delete().await?;
            sa_e2e::gone(&[pid], std::time::Duration::ZERO).await?;
            anyhow::Ok(reply)
        };
        let (deleted, again) = tokio::try_join!(deleting, again)?;
        deleted.expect_status(202)?;
        again.expect_problem(404, "not_found")?;
        assert!(
            stream.next_event().await?.is_none(),
            "no event of the transport: stock clients would choke on it"
        );
        connection.delete().await?.expect_problem(404, "not_found")?;
        assert!(Acp::list(daemon.http()).await?.is_empty());
    }
    Ok(())
}

#[tokio::test]
async fn a_crash_answers_what_waits_then_ends_the_streams() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut stream = connection.stream(None).await?;
    connection.post(None, request(1, "never", "{}")).await?;
    connection.post(None, notification("crash", r#"{"code":9,"stderr":"why"}"#)).await?;
    let failed = stream.event().await?.json()?;
    assert_eq!((&failed["id"], &failed["error"]["data"]["code"]), (&json!(1), &json!(9)));
    assert!(stream.next_event().await?.is_none());
    none_left(&daemon).await
}

#[tokio::test]
async fn a_connection_nobody_is_attached_to_ends_after_its_grace() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("connection-grace-ms", 300).start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let stream = connection.stream(None).await?;
    connection.post(None, request(1, "hold", r#"{"name":"turn"}"#)).await?;
    tokio::time::sleep(std::time::Duration::from_millis(900)).await;
    assert_eq!(Acp::list(daemon.http()).await?.len(), 1, "as long as somebody reads");
    drop(stream);
    none_left(&daemon).await
}

#[tokio::test]
async fn the_requests_of_a_client_that_is_gone_do_not_keep_its_connection() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("connection-grace-ms", 300).start().await?;
    // The agent waits for an answer that nobody will give, or never answers.
    for message in
        [request(1, "ask", r#"{"method":"session/request_permission"}"#), request(1, "never", "{}")]
    {
        let mut socket = daemon.http().ws(PUPPET).connect().await?;
        socket.send(&request(0, "initialize", r#"{"protocolVersion":1}"#)).await?;
        socket.message().await?;
        socket.send(&message).await?;
        poll("the request", async || {
            Ok(Acp::list(daemon.http())
                .await?
                .iter()
                .any(|it| it["pendingRequests"] == json!(1))
                .then_some(()))
        })
        .await?;
        drop(socket);
        none_left(&daemon).await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_agent_that_never_greets_ends_with_the_client_that_waited() -> Result<()> {
    let builder = Daemon::builder().agent("mute", "sleep 600");
    let daemon = builder.limit("connection-grace-ms", 300).limit("early-answer-ms", 100).start().await?;
    let greeting = daemon.http().post("/acp?agent=mute").json(request(0, "initialize", "{}"));
    let waiting = greeting.send_and_never_read().await?;
    tokio::time::sleep(std::time::Duration::from_millis(900)).await;
    assert_eq!(Acp::list(daemon.http()).await?.len(), 1, "as long as somebody waits");
    drop(waiting);
    none_left(&daemon).await
}

#[tokio::test]
async fn a_socket_is_a_connection_and_its_close_ends_it() -> Result<()> {
    let daemon = Daemon::start().await?;
    for path in [PUPPET, "/v1/agents/puppet/acp"] {
        let mut socket = daemon.http().ws(path).connect().await?;
        let id = socket.headers["acp-connection-id"].to_str()?.to_owned();
        socket.send(&request(0, "initialize", "{}")).await?;
        assert_eq!(socket.message().await?, response(0, "{}"));
        let listed = Acp::list(daemon.http()).await?;
        assert_eq!(listed.iter().map(|server| &server["serverId"]).collect::<Vec<_>>(), [&json!(id)]);
        socket.close(1000, "done").await?;
        none_left(&daemon).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_cut_socket_can_be_joined_again_within_the_grace() -> Result<()> {
    let daemon = Daemon::start().await?;
    let mut socket = daemon.http().ws(PUPPET).connect().await?;
    let id = socket.headers["acp-connection-id"].to_str()?.to_owned();
    socket.send(&request(0, "initialize", "{}")).await?;
    assert_eq!(socket.message().await?, response(0, "{}"));
    socket.send(&request(0, "pid", "{}")).await?;
    let before: Value = serde_json::from_str(&socket.message().await?)?;
    drop(socket);
    let mut again = daemon.http().ws("/acp").header("acp-connection-id", &id).connect().await?;
    again.send(&request(0, "pid", "{}")).await?;
    let after: Value = serde_json::from_str(&again.message().await?)?;
    assert_eq!(before["result"], after["result"], "the same agent");
    Ok(())
}

#[tokio::test]
async fn a_cut_socket_that_nobody_joins_ends_after_the_grace() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("connection-grace-ms", 200).start().await?;
    let socket = daemon.http().ws(PUPPET).connect().await?;
    assert_eq!(Acp::list(daemon.http()).await?.len(), 1);
    drop(socket);
    none_left(&daemon).await
}

#[tokio::test]
async fn a_socket_that_joined_a_server_does_not_end_it() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("mine");
    acp.start("puppet").await?;
    let waiting = acp.posting(acp.envelope("hold", r#"{"name":"turn"}"#)).send();
    let joining = async {
        let mut socket = daemon.http().ws("/acp").header("acp-connection-id", "mine").connect().await?;
        socket.send(&request("\"here\"", "echo", "{}")).await?;
        assert_eq!(socket.message().await?, response("\"here\"", "{}"));
        socket.close(1000, "done").await?;
        assert!(socket.next().await?.is_none());
        poll("the turn", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(1)).then_some(()))
        })
        .await?;
        acp.notify("release", r#"{"names":["turn"]}"#).await
    };
    let (answered, joined) = tokio::join!(waiting, joining);
    joined?;
    answered?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn an_initialize_that_nobody_waits_for_leaves_no_agent() -> Result<()> {
    let refusing = r#"sh -c "read line; sleep 1.3; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":1,\"message\":\"no\"}}'; exec sleep 600""#;
    let daemon = Daemon::builder()
        .agent("mute", "sleep 600")
        .agent("refusing", refusing)
        .limit("early-answer-ms", 1)
        .start()
        .await?;
    let initialize =
        |agent: &str| daemon.http().post(&format!("/acp?agent={agent}")).json(request(0, "initialize", "{}"));
    let listed = async |count: usize| {
        poll("so many connections", async || {
            Ok((Acp::list(daemon.http()).await?.len() == count).then_some(()))
        })
        .await
    };
    // Before the status line, and after it.
    let before = initialize("mute").send_and_never_read().await?;
    listed(1).await?;
    drop(before);
    listed(0).await?;
    let (after, refused) = tokio::join!(initialize("mute").open(), initialize("refusing").send());
    let after = after?;
    assert_eq!(after.status, 200);
    drop(after);
    assert_eq!(refused?.expect_status(200)?.json()?["error"]["message"], json!("no"));
    listed(0).await
}

#[tokio::test]
async fn a_reader_that_vanished_keeps_its_stream_no_longer_than_a_stall() -> Result<()> {
    let daemon =
        Daemon::builder().puppet(&[]).limit("heartbeat-ms", 100).limit("write-stall-ms", 500).start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut vanished = connection.listening(None).send_and_never_read().await?;
    let head = vanished.read_until(b"\r\n\r\n", DEADLINE).await?;
    assert!(head.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&head));
    assert_eq!(connection.listening(None).open().await?.status, 409, "the stream is taken");
    vanished.vanish()?;
    poll("the stream to be free", async || Ok(Sse::attempt(connection.listening(None)).await?.ok())).await?;
    drop(vanished);
    Ok(())
}
