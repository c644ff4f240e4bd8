//! A whole turn as a terminal of 80 columns shows it: with colors, without, and in a pipe.
#![allow(clippy::unwrap_used)]

use sa_api::sessions::UniversalEvent;
use sa_terminal::{Colors, SessionView, TextMode};
use serde_json::{Value, json};

fn event(id: u64, kind: &str, data: &Value) -> UniversalEvent {
    let event = json!({
        "id": id, "timestamp": format!("2026-01-02T03:04:{:02}.500Z", id % 60), "sessionId": "s", "agent": "claude",
        "type": kind, "data": { kind: data },
    });
    serde_json::from_value(event).unwrap()
}

/// A turn with everything that an agent does. Each line has the type of an event and its data.
fn turn() -> Vec<UniversalEvent> {
    let steps =
        include_str!("turn.jsonl").lines().map(|line| serde_json::from_str::<(String, Value)>(line).unwrap());
    (1..).zip(steps).map(|(id, (kind, data))| event(id, &kind, &data)).collect()
}

fn shown(mode: TextMode, colors: Colors, width: usize) -> (String, String) {
    let mut view = SessionView::new("claude", Some("ANTHROPIC_API_KEY"), mode, width);
    for event in turn() {
        view.show(&event);
        let _ = view.live();
    }
    assert!(view.live().is_empty(), "a turn that ended leaves nothing that changes");
    let lines: Vec<String> = view.take_lines().iter().map(|line| line.paint(colors)).collect();
    (view.take_text(), lines.join("\n"))
}

#[test]
fn a_turn_at_80_columns() {
    let (text, plain) = shown(TextMode::Rendered, Colors::Off, 80);
    assert_eq!(text, "", "everything is drawn");
    insta::assert_snapshot!("plain", plain);
    let (_, colored) = shown(TextMode::Rendered, Colors::On, 80);
    insta::assert_snapshot!("colored", colored.replace('\u{1b}', "␛"));
}

#[test]
fn a_turn_in_a_pipe() {
    let (text, rest) = shown(TextMode::Verbatim, Colors::Off, 100_000);
    assert_eq!(
        text,
        "Let me look at **retry.ts** first.\n\n- one\n- two\n\nDone.\n\n```rust\nfn main() {}\n```\n"
    );
    insta::assert_snapshot!("piped", rest);
}

#[test]
fn nothing_of_an_agent_steers_the_terminal() {
    for colors in [Colors::Off, Colors::On] {
        let (_, lines) = shown(TextMode::Rendered, colors, 80);
        // Our own sequences only set styles.
        let rest = lines.replace("\u{1b}[", "\u{0}");
        let sequences = rest.split('\u{0}').skip(1);
        for sequence in sequences {
            let end = sequence.find('m').unwrap();
            assert!(
                sequence.get(..end).unwrap().chars().all(|c| c.is_ascii_digit() || c == ';'),
                "{sequence:?}"
            );
        }
        assert!(!rest.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{rest:?}");
    }
}

#[test]
fn what_runs_is_shown_until_it_ends() {
    let mut view = SessionView::new("claude", None, TextMode::Rendered, 80);
    let events = turn();
    for event in events.iter().take(10) {
        view.show(event);
    }
    let live: Vec<String> = view.live().iter().map(sa_terminal::Line::text).collect();
    assert_eq!(live, ["◌ $ npm test", "  ok test 17", "  ok test 18", "  ok test 19", "  ok test 20"]);
}
