//! The end of the daemon itself.

use anyhow::Result;
use sa_e2e::{gone, request};
use sa_testkit::{Acp, Daemon, Ws};
use sa_testkit::{RawConnection, Signal, Sse};
use std::time::{Duration, Instant};

/// `shutdown-ms` and the margin for what follows it.
const BOUND: Duration = Duration::from_secs(7);

/// Everything that can be open at once.
struct Busy {
    pids: Vec<u32>,
    stream: Sse,
    socket: Ws,
    _stalled: RawConnection,
    _waiting: RawConnection,
}

/// Agents that obey and agents that do not, with trees below them; streams, sockets and a waiting request.
async fn busy(daemon: &Daemon) -> Result<Busy> {
    let (obedient, stubborn) = (daemon.acp("obedient"), daemon.acp("stubborn"));
    let mut pids = vec![obedient.start("puppet").await?, stubborn.start("stubborn").await?];
    for params in
        [r#"{"depth":2,"ignore_term":true}"#, r#"{"depth":3,"orphan":true,"setsid":true,"ignore_term":true}"#]
    {
        let tree = stubborn.call("spawn_tree", params).await?;
        pids.extend(serde_json::from_value::<Vec<u32>>(tree["pids"].clone())?);
    }
    let stream = obedient.events().await?;
    let socket = stubborn.ws("").connect().await?;
    let stalled = obedient.listening().receive_buffer(4096).send_and_never_read().await?;
    let waiting = stubborn.posting(request(1, "never", "{}")).send_and_never_read().await?;
    Ok(Busy { pids, stream, socket, _stalled: stalled, _waiting: waiting })
}

fn builder() -> sa_testkit::DaemonBuilder {
    Daemon::builder().puppet(&[]).puppet_as("stubborn", &["--ignore-term"])
}

#[tokio::test]
async fn both_signals_end_everything_in_good_order() -> Result<()> {
    for signal in [Signal::INT, Signal::TERM] {
        let mut daemon = builder().start().await?;
        let mut busy = busy(&daemon).await?;
        let started = Instant::now();
        daemon.signal(signal);
        let status = daemon.exited().await?;
        assert!(started.elapsed() < BOUND, "{signal:?}: {:?}", started.elapsed());
        assert_eq!(status.code(), Some(0), "{signal:?}");
        gone(&busy.pids, Duration::ZERO).await?;
        assert!(daemon.leftovers().is_empty(), "{:?}", daemon.leftovers());
        // Readers got the exit of the agent, then the proper end of the stream.
        assert_eq!(busy.stream.event().await?.event, "exit");
        assert_eq!(busy.stream.next_event().await?, None);
        assert_eq!(busy.socket.next().await?, None);
    }
    Ok(())
}

#[tokio::test]
async fn a_daemon_without_agents_ends_at_once() -> Result<()> {
    let mut daemon = builder().start().await?;
    let stopped = daemon.stop().await?;
    assert_eq!(stopped.status.code(), Some(0));
    assert!(stopped.elapsed < Duration::from_secs(2), "{:?}", stopped.elapsed);
    assert!(daemon.leftovers().is_empty());
    Ok(())
}

#[tokio::test]
async fn who_waits_for_an_agent_is_reported_before_the_daemon_goes() -> Result<()> {
    let mut daemon = builder().start().await?;
    let acp = daemon.acp("one");
    acp.start("stubborn").await?;
    let waiting = tokio::spawn(acp.posting(request(1, "never", "{}")).send());
    sa_e2e::poll("the request", async || {
        Ok((acp.listed().await?.unwrap()["pendingRequests"] == serde_json::json!(1)).then_some(()))
    })
    .await?;
    let stopped = daemon.stop().await?;
    assert_eq!(stopped.status.code(), Some(0));
    waiting.await??.expect_problem(502, "stream_error")?;
    Ok(())
}

#[tokio::test]
async fn a_second_signal_ends_at_once() -> Result<()> {
    let mut daemon = builder().limit("stop-grace-ms", 20_000).limit("shutdown-ms", 25_000).start().await?;
    let busy = busy(&daemon).await?;
    daemon.signal(Signal::TERM);
    sa_testkit::until("the first signal to be heard", || daemon.stderr().contains("SIGTERM")).await?;
    let started = Instant::now();
    daemon.signal(Signal::INT);
    let status = daemon.exited().await?;
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(status.code(), Some(130));
    gone(&busy.pids, Duration::from_secs(3)).await
}

#[tokio::test]
async fn a_killed_daemon_leaves_nothing_behind() -> Result<()> {
    let mut daemon = builder().start().await?;
    let busy = busy(&daemon).await?;
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    gone(&busy.pids, Duration::from_secs(3)).await?;
    sa_testkit::until("nothing of it to be left", || daemon.leftovers().is_empty()).await
}

#[tokio::test]
async fn nothing_new_is_begun_while_it_ends() -> Result<()> {
    let mut daemon = builder().start().await?;
    let acp: Acp = daemon.acp("one");
    acp.start("stubborn").await?;
    let mut open = daemon.http().connect().await?;
    open.send(daemon.http().get("/v1/health")).await?.expect_status(200)?;
    daemon.signal(Signal::TERM);
    // Until it is gone, a connection is refused, cut, or answered that it is ending; no agent comes to be.
    let mut started = 0;
    while daemon.children().iter().any(|process| process.name.starts_with("sa-puppet")) {
        let reply = daemon
            .acp("late")
            .posting_to("puppet", request(1, "pid", "{}"))
            .within(Duration::from_secs(2))
            .send();
        started += usize::from(reply.await.is_ok_and(|reply| reply.status == 200));
    }
    assert_eq!(daemon.exited().await?.code(), Some(0));
    assert!(started <= 1, "{started} requests were served after the signal");
    assert!(daemon.leftovers().is_empty(), "{:?}", daemon.leftovers());
    Ok(())
}
