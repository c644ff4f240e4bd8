//! Messages arrive as they were sent, byte for byte.

use anyhow::Result;
use sa_e2e::{error, notification, request, response, write};
use sa_testkit::{Acp, Daemon};
use serde_json::{Value, json};

/// Numbers that no double holds, members twice, any order, escapes and white space.
const ODD: &str = r#"{"z":1,"a":{"big":1e+29,"exact":123456789012345678901234567890,"f":1.50,"zero":-0},"dup":1,"dup":2 , "s":"\u00e9é\/\uD83D\uDE00","":null}"#;

async fn puppet(daemon: &Daemon) -> Result<Acp> {
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    Ok(acp)
}

#[tokio::test]
async fn ids_that_javascript_cannot_repeat_come_back_as_they_were() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let ids = ["9007199254740993", "-9007199254740995", "1e400", "0.1000000000000000055511151231257827"];
    for id in ids {
        assert_eq!(acp.post(request(id, "echo", "1")).await?.expect_status(200)?.text(), response(id, "1"));
    }
    let seen = acp.call("ids", "{}").await?;
    let exact = |id: &serde_json::Value| id.is_string() || id.as_i64().is_some_and(|id| id.abs() < 1 << 53);
    assert!(seen.as_array().unwrap().iter().all(exact), "{seen}");
    Ok(())
}

#[tokio::test]
async fn a_response_is_the_agents_own_bytes() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    for id in ["7", "\"text\"", "-3", "12345678901234567890123", "1.0", r#""\u0041\u0000é""#, "\"\""] {
        let reply = acp.post(request(id, "echo", ODD)).await?.expect_status(200)?;
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(reply.text(), response(id, ODD));
    }
    Ok(())
}

#[tokio::test]
async fn the_envelope_is_kept_too() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    let mut stream = acp.events().await?;
    let odd = r#"  {"result" :{"b":1,"a":2},"_meta":[1e+29], "id": 41,"jsonrpc":"2.0"}  "#;
    let asking = acp.posting(request(41, "never", "{}")).send();
    let answering = async {
        // The answer is written by another request, so this one must be there first.
        sa_e2e::poll("the request", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(1)).then_some(()))
        })
        .await?;
        acp.call("raw", &write(format!("{odd}\n"))).await
    };
    let (reply, written) = tokio::join!(asking, answering);
    written?;
    assert_eq!(reply?.expect_status(200)?.text(), odd);
    assert_eq!(stream.event().await?.data, odd);
    Ok(())
}

#[tokio::test]
async fn a_request_reaches_the_agent_unchanged() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    let odd = format!(
        r#"{{ "params" : {ODD}, "_meta":{{"x":1e+29}},"method":"line" ,"id":"a\u0041","jsonrpc":"2.0"}}"#
    );
    let reply = acp.post(odd.clone()).await?.expect_status(200)?;
    assert_eq!(reply.text(), response(r#""a\u0041""#, &Value::from(odd).to_string()));
    Ok(())
}

#[tokio::test]
async fn line_breaks_between_tokens_do_not_break_the_message() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    let pretty = "{\n  \"jsonrpc\": \"2.0\",\r\n  \"id\": 1,\n  \"method\": \"echo\",\n  \"params\": {\n    \"text\": \"a\\nb\"\n  }\n}\n";
    let reply = acp.post(pretty).await?.expect_status(200)?.json()?;
    assert_eq!(reply, json!({"jsonrpc": "2.0", "id": 1, "result": {"text": "a\nb"}}));
    assert_eq!(acp.call("ids", "{}").await?, json!([1, 1, 2]), "one message, not one for each line");
    Ok(())
}

#[tokio::test]
async fn an_error_of_the_agent_is_an_answer() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    acp.call("stderr", r#"{"text":"noise on stderr\n"}"#).await?;
    let odd = r#"{"message":"no","code":-32000,"data":{"z":1e+29,"a":[]}}"#;
    let reply = acp.post(request(3, "error", odd)).await?.expect_status(200)?;
    assert_eq!(reply.text(), format!(r#"{{"jsonrpc":"2.0","id":3,"error":{odd}}}"#), "nothing is added");
    Ok(())
}

#[tokio::test]
async fn notifications_and_responses_are_accepted_without_a_body() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    for message in [notification("x", ODD), response("\"nobody asked\"", ODD), error(1, -1, "no")] {
        let reply = acp.post(message).await?.expect_status(202)?;
        assert!(reply.body.is_empty());
    }
    assert_eq!(acp.call("notify_count", "{}").await?, json!(1));
    Ok(())
}

#[tokio::test]
async fn the_agents_requests_and_the_answers_to_them_pass_unchanged() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    let mut stream = acp.events().await?;
    // An id that the client uses as well, at the same time, in the other direction.
    let params = format!(r#"{{"method":"session/request_permission","id":5,"params":{ODD}}}"#);
    let asking = acp.posting(request(5, "ask", &params)).send();
    let answer = format!(r#"{{"result":{ODD} ,"id":5,"jsonrpc":"2.0"}}"#);
    let answering = async {
        let question = stream.event().await?;
        acp.post(answer.clone()).await?.expect_status(202)?;
        anyhow::Ok(question)
    };
    let (reply, question) = tokio::join!(asking, answering);
    assert_eq!(question?.data, request(5, "session/request_permission", ODD));
    assert_eq!(reply?.expect_status(200)?.text(), response(5, &answer));
    Ok(())
}

#[tokio::test]
async fn no_method_is_the_daemons_own() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    let mut stream = acp.events().await?;
    for method in [
        "_sandboxagent/session/list",
        "_sandboxagent/agent/list",
        "_adapter/agent_exited",
        "$/cancel_request",
    ] {
        let answer = acp.post(request(9, method, "{}")).await?.expect_status(200)?;
        assert_eq!(answer.text(), error(9, -32601, &format!("the puppet has no method {method}")));
        assert_eq!(stream.event().await?.data, answer.text());
        acp.notify(method, "{}").await?;
        let said = notification(method, ODD);
        acp.call("raw", &write(format!("{said}\n"))).await?;
        assert_eq!(stream.event().await?.data, said);
        assert_eq!(stream.event().await?.json()?["result"], Value::Null);
    }
    assert_eq!(acp.call("notify_count", "{}").await?, json!(4));
    Ok(())
}

#[tokio::test]
async fn respond_async_leaves_the_answer_to_the_stream() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = puppet(&daemon).await?;
    let mut stream = acp.events().await?;
    for (id, prefer) in [(1, "respond-async"), (2, "wait=5, Respond-Async"), (3, "respond-async; x=1")] {
        let posting = acp.posting(request(id, "echo", ODD)).header("prefer", prefer);
        assert!(posting.send().await?.expect_status(202)?.body.is_empty(), "{prefer}");
        assert_eq!(stream.event().await?.data, response(id, ODD));
    }
    acp.posting(request(4, "echo", ODD)).header("prefer", "wait=5").send().await?.expect_status(200)?;
    Ok(())
}
