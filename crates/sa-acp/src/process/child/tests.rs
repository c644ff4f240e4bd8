//! Real processes behind a reader that stalls, and processes that do not end as they should.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::process::wire::LineBudget;
use sa_supervisor::{BaseEnv, SupervisorOptions};
use tokio::time::sleep;

/// A script that runs, as its driver sees it.
struct Script {
    events: mpsc::Receiver<Event>,
    _lines: mpsc::Sender<Vec<u8>>,
    _stop_orders: mpsc::Sender<Duration>,
}

impl Script {
    /// Starts a script of the shell, one event of which may wait.
    fn start(script: &str) -> Self {
        let options = SupervisorOptions { env: BaseEnv::Inherit(Vec::new()), guardian: None };
        let (sender, events) = mpsc::channel(1);
        let (lines, lines_receiver) = mpsc::channel(1);
        let (stop_orders, stop_orders_receiver) = mpsc::channel(1);
        let args = vec!["-c".into(), script.into()];
        let run = Run {
            supervisor: Supervisor::start(options).unwrap(),
            spec: CommandSpec { program: "/bin/sh".into(), args, ..CommandSpec::default() },
            wire: None,
            limits: Limits { exit: Duration::from_millis(50), ..Limits::USUAL },
            sink: EventSink::new(ChildId(1), sender, LineBudget::new(1 << 20)),
            lines: lines_receiver,
            stop_orders: stop_orders_receiver,
        };
        run.start();
        Self { events, _lines: lines, _stop_orders: stop_orders }
    }

    async fn next(&mut self) -> Event {
        timeout(Duration::from_secs(30), self.events.recv()).await.expect("an event in time").unwrap()
    }
}

/// Counts the lines of a process that prints more than one read takes and exits, while its reader stalls twice.
async fn count_lines() -> usize {
    let mut script =
        Script::start("i=0; while [ $i -lt 200 ]; do printf '%01000d\\n' $i; i=$((i + 1)); done");
    let mut count = 0;
    while let Event::Line(..) = script.next().await {
        count += 1;
        if count == 1 || count == 80 {
            sleep(LAST_WORDS + Duration::from_millis(200)).await;
        }
    }
    count
}

#[tokio::test]
async fn no_output_is_lost_while_its_reader_stalls() {
    let counts: Vec<_> = (0..8).map(|_| tokio::spawn(count_lines())).collect();
    for count in counts {
        assert_eq!(count.await.unwrap(), 200);
    }
}

#[tokio::test]
async fn a_process_that_closes_its_output_and_stays_is_stopped() {
    let mut script = Script::start("echo hi; exec >&-; read line");
    assert!(matches!(script.next().await, Event::Line(_, line) if line.bytes == b"hi"));
    assert!(matches!(script.next().await, Event::Ended(_, ended) if ended.signal == Some(15)));
}
