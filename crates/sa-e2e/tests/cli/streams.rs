//! `api acp stream`.

use crate::caller::Caller;
use crate::running::Running;
use anyhow::Result;
use sa_e2e::{notification, request, response, write};
use sa_testkit::{Acp, Daemon};
use serde_json::json;

/// Returns a stream that reads from the beginning of the log, so that nothing depends on when it connects.
fn stream(daemon: &Daemon, arguments: &[&str]) -> Result<Running> {
    let words = [&["acp", "stream", "one", "--last-event-id", "0"], arguments].concat();
    Running::start(Caller::of(daemon).command(&words)?)
}

async fn say(acp: &Acp, bytes: impl AsRef<[u8]>) -> Result<()> {
    acp.call("raw", &write(bytes)).await.map(drop)
}

#[tokio::test]
async fn each_message_is_a_line_and_the_end_of_the_server_the_end() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let mut stream = stream(&daemon, &[])?;
    assert_eq!(stream.line().await?, response(1, &pid.to_string()));
    let said = notification("session/update", r#"{"z":1e+29 ,"text":"é\n"}"#);
    say(&acp, format!("{said}\n")).await?;
    assert_eq!(stream.line().await?, said, "the agent's own bytes");
    assert_eq!(stream.json().await?["result"], json!(null));
    acp.delete().await?.expect_status(204)?;
    let complaint = stream.complaint().await?;
    assert!(complaint.starts_with("exit: {"), "{complaint}");
    assert_eq!(stream.end().await?.code(), Some(0));
    Ok(())
}

#[tokio::test]
async fn facts_of_the_transport_are_distinguished() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let (mut plain, mut structured) = (stream(&daemon, &[])?, stream(&daemon, &["--json"])?);
    say(&acp, "not a message\n").await?;
    acp.post(request(9, "crash", r#"{"code":4,"stderr":"oh"}"#)).await?.expect_status(502)?;

    plain.line().await?;
    let unparsed = plain.complaint().await?;
    assert!(unparsed.starts_with("unparsed: {") && unparsed.contains("not a message"), "{unparsed}");
    assert_eq!(plain.complaint().await?, r#"exit: {"code":4,"signal":null,"stderrTail":"oh"}"#);

    let mut events = Vec::new();
    while events.last() != Some(&json!("exit")) {
        let mut event = structured.json().await?;
        assert_eq!(event["id"], json!((events.len() + 1).to_string()), "{event}");
        assert!(event["data"].is_object(), "{event}");
        events.push(event["event"].take());
    }
    assert_eq!(events[..2], ["message", "unparsed"]);
    Ok(())
}

#[tokio::test]
async fn it_begins_where_it_is_reported_to() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":5}"#).await?;
    let words = ["acp", "stream", "one", "--json", "--last-event-id", "4"];
    let mut stream = Running::start(Caller::of(&daemon).command(&words)?)?;
    for (id, n) in [("5", 4), ("6", 5)] {
        let event = stream.json().await?;
        assert_eq!((&event["id"], &event["data"]["params"]["n"]), (&json!(id), &json!(n)));
    }
    Ok(())
}

#[tokio::test]
async fn without_a_place_it_begins_with_what_the_agent_waits_for() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.post_async(request(7, "ask", r#"{"method":"permission","id":"q"}"#)).await?.expect_status(202)?;
    sa_e2e::poll("the question", async || {
        Ok((acp.listed().await?.unwrap()["lastEventId"] == json!(2)).then_some(()))
    })
    .await?;
    let mut stream = Running::start(Caller::of(&daemon).command(&["acp", "stream", "one"])?)?;
    assert_eq!(stream.line().await?, request("\"q\"", "permission", "{}"));
    Ok(())
}

#[tokio::test]
async fn following_outlives_the_connection() -> Result<()> {
    // A listener that goes away in the middle is what a gateway does; the daemon behind it lives on.
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let gateway = Gateway::to(daemon.http().address()).await?;
    let mut command = Caller::of(&daemon).command(&["acp", "stream", "one", "--follow-reconnect"])?;
    command.args(["--last-event-id", "0"]).env("SANDBOX_AGENT_ENDPOINT", &gateway.endpoint);
    let mut stream = Running::start(command)?;
    assert_eq!(stream.line().await?, response(1, &pid.to_string()));
    for n in 1..=3 {
        gateway.cut();
        let said = notification("said", &n.to_string());
        say(&acp, format!("{said}\n")).await?;
        assert_eq!(stream.line().await?, said, "nothing twice, nothing left out");
        assert_eq!(stream.json().await?["result"], json!(null));
    }
    acp.delete().await?.expect_status(204)?;
    assert!(stream.complaint().await?.starts_with("exit: "));
    assert_eq!(stream.end().await?.code(), Some(0), "there is nothing more to follow");
    Ok(())
}

/// Passes bytes on until its connections are cut.
struct Gateway {
    endpoint: String,
    cuts: tokio::sync::watch::Sender<u32>,
}

impl Gateway {
    async fn to(daemon: std::net::SocketAddr) -> Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let (cuts, watch) = tokio::sync::watch::channel(0);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let mut cut = watch.clone();
                cut.mark_unchanged();
                tokio::spawn(async move {
                    let mut server = tokio::net::TcpStream::connect(daemon).await?;
                    tokio::select! {
                        done = tokio::io::copy_bidirectional(&mut client, &mut server) => done.map(drop),
                        // No more to be cut either, when the test is over.
                        _ = cut.changed() => Ok(()),
                    }
                });
            }
        });
        Ok(Self { endpoint, cuts })
    }

    fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }
}
