//! A property of everything that is drawn, for tests and fuzzing: nothing of an agent steers the terminal.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

use crate::clean::is_unsafe;
use crate::{Colors, Line, Markdown, SessionView, TextMode, clean, clean_output};
use sa_api::sessions::UniversalEvent;
use serde_json::{Value, json};

/// A turn with everything that an agent does. Each line has the type of an event and its data.
const TURN: &str = include_str!("../tests/turn.jsonl");

/// Panics if these bytes, as text of an agent, bring anything to the terminal but text and our own styles. The first byte sets
/// the width, the second chooses the string of the turn that they replace.
pub fn nothing_steers_the_terminal(data: &[u8]) {
    let (width, place, text) = match data {
        [width, place, text @ ..] => (usize::from(*width) % 120, usize::from(*place), text),
        _ => (0, 0, data),
    };
    let text = String::from_utf8_lossy(text);
    check_text(&clean(&text));
    check_text(&clean_output(&text));
    check_lines(&Markdown::render(&text, width));
    let mut markdown = Markdown::new(width);
    for piece in text.split_inclusive(' ') {
        check_lines(&markdown.push(piece));
    }
    check_lines(&markdown.unfinished());
    check_lines(&markdown.finish());
    let mut view = SessionView::new("claude", Some("ANTHROPIC_API_KEY"), TextMode::Rendered, width);
    view.show_user(&text);
    view.note(&text);
    if let Some(event) = event_with(&text, place) {
        view.show(&event);
        check_lines(&view.live());
    }
    check_lines(&view.take_lines());
}

/// Returns an event of the turn with this text in the place of one of its strings, if it can be there.
fn event_with(text: &str, place: usize) -> Option<UniversalEvent> {
    let events = TURN.lines().map(|line| serde_json::from_str::<(String, Value)>(line).unwrap());
    let places: Vec<_> = events
        .flat_map(|(kind, data)| {
            let paths = strings(&data);
            paths.into_iter().map(move |path| (kind.clone(), data.clone(), path))
        })
        .collect();
    let (kind, mut data, path) = places.get(place % places.len())?.clone();
    *data.pointer_mut(&path)? = Value::from(text);
    let event = json!({
        "id": 1, "timestamp": "2026-01-02T03:04:05.500Z", "sessionId": "s", "agent": "claude", "type": kind, "data": { &kind: data },
    });
    serde_json::from_value(event).ok()
}

/// Returns the pointers to all strings in a value.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(_) => vec![String::new()],
        Value::Array(items) => {
            let inner = items.iter().enumerate();
            inner
                .flat_map(|(at, item)| strings(item).into_iter().map(move |rest| format!("/{at}{rest}")))
                .collect()
        }
        Value::Object(members) => {
            let inner = members.iter();
            inner
                .flat_map(|(at, item)| strings(item).into_iter().map(move |rest| format!("/{at}{rest}")))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn check_lines(lines: &[Line]) {
    for line in lines {
        check_text(&line.text());
        let painted = line.paint(Colors::On);
        let mut parts = painted.split("\u{1b}[");
        check_text(parts.next().unwrap_or_default());
        for part in parts {
            let (style, text) = part.split_once('m').unwrap();
            assert!(style.chars().all(|c| c.is_ascii_digit() || c == ';'), "not a style: {painted:?}");
            check_text(text);
        }
    }
}

fn check_text(text: &str) {
    assert!(!text.chars().any(|c| is_unsafe(c) || c == '\r'), "it steers the terminal: {text:?}");
}
