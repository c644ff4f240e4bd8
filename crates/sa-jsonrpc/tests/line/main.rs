//! Reading any line, beginning with the seeds of the fuzz target `jsonrpc_line`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;
use sa_jsonrpc::testing::agrees_with_a_full_parse;
use std::path::Path;

fn seeds() -> Vec<Vec<u8>> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/jsonrpc_line");
    let paths = std::fs::read_dir(seeds).unwrap().map(|entry| entry.unwrap().path());
    let seeds: Vec<Vec<u8>> = paths.map(|path| std::fs::read(path).unwrap()).collect();
    assert!(seeds.len() >= 15, "only {} seeds", seeds.len());
    seeds
}

#[test]
fn every_seed_and_each_beginning_of_it_is_read_as_a_full_parse_reads_it() {
    for seed in seeds() {
        for end in 0..=seed.len() {
            agrees_with_a_full_parse(&seed[..end]);
        }
    }
}

#[test]
fn one_wrong_byte_anywhere_is_noticed_or_does_not_matter() {
    for seed in seeds().into_iter().filter(|seed| seed.len() < 200) {
        for at in 0..seed.len() {
            for byte in *b"\0\n\r \"\\,:{}[]01.eEn\x7f\xc3\xff" {
                let mut changed = seed.clone();
                changed[at] = byte;
                agrees_with_a_full_parse(&changed);
            }
        }
    }
}

fn value() -> impl Strategy<Value = String> {
    let string = prop_oneof![
        Just("2.0".to_owned()),
        "\\PC{0,8}",
        Just(r"\u0032.0".to_owned()),
        Just(r"\ud83d\ude00\n".to_owned()),
        Just(r"\ud800".to_owned()),
        Just(r"\x".to_owned()),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("2.0".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        "-?[0-9]{1,25}([.][0-9]{0,3})?([eE][+-]?[0-9]{1,3})?",
        string.prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(inner, 0..3).prop_map(|items| format!(
                "{{{}}}",
                items.iter().map(|v| format!("\"id\":{v}")).collect::<Vec<_>>().join(",")
            )),
        ]
    })
}

fn member() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("jsonrpc"),
        Just("id"),
        Just(r"i\u0064"),
        Just("method"),
        Just("params"),
        Just("result"),
        Just("error"),
        Just("other"),
    ];
    let space = "[ \t\r\n]{0,1}";
    (name, value(), space, space)
        .prop_map(|(name, value, before, after)| format!("{before}\"{name}\"{after}:{before}{value}{after}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn objects_with_any_members_are_read_as_a_full_parse_reads_them(
        mut members in prop::collection::vec(member(), 0..5),
        version in prop::option::weighted(0.9, 0..6_usize),
        method in prop::bool::weighted(0.4),
    ) {
        if let Some(place) = version {
            members.insert(place.min(members.len()), r#""jsonrpc":"2.0""#.to_owned());
        }
        if method {
            members.push(r#""method":"m""#.to_owned());
        }
        agrees_with_a_full_parse(format!("{{{}}}", members.join(",")).as_bytes());
    }

    #[test]
    fn any_bytes_are_read_as_a_full_parse_reads_them(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        agrees_with_a_full_parse(&bytes);
    }
}
