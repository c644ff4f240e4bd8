//! The results of commands about sessions for a shell: exit codes, and files.

use crate::caller::Caller;
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn creating_fails_if_the_agent_is_not_ready() -> Result<()> {
    let daemon = Daemon::builder().agent("broken", "sh -c 'echo oops >&2; exit 3'").start().await?;
    let caller = Caller::of(&daemon);
    let refused = caller.run(&["sessions", "create", "s", "--agent", "demo", "--model", "nope"]).await?;
    assert_eq!((refused.status.code(), refused.stdout.as_str()), (Some(1), ""), "{refused}");
    assert!(refused.stderr.contains("(HTTP 422)") && refused.stderr.contains("nope"), "{refused}");
    let made = caller.run(&["sessions", "create", "s", "--agent", "broken"]).await?;
    assert_eq!((made.status.code(), made.stdout.as_str()), (Some(1), "s\n"), "{made}");
    assert!(
        made.stderr.starts_with("error: broken exited with exit code 3 while it started: oops"),
        "{made}"
    );
    assert!(made.stderr.contains("hint: run 'sandbox-agent doctor broken'"), "{made}");
    assert!(made.stderr.contains("'s' exists") && !made.stderr.contains('{'), "{made}");
    let shown = caller.output(&["sessions", "get", "s"]).await?;
    assert!(
        shown.contains("error            broken exited with exit code 3 while it started: oops"),
        "{shown}"
    );
    let made = caller.run(&["sessions", "create", "t", "--agent", "broken", "--json"]).await?;
    let answer: Value = serde_json::from_str(&made.stdout)?;
    assert_eq!((made.status.code(), &answer["healthy"]), (Some(1), &json!(false)), "{made}");
    assert_eq!(answer["sessionId"], "t");
    assert!(made.stderr.contains("broken exited with exit code 3 while it started"), "{made}");
    assert_eq!(caller.output(&["sessions", "create", "s", "--agent", "demo"]).await?, "s\n", "a retry");
    let refused = caller.run(&["sessions", "create", "s", "--agent", "demo"]).await?;
    assert_eq!((refused.status.code(), refused.stdout.as_str()), (Some(1), ""), "{refused}");
    assert_eq!(caller.output(&["sessions", "create", "u", "--agent", "demo"]).await?, "u\n");
    Ok(())
}

#[tokio::test]
async fn a_page_beyond_the_end_says_so() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    caller.output(&["sessions", "create", "s", "--agent", "demo"]).await?;
    let page = caller.run(&["sessions", "events", "s", "--offset", "99999"]).await?;
    assert!(page.status.success() && page.stdout.starts_with("{\"id\":1,"), "{page}");
    assert_eq!(page.stderr, "[there is no event 99999; these are from the oldest on]\n", "{page}");
    Ok(())
}

#[tokio::test]
async fn an_export_is_private_and_whole() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    caller.output(&["sessions", "create", "s", "--agent", "demo"]).await?;
    let directory = daemon.sandbox().path("exports");
    fs::create_dir(&directory)?;
    let file = directory.join("s.jsonl");
    fs::write(&file, "something else, and a longer text than any first line of it")?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    let path = file.to_str().unwrap();

    let refused = caller.complaint(&["sessions", "export", "none", "--to", path]).await?;
    assert!(refused.contains("none"), "{refused}");
    assert!(fs::read_to_string(&file)?.starts_with("something else"), "it stays until there is another");

    assert_eq!(caller.output(&["sessions", "export", "s", "--to", path]).await?, "");
    assert_eq!(fs::read_to_string(&file)?, caller.output(&["sessions", "export", "s"]).await?);
    assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(&directory)?.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["s.jsonl"]);
    Ok(())
}
