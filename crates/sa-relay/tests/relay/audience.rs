//! Who gets to see which record.

use sa_jsonrpc::{ErrorObject, Message};
use sa_relay::{Answer, Audience, Caller, Output, RecordKind, Relay, RelayOptions, Surroundings};

struct Scene {
    relay: Relay,
    /// The tickets of POSTs that went away.
    gone: Vec<u64>,
}

impl Scene {
    fn new() -> Self {
        let options =
            RelayOptions { line_bytes: 1024, unparsed_bytes: 64, pending_requests: 8, asked_bytes: 1024 };
        Self { relay: Relay::new(&options), gone: Vec::new() }
    }

    fn request(&mut self, id: &str, caller: Caller) {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        self.relay.client_message(&Message::read(text).unwrap(), caller).unwrap();
    }

    fn agent(&mut self, line: &str) -> Output {
        let gone = self.gone.clone();
        let around = Surroundings { attached: &|ticket| !gone.contains(&ticket), streams: 1 };
        self.relay.agent_data(format!("{line}\n").as_bytes(), &around)
    }

    fn end(&mut self) -> Output {
        let gone = self.gone.clone();
        let around = Surroundings { attached: &|ticket| !gone.contains(&ticket), streams: 1 };
        let error = ErrorObject { code: -32603, message: "ended".to_owned(), data: None };
        self.relay.agent_end(r#"{"code":1}"#, &error, &around)
    }
}

fn answer(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":0}}"#)
}

fn records(output: &Output) -> Vec<(RecordKind, Audience)> {
    let segment = output.segment.as_ref().unwrap();
    segment.records(0).iter().map(|record| (record.kind, record.audience)).collect()
}

#[test]
fn what_answers_nobody_is_for_everyone() {
    let mut scene = Scene::new();
    for line in [
        r#"{"jsonrpc":"2.0","method":"n"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":0}"#,
    ] {
        assert_eq!(records(&scene.agent(line)), [(RecordKind::Message, Audience::Everyone)], "{line}");
    }
    assert_eq!(records(&scene.agent("panic!")), [(RecordKind::Unparsed, Audience::Everyone)]);
    assert_eq!(records(&scene.end()), [(RecordKind::Exit, Audience::Everyone)]);
}

#[test]
fn an_answer_is_for_whoever_asked() {
    for (caller, audience) in [
        (Caller::Post(7), Audience::Post { open: true }),
        (Caller::Socket(7), Audience::Socket { socket: 7, open: true }),
        (Caller::Stream(0), Audience::Stream { scope: 0 }),
        (Caller::Stream(7), Audience::Stream { scope: 7 }),
    ] {
        let mut scene = Scene::new();
        scene.request("1", caller);
        let output = scene.agent(&answer("1"));
        assert_eq!(records(&output), [(RecordKind::Message, audience)]);
        let tickets: Vec<u64> = output.deliveries.iter().map(|delivery| delivery.ticket).collect();
        assert_eq!(tickets, if caller == Caller::Post(7) { vec![7] } else { vec![] });
        assert!(output.segment.unwrap().is_open());
    }
}

#[test]
fn the_answer_for_a_post_that_went_away_goes_to_the_streams() {
    let mut scene = Scene::new();
    scene.request("1", Caller::Post(1));
    scene.request("2", Caller::Post(2));
    scene.gone.push(1);
    scene.relay.abandon(2);
    let output = scene.agent(&answer("1"));
    assert_eq!(records(&output), [(RecordKind::Message, Audience::Stream { scope: 0 })]);
    assert_eq!(output.deliveries.len(), 1, "whoever kept the ticket learns that it is done");
    let output = scene.agent(&answer("2"));
    assert_eq!(records(&output), [(RecordKind::Message, Audience::Stream { scope: 0 })]);
    assert!(output.deliveries.is_empty(), "an abandoned ticket is not heard of again");
}

#[test]
fn the_end_of_the_agent_is_told_where_its_answers_were_awaited() {
    let mut scene = Scene::new();
    let callers = [
        Caller::Post(1),
        Caller::Socket(2),
        Caller::Stream(3),
        Caller::Post(4),
        Caller::Post(5),
        Caller::Socket(6),
    ];
    for (index, caller) in callers.into_iter().enumerate() {
        scene.request(&format!("\"r{index}\""), caller);
    }
    scene.gone.push(4);
    scene.relay.abandon(5);
    let output = scene.end();
    let message = |audience| (RecordKind::Message, audience);
    let expected = [
        message(Audience::Socket { socket: 2, open: false }),
        message(Audience::Stream { scope: 3 }),
        message(Audience::Stream { scope: 0 }),
        message(Audience::Stream { scope: 0 }),
        message(Audience::Socket { socket: 6, open: false }),
        (RecordKind::Exit, Audience::Everyone),
    ];
    assert_eq!(records(&output), expected, "oldest first");
    let segment = output.segment.unwrap();
    assert!(!segment.is_open());
    for (index, id) in [r#""r1""#, r#""r2""#, r#""r3""#, r#""r4""#, r#""r5""#].into_iter().enumerate() {
        let error = Message::read(segment.data(index)).unwrap();
        assert!(error.shape.is_error && error.id_text() == id);
    }
    assert_eq!(segment.data(5), r#"{"code":1}"#);
    let ended: Vec<(u64, Answer)> =
        output.deliveries.into_iter().map(|delivery| (delivery.ticket, delivery.answer)).collect();
    assert_eq!(ended, [(1, Answer::AgentEnded), (4, Answer::AgentEnded)]);
}

#[test]
fn closed_records_close_their_segment_for_streams() {
    let closed = [Audience::Post { open: false }, Audience::Socket { socket: 1, open: false }];
    assert!(closed.iter().all(|audience| !audience.is_open()));
    let open = [
        Audience::Everyone,
        Audience::Post { open: true },
        Audience::Socket { socket: 1, open: true },
        Audience::Stream { scope: 1 },
    ];
    assert!(open.iter().all(|audience| audience.is_open()));
}
