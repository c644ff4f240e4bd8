//! Kill means gone: whole trees, however they were built and whatever they ignore.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod scene;

use std::time::{Duration, Instant};

use rustix::process::Signal;
use sa_supervisor::Exit;
use scene::*;

const GRACE: Duration = Duration::from_millis(300);

/// Says who it is and does not go when asked. Two minutes bound what a failed test leaves behind.
const STUBBORN: &str = r#"trap "" TERM HUP INT; echo "$0" $$; sleep 120; :"#;

/// Returns a leader that will not go, with one descendant of every kind that gets away elsewhere.
fn stubborn_family() -> String {
    format!(
        r#"
        S='{STUBBORN}'
        trap "" TERM
        sh -c "$S" member &
        setsid sh -c "$S" session &
        ( setsid sh -c "$S" orphan & )
        ( setsid sh -c "sh -c '$S' orphans-child & wait" & )
        ( sh -c "$S" grouped-orphan & )
        env -i PATH="$PATH" setsid sh -c "$S" nameless &
        setsid sh -c 'echo stopped $$; kill -STOP $$' &
        echo leader $$
        sleep 120; :
        "#
    )
}

#[tokio::test]
async fn a_willing_child_is_gone_at_once() {
    let spawned = supervisor().spawn(command("sleep", &["120"])).await.unwrap();
    let started = Instant::now();
    let exit = within(spawned.process.stop(PATIENCE)).await;
    assert_eq!(exit, Exit { code: None, signal: Some(libc::SIGTERM) });
    assert!(!is_present(spawned.process.pid()));
    assert!(started.elapsed() < PATIENCE / 2, "the grace is not waited for");
}

#[tokio::test]
async fn a_child_may_use_the_grace_to_finish() {
    let text =
        "trap 'sleep 0.2; echo finished >&2; exit 5' TERM; echo leader $$; while :; do sleep 0.05; done";
    let spawned = supervisor().spawn(script(text)).await.unwrap();
    let cast = Cast::assemble(spawned.stdout, 1).await;
    assert_eq!(within(spawned.process.stop(PATIENCE)).await.code, Some(5));
    assert_eq!(spawned.process.stderr_tail().lines().last(), Some("finished"));
    assert!(cast.present().is_empty());
}

#[tokio::test]
async fn nothing_of_a_stubborn_family_is_left() {
    let spawned = supervisor().spawn(script(&stubborn_family())).await.unwrap();
    let cast = Cast::assemble(spawned.stdout, 8).await;
    until("one is stopped", || status(cast.pid("stopped")).unwrap().0 == 'T').await;
    assert_eq!(cast.present().len(), 8);
    let exit = within(spawned.process.stop(GRACE)).await;
    assert_eq!(exit, Exit { code: None, signal: Some(libc::SIGKILL) });
    assert_eq!(cast.present(), Vec::<&(String, u32)>::new());
}

#[tokio::test]
async fn a_stopped_child_hears_the_request() {
    let spawned = supervisor()
        .spawn(script("trap 'exit 4' TERM; echo leader $$; kill -STOP $$; sleep 120"))
        .await
        .unwrap();
    let cast = Cast::assemble(spawned.stdout, 1).await;
    until("it is stopped", || status(cast.pid("leader")).unwrap().0 == 'T').await;
    let exit = within(spawned.process.stop(PATIENCE)).await;
    assert_eq!(exit.code, Some(4));
}

#[tokio::test]
async fn a_crash_takes_what_was_left_with_it() {
    let text = format!(
        r#"
        S='{STUBBORN}'
        sh -c "$S" member &
        setsid sh -c "$S" session &
        ( setsid sh -c "$S" orphan & )
        read line
        kill -SEGV $$
        "#
    );
    let spawned = supervisor().spawn(script(&text)).await.unwrap();
    let cast = Cast::assemble(spawned.stdout, 3).await;
    drop(spawned.stdin);
    let exit = within(spawned.process.wait()).await;
    assert_eq!(exit.signal, Some(libc::SIGSEGV));
    assert_eq!(cast.present().len(), 3, "the exit is known before the orphans' grace is over");
    until("the orphans are gone", || cast.present().is_empty()).await;
    assert_eq!(within(spawned.process.stop(GRACE)).await, exit, "stopping it later says the same");
}

#[tokio::test]
async fn a_sibling_is_left_alone() {
    let supervisor = supervisor();
    let family = format!(r#"S='{STUBBORN}'; ( setsid sh -c "$S" orphan & ) ; exec sh -c "$S" leader"#);
    let first = supervisor.spawn(script(&family)).await.unwrap();
    let second = supervisor.spawn(script(&family)).await.unwrap();
    let first_cast = Cast::assemble(first.stdout, 2).await;
    let second_cast = Cast::assemble(second.stdout, 2).await;
    within(first.process.stop(Duration::ZERO)).await;
    assert!(first_cast.present().is_empty());
    assert_eq!(second_cast.present().len(), 2);
    assert_eq!(second.process.exit(), None);
    within(second.process.stop(Duration::ZERO)).await;
    assert!(second_cast.present().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_are_shared_and_the_shortest_grace_counts() {
    let spawned = supervisor().spawn(script(&format!("exec sh -c '{STUBBORN}' leader"))).await.unwrap();
    let cast = Cast::assemble(spawned.stdout, 1).await;
    let patient: Vec<_> = (0..3)
        .map(|_| {
            let process = spawned.process.clone();
            tokio::spawn(async move { process.stop(10 * PATIENCE).await })
        })
        .collect();
    let given_up = tokio::time::timeout(GRACE, spawned.process.stop(Duration::MAX)).await;
    assert!(given_up.is_err() && cast.present().len() == 1, "it ignores the request");
    let exit = within(spawned.process.stop(Duration::ZERO)).await;
    for stop in patient {
        assert_eq!(within(stop).await.unwrap(), exit);
    }
    assert!(cast.present().is_empty());
    assert_eq!(within(spawned.process.stop(Duration::ZERO)).await, exit);
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_go_at_once() {
    let supervisor = supervisor();
    let mut processes = Vec::new();
    for _ in 0..300 {
        processes.push(supervisor.spawn(command("sleep", &["120"])).await.unwrap());
    }
    let started = Instant::now();
    let stops: Vec<_> = processes
        .iter()
        .map(|spawned| {
            let process = spawned.process.clone();
            tokio::spawn(async move { process.stop(PATIENCE).await })
        })
        .collect();
    for stop in stops {
        assert_eq!(within(stop).await.unwrap().signal, Some(libc::SIGTERM));
    }
    eprintln!("300 stopped in {:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(processes.iter().all(|spawned| !is_present(spawned.process.pid())));
}

#[tokio::test(flavor = "multi_thread")]
async fn short_lives_leave_no_zombie() {
    let supervisor = supervisor();
    let lives: Vec<_> = (0..200)
        .map(|number| {
            let supervisor = supervisor.clone();
            tokio::spawn(async move {
                // Each leaves an orphan, which the daemon has to collect as well.
                let spawned =
                    supervisor.spawn(script(&format!("( : & ) ; exit {}", number % 100))).await.unwrap();
                assert_eq!(spawned.process.wait().await.code, Some(number % 100));
            })
        })
        .collect();
    for life in lives {
        within(life).await.unwrap();
    }
    let me = std::process::id();
    until("no zombie is left", || zombies_of(me).is_empty()).await;
}

#[tokio::test]
async fn a_killed_child_is_reported_as_such() {
    let spawned = supervisor().spawn(command("sleep", &["120"])).await.unwrap();
    send(Signal::KILL, spawned.process.pid());
    assert_eq!(within(spawned.process.wait()).await.signal, Some(libc::SIGKILL));
}
