//! Clients that ask over POSTs, sockets and streams under colliding ids, are cut and come back, while the agent answers in
//! any order, is silent or ends: everybody gets the own answer under the own id, or finds it, and nobody another's.

use proptest::prelude::*;
use sa_journal::Entry;
use sa_jsonrpc::{ErrorObject, Message};
use sa_relay::{
    Answer, Caller, Outgoing, Output, Presence, RecordKind, Refused, Relay, RelayOptions, Segment, Sight,
    SocketView,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Ids as clients write them; several mean the same, some no float holds, and two are what replacements look like.
const IDS: [&str; 16] = [
    "1",
    "1.0",
    "10e-1",
    "-1",
    "2",
    "\"1\"",
    r#""\u0031""#,
    "\"a\"",
    "null",
    "1.5",
    "1e400",
    "9007199254740993",
    "9007199254740992",
    "99999999999999999999",
    "4503599627370496",
    "4503599627370497",
];
const CLIENTS: usize = 6;

/// A way of sending a request and of reading its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Waits for each request, and reads messages on an event stream.
    Post,
    /// Asks on the stream that it reads.
    Stream,
    /// Knows the numbers of events, and resumes after the last one.
    Socket,
}

fn way(client: usize) -> Way {
    [Way::Post, Way::Stream, Way::Socket][client % 3]
}

#[derive(Debug, Clone)]
enum Step {
    Ask { client: usize, id: usize },
    Answer { which: usize, respelled: bool },
    Cut { client: usize },
    Return { client: usize },
    Cancel { client: usize, which: usize },
    Silence,
    End,
}

fn step() -> impl Strategy<Value = Step> {
    let client = || 0..CLIENTS;
    prop_oneof![
        10 => (client(), 0..IDS.len()).prop_map(|(client, id)| Step::Ask { client, id }),
        8 => (0..99_usize, any::<bool>()).prop_map(|(which, respelled)| Step::Answer { which, respelled }),
        3 => client().prop_map(|client| Step::Cut { client }),
        3 => client().prop_map(|client| Step::Return { client }),
        3 => (client(), 0..99_usize).prop_map(|(client, which)| Step::Cancel { client, which }),
        1 => Just(Step::Silence),
        1 => Just(Step::End),
    ]
}

/// Returns the value that an id's text means, as a program would write it again.
fn value(text: &str) -> String {
    let float = text.parse::<f64>();
    match float {
        Ok(number) if number.fract() == 0.0 && number.abs() < 9e15 => format!("{number:.0}"),
        Ok(_) => text.to_owned(),
        Err(_) => serde_json::from_str::<Value>(text).unwrap().to_string(),
    }
}

#[derive(Default)]
struct Client {
    /// Requests without an answer, by the value of the id: the text of the id and the number of the request.
    asked: BTreeMap<String, (&'static str, u64)>,
    /// POSTs that wait, by ticket.
    posts: BTreeMap<u64, u64>,
    socket: Option<SocketView>,
    /// The last event that its sockets showed.
    seen: Option<u64>,
    next: u64,
}

struct Scene {
    relay: Relay,
    clients: [Client; CLIENTS],
    log: Vec<Segment>,
    newest: u64,
    /// Requests that the agent has to answer: the id it was given, the client, and the number of the request.
    owed: Vec<(String, usize, u64)>,
    requests: u64,
    sockets: u32,
}

impl Scene {
    fn new() -> Self {
        let options =
            RelayOptions { line_bytes: 4096, unparsed_bytes: 64, pending_requests: 1000, asked_bytes: 4096 };
        let mut scene = Self {
            relay: Relay::new(&options),
            clients: Default::default(),
            log: Vec::new(),
            newest: 0,
            owed: Vec::new(),
            requests: 0,
            sockets: 0,
        };
        (0..CLIENTS).for_each(|client| scene.come(client));
        scene
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut Relay, &Presence<'_>) -> T) -> T {
        let clients = &self.clients;
        let has_post = |ticket| clients.iter().any(|client| client.posts.contains_key(&ticket));
        let has_socket =
            |number| clients.iter().any(|client| client.socket.is_some_and(|view| view.socket == number));
        work(&mut self.relay, &Presence { has_post: &has_post, has_socket: &has_socket, streams: CLIENTS })
    }

    /// Opens a socket, after the last event if there was one.
    fn come(&mut self, client: usize) {
        if way(client) != Way::Socket || self.clients[client].socket.is_some() {
            return;
        }
        self.sockets += 1;
        let newest = self.newest;
        let this = &mut self.clients[client];
        let resumed_at = this.seen.map(|_| newest);
        if resumed_at.is_none() {
            // Without an event there is nothing to resume after: it begins afresh.
            this.asked.clear();
        }
        this.next = this.seen.unwrap_or(newest) + 1;
        this.socket = Some(SocketView { socket: self.sockets, resumed_at });
        self.read(client);
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Ask { client, id } => self.ask(client, IDS[id]),
            Step::Answer { which, respelled } if !self.owed.is_empty() => {
                let (id, _, number) = self.owed.remove(which % self.owed.len());
                let id = if respelled { value(&id) } else { id };
                let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{number}}}\n");
                let output = self.with(|relay, present| relay.agent_data(line.as_bytes(), present));
                self.take(output);
            }
            Step::Answer { .. } => {}
            Step::Cut { client } => {
                self.clients[client].posts.clear();
                self.clients[client].socket = None;
            }
            Step::Return { client } => self.come(client),
            Step::Cancel { client, which } => self.cancel(client, which),
            Step::Silence => {
                let newest = self.relay.newest_request();
                let output = self.with(|relay, present| relay.give_up(newest, &error(), present));
                assert_eq!(self.relay.oldest_request(), None);
                self.take(output);
            }
            Step::End => self.end(),
        }
    }

    fn ask(&mut self, client: usize, id: &'static str) {
        let waits = self.clients[client].asked.contains_key(&value(id));
        let is_away = way(client) == Way::Socket && self.clients[client].socket.is_none();
        if waits || is_away {
            return;
        }
        self.requests += 1;
        let number = self.requests;
        let caller = match (way(client), self.clients[client].socket) {
            (_, Some(view)) => Caller::Socket(view.socket),
            (Way::Post, _) => Caller::Post(number),
            _ => Caller::Stream(0),
        };
        let before = r#"{"params":{"id":7},"jsonrpc":"2.0", "id" : "#;
        let message = Message::read(format!("{before}{id} ,\"method\":\"m\"}}")).unwrap();
        let sent = match self.with(|relay, present| relay.client_message(&message, caller, present)).unwrap()
        {
            Outgoing::Verbatim => id.to_owned(),
            Outgoing::Rewritten(bytes) => {
                let sent = Message::read(bytes).unwrap();
                assert_eq!(sent.with_id(id), message.bytes.as_bytes(), "only the id differs");
                sent.id_text().to_owned()
            }
            Outgoing::Nothing => panic!("a request goes out"),
        };
        let is_exact = serde_json::from_str::<f64>(&sent).is_ok_and(|id| id.abs() < 9.1e15)
            || sent.parse::<f64>().is_err();
        assert!(is_exact, "{sent}");
        assert!(self.owed.iter().all(|(other, ..)| value(other) != value(&sent)), "{sent} is taken");
        self.owed.push((sent, client, number));
        let this = &mut self.clients[client];
        this.asked.insert(value(id), (id, number));
        if let Caller::Post(ticket) = caller {
            this.posts.insert(ticket, number);
        }
    }

    fn cancel(&mut self, client: usize, which: usize) {
        let this = &self.clients[client];
        let Some((_, (id, number))) = this.asked.iter().nth(which % this.asked.len().max(1)) else { return };
        let (id, number) = (*id, *number);
        let caller = this.socket.map_or(Caller::Stream(0), |view| Caller::Socket(view.socket));
        let text =
            format!(r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{id}}}}}"#);
        let message = Message::read(text).unwrap();
        let meant = match self.with(|relay, present| relay.client_message(&message, caller, present)) {
            Ok(Outgoing::Verbatim) => value(id),
            Ok(Outgoing::Rewritten(bytes)) => {
                let sent: Value = serde_json::from_slice(&bytes).unwrap();
                value(&sent["params"]["requestId"].to_string())
            }
            Ok(Outgoing::Nothing) => return,
            Err(refused) => {
                assert!(matches!(refused, Refused::AmbiguousCancel(2..)));
                return;
            }
        };
        // One that was given up and answered meanwhile may have left its id to another of the same client's.
        let is_owed = self.owed.iter().any(|(.., request)| *request == number);
        if let Some((_, owner, cancelled)) = self.owed.iter().find(|(owed, ..)| value(owed) == meant) {
            assert!(*cancelled == number || !is_owed, "{client} cancelled request {cancelled} of {owner}");
        }
    }

    fn end(&mut self) {
        let output = self.with(|relay, present| relay.agent_end("{}", &error(), present));
        assert!(self.relay.pending_requests() == 0 && self.relay.oldest_request().is_none());
        self.owed.clear();
        self.take(output);
    }

    /// Hands out answers, then lets everybody read.
    fn take(&mut self, output: Output) {
        let Output { segment, deliveries, .. } = output;
        if let Some(segment) = segment {
            assert_eq!(segment.first, self.newest + 1);
            self.newest = segment.last();
            self.log.push(segment);
            for client in 0..CLIENTS {
                if way(client) == Way::Socket {
                    self.read(client);
                } else {
                    self.read_stream(client);
                }
            }
        }
        for delivery in deliveries {
            let waits = self.clients.iter_mut().find(|client| client.posts.contains_key(&delivery.ticket));
            let Some(client) = waits else { continue };
            let number = client.posts.remove(&delivery.ticket).unwrap();
            if let Answer::Response { bytes, .. } = delivery.answer {
                let message: Value = serde_json::from_slice(&without_id(&bytes)).unwrap();
                assert_eq!(message["result"], number, "a POST gets its own answer");
            }
            client.asked.retain(|_, (_, request)| *request != number);
        }
    }

    /// A client that takes every message with an id it waits for as its answer.
    fn read_stream(&mut self, client: usize) {
        let segment = self.log.last().unwrap();
        for (index, record) in segment.records(0).iter().enumerate() {
            if matches!(record.kind, RecordKind::Message | RecordKind::Response) {
                let is_mine = matched(&mut self.clients[client], &segment.data(index), record.kind);
                assert!(is_mine != Some(false), "client {client} took an answer that is not its own");
            }
        }
    }

    fn read(&mut self, client: usize) {
        let Some(view) = self.clients[client].socket else { return };
        let next = self.clients[client].next;
        let open: Vec<u32> = self.clients.iter().filter_map(|one| Some(one.socket?.socket)).collect();
        for segment in self.log.iter().filter(|segment| segment.last() >= next) {
            for (index, record) in segment.records(0).iter().enumerate() {
                let sequence = segment.first + index as u64;
                let kind = match view.sees(sequence, record, |number| open.contains(&number)) {
                    _ if sequence < next => continue,
                    Sight::Own => RecordKind::Message,
                    Sight::Foreign | Sight::Ambiguous => RecordKind::Response,
                    Sight::Hidden => continue,
                };
                let this = &mut self.clients[client];
                this.seen = Some(sequence);
                if record.kind != RecordKind::Exit {
                    let is_mine = matched(this, &segment.data(index), kind);
                    assert!(is_mine != Some(false), "socket {client} took an answer that is not its own");
                }
            }
        }
        self.clients[client].next = self.newest + 1;
    }

    /// In the end every request was answered, failed, or can be read.
    fn finish(mut self) {
        self.end();
        (0..CLIENTS).for_each(|client| self.come(client));
        for (client, this) in self.clients.iter().enumerate() {
            assert!(this.posts.is_empty(), "a POST of client {client} waits forever");
            assert!(this.asked.is_empty(), "client {client} cannot find answers to {:?}", this.asked);
        }
    }
}

fn error() -> ErrorObject {
    ErrorObject { code: -32603, message: "failed".to_owned(), data: None }
}

/// Returns the message under an id that every parser reads.
fn without_id(bytes: &[u8]) -> Vec<u8> {
    Message::read(bytes).unwrap().with_id("0")
}

/// Lets a client look at a response. Returns whether the answer that it takes is its own; none if it takes nothing. A
/// `response` is searched for the own answer.
fn matched(client: &mut Client, data: &[u8], kind: RecordKind) -> Option<bool> {
    let id = value(Message::read(data).unwrap().id_text());
    let (text, number) = *client.asked.get(&id)?;
    let message: Value = serde_json::from_slice(&without_id(data)).unwrap();
    let is_verbatim = Message::read(data).unwrap().id_text() == text;
    let is_mine = is_verbatim && (message["result"] == number || message.get("error").is_some());
    if kind == RecordKind::Response && !is_mine {
        return None;
    }
    client.asked.remove(&id);
    Some(is_mine)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_client_gets_or_finds_its_own_answers(steps in prop::collection::vec(step(), 1..60)) {
        let mut scene = Scene::new();
        for step in &steps {
            scene.step(step);
        }
        scene.finish();
    }
}
