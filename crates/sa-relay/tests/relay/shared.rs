//! Clients that share a server and count their requests alike: which answers event streams show as messages.
#![allow(clippy::unwrap_used)]

use sa_jsonrpc::Message;
use sa_relay::{Audience, Caller, Presence, RecordKind, Relay, RelayOptions};

struct Scene {
    relay: Relay,
    streams: usize,
    ticket: u64,
}

impl Scene {
    fn new(streams: usize) -> Self {
        let options =
            RelayOptions { line_bytes: 1024, unparsed_bytes: 64, pending_requests: 8, asked_bytes: 1024 };
        Self { relay: Relay::new(&options), streams, ticket: 0 }
    }

    /// Returns a POST with this id; the id that the agent sees.
    fn post(&mut self, id: i64) -> String {
        self.ticket += 1;
        let message = Message::read(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#)).unwrap();
        let present = Presence { has_post: &|_| true, has_socket: &|_| true, streams: self.streams };
        match self.relay.client_message(&message, Caller::Post(self.ticket), &present).unwrap() {
            sa_relay::Outgoing::Verbatim | sa_relay::Outgoing::Nothing => id.to_string(),
            sa_relay::Outgoing::Rewritten(bytes) => Message::read(bytes).unwrap().id_text().to_owned(),
        }
    }

    /// Lets the agent answer. Returns whether event streams show the answer as a message.
    fn answer(&mut self, id: &str) -> bool {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        let around = Presence { has_post: &|_| true, has_socket: &|_| true, streams: self.streams };
        let output = self.relay.agent_data(line.as_bytes(), &around);
        let segment = output.segment.unwrap();
        let [record] = segment.records(0) else { panic!("one record") };
        assert_eq!(record.audience, Audience::Post);
        record.kind == RecordKind::Message
    }

    fn call(&mut self, id: i64) -> bool {
        let id = self.post(id);
        self.answer(&id)
    }
}

#[test]
fn one_client_sees_its_answers_as_messages_though_it_uses_an_id_again() {
    let mut scene = Scene::new(1);
    assert!([0, 1, 0, 1].into_iter().all(|id| scene.call(id)));
}

#[test]
fn several_streams_alone_change_nothing() {
    let mut scene = Scene::new(2);
    assert!([0, 1, 2].into_iter().all(|id| scene.call(id)));
}

#[test]
fn answers_stay_apart_while_one_of_two_clients_is_away() {
    let mut scene = Scene::new(2);
    assert!(scene.call(0));
    assert!(!scene.call(0), "a second client");
    scene.streams = 1;
    assert!(!scene.call(1), "the other comes back and must not find it in the log");
}

#[test]
fn an_id_in_flight_twice_tells_two_clients_apart_before_both_have_streams() {
    let mut scene = Scene::new(1);
    let (first, second) = (scene.post(0), scene.post(0));
    assert!(!scene.answer(&second));
    assert!(!scene.answer(&first));
    assert!(!scene.call(1));
}

#[test]
fn what_happened_once_does_not_count_forever() {
    let mut scene = Scene::new(1);
    let (first, second) = (scene.post(0), scene.post(0));
    assert!(!scene.answer(&second) && !scene.answer(&first));
    let apart = (1..10_000).take_while(|id| !scene.call(*id)).count();
    assert!((1000..9000).contains(&apart), "{apart}");
}
