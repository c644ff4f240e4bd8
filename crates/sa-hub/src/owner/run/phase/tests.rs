//! The transitions of a process, each event in every phase.

use super::{DRAIN, Due, HALF_CLOSED, OutputState, Phase};
use sa_supervisor::Exit;
use std::time::Duration;
use tokio::time::Instant;

const EXIT: Exit = Exit { code: Some(3), signal: None };

/// Returns all phases, with `at` as the deadline of those that have one.
fn phases(at: Instant) -> [Phase; 4] {
    [
        Phase::Running,
        Phase::HalfClosed { until: at },
        Phase::Stopping,
        Phase::Draining { exit: EXIT, until: at },
    ]
}

fn after(at: Instant, event: impl Fn(&mut Phase) -> Due) -> [(Phase, Due); 4] {
    phases(at).map(|mut phase| {
        let due = event(&mut phase);
        (phase, due)
    })
}

#[test]
fn a_closed_input_half_closes_a_running_agent_and_nothing_else() {
    let now = Instant::now();
    let [_, half_closed, stopping, draining] = phases(now);
    let closed = |phase: &mut Phase| {
        phase.on_input_closed(now);
        Due::Nothing
    };
    assert_eq!(
        after(now, closed),
        [
            (Phase::HalfClosed { until: now + HALF_CLOSED }, Due::Nothing),
            (half_closed, Due::Nothing),
            (stopping, Due::Nothing),
            (draining, Due::Nothing),
        ]
    );
}

#[test]
fn a_closed_output_ends_the_run_of_an_agent_that_has_exited() {
    let now = Instant::now();
    let [_, half_closed, stopping, draining] = phases(now);
    assert_eq!(
        after(now, |phase| phase.on_output_closed(now)),
        [
            (Phase::HalfClosed { until: now + HALF_CLOSED }, Due::Nothing),
            (half_closed, Due::Nothing),
            (stopping, Due::Nothing),
            (draining, Due::End(EXIT)),
        ]
    );
}

#[test]
fn an_exit_drains_an_open_output_and_ends_a_run_without_one() {
    let now = Instant::now();
    let draining = Phase::Draining { exit: EXIT, until: now + DRAIN };
    for mut phase in phases(now).into_iter().take(3) {
        let before = phase.clone();
        assert_eq!(phase.on_exit(EXIT, OutputState::Closed, now), Due::End(EXIT));
        assert_eq!(phase, before);
        assert_eq!(phase.on_exit(EXIT, OutputState::Open, now), Due::Nothing);
        assert_eq!(phase, draining);
    }
}

#[test]
fn a_deadline_does_nothing_before_its_time() {
    let now = Instant::now();
    let at = now + Duration::from_millis(1);
    let untouched = phases(at).map(|phase| (phase, Due::Nothing));
    assert_eq!(after(at, |phase| phase.on_time(now, OutputState::Open)), untouched);
}

#[test]
fn a_deadline_stops_what_is_half_closed_and_ends_what_is_drained() {
    let now = Instant::now();
    let [running, _, stopping, draining] = phases(now);
    assert_eq!(
        after(now, |phase| phase.on_time(now, OutputState::Open)),
        [
            (running, Due::Nothing),
            (Phase::Stopping, Due::Stop),
            (stopping, Due::Nothing),
            (draining, Due::End(EXIT)),
        ]
    );
}

#[test]
fn output_that_is_held_for_readers_extends_the_drain() {
    let now = Instant::now();
    let mut phase = Phase::Draining { exit: EXIT, until: now };
    assert_eq!(phase.on_time(now, OutputState::Held), Due::Nothing);
    assert_eq!(phase.deadline(), Some(now + DRAIN));
}
