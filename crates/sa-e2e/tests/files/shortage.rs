//! A daemon without a free descriptor says so, with a code of its own, and recovers as soon as one is free.

use crate::fs::{Fs, address};
use crate::tarball::Tarball;
use anyhow::{Context, Result};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use sa_testkit::Request;
use serde_json::json;

/// Returns requests that need a descriptor each: files, configuration and commands.
fn requests(fs: &Fs) -> Vec<Request> {
    let http = fs.daemon.http();
    let json = |path: &str, body: serde_json::Value| http.post(path).json(body.to_string());
    let config = format!("/v1/config/mcp?directory={}&mcpName=x", fs.home.display());
    vec![
        fs.get("file", "kept"),
        fs.get("stat", "kept"),
        fs.get("entries", "."),
        fs.put("new", "content"),
        fs.put("kept", "content"),
        fs.post("mkdir", "directory/below"),
        fs.post("upload-batch", ".").body(Tarball::default().file("unpacked", b"x").finish()),
        json("/v1/fs/move", json!({"from": "kept", "to": "moved"})),
        http.delete(&address("entry", "kept")),
        http.get("/v1/fs/search?path=.&name=*"),
        fs.get("watch", ".").header("accept", "text/event-stream"),
        http.put(&config).json(json!({"type": "local", "command": "x"}).to_string()),
        json("/v1/processes/run", json!({"command": "true"})),
        json("/v1/processes", json!({"command": "cat"})),
        json("/v1/processes", json!({"command": "cat", "tty": true})),
    ]
}

#[tokio::test]
async fn no_free_descriptor_is_a_problem_of_its_own() -> Result<()> {
    let fs = Fs::start().await?;
    fs.write("kept", "old").await?.expect_status(201)?;
    let mut connection = fs.daemon.http().connect().await?;
    // A worker thread for files, so that none has to be started later.
    connection.send(fs.get("stat", "kept")).await?.expect_status(200)?;
    let pid = Pid::from_raw(fs.daemon.pid().try_into()?);
    let most = rustix::process::getrlimit(Resource::Nofile).maximum;
    let before = prlimit(pid, Resource::Nofile, Rlimit { current: Some(1), maximum: most })?;
    for request in requests(&fs) {
        let what = request.to_string();
        let reply = connection.send(request).await.with_context(|| what.clone())?;
        let problem = reply.expect_problem(503, "resource_exhausted").with_context(|| what.clone())?;
        assert!(problem.detail.contains("Too many open files"), "{what}: {}", problem.detail);
    }
    assert_eq!(std::fs::read_to_string(fs.path("kept"))?, "old");
    assert_eq!(fs.names("."), ["data", "kept"], "nothing else remains");
    prlimit(pid, Resource::Nofile, before)?;
    fs.write("kept", "new").await?.expect_status(200)?;
    let run = json!({"command": "true"}).to_string();
    fs.daemon.http().post("/v1/processes/run").json(run).send().await?.expect_status(200)?;
    Ok(())
}
