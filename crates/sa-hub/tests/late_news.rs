//! Callers learn of the end of their agent before the next one is started, which may have to be installed first.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use bytes::Bytes;
use sa_agents::{AgentSpec, Catalog, Launch, Recipe, Registry, Source};
use sa_hub::{CallError, Hub, HubOptions, Limits, Position, ReaderKind, ServerId, WhenStopped};
use sa_install::ClientOptions;
use sa_install::testing::launcher;
use sa_journal::Step;
use sa_jsonrpc::Message;
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Much less than an installation from a silent mirror takes.
const SOON: Duration = Duration::from_secs(5);

/// Ends at its first message with code 3. A child keeps its output open, so its last words are waited for.
const SCRIPT: &str =
    "#!/bin/sh\necho '{\"jsonrpc\":\"2.0\",\"method\":\"ready\"}'\nread line\nsleep 1 &\nexit 3\n";

/// Returns a hub whose agent is this program, which is installed from a mirror if it is missing.
fn hub(program: &Path, mirror: &TcpListener) -> Hub {
    let mut catalog = Catalog::shipped().unwrap();
    catalog.add(AgentSpec {
        id: "brief".to_owned(),
        name: "Brief".to_owned(),
        description: None,
        launch: Launch::Command { program: program.to_str().unwrap().to_owned(), args: Vec::new() },
        env: BTreeMap::new(),
        needs: Vec::new(),
        node: None,
        install: Some(Recipe {
            entry: vec!["brief".to_owned()],
            sources: vec![Source::Registry(Registry { id: "brief".to_owned() })],
        }),
        capabilities: None,
        modes: Default::default(),
        token: None,
    });
    let mirror = format!("http://{}", mirror.local_addr().unwrap());
    let client = ClientOptions { mirror: Some(mirror.parse().unwrap()), ..ClientOptions::default() };
    let launcher = launcher(program.parent().unwrap().join("data"), client);
    let env = BaseEnv::Inherit(std::env::vars_os().collect());
    let supervisor = Supervisor::start(SupervisorOptions { env, guardian: None }).unwrap();
    Hub::new(HubOptions { catalog, limits: Limits::default(), launcher, numbers_after: 0 }, supervisor)
}

fn request(id: u32) -> Message<Bytes> {
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
    Message::read(Bytes::from(text)).unwrap()
}

#[tokio::test]
async fn a_caller_is_not_kept_waiting_by_the_installation_for_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("brief");
    std::fs::write(&program, SCRIPT).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let hub = hub(&program, &silent);
    let id = ServerId::parse("one").unwrap();
    let server = hub.open(&id, Some("brief"), None).unwrap();
    let mut reader = server.subscribe(Position::Now, ReaderKind::Client).await.unwrap();
    server.start().await.unwrap();
    assert!(matches!(reader.step().await, Some(Step::Entry(_))), "the program was read");
    let pid = server.describe().pid.unwrap();
    std::fs::remove_file(&program).unwrap();
    let first = tokio::spawn({
        let server = server.clone();
        async move { server.call(request(1), WhenStopped::Refuse).await }
    });
    tokio::task::yield_now().await;
    // The agent's end is known, its output is not at its end yet.
    while std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let second = tokio::spawn(async move { server.call(request(2), WhenStopped::Start).await });
    let failed = tokio::time::timeout(SOON, first).await.expect("it waits for the installation").unwrap();
    assert!(matches!(&failed, Err(CallError::Ended(exit)) if exit.code == Some(3)), "{failed:?}");
    second.abort();
    hub.close(&id).await;
}
