//! Agent output of every kind, cut anywhere: the same records, and the very bytes.

use proptest::prelude::*;
use sa_relay::testing::{Transcript, cut, transcript};
use sa_relay::{RecordKind, RelayOptions};

const OPTIONS: RelayOptions =
    RelayOptions { line_bytes: 600, unparsed_bytes: 40, pending_requests: 16, asked_bytes: 1 << 20 };

/// The expected result for a line.
#[derive(Debug, Clone)]
enum Expected {
    Nothing,
    Message(Vec<u8>),
    /// An event with the beginning of the line and its length.
    Unparsed {
        raw: String,
        bytes: u64,
        truncated: bool,
    },
}

#[derive(Debug, Clone)]
struct Line {
    text: Vec<u8>,
    expected: Expected,
}

fn message(text: String) -> Line {
    // A line break within a line of JSON can only be a carriage return between tokens; events have no room for it.
    let expected = Expected::Message(text.replace('\r', " ").into_bytes());
    Line { text: text.into_bytes(), expected }
}

fn unparsed(text: Vec<u8>) -> Line {
    let head = &text[..text.len().min(OPTIONS.unparsed_bytes)];
    let raw = String::from_utf8_lossy(head).into_owned();
    let expected = Expected::Unparsed { raw, bytes: text.len() as u64, truncated: head.len() < text.len() };
    Line { text, expected }
}

/// Returns a JSON value of any text, with white space of any kind around its tokens.
fn params() -> impl Strategy<Value = String> {
    let space = "[ \t\r]{0,2}";
    ("\\PC{0,40}", space, space, -1.0e9..1.0e9).prop_map(|(text, before, after, number)| {
        format!(
            r#"{{{before}"text":{after}{},{after}"number"{before}:{number}{before}}}"#,
            serde_json::json!(text)
        )
    })
}

fn line() -> impl Strategy<Value = Line> {
    let id = prop_oneof![Just("7"), Just("\"q\""), Just("\"\\u0071\""), Just("null"), Just("7.0"), Just("8")];
    let orphan = prop_oneof![Just("99"), Just("\"b\""), Just("2.5"), Just("\"\\u0062\"")];
    prop_oneof![
        4 => params().prop_map(|p| message(format!(r#"{{"jsonrpc":"2.0","method":"n","params":{p}}}"#))),
        2 => (id, params())
            .prop_map(|(id, p)| message(format!(r#"{{"id":{id},"jsonrpc":"2.0","method":"ask","params":{p}}}"#))),
        2 => (orphan, params())
            .prop_map(|(id, p)| message(format!(r#" {{"jsonrpc":"2.0","id":{id},"result":{p}}} "#))),
        1 => "[ \t\r]{0,4}".prop_map(|text| Line { text: text.into_bytes(), expected: Expected::Nothing }),
        1 => "[a-z{\"][\\PC]{0,60}".prop_map(|text| unparsed(text.into_bytes())),
        1 => prop::collection::vec(any::<u8>().prop_filter("no line end", |byte| *byte != b'\n'), 1..40)
            .prop_map(|mut bytes| {
                bytes.insert(0, 0xff);
                bytes.push(b'.');
                unparsed(bytes)
            }),
        1 => (OPTIONS.line_bytes + 2..2 * OPTIONS.line_bytes).prop_map(|length| unparsed(vec![b'x'; length])),
    ]
}

/// Returns an answer to a request that waits; each at most once in a stream.
fn answers() -> impl Strategy<Value = Vec<Line>> {
    let answer = |sent: &'static str, own: &'static str| {
        (params(), any::<bool>()).prop_map(move |(p, error)| {
            let member = if error { "error" } else { "result" };
            let text = |id| format!(r#"{{"{member}":{p},"id":{id},"jsonrpc":"2.0"}}"#);
            Line { text: text(sent).into_bytes(), expected: message(text(own)).expected }
        })
    };
    let all = [
        answer("1", "1").boxed(),
        answer(r#""\u0061""#, r#""a""#).boxed(),
        answer("4503599627370496", "1.0").boxed(),
        answer("null", "null").boxed(),
    ];
    prop::collection::vec(any::<bool>(), 4).prop_flat_map(move |which| {
        let picked = all.iter().zip(which).filter(|(_, picked)| *picked).map(|(answer, _)| answer.clone());
        picked.collect::<Vec<_>>().prop_shuffle()
    })
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    (prop::collection::vec(line(), 0..12), answers(), any::<u64>()).prop_map(
        |(mut lines, answers, places)| {
            for (index, answer) in answers.into_iter().enumerate() {
                let place = (places >> (index * 8)) as usize % (lines.len() + 1);
                lines.insert(place, answer);
            }
            lines
        },
    )
}

fn check(transcript: &Transcript, lines: &[Line]) {
    let mut records = transcript.records.iter();
    for line in lines {
        match &line.expected {
            Expected::Nothing => {}
            Expected::Message(data) => {
                let (kind, _, actual) = records.next().expect("a record for each message");
                assert!(matches!(kind, RecordKind::Message | RecordKind::Response));
                assert_eq!(actual, data);
            }
            Expected::Unparsed { raw, bytes, truncated } => {
                let (kind, _, actual) = records.next().expect("a record for each line");
                assert_eq!(*kind, RecordKind::Unparsed);
                let event: serde_json::Value = serde_json::from_slice(actual).unwrap();
                assert_eq!(event["raw"].as_str(), Some(raw.as_str()));
                assert_eq!(event["truncated"], *truncated);
                // Of a line that is not kept nobody knows whether it ended with a carriage return.
                let overlong = event["reason"] == "line too long";
                let ending = event["bytes"].as_u64().unwrap() - bytes;
                assert!(ending == 0 || (ending == 1 && overlong), "{event}");
            }
        }
    }
    assert_eq!(records.filter(|(kind, ..)| *kind == RecordKind::Exit).count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(512), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_depend_on_the_bytes_and_not_on_their_pieces(
        lines in lines(),
        endings in prop::collection::vec(any::<bool>(), 1..8),
        ended in any::<bool>(),
        lengths in prop::collection::vec(prop_oneof![Just(1), 1..20_usize, 1..2000_usize], 1..6),
    ) {
        let mut stream = Vec::new();
        for (line, crlf) in lines.iter().zip(endings.iter().cycle()) {
            stream.extend_from_slice(&line.text);
            stream.extend_from_slice(if *crlf { b"\r\n" } else { b"\n" });
        }
        if !ended {
            // The agent died within its last line ending; the line itself is whole.
            stream.pop();
        }
        let whole = transcript(&OPTIONS, [&stream[..]]);
        check(&whole, &lines);
        prop_assert_eq!(whole, transcript(&OPTIONS, cut(&stream, &lengths)));
    }
}
