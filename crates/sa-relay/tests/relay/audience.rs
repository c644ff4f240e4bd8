//! Who gets to see which record, and as what.

use sa_jsonrpc::{ErrorObject, Message};
use sa_relay::{
    Answer, Audience, Caller, Outgoing, Output, Presence, RecordKind, Refused, Relay, RelayOptions, Sight,
    SocketView,
};

struct Scene {
    relay: Relay,
    /// The tickets of POSTs and the numbers of sockets that went away.
    gone: Vec<u64>,
}

impl Scene {
    fn new() -> Self {
        let options =
            RelayOptions { line_bytes: 1024, unparsed_bytes: 64, pending_requests: 8, asked_bytes: 1024 };
        Self { relay: Relay::new(&options), gone: Vec::new() }
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut Relay, &Presence<'_>) -> T) -> T {
        let gone = &self.gone;
        let has_socket = |socket: u32| !gone.contains(&u64::from(socket));
        let present =
            Presence { has_post: &|ticket| !gone.contains(&ticket), has_socket: &has_socket, streams: 1 };
        work(&mut self.relay, &present)
    }

    fn send(&mut self, text: String, caller: Caller) -> Result<Outgoing, Refused> {
        let message = Message::read(text).unwrap();
        self.with(|relay, present| relay.client_message(&message, caller, present))
    }

    /// Sends a request; the id that the agent sees.
    fn request(&mut self, id: &str, caller: Caller) -> String {
        match self.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#), caller).unwrap() {
            Outgoing::Rewritten(bytes) => Message::read(bytes).unwrap().id_text().to_owned(),
            _ => id.to_owned(),
        }
    }

    /// Cancels a request; the id that the agent sees, if it sees any.
    fn cancel(&mut self, id: &str, caller: Caller) -> Result<Option<String>, Refused> {
        let text = |id: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{id}}}}}"#)
        };
        Ok(match self.send(text(id), caller)? {
            Outgoing::Verbatim => Some(id.to_owned()),
            Outgoing::Rewritten(bytes) => {
                let bytes = String::from_utf8(bytes).unwrap();
                let message: serde_json::Value = serde_json::from_str(&bytes).unwrap();
                let id = message["params"]["requestId"].to_string();
                assert_eq!(bytes, text(&id), "nothing else differs");
                Some(id)
            }
            Outgoing::Nothing => None,
        })
    }

    fn agent(&mut self, line: &str) -> Output {
        self.with(|relay, present| relay.agent_data(format!("{line}\n").as_bytes(), present))
    }

    fn end(&mut self) -> Output {
        self.with(|relay, present| relay.agent_end(r#"{"code":1}"#, &error(), present))
    }

    fn give_up(&mut self) -> Output {
        let newest = self.relay.newest_request();
        self.with(|relay, present| relay.give_up(newest, &error(), present))
    }
}

fn error() -> ErrorObject {
    ErrorObject { code: -32603, message: "failed".to_owned(), data: None }
}

fn answer(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":0}}"#)
}

fn records(output: &Output) -> Vec<(RecordKind, Audience)> {
    let segment = output.segment.as_ref();
    let records = segment.into_iter().flat_map(|segment| segment.records(0));
    records.map(|record| (record.kind, record.audience)).collect()
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
        (Caller::Post(7), Audience::Post),
        (Caller::Socket(7), Audience::Socket { socket: 7, contested: false }),
        (Caller::Stream(0), Audience::Stream { scope: 0 }),
        (Caller::Stream(7), Audience::Stream { scope: 7 }),
    ] {
        let mut scene = Scene::new();
        scene.request("1", caller);
        let output = scene.agent(&answer("1"));
        assert_eq!(records(&output), [(RecordKind::Message, audience)]);
        let tickets: Vec<u64> = output.deliveries.iter().map(|delivery| delivery.ticket).collect();
        assert_eq!(tickets, if caller == Caller::Post(7) { vec![7] } else { vec![] });
    }
}

#[test]
fn the_answer_for_a_caller_that_went_away_is_there_for_others() {
    for (caller, audience) in
        [(Caller::Post(1), Audience::Gone), (Caller::Socket(1), Audience::GoneSocket { contested: false })]
    {
        let mut scene = Scene::new();
        scene.request("1", caller);
        scene.gone.push(1);
        let output = scene.agent(&answer("1"));
        assert_eq!(records(&output), [(RecordKind::Message, audience)]);
    }
}

#[test]
fn an_answer_that_another_could_take_for_its_own_is_no_message_on_streams() {
    let callers = [Caller::Post(1), Caller::Socket(1), Caller::Stream(0)];
    for (asking, other) in callers.into_iter().flat_map(|one| callers.map(|two| (one, two))) {
        let mut scene = Scene::new();
        let id = scene.request("1", asking);
        scene.request("1", other);
        scene.gone.push(1);
        let [(kind, _)] = records(&scene.agent(&answer(&id)))[..] else { panic!("one record") };
        assert_eq!(kind, RecordKind::Response, "{asking:?} next to {other:?}");
    }
    // The same for an answer to nobody, under an id that is another's here.
    let mut scene = Scene::new();
    assert_eq!(scene.request("9007199254740993", Caller::Post(1)), (1_u64 << 52).to_string());
    let output = scene.agent(&answer("9007199254740993"));
    assert_eq!(records(&output), [(RecordKind::Response, Audience::Everyone)]);
}

#[test]
fn a_socket_that_resumes_gets_what_an_earlier_one_missed_unless_it_may_be_anothers() {
    let mut scene = Scene::new();
    let first = scene.request("1", Caller::Socket(1));
    let (second, third) = (scene.request("2", Caller::Socket(1)), scene.request("2", Caller::Socket(2)));
    let own = scene.request("3", Caller::Socket(3));
    scene.gone.extend([1, 2]);
    let fresh = SocketView { socket: 3, resumed_at: None };
    let resumed = SocketView { socket: 3, resumed_at: Some(0) };
    for (id, by_fresh, by_resumed) in [
        (first, Sight::Foreign, Sight::Own),
        (second, Sight::Foreign, Sight::Ambiguous),
        (third, Sight::Foreign, Sight::Ambiguous),
        (own, Sight::Own, Sight::Own),
    ] {
        let output = scene.agent(&answer(&id));
        let record = &output.segment.as_ref().unwrap().records(0)[0];
        assert_eq!(fresh.sees(9, record, |_| false), by_fresh, "{id}");
        assert_eq!(resumed.sees(9, record, |_| false), by_resumed, "{id}");
    }
}

#[test]
fn the_end_of_the_agent_is_reported_where_its_answers_were_awaited() {
    let mut scene = Scene::new();
    scene.request("\"late\"", Caller::Post(5));
    assert_eq!(scene.give_up().deliveries.len(), 1);
    let callers = [Caller::Post(1), Caller::Socket(2), Caller::Stream(3), Caller::Post(4), Caller::Socket(6)];
    for (index, caller) in callers.into_iter().enumerate() {
        scene.request(&format!("\"r{index}\""), caller);
    }
    scene.gone.extend([4, 6]);
    let output = scene.end();
    let message = |audience| (RecordKind::Message, audience);
    let expected = [
        message(Audience::Gone),
        message(Audience::Socket { socket: 2, contested: false }),
        message(Audience::Stream { scope: 3 }),
        message(Audience::Gone),
        message(Audience::GoneSocket { contested: false }),
        (RecordKind::Exit, Audience::Everyone),
    ];
    assert_eq!(records(&output), expected, "oldest first");
    let segment = output.segment.unwrap();
    for (index, id) in [r#""late""#, r#""r1""#, r#""r2""#, r#""r3""#, r#""r4""#].into_iter().enumerate() {
        let error = Message::read(segment.data(index)).unwrap();
        assert!(error.shape.is_error && error.id_text() == id);
    }
    assert_eq!(segment.data(5), r#"{"code":1}"#);
    let ended: Vec<(u64, Answer)> =
        output.deliveries.into_iter().map(|delivery| (delivery.ticket, delivery.answer)).collect();
    assert_eq!(ended, [(1, Answer::AgentEnded), (4, Answer::AgentEnded)]);
}

#[test]
fn silence_fails_every_request_once_where_its_answer_is_awaited() {
    let mut scene = Scene::new();
    let callers = [Caller::Post(1), Caller::Socket(2), Caller::Stream(3)];
    let ids = callers.map(|caller| scene.request(&format!("\"{caller:?}\""), caller));
    let output = scene.give_up();
    let message = |audience| (RecordKind::Message, audience);
    let failed =
        [message(Audience::Socket { socket: 2, contested: false }), message(Audience::Stream { scope: 3 })];
    assert_eq!(records(&output), failed);
    let timed_out: Vec<_> =
        output.deliveries.iter().map(|delivery| (delivery.ticket, &delivery.answer)).collect();
    assert_eq!(timed_out, [(1, &Answer::Silent)]);
    assert!(records(&scene.give_up()).is_empty(), "once");
    // Late answers are on the streams; those who have an error already are not given a second answer.
    let late = ids.map(|id| records(&scene.agent(&answer(&id)))[0]);
    let second = (RecordKind::Response, Audience::Post);
    assert_eq!(late, [message(Audience::Gone), second, second]);
    assert_eq!(scene.relay.pending_requests(), 0);
}

#[test]
fn a_cancellation_reaches_the_request_of_its_client_or_none() {
    let mut scene = Scene::new();
    let post = scene.request("5", Caller::Post(1));
    assert_eq!(scene.cancel("5", Caller::Stream(0)), Ok(Some(post.clone())));
    let sockets = [1, 2].map(|socket| scene.request("5", Caller::Socket(10 + socket)));
    assert_eq!(scene.cancel("5", Caller::Socket(11)), Ok(Some(sockets[0].clone())));
    assert_eq!(scene.cancel("5", Caller::Socket(12)), Ok(Some(sockets[1].clone())));
    assert_eq!(
        scene.cancel("5", Caller::Stream(0)),
        Ok(Some(post.clone())),
        "open sockets cancel themselves"
    );
    // The client of a socket that is gone may be anybody.
    scene.gone.push(11);
    assert_eq!(scene.cancel("5", Caller::Stream(0)), Err(Refused::AmbiguousCancel(2)));
    scene.agent(&answer(&post));
    assert_eq!(scene.cancel("5", Caller::Stream(0)), Ok(Some(sockets[0].clone())));
    // The agent knows this id, but as another client's request.
    assert_eq!(scene.cancel(&sockets[1], Caller::Stream(0)), Ok(None));
    assert_eq!(
        scene.cancel("77", Caller::Stream(0)),
        Ok(Some("77".to_owned())),
        "the agent knows what to do"
    );
}

#[test]
fn an_agent_that_cancels_its_question_waits_no_longer() {
    let mut scene = Scene::new();
    let question = r#"{"jsonrpc":"2.0","id":7,"method":"session/request_permission"}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}"#;
    for lines in [vec![question, cancel], vec![&*format!("{question}\n{cancel}")]] {
        for line in lines {
            let output = scene.agent(line);
            assert!(
                records(&output).iter().all(|record| *record == (RecordKind::Message, Audience::Everyone))
            );
        }
        assert!(!scene.relay.agent_waits() && scene.relay.open_questions().is_empty());
    }
}
