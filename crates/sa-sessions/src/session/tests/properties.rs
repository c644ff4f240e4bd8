//! Random runs: clients, an agent that answers well, late, twice or nonsense, a store that fails, a daemon that is killed after
//! any effect. Whatever happens, the log stays consistent and everybody gets an answer.

use super::world::{Abilities, Health, NATIVE, World, good_answer, refusal};
use crate::agent::{AgentFailure, FromAgent};
use crate::command::{Command, NativeSession, Posted};
use crate::limits::SessionLimits;
use crate::session::Origin;
use proptest::prelude::*;
use sa_api::Unparsed;
use sa_api::sessions::{
    Delivery, EventData, MessageAccepted, MessagePart, PermissionReply, PermissionReplyKind, QuestionReply,
    Role, SessionPatch, UniversalMessage,
};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::sync::oneshot::{self, error::TryRecvError};

#[derive(Debug, Clone)]
enum Step {
    Post {
        key: Option<u8>,
        delivery: Delivery,
    },
    Cancel,
    Withdraw(u8),
    Reorder,
    Decide(PermissionReplyKind, Option<String>),
    Answer {
        rejects: bool,
    },
    Start,
    Patch {
        settings: bool,
    },
    Resume,
    Terminate,
    Update,
    Loosen,
    AskPermission,
    AskQuestion,
    AskNonsense,
    WithdrawAsk,
    AnswerWell,
    /// A refusal, an answer that makes no sense, one to a call that nobody made.
    AnswerBadly(u8),
    OldAnswer(u64),
    Nonsense,
    EndAgent,
    Finish(Result<(), ()>),
    FinishLookup,
    Wait(u64),
    StoreFails(u8),
    Crash {
        after: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let delivery = prop_oneof![3 => Just(Delivery::Queue), 1 => Just(Delivery::Interrupt)];
    let reply = prop_oneof![
        Just(PermissionReplyKind::Once),
        Just(PermissionReplyKind::Always),
        Just(PermissionReplyKind::Reject)
    ];
    let message = proptest::option::weighted(0.2, Just("then this".to_owned()));
    let clients = prop_oneof![
        6 => (proptest::option::weighted(0.4, 0..3u8), delivery)
            .prop_map(|(key, delivery)| Step::Post { key, delivery }),
        1 => Just(Step::Cancel),
        1 => (0..3u8).prop_map(Step::Withdraw),
        1 => Just(Step::Reorder),
        2 => (reply, message).prop_map(|(reply, message)| Step::Decide(reply, message)),
        2 => any::<bool>().prop_map(|rejects| Step::Answer { rejects }),
        2 => Just(Step::Start),
        2 => any::<bool>().prop_map(|settings| Step::Patch { settings }),
        1 => Just(Step::Resume),
        1 => Just(Step::Terminate),
    ];
    let agent = prop_oneof![
        2 => Just(Step::Update),
        1 => Just(Step::Loosen),
        2 => Just(Step::AskPermission),
        2 => Just(Step::AskQuestion),
        1 => Just(Step::AskNonsense),
        1 => Just(Step::WithdrawAsk),
        8 => Just(Step::AnswerWell),
        2 => (0..4u8).prop_map(Step::AnswerBadly),
        1 => (0..9u64).prop_map(Step::OldAnswer),
        1 => Just(Step::Nonsense),
        1 => Just(Step::EndAgent),
    ];
    let world = prop_oneof![
        8 => Just(Step::Finish(Ok(()))),
        1 => Just(Step::Finish(Err(()))),
        3 => Just(Step::FinishLookup),
        2 => prop_oneof![Just(1), Just(3), Just(11), Just(40), Just(700)].prop_map(Step::Wait),
        1 => (1..3u8).prop_map(Step::StoreFails),
        1 => (0..6usize).prop_map(|after| Step::Crash { after }),
    ];
    prop_oneof![4 => clients, 5 => agent, 4 => world]
}

type Answered = oneshot::Receiver<Result<MessageAccepted, crate::SessionError>>;

/// A run, with what clients were answered.
struct Run {
    world: World,
    accepted: Vec<(Option<u8>, usize, Answered)>,
}

impl Run {
    fn new(closes: bool, resumes: bool, joined: bool) -> Self {
        let origin = if joined { Origin::Joined } else { Origin::Started };
        let limits = SessionLimits { queue: 4, idle_ms: 60_000, ..SessionLimits::default() };
        let world = World::with_limits(Abilities { closes, resumes, origin }, limits);
        Self { world, accepted: Vec::new() }
    }

    fn take(&mut self, step: Step) {
        if self.world.is_stopped {
            return;
        }
        match step {
            Step::Post { key, delivery } => self.post(key, delivery),
            Step::Cancel => {
                let reply = self.world.reply("cancel");
                self.world.command(Command::Cancel { reply });
            }
            Step::Withdraw(place) => {
                let queued = self.world.machine.queued();
                let message = queued.get(usize::from(place)).map(|message| message.message_id.clone());
                let reply = self.world.reply("withdraw");
                self.world.command(Command::Withdraw { message_id: message.unwrap_or_default(), reply });
            }
            Step::Reorder => {
                let queued = self.world.machine.queued().into_iter().rev();
                let message_ids = queued.map(|message| message.message_id).collect();
                let reply = self.world.reply("reorder");
                self.world.command(Command::Reorder { message_ids, reply });
            }
            Step::Decide(reply, message) => self.decide(reply, message),
            Step::Answer { rejects } => {
                let open = self.world.machine.record().questions.first();
                let id = open.map(|open| open.request.id.clone()).unwrap_or_default();
                let answers = vec![vec!["x".to_owned()]];
                let answers = (!rejects).then_some(QuestionReply { answers, client: None });
                let reply = self.world.reply("answer");
                self.world.command(Command::Question { id, answers, reply });
            }
            Step::Start => {
                let reply = self.world.reply("start");
                self.world.command(Command::Start { reply });
            }
            Step::Patch { settings } => {
                let mode = settings.then(|| "loose".to_owned());
                let title = Some("title".to_owned());
                let patch = SessionPatch { agent_mode: mode, title, ..SessionPatch::default() };
                let reply = self.world.reply("patch");
                self.world.command(Command::Patch { patch: Box::new(patch), reply });
            }
            Step::Resume => {
                let reply = self.world.reply("resume");
                self.world.command(Command::Resume { reply });
            }
            Step::Terminate => {
                let reply = self.world.reply("terminate");
                self.world.command(Command::Terminate { native: NativeSession::Delete, reply });
            }
            Step::Finish(outcome) => {
                self.world.finish_job(outcome.map_err(|()| AgentFailure::Machine("broken".to_owned())));
            }
            Step::FinishLookup => self.world.finish_lookup(),
            Step::Wait(seconds) => self.world.pass(Duration::from_secs(seconds)),
            Step::StoreFails(commits) => self.world.health = Health::Fails(commits),
            Step::Crash { after } => self.world.crash_after = Some(after),
            step => self.speak(step),
        }
    }

    /// Has the agent do something.
    fn speak(&mut self, step: Step) {
        let world = &mut self.world;
        match step {
            Step::Update => {
                let content = json!({ "type": "text", "text": "word " });
                world.update(json!({ "sessionUpdate": "agent_message_chunk", "content": content }));
            }
            Step::Loosen => {
                world.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": "loose" }));
            }
            Step::AskPermission => {
                let options = [
                    json!({ "optionId": "a", "name": "Allow", "kind": "allow_once" }),
                    json!({ "optionId": "r", "name": "Reject", "kind": "reject_once" }),
                ];
                let call = json!({ "toolCallId": "call", "title": "edit", "kind": "edit" });
                let params = json!({ "sessionId": NATIVE, "toolCall": call, "options": options });
                world.ask("session/request_permission", params);
            }
            Step::AskQuestion => {
                let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
                let params = json!({ "sessionId": NATIVE, "mode": "form", "message": "Name?", "requestedSchema": schema });
                world.ask("elicitation/create", params);
            }
            Step::AskNonsense => {
                world.ask("session/request_permission", json!({ "sessionId": NATIVE }));
                world.ask("fs/read_text_file", json!({ "sessionId": NATIVE }));
            }
            Step::WithdrawAsk => {
                if let Some(id) = world.asked.first().cloned() {
                    let params = RawValue::from_string(format!("{{\"requestId\":{id}}}")).unwrap();
                    world.agent(FromAgent::Notification { method: "$/cancel_request".to_owned(), params });
                }
            }
            Step::AnswerWell => {
                if let Some((call, method)) = world.calls.last().copied() {
                    world.answer(call, Ok(good_answer(method)));
                }
            }
            Step::AnswerBadly(kind) => {
                if let Some((call, _)) = world.calls.last().copied() {
                    let outcome = match kind {
                        0 => Err(refusal(-32602, None)),
                        1 => Err(refusal(-32603, Some("spawn_failed"))),
                        2 => Err(refusal(-32603, Some("session_busy"))),
                        _ => Ok(json!([1])),
                    };
                    world.answer(call, outcome);
                }
            }
            Step::OldAnswer(call) if !world.calls.iter().any(|(waiting, _)| *waiting == call) => {
                world.answer(call, Ok(json!({})));
            }
            Step::Nonsense => {
                let (raw, reason) = ("x".to_owned(), "no JSON".to_owned());
                world.agent(FromAgent::Unparsed(Unparsed { raw, bytes: 1, truncated: false, reason }));
                world.agent(FromAgent::Gap);
            }
            Step::EndAgent => world.end_agent(),
            _ => {}
        }
    }

    fn post(&mut self, key: Option<u8>, delivery: Delivery) {
        let (reply, answer) = self.world.watched();
        self.accepted.push((key, self.world.generation, answer));
        let parts = vec![MessagePart::Text { text: "hello".to_owned() }];
        let named = key.map(|key| key.to_string());
        let message = Box::new(Posted { parts, delivery, key: named, digest: [0; 32], trace: None });
        self.world.command(Command::Post { message, reply });
    }

    fn decide(&mut self, kind: PermissionReplyKind, message: Option<String>) {
        let open = self.world.machine.record().permissions.first();
        let id = open.map(|open| open.id.clone()).unwrap_or_default();
        let decision = PermissionReply { reply: kind, option_id: None, message, rule: None, client: None };
        let reply = self.world.reply("decide");
        self.world.command(Command::Permission { id, decision, reply });
    }

    /// Ends the session and checks everything that has to hold.
    fn check(mut self) -> Result<(), TestCaseError> {
        if !self.world.is_stopped {
            let steps =
                self.world.terminate(|reply| Command::Terminate { native: NativeSession::Delete, reply });
            prop_assert!(steps <= 4, "a termination took {steps} deadlines");
        }
        prop_assert_eq!(self.world.unanswered(), Vec::<&str>::new(), "everybody gets an answer");
        let log = self.world.log();
        prop_assert!(matches!(log.last(), Some(EventData::Ended(_))), "{:?}", log.last());
        check_turns(&log)?;
        check_asks(&log)?;
        self.check_accepted(&log)
    }

    /// Each message that a client got an answer for is where the answer says, under one id for each key.
    fn check_accepted(&mut self, log: &[EventData]) -> Result<(), TestCaseError> {
        let mut by_key: HashMap<u8, String> = HashMap::new();
        let generation = self.world.generation;
        for (key, of, answer) in &mut self.accepted {
            let answer = match answer.try_recv() {
                Ok(answer) => answer,
                // The machine is dropped now, and such a client learns that the session has ended.
                Err(TryRecvError::Empty) => continue,
                Err(TryRecvError::Closed) => {
                    prop_assert!(*of < generation, "a client that posted got no answer");
                    continue;
                }
            };
            let Ok(accepted) = answer else { continue };
            let at = usize::try_from(accepted.event_id).unwrap() - 1;
            let is_it = matches!(log.get(at), Some(EventData::Message(UniversalMessage::Parsed(message)))
                if message.id == accepted.message_id && message.role == Role::User);
            prop_assert!(is_it, "event {} is not the message", accepted.event_id);
            if let Some(key) = key {
                let known = by_key.entry(*key).or_insert_with(|| accepted.message_id.clone());
                prop_assert_eq!(&*known, &accepted.message_id, "one message for each key");
            }
        }
        Ok(())
    }
}

/// Each turn ends once, one at a time, and each message begins a turn or is withdrawn.
fn check_turns(log: &[EventData]) -> Result<(), TestCaseError> {
    let mut running: Option<&str> = None;
    let (mut ended, mut waiting) = (HashSet::new(), HashSet::new());
    for event in log {
        match event {
            EventData::Message(UniversalMessage::Parsed(message)) if message.role == Role::User => {
                prop_assert!(waiting.insert(message.id.as_str()), "a message is accepted once");
            }
            EventData::MessageWithdrawn(withdrawn) => {
                prop_assert!(waiting.remove(withdrawn.message_id.as_str()), "a message waited");
            }
            EventData::TurnStarted(started) => {
                prop_assert_eq!(running.replace(&started.turn_id), None, "one turn at a time");
                let message = started.message_id.as_deref().unwrap();
                prop_assert!(waiting.remove(message), "a turn begins with a message that waited");
            }
            EventData::TurnEnded(turn) => {
                prop_assert_eq!(running.take(), Some(turn.turn_id.as_str()), "a turn that runs ends");
                prop_assert!(ended.insert(turn.turn_id.as_str()), "a turn ends once");
            }
            _ => {}
        }
    }
    prop_assert_eq!(running, None, "every turn ends");
    prop_assert!(waiting.is_empty(), "messages are left: {waiting:?}");
    Ok(())
}

/// Each question and permission is resolved once each time that it is asked.
fn check_asks(log: &[EventData]) -> Result<(), TestCaseError> {
    let mut open = HashSet::new();
    for event in log {
        let (asked, resolved) = match event {
            EventData::PermissionAsked(asked) => (Some(&asked.id), None),
            EventData::QuestionAsked(asked) => (Some(&asked.id), None),
            EventData::PermissionResolved(resolved) => (None, Some(&resolved.id)),
            EventData::QuestionResolved(resolved) => (None, Some(&resolved.id)),
            _ => continue,
        };
        if let Some(id) = asked {
            prop_assert!(open.insert(id), "asked twice: {id}");
        }
        if let Some(id) = resolved {
            prop_assert!(open.remove(id), "resolved without being asked: {id}");
        }
    }
    prop_assert!(open.is_empty(), "never resolved: {open:?}");
    Ok(())
}

proptest! {
    #[test]
    fn whatever_happens_the_log_is_consistent_and_everybody_gets_an_answer(
        abilities in any::<(bool, bool, bool)>(),
        steps in proptest::collection::vec(step(), 1..80),
    ) {
        let (closes, resumes, joined) = abilities;
        let mut run = Run::new(closes, resumes, joined);
        for step in steps {
            run.take(step);
        }
        run.check()?;
    }
}
