//! With the sub-protocol every frame is an event of the transport: its name, its number, its data.

use anyhow::Result;
use sa_e2e::{notification, request, write};
use sa_testkit::{Acp, Daemon, Ws};
use serde_json::{Value, json};

const PROTOCOL: &str = "sandbox-agent.events.v1";

async fn open(acp: &Acp, query: &str) -> Result<Ws> {
    let socket = acp.ws(query).subprotocol(PROTOCOL).connect().await?;
    assert_eq!(socket.headers["sec-websocket-protocol"], PROTOCOL);
    Ok(socket)
}

async fn event(socket: &mut Ws) -> Result<Value> {
    Ok(serde_json::from_str(&socket.message().await?)?)
}

#[tokio::test]
async fn events_have_the_numbers_of_the_stream() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let mut socket = open(&acp, "?agent=puppet").await?;
    let mut stream = acp.events().await?;
    socket.send(&notification("flood", r#"{"count":3}"#)).await?;
    for _ in 0..3 {
        let (ours, theirs) = (event(&mut socket).await?, stream.event().await?);
        assert_eq!(ours["event"], json!("message"));
        assert_eq!((&ours["id"], &ours["data"]), (&json!(theirs.sequence()?), &theirs.json()?));
    }
    Ok(())
}

#[tokio::test]
async fn facts_about_the_transport_are_events_and_the_socket_outlives_the_agent() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let mut socket = open(&acp, "?agent=puppet").await?;
    socket.send(&notification("raw", &write("odd\n"))).await?;
    let unparsed = event(&mut socket).await?;
    assert_eq!((&unparsed["event"], &unparsed["data"]["raw"]), (&json!("unparsed"), &json!("odd")));
    socket.send(&notification("crash", r#"{"code":5}"#)).await?;
    let exit = event(&mut socket).await?;
    assert_eq!((&exit["event"], &exit["data"]["code"]), (&json!("exit"), &json!(5)));
    // Messages that it sends now cannot get there, which is reported.
    socket.send(&request(1, "echo", "1")).await?;
    let refused = event(&mut socket).await?;
    assert_eq!((&refused["data"]["id"], &refused["data"]["error"]["code"]), (&json!(1), &json!(-32603)));
    acp.post_to("puppet", notification("flood", r#"{"count":1}"#)).await?.expect_status(202)?;
    let message = event(&mut socket).await?;
    assert_eq!((&message["event"], &message["id"]), (&json!("message"), &json!(3)));
    Ok(())
}

#[tokio::test]
async fn a_gap_is_an_event_and_the_rest_follows() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", 64 * 1024).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":4000,"bytes":200}"#).await?;
    let mut socket = open(&acp, "?lastEventId=1").await?;
    let gap = event(&mut socket).await?;
    assert_eq!((&gap["event"], gap.get("id")), (&json!("gap"), None));
    let mut next = gap["data"]["oldest"].as_u64().unwrap();
    // The newest record answers a POST; a socket is shown its own answers only.
    while next < gap["data"]["newest"].as_u64().unwrap() {
        assert_eq!(event(&mut socket).await?["id"], json!(next));
        next += 1;
    }
    Ok(())
}
