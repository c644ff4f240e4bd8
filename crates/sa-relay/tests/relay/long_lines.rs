//! Lines of many kilobytes, which take another way through memory than short ones.

use proptest::prelude::*;
use sa_relay::testing::{cut, transcript};
use sa_relay::{RecordKind, RelayOptions};

const OPTIONS: RelayOptions =
    RelayOptions { line_bytes: 300_000, unparsed_bytes: 100, pending_requests: 16, asked_bytes: 1 << 20 };

#[derive(Debug, Clone, Copy)]
enum What {
    Notification,
    Question,
    /// Goes to its caller under the id that the agent saw.
    Answer,
    /// Goes to its caller under another id than the agent saw.
    RestoredAnswer,
    Garbage,
}

fn line(what: What, size: usize, space: &str) -> String {
    let text = "x".repeat(size);
    match what {
        What::Notification => format!(r#"{{"jsonrpc":"2.0",{space}"method":"n","params":["{text}"]}}"#),
        What::Question => format!(r#"{{"jsonrpc":"2.0",{space}"id":5,"method":"n","params":["{text}"]}}"#),
        What::Answer => format!(r#"{{"jsonrpc":"2.0",{space}"id":1,"result":"{text}"}}"#),
        What::RestoredAnswer => {
            format!(r#"{{"jsonrpc":"2.0",{space}"id":4503599627370496,"result":"{text}"}}"#)
        }
        What::Garbage => format!("{text}{space}"),
    }
}

fn what() -> impl Strategy<Value = What> {
    prop_oneof![
        4 => Just(What::Notification),
        1 => Just(What::Question),
        1 => Just(What::Answer),
        1 => Just(What::RestoredAnswer),
        1 => Just(What::Garbage),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_long_line_becomes_the_same_record_in_any_pieces(
        lines in prop::collection::vec((what(), prop_oneof![10..100_usize, 60_000..400_000_usize], "[ \r]{0,2}"), 1..5),
        lengths in prop::collection::vec(prop_oneof![1000..9000_usize, 9000..262_144_usize], 1..4),
    ) {
        let lines: Vec<String> = lines.into_iter().map(|(what, size, space)| line(what, size, &space)).collect();
        let stream = lines.iter().flat_map(|line| [line.as_bytes(), b"\n"]).collect::<Vec<_>>().concat();
        let whole = transcript(&OPTIONS, [&stream[..]]);
        prop_assert!(whole == transcript(&OPTIONS, cut(&stream, &lengths)), "other records in pieces");
        let is_record = |kind| matches!(kind, RecordKind::Message | RecordKind::Response);
        let messages = whole.records.iter().filter(|(kind, ..)| is_record(*kind));
        for ((_, _, data), line) in messages.zip(lines.iter().filter(|line| is_message(line))) {
            let ours = line.replace('\r', " ").replace("4503599627370496", "1.0");
            prop_assert!(data == line.replace('\r', " ").as_bytes() || data == ours.as_bytes(), "other bytes");
        }
    }
}

fn is_message(line: &str) -> bool {
    line.starts_with('{') && line.len() <= OPTIONS.line_bytes
}
