//! `$/cancel_request` names a request by an id that others may use, too.

use crate::clients::pending;
use anyhow::Result;
use sa_e2e::{notification, request, response};
use sa_testkit::Daemon;
use serde_json::{Value, json};

fn cancel(id: u64) -> String {
    notification("$/cancel_request", &format!(r#"{{"requestId":{id}}}"#))
}

fn held(id: u64, name: &str) -> String {
    request(id, "hold", &format!(r#"{{"name":"{name}"}}"#))
}

#[tokio::test]
async fn a_socket_cancels_its_own_request() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut sockets = [acp.ws("").connect().await?, acp.ws("").connect().await?];
    for (index, socket) in sockets.iter_mut().enumerate() {
        socket.send(&held(5, "turn")).await?;
        pending(&acp, index as u64 + 1).await?;
    }
    // The second one's request goes by another id.
    sockets[1].send(&cancel(5)).await?;
    let answer: Value = serde_json::from_str(&sockets[1].message().await?)?;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32800)));
    acp.call("release", r#"{"names":["turn"]}"#).await?;
    assert_eq!(sockets[0].message().await?, response(5, r#"{"name":"turn"}"#));
    Ok(())
}

#[tokio::test]
async fn a_post_cancels_what_only_one_client_can_have_asked() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let (first, second) = (acp.posting(held(5, "first")).send(), acp.posting(held(5, "second")).send());
    let cancelling = async {
        pending(&acp, 2).await?;
        let problem = acp.post(cancel(5)).await?.expect_problem(409, "conflict")?;
        assert!(problem.detail.contains("2 unanswered requests"), "{}", problem.detail);
        acp.call("release", r#"{"names":["first"]}"#).await?;
        pending(&acp, 1).await?;
        acp.post(cancel(5)).await?.expect_status(202)?;
        // One that is answered already is the agent's business.
        pending(&acp, 0).await?;
        acp.post(cancel(5)).await?.expect_status(202)
    };
    let (first, second, cancelled) = tokio::join!(first, second, cancelling);
    cancelled?;
    assert_eq!(first?.text(), response(5, r#"{"name":"first"}"#));
    assert_eq!(second?.json()?["error"]["code"], json!(-32800));
    Ok(())
}
