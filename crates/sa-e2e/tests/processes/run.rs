//! Commands that are run to their end.

use crate::api::{Api, script};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_command_runs_and_its_output_comes_back() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let mut body = script("echo out; echo \"$A\" >&2; cat; exit 3");
    body["env"] = json!({"A": "grüße"});
    let answer = api.run(body).await?;
    let duration = answer["durationMs"].as_u64().unwrap();
    assert!(duration < 30_000);
    assert_eq!(
        answer,
        json!({
            "exitCode": 3, "timedOut": false, "stdout": "out\n", "stderr": "grüße\n",
            "stdoutTruncated": false, "stderrTruncated": false, "durationMs": duration,
        })
    );
    Ok(())
}

#[tokio::test]
async fn commands_start_in_the_workspace_or_where_they_are_reported() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let home = daemon.sandbox().home().canonicalize()?;
    std::fs::create_dir(home.join("deep"))?;
    for (cwd, expected) in
        [(json!(null), home.clone()), (json!("deep"), home.join("deep")), (json!("/"), "/".into())]
    {
        let answer = api.run(json!({"command": "pwd", "cwd": cwd})).await?;
        assert_eq!(answer["stdout"], format!("{}\n", expected.display()), "{cwd}");
    }
    Ok(())
}

#[tokio::test]
async fn bytes_that_are_no_text_come_in_base64_too() -> Result<()> {
    let daemon = Daemon::start().await?;
    let answer = Api::of(&daemon).run(script(r"printf 'a\377b'; printf 'ok' >&2")).await?;
    assert_eq!((&answer["stdout"], &answer["stdoutBase64"]), (&json!("a\u{fffd}b"), &json!("Yf9i")));
    assert_eq!((&answer["stderr"], answer.get("stderrBase64")), (&json!("ok"), None));
    Ok(())
}

#[tokio::test]
async fn output_is_bounded_and_not_cut_inside_a_character() -> Result<()> {
    let daemon = Daemon::start().await?;
    let mut body = script("printf 'aüb'; echo long enough >&2");
    body["maxOutputBytes"] = json!(2);
    let answer = Api::of(&daemon).run(body).await?;
    assert_eq!((&answer["stdout"], &answer["stdoutTruncated"]), (&json!("a"), &json!(true)));
    assert_eq!((&answer["stderr"], &answer["stderrTruncated"]), (&json!("lo"), &json!(true)));
    assert_eq!(answer.get("stdoutBase64"), None);
    Ok(())
}

#[tokio::test]
async fn a_signal_is_named() -> Result<()> {
    let daemon = Daemon::start().await?;
    let answer = Api::of(&daemon).run(script("kill -SEGV $$")).await?;
    assert_eq!((answer.get("exitCode"), &answer["signal"]), (None, &json!(11)));
    Ok(())
}

#[tokio::test]
async fn the_time_out_fires_while_a_grandchild_holds_the_pipe_and_nothing_is_left() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    // The guardian starts with the first process and stays.
    api.run(json!({"command": "true"})).await?;
    sa_testkit::until("only the guardian is left", || daemon.leftovers().len() <= 1).await?;
    let before = daemon.leftovers().len();
    let mut body = script("sleep 600 & echo started; sleep 600");
    body["timeoutMs"] = json!(300);
    let started = Instant::now();
    let answer = api.run(body).await?;
    assert!(started.elapsed() < Duration::from_secs(5), "at once: {:?}", started.elapsed());
    assert_eq!((&answer["timedOut"], answer.get("exitCode")), (&json!(true), None));
    assert_eq!(answer["stdout"], "started\n");
    assert_eq!(daemon.leftovers().len(), before, "{:?}", daemon.leftovers());
    Ok(())
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_command() -> Result<()> {
    let daemon = Daemon::start().await?;
    let request = daemon.http().post("/v1/processes/run").json(script("exec sleep 4711").to_string());
    let connection = request.send_and_never_read().await?;
    let sleeps = || daemon.leftovers().iter().any(|process| process.name == "sleep");
    sa_testkit::until("the command to run", sleeps).await?;
    drop(connection);
    sa_testkit::until("the command to be gone", || !sleeps()).await
}

#[tokio::test]
async fn a_timeout_of_zero_is_the_longest_one() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let body = json!({"command": "sh", "args": ["-c", "read line; echo done"], "timeoutMs": 0});
    let ran = api.post("/run", &body).await?.expect_status(200)?.json()?;
    assert_eq!((&ran["timedOut"], &ran["stdout"]), (&json!(false), &json!("done\n")), "{ran}");
    Ok(())
}

#[tokio::test]
async fn what_cannot_run_is_refused() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let refused = [
        (json!({"command": "no-such-program-anywhere"}), "no-such-program-anywhere"),
        (json!({"command": ""}), "not found"),
        (json!({"command": "true", "cwd": "/no/such/directory"}), "/no/such/directory"),
        (json!({"command": "true", "args": ["a\0b"]}), "nul"),
        (json!({"command": "true", "env": {"A=B": "x"}}), "A=B"),
        (json!({"command": "true", "timeoutMs": -1}), "timeoutMs"),
        (json!({"command": "true", "timeoutms": 5}), "timeoutms"),
        (json!({"args": []}), "command"),
        (json!([]), "body"),
    ];
    for (body, word) in refused {
        let problem = api.post("/run", &body).await?.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.contains(word), "{body}: {}", problem.detail);
    }
    let plain = daemon.http().post("/v1/processes/run").body(r#"{"command":"true"}"#).send().await?;
    plain.expect_problem(415, "unsupported_media_type")?;
    Ok(())
}
