//! Many callers, colliding ids, answers in any order: everybody gets the own answer, under the own id.

use proptest::prelude::*;
use sa_jsonrpc::{ErrorObject, Message};
use sa_relay::{Answer, Audience, Caller, Outgoing, Output, Relay, RelayOptions, Surroundings};
use std::collections::{BTreeMap, BTreeSet};

/// Ids as clients write them; several mean the same, and two are what replacements look like.
const IDS: [&str; 16] = [
    "1",
    "1.0",
    "10e-1",
    "-1",
    "2",
    "\"1\"",
    r#""\u0031""#,
    "\"a\"",
    r#""\u0061""#,
    "null",
    "1.5",
    "15e-1",
    "99999999999999999999",
    "4503599627370496",
    "4503599627370497",
    "\"\"",
];

#[derive(Debug, Clone)]
enum Step {
    Request {
        id: usize,
        way: Way,
    },
    /// The agent answers the request that has waited longest but for `which`.
    Answer {
        which: usize,
        respelled: bool,
        error: bool,
    },
    /// The agent answers something that nobody asked.
    Orphan,
    Abandon {
        which: usize,
    },
    GoAway {
        which: usize,
    },
    Ask {
        id: usize,
    },
    /// A client answers what the agent asked longest ago but for `which`.
    Reply {
        which: usize,
    },
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Post,
    Socket(u32),
    Stream(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let way = prop_oneof![3 => Just(Way::Post), 1 => (0..3_u32).prop_map(Way::Socket), 1 => (0..3_u32).prop_map(Way::Stream)];
    prop_oneof![
        5 => (0..IDS.len(), way).prop_map(|(id, way)| Step::Request { id, way }),
        4 => (0..99_usize, any::<bool>(), any::<bool>())
            .prop_map(|(which, respelled, error)| Step::Answer { which, respelled, error }),
        1 => Just(Step::Orphan),
        1 => (0..99_usize).prop_map(|which| Step::Abandon { which }),
        1 => (0..99_usize).prop_map(|which| Step::GoAway { which }),
        2 => (0..IDS.len()).prop_map(|id| Step::Ask { id }),
        1 => (0..99_usize).prop_map(|which| Step::Reply { which }),
    ]
}

/// The value that an id's text means, as a program would write it again.
fn value(text: &str) -> String {
    if text == "99999999999999999999" {
        return text.to_owned();
    }
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 => format!("{number:.0}"),
        _ => value.to_string(),
    }
}

struct Waiting {
    /// The id as the client wrote it, and as the agent saw it.
    own: &'static str,
    sent: String,
    caller: Caller,
}

struct Scene {
    relay: Relay,
    waiting: Vec<Waiting>,
    gone: BTreeSet<u64>,
    abandoned: BTreeSet<u64>,
    delivered: BTreeMap<u64, usize>,
    /// What the agent asked: the value of the id, its text, and the message.
    asked: Vec<(String, &'static str, String)>,
    next: u64,
}

impl Scene {
    fn new() -> Self {
        let options = RelayOptions {
            line_bytes: 4096,
            unparsed_bytes: 64,
            pending_requests: 1000,
            asked_bytes: 1 << 20,
        };
        Self {
            relay: Relay::new(&options),
            waiting: Vec::new(),
            gone: BTreeSet::new(),
            abandoned: BTreeSet::new(),
            delivered: BTreeMap::new(),
            asked: Vec::new(),
            next: 0,
        }
    }

    fn step(&mut self, step: &Step) {
        self.next += 1;
        match *step {
            Step::Request { id, way } => self.request(IDS[id], way),
            Step::Answer { which, respelled, error } if !self.waiting.is_empty() => {
                self.answer(which % self.waiting.len(), respelled, error);
            }
            Step::Orphan => {
                let text = format!(r#"{{"jsonrpc":"2.0","id":"nobody's","result":{}}}"#, self.next);
                let output = self.agent(&text);
                assert!(output.deliveries.is_empty());
                assert_eq!(only_record(&output), (Audience::Everyone, text));
            }
            Step::Abandon { which } => {
                if let Some(ticket) = self.ticket(which) {
                    self.relay.abandon(ticket);
                    self.abandoned.insert(ticket);
                }
            }
            Step::GoAway { which } => drop(self.ticket(which).map(|ticket| self.gone.insert(ticket))),
            Step::Ask { id } => self.ask(IDS[id]),
            Step::Reply { which } if !self.asked.is_empty() => self.reply(which % self.asked.len()),
            Step::Answer { .. } | Step::Reply { .. } => {}
        }
        assert_eq!(self.relay.pending_requests(), self.waiting.len());
        let questions = self.relay.open_questions().into_iter().map(|question| question.data);
        assert!(questions.eq(self.asked.iter().map(|(.., text)| text.as_bytes())));
        assert_eq!(self.relay.agent_waits(), !self.asked.is_empty());
    }

    fn ticket(&self, which: usize) -> Option<u64> {
        let tickets = self.waiting.iter().filter_map(|waiting| match waiting.caller {
            Caller::Post(ticket) => Some(ticket),
            _ => None,
        });
        let tickets: Vec<u64> = tickets.collect();
        tickets.get(which % tickets.len().max(1)).copied()
    }

    fn agent(&mut self, line: &str) -> Output {
        let gone = &self.gone;
        let around = Surroundings { attached: &|ticket| !gone.contains(&ticket), streams: 1 };
        self.relay.agent_data(format!("{line}\n").as_bytes(), &around)
    }

    fn request(&mut self, id: &'static str, way: Way) {
        let caller = match way {
            Way::Post => Caller::Post(self.next),
            Way::Socket(socket) => Caller::Socket(socket),
            Way::Stream(scope) => Caller::Stream(scope),
        };
        let before = r#"{"params":{"id":7},"jsonrpc":"2.0", "id" : "#;
        let after = format!(r#" , "method":"m{}"}}"#, self.next);
        let message = Message::read(format!("{before}{id}{after}")).unwrap();
        let sent = match self.relay.client_message(&message, caller).unwrap() {
            Outgoing::Verbatim => id.to_owned(),
            Outgoing::Rewritten(bytes) => {
                let text = String::from_utf8(bytes).unwrap();
                let sent = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(&after));
                sent.expect("only the id differs").to_owned()
            }
        };
        let in_use = self.waiting.iter().any(|waiting| value(&waiting.sent) == value(&sent));
        assert!(!in_use, "{sent} is under way already");
        self.waiting.push(Waiting { own: id, sent, caller });
    }

    fn answer(&mut self, which: usize, respelled: bool, error: bool) {
        let Waiting { own, sent, caller } = self.waiting.remove(which);
        let id = if respelled { value(&sent) } else { sent };
        let member = if error { "error" } else { "result" };
        let text = |id: &str| format!(r#"{{ "{member}":{{"n":{}}},"id" :{id}, "jsonrpc":"2.0"}}"#, self.next);
        let (line, expected) = (text(&id), text(own));
        let output = self.agent(&line);
        let (audience, data) = only_record(&output);
        assert_eq!(data, expected);
        let deliveries: Vec<(u64, Answer)> =
            output.deliveries.into_iter().map(|delivery| (delivery.ticket, delivery.answer)).collect();
        match caller {
            Caller::Post(ticket) if self.abandoned.contains(&ticket) => {
                assert_eq!((audience, deliveries), (Audience::Stream { scope: 0 }, vec![]));
            }
            Caller::Post(ticket) => {
                let answer = Answer::Response { bytes: expected.into(), is_error: error };
                assert_eq!(deliveries, [(ticket, answer)]);
                assert_eq!(matches!(audience, Audience::Post { .. }), !self.gone.contains(&ticket));
                *self.delivered.entry(ticket).or_default() += 1;
            }
            Caller::Socket(number) => {
                assert!(matches!(audience, Audience::Socket { socket, .. } if socket == number));
                assert_eq!(deliveries, []);
            }
            Caller::Stream(scope) => assert_eq!((audience, deliveries), (Audience::Stream { scope }, vec![])),
        }
    }

    fn ask(&mut self, id: &'static str) {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ask","params":{}}}"#, self.next);
        let output = self.agent(&text);
        assert_eq!(only_record(&output), (Audience::Everyone, text.clone()));
        // An agent that uses an id again has given up on what it asked before.
        self.asked.retain(|(other, ..)| *other != value(id));
        self.asked.push((value(id), id, text));
    }

    fn reply(&mut self, which: usize) {
        let (value, id, _) = self.asked.remove(which);
        let id = if self.next.is_multiple_of(2) { value.as_str() } else { id };
        let reply = Message::read(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).unwrap();
        assert_eq!(self.relay.client_message(&reply, Caller::Post(0)), Ok(Outgoing::Verbatim));
    }

    fn end(mut self) {
        let gone = &self.gone;
        let around = Surroundings { attached: &|ticket| !gone.contains(&ticket), streams: 1 };
        let error = ErrorObject { code: -32603, message: "ended".to_owned(), data: None };
        let output = self.relay.agent_end("{}", &error, &around);
        assert!(self.relay.pending_requests() == 0 && self.relay.open_questions().is_empty());
        for delivery in output.deliveries {
            assert_eq!(delivery.answer, Answer::AgentEnded);
            *self.delivered.entry(delivery.ticket).or_default() += 1;
        }
        let mut owed = Vec::new();
        for Waiting { own, caller, .. } in &self.waiting {
            let told = matches!(caller, Caller::Post(ticket)
                if !self.gone.contains(ticket) && !self.abandoned.contains(ticket));
            if let Caller::Post(ticket) = caller
                && !self.abandoned.contains(ticket)
            {
                assert_eq!(self.delivered.get(ticket), Some(&1));
            }
            if !told {
                owed.push(*own);
            }
        }
        assert!(self.delivered.values().all(|count| *count == 1), "one delivery for each ticket");
        let segment = output.segment.unwrap();
        let count = segment.records(0).len() - 1;
        let errors: Vec<String> = (0..count)
            .map(|index| Message::read(segment.data(index)).unwrap().id_text().to_owned())
            .collect();
        assert_eq!(errors, owed, "who reads a stream for an answer gets an error, oldest first");
    }
}

fn only_record(output: &Output) -> (Audience, String) {
    let segment = output.segment.as_ref().unwrap();
    let [record] = segment.records(0) else { panic!("one line, one record") };
    (record.audience, String::from_utf8(segment.data(0).to_vec()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_caller_gets_its_own_answer_under_its_own_id(steps in prop::collection::vec(step(), 1..120)) {
        let mut scene = Scene::new();
        for step in &steps {
            scene.step(step);
        }
        scene.end();
    }
}
