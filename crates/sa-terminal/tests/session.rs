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

fn message(id: &str, parts: &Value, metadata: &Value) -> Value {
    json!({ "id": id, "role": "assistant", "parts": parts, "metadata": metadata })
}

fn tool(
    id: &str,
    kind: &str,
    title: &str,
    status: &str,
    input: &Value,
    content: &Value,
    output: &Value,
) -> Value {
    json!([
        { "type": "toolCall", "id": id, "title": title, "kind": kind, "status": status, "input": input },
        { "type": "toolResult", "id": id, "isError": status == "failed", "content": content, "output": output },
    ])
}

/// A turn with everything that an agent does.
fn turn() -> Vec<UniversalEvent> {
    let none = json!({});
    let delta = |id: &str, kind: &str, text: &str| json!({ "messageId": id, "kind": kind, "text": text });
    let output: String = (1..=20).map(|number| format!("\u{1b}[32mok\u{1b}[0m test {number}\n")).collect();
    let diff = json!([{ "type": "diff", "path": "src/retry.ts", "oldText": "a\nwait(0);\nc\n", "newText": "a\nawait delay(50);\nreturn;\nc\n" }]);
    let steps = [
        ("turnStarted", json!({ "turnId": "t" })),
        ("messageDelta", delta("m1", "reasoning", "The user wants a fix. ")),
        ("messageDelta", delta("m1", "reasoning", &"I should look at the code first. ".repeat(12))),
        ("messageDelta", delta("m1", "text", "Let me look at **retry.ts**")),
        ("messageDelta", delta("m1", "text", " first.\n\n- one\n- two\n")),
        ("message", message("m1", &json!([{ "type": "text", "text": "not shown again" }]), &none)),
        (
            "message",
            message(
                "m2",
                &tool("c1", "read", "Read src/retry.ts", "completed", &none, &json!([]), &none),
                &none,
            ),
        ),
        (
            "message",
            message(
                "m3",
                &tool("c2", "search", "`grep -n retry`", "completed", &none, &json!([]), &none),
                &none,
            ),
        ),
        (
            "message",
            message(
                "m4",
                &tool(
                    "c3",
                    "execute",
                    "npm test",
                    "inProgress",
                    &json!({"command": "npm test"}),
                    &json!([]),
                    &none,
                ),
                &none,
            ),
        ),
        ("messageDelta", delta("m4", "output", &output)),
        (
            "message",
            message(
                "m4",
                &tool(
                    "c3",
                    "execute",
                    "npm test",
                    "failed",
                    &json!({"command": "npm test"}),
                    &json!([{"type": "text", "text": format!("```\n{output}```")}]),
                    &json!({"exitCode": 1}),
                ),
                &none,
            ),
        ),
        (
            "message",
            message("m5", &tool("c4", "edit", "Edit src/retry.ts", "completed", &none, &diff, &none), &none),
        ),
        (
            "message",
            message(
                "m6",
                &tool("c5", "other", "Task: check the docs", "inProgress", &none, &json!([]), &none),
                &none,
            ),
        ),
        (
            "message",
            message(
                "m7",
                &tool("c6", "read", "Read README.md", "completed", &none, &json!([]), &none),
                &json!({"parentId": "c5"}),
            ),
        ),
        (
            "message",
            message(
                "m8",
                &json!([{ "type": "text", "text": "The docs are fine." }]),
                &json!({"parentId": "c5"}),
            ),
        ),
        (
            "message",
            message(
                "m6",
                &tool("c5", "other", "Task: check the docs", "completed", &none, &json!([]), &none),
                &none,
            ),
        ),
        (
            "plan",
            json!({ "entries": [
            { "content": "Read the code", "status": "completed", "priority": "high" },
            { "content": "Fix the retry", "status": "inProgress", "priority": "high" },
            { "content": "Run the tests", "status": "pending", "priority": "low" },
        ] }),
        ),
        (
            "message",
            message(
                "m9",
                &tool(
                    "c7",
                    "fetch",
                    "Fetch \u{1b}]52;c;ZXZpbA==\u{7}",
                    "failed",
                    &none,
                    &json!([{"type": "text", "text": "403 \u{202e}forbidden"}]),
                    &none,
                ),
                &none,
            ),
        ),
        ("error", json!({ "message": "Invalid API key", "kind": "authRequired" })),
        (
            "message",
            message(
                "m10",
                &json!([{ "type": "text", "text": "Done.\n\n```rust\nfn main() {}\n```" }]),
                &none,
            ),
        ),
        (
            "turnEnded",
            json!({ "turnId": "t", "stopReason": "endTurn", "usage": {
            "inputTokens": 12345, "outputTokens": 678, "cost": { "amount": 0.0421, "currency": "USD" },
        } }),
        ),
    ];
    (1..).zip(&steps).map(|(id, (kind, data))| event(id, kind, data)).collect()
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
