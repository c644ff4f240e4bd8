//! Random sessions, there and back.

use crate::client::Client;
use crate::schema::{check, errors};
use crate::updates::{Step, block, steps, update};
use proptest::prelude::*;
use sa_api::sessions::{EventData, MessagePart, ParsedMessage, UniversalMessage};
use sa_universal::testing::{Projector, parts_of, to_updates};
use sa_universal::{Reducer, prompt};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn params(update: &Value) -> Box<RawValue> {
    to_raw_value(&json!({ "sessionId": "s", "update": update })).unwrap()
}

/// The events of a session.
fn reduced(steps: &[Step]) -> Vec<EventData> {
    let mut reducer = Reducer::new("run");
    let mut events = reducer.begin_turn("turn-0");
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Update(update) => events.extend(reducer.update(&params(update))),
            Step::TurnEnds => {
                events.extend(reducer.end_turn());
                events.extend(reducer.begin_turn(&format!("turn-{}", number + 1)));
            }
        }
    }
    events.extend(reducer.end_turn());
    events
}

fn projected(events: &[EventData]) -> Vec<Value> {
    let mut projector = Projector::default();
    events.iter().flat_map(|event| projector.updates(event)).collect()
}

/// The newest state of each message, and of all else.
fn newest(events: &[EventData]) -> (BTreeMap<String, ParsedMessage>, Vec<EventData>) {
    let mut messages = BTreeMap::new();
    let mut others = Vec::new();
    for event in events {
        match event {
            EventData::Message(UniversalMessage::Parsed(message)) => {
                messages.insert(message.id.clone(), message.clone());
            }
            EventData::MessageDelta(_) => {}
            other => others.push(other.clone()),
        }
    }
    (messages, others)
}

fn told(updates: &[Value]) -> Vec<Step> {
    updates.iter().cloned().map(Step::Update).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A client of ACP learns the same from the agent and from the events.
    #[test]
    fn events_mean_what_the_updates_meant(steps in steps()) {
        let mut original = Client::default();
        for step in &steps {
            match step {
                Step::Update(update) => original.update(update),
                Step::TurnEnds => original.turn_ends(),
            }
        }
        let mut again = Client::default();
        projected(&reduced(&steps)).iter().for_each(|update| again.update(update));
        original.assert_knows_the_same_as(&again);
    }

    /// A client that ignores deltas learns the same from whole messages.
    #[test]
    fn whole_messages_say_what_their_pieces_said(steps in steps()) {
        let events = reduced(&steps);
        let whole: Vec<_> = events.iter().filter(|event| !matches!(event, EventData::MessageDelta(_))).cloned().collect();
        let (mut with, mut without) = (Client::default(), Client::default());
        projected(&events).iter().for_each(|update| with.update(update));
        projected(&whole).iter().for_each(|update| without.update(update));
        with.assert_knows_the_same_as(&without);
    }

    /// All updates are valid ACP.
    #[test]
    fn every_update_that_is_told_is_valid(steps in steps()) {
        for event in reduced(&steps) {
            for update in to_updates(&event) {
                prop_assert_eq!(errors("SessionUpdate", &update), Vec::<String>::new(), "{:#}", update);
            }
        }
    }

    /// Events that went to ACP and came back are the same from then on.
    #[test]
    fn there_and_back_again_is_stable(steps in steps()) {
        let once = projected(&reduced(&steps));
        let events = reduced(&told(&once));
        let again = reduced(&told(&projected(&events)));
        prop_assert_eq!(newest(&events), newest(&again));
    }

    /// Within a turn, messages come back from ACP as they were.
    #[test]
    fn messages_come_back(updates in proptest::collection::vec(update(), 0..16)) {
        let events = reduced(&told(&updates));
        let again = reduced(&told(&projected(&events)));
        prop_assert_eq!(newest(&events).0, newest(&again).0);
    }

    /// Events survive the log.
    #[test]
    fn events_survive_json(steps in steps()) {
        for event in reduced(&steps) {
            let text = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(serde_json::from_str::<EventData>(&text).unwrap(), event);
        }
    }

    /// A state that did not change is not reported again.
    #[test]
    fn equal_states_are_not_repeated(update in update()) {
        let kind = update["sessionUpdate"].as_str().unwrap();
        // Speech is repeated, and so is everything that is no state.
        let state = !kind.contains("chunk") && !["notice", "hologram_update", "compaction_update"].contains(&kind);
        let mut reducer = Reducer::new("run");
        reducer.update(&params(&update));
        let again = reducer.update(&params(&update));
        prop_assert!(!state || again.is_empty(), "{again:?}");
    }

    /// A message that an agent takes as a whole comes back as it was.
    #[test]
    fn prompts_come_back(blocks in proptest::collection::vec(block(), 0..4)) {
        let can = sa_universal::PromptCapabilities { image: true, audio: true, embedded_context: true };
        let parts = parts_of(&blocks);
        let expressible = parts.iter().zip(&blocks).all(|(part, block)| !matches!(part, MessagePart::Unknown { .. }) || block["type"] == "audio");
        match prompt(&parts, &can) {
            Ok(again) => {
                prop_assert!(expressible);
                again.iter().for_each(|block| check("ContentBlock", block));
                prop_assert_eq!(parts_of(&again), parts);
            }
            Err(_) => prop_assert!(!expressible),
        }
    }
}
