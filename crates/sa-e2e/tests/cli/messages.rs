//! `api acp post`, `list` and `delete`.

use crate::caller::{Caller, rows};
use anyhow::Result;
use sa_e2e::{gone, notification, request, response};
use sa_testkit::Daemon;
use serde_json::json;
use std::time::Duration;

/// Text that no parser may touch on its way through.
const ODD: &str = r#"{"z":1e+29 ,"a":[0.10],"s":"\u00e9é\/"}"#;

#[tokio::test]
async fn a_message_may_be_an_argument_a_file_or_the_input() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let argument = request(1, "echo", ODD);
    let answer = caller.output(&["acp", "post", "one", "--agent", "puppet", "--json", &argument]).await?;
    assert_eq!(answer, response(1, ODD) + "\n", "the agent's own bytes, and a line feed");

    let file = daemon.sandbox().path("message.json");
    std::fs::write(&file, request(2, "echo", ODD) + "\n")?;
    let answer = caller.output(&["acp", "post", "one", "--file", file.to_str().unwrap()]).await?;
    assert_eq!(answer, response(2, ODD) + "\n");

    let pretty = format!(
        "{{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 3,\n  \"method\": \"echo\",\n  \"params\": {ODD}\n}}\n"
    );
    let ended = caller.run_with_input(&["acp", "post", "one"], &pretty).await?;
    assert_eq!((ended.status.code(), ended.stdout), (Some(0), response(3, ODD) + "\n"));
    Ok(())
}

#[tokio::test]
async fn what_has_no_answer_prints_none() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let notice = notification("x", "{}");
    assert_eq!(caller.output(&["acp", "post", "one", "--agent", "puppet", "--json", &notice]).await?, "");
    assert_eq!(caller.output(&["acp", "post", "one", "--json", &response("\"x\"", "{}")]).await?, "");
    let mut stream = daemon.acp("one").events().await?;
    let asked = request(5, "echo", "7");
    assert_eq!(caller.output(&["acp", "post", "one", "--async", "--json", &asked]).await?, "");
    assert_eq!(stream.event().await?.data, response(5, "7"), "it comes on the stream");
    assert_eq!(daemon.acp("one").call("notify_count", "{}").await?, json!(1));
    Ok(())
}

#[tokio::test]
async fn an_error_of_the_agent_is_an_answer() -> Result<()> {
    let daemon = Daemon::start().await?;
    let asked = request(1, "error", r#"{"code":-32000,"message":"no"}"#);
    let answer =
        Caller::of(&daemon).output(&["acp", "post", "one", "--agent=puppet", "--json", &asked]).await?;
    assert_eq!(answer, sa_e2e::error(1, -32000, "no") + "\n");
    Ok(())
}

#[tokio::test]
async fn a_long_wait_shows_only_its_answer() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("early-answer-ms", 30).start().await?;
    let asked = request(1, "delay", r#"{"ms":200}"#);
    let answer =
        Caller::of(&daemon).output(&["acp", "post", "one", "--agent=puppet", "--json", &asked]).await?;
    assert_eq!(answer, response(1, r#"{"ms":200}"#) + "\n");
    Ok(())
}

#[tokio::test]
async fn a_failure_that_comes_late_is_one_for_those_who_wait() -> Result<()> {
    let limits = Daemon::builder().puppet(&[]).limit("early-answer-ms", 30);
    let daemon = limits.limit("silence-ms", 200).start().await?;
    let asked = request(1, "hold", r#"{"name":"never"}"#);
    let post = ["acp", "post", "one", "--agent=puppet", "--json", &asked, "--wait"];
    let said = Caller::of(&daemon).complaint(&post).await?;
    assert!(said.contains("(HTTP 504)"), "{said}");
    Ok(())
}

#[tokio::test]
async fn servers_are_listed_and_deleted() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let headings = "SERVER  AGENT  STATUS  PID  PENDING  LAST EVENT  AGE\n";
    assert_eq!(caller.output(&["acp", "list"]).await?, headings);
    assert_eq!(caller.json(&["acp", "list", "--json"]).await?, json!({"servers": []}));

    let pid = daemon.acp("running").start("puppet").await?;
    daemon.acp("running").post_async(request("\"held\"", "hold", "{}")).await?.expect_status(202)?;
    for (server, how) in [("coded", r#"{"code":3}"#), ("signalled", r#"{"sig":9}"#)] {
        let acp = daemon.acp(server);
        acp.start("puppet").await?;
        let method = if how.contains("sig") { "signal" } else { "crash" };
        acp.post(request(1, method, how)).await?.expect_status(502)?;
    }
    let table = caller.output(&["acp", "list"]).await?;
    let rows = rows(&table);
    let status = |server: &str| rows.iter().find(|row| row[0] == server).map(|row| row[1..6].to_vec());
    let pid_text = pid.to_string();
    assert_eq!(status("running"), Some(vec!["puppet", "running", &pid_text, "1", "1"]), "{table}");
    assert_eq!(status("coded").unwrap()[1..3], ["exited (3)", "-"], "{table}");
    assert_eq!(status("signalled").unwrap()[1..3], ["exited (signal 9)", "-"], "{table}");
    let served = daemon.http().get("/v1/acp").send().await?.json()?;
    assert_eq!(caller.json(&["acp", "list", "--json"]).await?, served);

    assert_eq!(caller.output(&["acp", "delete", "running"]).await?, "");
    gone(&[pid], Duration::ZERO).await?;
    assert_eq!(caller.output(&["acp", "delete", "running"]).await?, "", "it may be repeated");
    assert_eq!(daemon.acp("running").listed().await?, None);
    Ok(())
}
