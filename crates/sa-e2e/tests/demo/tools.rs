//! Tool calls, alone and with a client that does the work.

use crate::client::Client;
use anyhow::{Result, bail};
use sa_testkit::Daemon;
use serde_json::json;
use std::fs;

#[tokio::test]
async fn an_edit_is_a_tool_call_with_a_diff() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let turn = client.prompt(&session, "edit notes.txt").await?;
    assert_eq!(
        turn.kinds()[..4],
        ["tool_call", "tool_call_update", "tool_call_update", "agent_message_chunk"]
    );
    let call = turn.updates("tool_call")[0];
    assert_eq!(
        (&call["kind"], &call["locations"][0]["path"]),
        (&json!("edit"), &json!("/project/notes.txt"))
    );
    let steps = turn.updates("tool_call_update");
    assert!(steps.iter().all(|step| step["toolCallId"] == call["toolCallId"]));
    assert_eq!((&steps[0]["status"], &steps[1]["status"]), (&json!("in_progress"), &json!("completed")));
    let diff = &steps[1]["content"][0];
    assert_eq!((&diff["type"], &diff["path"]), (&json!("diff"), &json!("/project/notes.txt")));
    let (old, new) = (diff["oldText"].as_str().unwrap(), diff["newText"].as_str().unwrap());
    assert!(new.starts_with(old) && new.lines().count() == old.lines().count() + 1, "{diff}");
    Ok(())
}

#[tokio::test]
async fn a_client_with_files_reads_and_writes_them() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let file = daemon.sandbox().path("notes.txt");
    fs::write(&file, "one\n")?;
    let capabilities = json!({"fs": {"readTextFile": true, "writeTextFile": true}});
    let mut client = Client::start(&daemon, "demo", capabilities).await?;
    let session = client.new_session().await?;
    let script = format!("edit {}", file.display());
    let turn = client.prompt_answering(&session, &script, |asked| {
        let path = asked["params"]["path"].as_str().unwrap();
        match asked["method"].as_str().unwrap() {
            "fs/read_text_file" => Ok(json!({"content": fs::read_to_string(path)?})),
            "fs/write_text_file" => {
                fs::write(path, asked["params"]["content"].as_str().unwrap())?;
                Ok(json!({}))
            }
            other => bail!("not asked for: {other}"),
        }
    });
    assert_eq!(turn.await?.stop_reason(), "end_turn");
    assert_eq!(fs::read_to_string(&file)?, "one\nThis line was added by the demo agent.\n");
    Ok(())
}

#[tokio::test]
async fn a_client_with_terminals_runs_commands() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let mut client = Client::start(&daemon, "demo", json!({"terminal": true})).await?;
    let session = client.new_session().await?;
    let mut asked_for = Vec::new();
    let turn = client.prompt_answering(&session, "run make check", |asked| {
        let method = asked["method"].as_str().unwrap().to_owned();
        let answer = match method.as_str() {
            "terminal/create" => json!({"terminalId": "t1"}),
            "terminal/wait_for_exit" => json!({"exitCode": 7}),
            "terminal/output" => {
                json!({"output": "no rule", "truncated": false, "exitStatus": {"exitCode": 7}})
            }
            "terminal/release" => json!({}),
            other => bail!("not asked for: {other}"),
        };
        asked_for.push(method);
        Ok(answer)
    });
    let turn = turn.await?;
    assert_eq!(asked_for[0], "terminal/create");
    assert!(asked_for.contains(&"terminal/release".to_owned()), "{asked_for:?}");
    let last = turn.updates("tool_call_update").pop().unwrap().clone();
    assert_eq!((&last["status"], &last["rawOutput"]["exitCode"]), (&json!("failed"), &json!(7)), "{last}");
    Ok(())
}

#[tokio::test]
async fn an_error_of_the_client_reaches_the_agent() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let mut client = Client::start(&daemon, "demo", json!({"fs": {"readTextFile": true}})).await?;
    let session = client.new_session().await?;
    let id = client.prompt_async(&session, "read missing.txt").await?;
    let question = client.asked("fs/read_text_file").await?;
    let refusal = sa_e2e::error(&question["id"], -32002, "no such file");
    client.acp.post(refusal).await?.expect_status(202)?;
    client.hear("I could not read it: no such file").await?;
    assert_eq!(client.answer_to(id).await?["result"]["stopReason"], json!("end_turn"));
    Ok(())
}
