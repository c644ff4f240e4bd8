//! The last output of an agent is read even if the runtime does not know of it yet. Under load, the thread that waits
//! for the exit may be much faster than the runtime.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use bytes::Bytes;
use sa_agents::{AgentSpec, Catalog, Launch};
use sa_hub::{Hub, HubOptions, Limits, Position, Reader, ReaderKind, ServerId};
use sa_install::ClientOptions;
use sa_install::testing::launcher;
use sa_journal::Step;
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

/// Returns a hub whose agent `talker` is this script.
fn hub(script: &str) -> Hub {
    // Agents end at once: the runtime, which would wait for them to exit, is kept busy here.
    hub_with(script, Limits { drain_ms: 0, ..Limits::default() })
}

fn hub_with(script: &str, limits: Limits) -> Hub {
    let mut catalog = Catalog::shipped().unwrap();
    let args = vec!["-c".to_owned(), script.to_owned()];
    catalog.add(AgentSpec {
        id: "talker".to_owned(),
        name: "Talker".to_owned(),
        description: None,
        launch: Launch::Command { program: "/bin/sh".to_owned(), args },
        env: BTreeMap::new(),
        needs: Vec::new(),
        node: None,
        install: None,
        capabilities: None,
        modes: Default::default(),
        token: None,
    });
    let launcher = launcher(PathBuf::from("/nonexistent"), ClientOptions::default());
    let env = BaseEnv::Inherit(std::env::vars_os().collect());
    let supervisor = Supervisor::start(SupervisorOptions { env, guardian: None }).unwrap();
    Hub::new(HubOptions { catalog, limits, launcher, numbers_after: 0 }, supervisor)
}

/// Returns the data of all records up to the end of the log.
async fn read_to_end(mut reader: Reader) -> Vec<Bytes> {
    let mut all = Vec::new();
    while let Some(step) = tokio::time::timeout(PATIENCE, reader.step()).await.expect("no end") {
        let Step::Entry(part) = step else { panic!("a gap") };
        all.extend(part.records().map(|(index, ..)| part.segment.data(index)));
    }
    all
}

/// Keeps the only thread of the runtime busy until a process is gone, and a little longer, so that its end has been noticed
/// by those who do not need the runtime for that. With less the test would pass for the wrong reason, never fail.
fn outlive(pid: u32) {
    let deadline = Instant::now() + PATIENCE;
    while Path::new(&format!("/proc/{pid}")).exists() {
        assert!(Instant::now() < deadline, "the agent does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(300));
}

#[tokio::test]
async fn what_an_agent_says_when_it_is_stopped_reaches_its_readers() {
    const WORDS: &str = r#"{"jsonrpc":"2.0","method":"last/words"}"#;
    // While standard error is open, its end is waited for, which lets the runtime hear of everything else as well.
    let hub = hub(&format!(
        "exec 2>&-; trap 'echo \"$WORDS\"; exit 0' TERM; WORDS='{WORDS}'; echo \"$WORDS\"; while :; do sleep 0.01; done"
    ));
    let id: ServerId = ServerId::parse("one").unwrap();
    let server = hub.open(&id, Some("talker"), None).unwrap();
    let mut reader = server.subscribe(Position::Now, ReaderKind::EventStream).await.unwrap();
    server.start().await.unwrap();
    // It has set its trap once it has said something.
    assert!(matches!(reader.step().await, Some(Step::Entry(_))));
    let pid = server.describe().pid.unwrap();
    let closing = tokio::spawn(async move { hub.close(&id).await });
    // The owner hears that it shall stop, sends the signal and waits.
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    outlive(pid);
    let said = read_to_end(reader).await;
    assert!(closing.await.unwrap());
    let words = said.iter().filter(|data| ***data == *WORDS.as_bytes()).count();
    assert_eq!(words, 1, "{said:?}");
}

#[tokio::test]
async fn a_reader_that_holds_the_agent_back_misses_nothing_however_long_it_takes() {
    const LINES: u32 = 40_000;
    let script = format!(
        r#"i=0; while [ $i -lt {LINES} ]; do i=$((i+1)); echo "{{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[$i]}}"; done"#
    );
    let hub = hub_with(&script, Limits { log_bytes: 1 << 20, reader_stall_ms: 1, ..Limits::default() });
    let id: ServerId = ServerId::parse("one").unwrap();
    let server = hub.open(&id, Some("talker"), None).unwrap();
    let mut reader = server.subscribe(Position::After(0), ReaderKind::Client).await.unwrap().hold_agent();
    server.start().await.unwrap();
    // Long enough for all of it to be written, if nobody had to be waited for.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut lines = 0;
    while lines < LINES {
        match tokio::time::timeout(PATIENCE, reader.step()).await.expect("no end") {
            Some(Step::Entry(part)) => lines += u32::try_from(part.records().count()).unwrap(),
            other => panic!("after {lines} lines: {other:?}"),
        }
    }
    let closing = tokio::time::timeout(PATIENCE, hub.close(&id));
    assert!(closing.await.expect("it ends whoever reads"));
}
