//! Transitions one by one: in this state, this input leads there.

use super::world::{Abilities, Health, NATIVE, World, refusal};
use crate::SessionError;
use crate::agent::{AgentFailure, FromAgent};
use crate::command::{Command, NativeSession, Posted, Reply};
use crate::error::Result;
use crate::limits::SessionLimits;
use crate::record::Record;
use crate::session::asks::MAX_OPEN;
use crate::session::{Input, Job, Leftovers, Origin};
use sa_api::AgentExit;
use sa_api::sessions::{
    AllowRule, CancelResult, CutOff, Delivery, EventData, MessageAccepted, MessagePart, PermissionReply,
    PermissionReplyKind, SessionPatch, SessionState, StopReason,
};
use sa_hub::CallError;
use sa_store::StoreError;
use serde_json::json;
use std::time::Duration;
use tokio::sync::oneshot;

const ABLE: Abilities = Abilities { closes: true, resumes: true, origin: Origin::Started };

type State = fn() -> World;
type Answered<T> = oneshot::Receiver<Result<T>>;

fn post(world: &mut World) -> Answered<MessageAccepted> {
    deliver(world, Delivery::Queue)
}

fn deliver(world: &mut World, delivery: Delivery) -> Answered<MessageAccepted> {
    let (reply, answer) = world.watched();
    let parts = vec![MessagePart::Text { text: "hello".to_owned() }];
    let message = Posted { parts, delivery, key: None, digest: [0; 32], trace: None };
    world.command(Command::Post { message: Box::new(message), reply });
    answer
}

fn cancel(world: &mut World) -> Answered<CancelResult> {
    let (reply, answer) = world.watched();
    world.command(Command::Cancel { reply });
    answer
}

fn ready() -> World {
    let mut world = World::new(ABLE);
    world.make_ready();
    assert_eq!(world.state(), SessionState::Idle);
    world
}

fn running() -> World {
    let mut world = ready();
    post(&mut world);
    assert_eq!((world.state(), world.sent.last()), (SessionState::Running, Some(&"session/prompt")));
    world
}

fn last_stop_reason(world: &World) -> Option<StopReason> {
    world.log().into_iter().rev().find_map(|event| match event {
        EventData::TurnEnded(ended) => Some(ended.stop_reason),
        _ => None,
    })
}

fn ask(world: &mut World) {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params =
        json!({ "sessionId": NATIVE, "mode": "form", "message": "Name?", "requestedSchema": schema });
    world.ask("elicitation/create", params);
}

#[test]
fn an_agent_has_a_bounded_number_of_open_requests() {
    let mut world = running();
    let errors = |world: &World| {
        let messages = world.log().into_iter().filter_map(|event| match event {
            EventData::Error(error) => Some(error.message),
            _ => None,
        });
        messages.collect::<Vec<String>>()
    };
    for _ in 0..MAX_OPEN {
        ask(&mut world);
    }
    assert_eq!((world.asked.len(), errors(&world).len()), (MAX_OPEN, 0));
    for _ in 0..3 {
        ask(&mut world);
        assert_eq!(world.asked.len(), MAX_OPEN, "the agent has an answer to the last one");
    }
    assert_eq!(errors(&world), ["the agent waits for 256 decisions; its further requests are refused"]);
    assert_eq!(world.machine.record().questions.len(), MAX_OPEN);
    cancel(&mut world);
    assert_eq!(world.asked.len(), 0);
}

#[test]
fn a_message_starts_the_agent_and_is_prompted_once_the_agent_is_ready() {
    let mut world = World::new(ABLE);
    let mut accepted = post(&mut world);
    assert!(accepted.try_recv().unwrap().is_ok(), "the client waits for the store, not for the agent");
    assert_eq!(world.state(), SessionState::Starting);
    assert!(matches!(world.job, Some(Job::PrepareContext { .. })));
    world.finish_job(Ok(()));
    assert!(matches!(world.job, Some(Job::Connect { .. })));
    world.finish_job(Ok(()));
    assert_eq!(world.sent, ["session/new"]);
    world.answer_well("session/new");
    assert_eq!((world.sent.last(), world.state()), (Some(&"session/prompt"), SessionState::Running));
    world.answer_well("session/prompt");
    assert_eq!((last_stop_reason(&world), world.state()), (Some(StopReason::EndTurn), SessionState::Idle));
}

#[test]
fn cancelling_gives_up_a_start() {
    for steps in 0..3 {
        let mut world = World::new(ABLE);
        post(&mut world);
        (0..steps).for_each(|_| world.finish_job(Ok(())));
        let cancelled = cancel(&mut world).try_recv().unwrap().unwrap();
        assert!(cancelled.turn_id.is_some());
        assert!(world.job.is_none() && !world.is_linked, "after {steps} jobs");
        assert_eq!(last_stop_reason(&world), Some(StopReason::Cancelled));
        assert_eq!(world.state(), SessionState::Interrupted);
    }
}

#[test]
fn a_question_stops_the_clock_of_a_start() {
    let mut world = World::new(ABLE);
    post(&mut world);
    world.finish_job(Ok(()));
    world.finish_job(Ok(()));
    world.pass(Duration::from_secs(50));
    ask(&mut world);
    world.pass(Duration::from_secs(1000));
    assert_eq!(world.state(), SessionState::Starting, "nobody has answered");
    let id = world.machine.record().questions[0].request.id.clone();
    let (reply, _answer) = world.watched();
    world.command(Command::Question { id, answers: None, reply });
    world.pass(Duration::from_secs(59));
    assert_eq!(world.state(), SessionState::Starting, "the time begins again");
    world.pass(Duration::from_secs(2));
    assert_eq!(last_stop_reason(&world), Some(StopReason::Error), "it is late");
}

#[test]
fn a_cancelled_turn_that_does_not_end_costs_its_agent() {
    let mut world = running();
    cancel(&mut world);
    assert_eq!(world.sent.last(), Some(&"session/cancel"));
    world.pass(Duration::from_secs(10));
    assert_eq!(world.sent.last(), Some(&"session/close"), "the agent is asked to let go");
    assert_eq!(last_stop_reason(&world), Some(StopReason::Cancelled));
    world.pass(Duration::from_secs(2));
    assert!(!world.is_linked);
    assert_eq!(world.state(), SessionState::Interrupted);
    post(&mut world);
    world.finish_start();
    assert!(world.sent.contains(&"session/resume"), "{:?}", world.sent);
}

#[test]
fn an_agent_without_work_is_shut_down_and_resumed_by_the_next_message() {
    let limits = SessionLimits { idle_ms: 1000, ..SessionLimits::default() };
    let mut world = World::with_limits(ABLE, limits.clone());
    world.make_ready();
    world.pass(Duration::from_secs(1));
    world.answer_well("session/close");
    assert!(!world.is_linked);
    assert_eq!(world.state(), SessionState::Idle);
    post(&mut world);
    assert_eq!(world.state(), SessionState::Starting);
    let mut stays = World::with_limits(Abilities { resumes: false, ..ABLE }, limits);
    stays.make_ready();
    stays.pass(Duration::from_secs(10));
    assert!(stays.is_linked, "an agent that could not continue is kept");
}

#[test]
fn a_change_that_cannot_be_stored_leaves_everything_as_it_was() {
    let mut world = running();
    let before = world.log().len();
    world.health = Health::Fails(1);
    let mut refused = post(&mut world);
    assert!(matches!(refused.try_recv().unwrap(), Err(SessionError::Store(_))));
    assert!(world.machine.queued().is_empty());
    let mut accepted = post(&mut world);
    assert_eq!(accepted.try_recv().unwrap().unwrap().event_id, before as u64 + 1, "its id is used again");
    world.health = Health::Fails(1);
    let (reply, mut refused) = world.watched();
    let message_id = world.machine.queued()[0].message_id.clone();
    world.command(Command::Withdraw { message_id, reply });
    assert!(matches!(refused.try_recv().unwrap(), Err(SessionError::Store(_))));
    assert_eq!(world.machine.queued().len(), 1);
    world.health = Health::Fails(1);
    let (reply, mut refused) = world.watched();
    let patch = SessionPatch { title: Some("new".to_owned()), ..SessionPatch::default() };
    world.command(Command::Patch { patch: Box::new(patch), reply });
    assert!(matches!(refused.try_recv().unwrap(), Err(SessionError::Store(_))));
    assert_eq!(world.machine.record().title, None);
}

#[test]
fn another_environment_renews_the_agent_before_its_next_turn() {
    let mut world = ready();
    let env = Some([("KEY".to_owned(), "value".to_owned())].into());
    let (reply, mut patched) = world.watched();
    let patch = SessionPatch { env, ..SessionPatch::default() };
    world.command(Command::Patch { patch: Box::new(patch), reply });
    assert!(patched.try_recv().unwrap().is_ok());
    assert!(world.is_linked, "not before there is something to do");
    post(&mut world);
    assert_eq!(world.sent.last(), Some(&"session/close"));
    world.answer_well("session/close");
    world.finish_start();
    assert_eq!(world.sent[2..], ["session/resume", "session/prompt"]);
}

#[test]
fn an_agent_that_loosens_its_mode_is_set_back_or_stopped() {
    let loosen = |world: &mut World| {
        world.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": "loose" }));
        assert_eq!(world.sent.last(), Some(&"session/set_mode"));
    };
    let mut world = running();
    loosen(&mut world);
    world.answer_well("session/set_mode");
    assert_eq!(world.machine.record().choices.mode.as_deref(), Some("ask"));
    assert_eq!(world.state(), SessionState::Running);
    loosen(&mut world);
    let (call, _) = *world.calls.iter().find(|(_, method)| *method == "session/set_mode").unwrap();
    world.answer(call, Err(refusal(-32603, None)));
    assert_eq!(world.sent.last(), Some(&"session/cancel"), "it must not work on");
}

#[test]
fn a_decision_with_a_message_is_refused_while_the_session_ends() {
    let mut world = ready();
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }]);
    let call = json!({ "toolCallId": "call", "title": "edit", "kind": "edit" });
    let params = json!({ "sessionId": NATIVE, "toolCall": call, "options": options });
    world.ask("session/request_permission", params);
    let id = world.machine.record().permissions[0].id.clone();
    let (reply, _ended) = world.watched();
    world.command(Command::Terminate { native: NativeSession::Keep, reply });
    let decide = |world: &mut World, message: Option<&str>| {
        let decision = PermissionReply {
            reply: PermissionReplyKind::Once,
            option_id: None,
            message: message.map(str::to_owned),
            rule: None,
            client: None,
        };
        let (reply, mut answer) = world.watched();
        world.command(Command::Permission { id: id.clone(), decision, reply });
        answer.try_recv().unwrap()
    };
    assert!(matches!(decide(&mut world, Some("then this")), Err(SessionError::Ended)));
    assert!(decide(&mut world, None).is_ok(), "nothing was decided before");
    assert!(world.machine.queued().is_empty());
}

#[test]
fn messages_from_before_a_crash_wait_for_a_client() {
    let mut world = running();
    post(&mut world);
    world.crash();
    assert_eq!(last_stop_reason(&world), Some(StopReason::Unknown));
    assert_eq!((world.machine.queued().len(), world.job.is_some()), (1, false));
    let (reply, mut resumed) = world.watched();
    world.command(Command::Resume { reply });
    assert!(resumed.try_recv().unwrap().is_ok());
    assert_eq!(world.state(), SessionState::Starting);
}

#[test]
fn a_turn_ends_although_its_message_cannot_be_read_after_a_crash() {
    let mut world = running();
    post(&mut world);
    let lost = Some(StoreError::Corrupt("message 1".to_owned()));
    world.crash_with(Leftovers { lost, ..Leftovers::default() });
    let turns = |log: &[EventData]| {
        let ids = log.iter().filter_map(|event| match event {
            EventData::TurnStarted(started) => Some((started.turn_id.clone(), None)),
            EventData::TurnEnded(ended) => Some((ended.turn_id.clone(), ended.reason.clone())),
            _ => None,
        });
        ids.collect::<Vec<_>>()
    };
    let log = world.log();
    let [(begun, None), (ended, Some(CutOff::DaemonRestarted))] = &turns(&log)[..] else {
        panic!("{log:#?}")
    };
    assert_eq!(begun, ended);
    let is_reported =
        |event: &EventData| matches!(event, EventData::Error(error) if error.message.contains("message 1"));
    assert!(log.iter().any(is_reported), "{log:#?}");
    assert!(post(&mut world).try_recv().unwrap().is_ok());
}

#[test]
fn the_agent_is_answered_and_clients_are_replied_to_after_the_store_recovers() {
    let mut world = running();
    ask(&mut world);
    let id = world.machine.record().questions[0].request.id.clone();
    world.health = Health::Fails(2);
    let (reply, mut answered) = world.watched::<()>();
    world.command(Command::Question { id, answers: None, reply });
    for _ in 0..2 {
        assert!(world.is_stalled && answered.try_recv().is_err());
        assert_eq!(world.asked.len(), 1, "the agent still waits");
        world.pass(Duration::from_secs(1));
    }
    assert!(answered.try_recv().unwrap().is_ok() && world.asked.is_empty());
}

#[test]
fn a_message_that_was_reported_as_not_stored_is_not_stored_later() {
    let mut world = running();
    let before = world.published.len();
    let (reply, pending) = Reply::channel();
    let parts = vec![MessagePart::Text { text: "hello".to_owned() }];
    let key = Some("key".to_owned());
    let message = Posted { parts, delivery: Delivery::Queue, key, digest: [0; 32], trace: None };
    world.command(Command::Post { message: Box::new(message), reply });
    // The disk is full while the key is looked up.
    assert!(pending.fate.claim());
    world.finish_lookup();
    assert_eq!((world.published.len(), world.machine.queued().len()), (before, 0));
}

#[test]
fn messages_keep_their_order_while_keys_are_looked_up() {
    let mut world = running();
    let mut answers = Vec::new();
    for key in [Some("a"), None, Some("b"), Some("a"), None] {
        let (reply, answer) = world.watched();
        let parts = vec![MessagePart::Text { text: format!("{} of {key:?}", answers.len()) }];
        let key = key.map(str::to_owned);
        let message = Posted { parts, delivery: Delivery::Queue, key, digest: [0; 32], trace: None };
        world.command(Command::Post { message: Box::new(message), reply });
        answers.push(answer);
    }
    (0..5).for_each(|_| world.finish_lookup());
    let accepted: Vec<_> =
        answers.iter_mut().map(|answer| answer.try_recv().unwrap().unwrap().message_id).collect();
    let queued: Vec<_> = world.machine.queued().into_iter().map(|message| message.message_id).collect();
    let [first, second, third, repeated, last] = accepted.try_into().unwrap();
    assert_eq!(repeated, first, "the key was used before");
    assert_eq!(queued, [first, second, third, last]);
}

#[test]
fn an_interrupting_message_is_answered_although_the_interruption_cannot_be_stored() {
    let mut world = running();
    world.health = Health::SoonFails(1);
    let mut answered = deliver(&mut world, Delivery::Interrupt);
    assert!(answered.try_recv().unwrap().is_ok());
    assert!(world.is_stalled && world.sent.last() == Some(&"session/prompt"));
    world.pass(Duration::from_secs(1));
    assert_eq!(world.sent.last(), Some(&"session/cancel"));
}

#[test]
fn a_client_waits_for_a_message_that_is_being_stored() {
    let (reply, pending) = Reply::<()>::channel();
    assert!(reply.claim() && !pending.fate.claim());
}

#[test]
fn a_program_that_is_gone_is_looked_for_in_another_process_once() {
    let mut world = World::new(Abilities { origin: Origin::Joined, ..ABLE });
    post(&mut world);
    for attempt in 0..2 {
        world.finish_job(Ok(()));
        world.finish_job(Ok(()));
        let (call, _) = *world.calls.last().unwrap();
        world.answer(call, Err(refusal(-32603, Some("spawn_failed"))));
        assert_eq!(world.job.is_some(), attempt == 0);
    }
    assert_eq!(last_stop_reason(&world), Some(StopReason::Error));
    assert!(world.machine.record().error.is_some());
}

#[test]
fn a_session_that_is_lost_is_replaced_and_gets_the_conversation() {
    let mut world = ready();
    world.end_agent();
    assert_eq!(world.state(), SessionState::Interrupted);
    post(&mut world);
    world.finish_job(Ok(()));
    world.finish_job(Ok(()));
    let (call, method) = *world.calls.last().unwrap();
    assert_eq!(method, "session/resume");
    world.answer(call, Err(refusal(-32002, None)));
    world.answer_well("session/new");
    assert!(matches!(world.job, Some(Job::ReadHistory { .. })));
    world.finish_job(Ok(()));
    assert_eq!(world.sent.last(), Some(&"session/prompt"));
}

#[test]
fn an_end_that_the_prompt_notices_first_is_reported_once() {
    let mut world = running();
    let (call, _) = world.calls[0];
    let failure = AgentFailure::Call(CallError::NotRunning(AgentExit::default()));
    world.feed(Input::CallFailed { call, failure });
    world.end_agent();
    let errors = world.log().iter().filter(|event| matches!(event, EventData::Error(_))).count();
    assert_eq!((errors, last_stop_reason(&world)), (1, Some(StopReason::Error)));
}

#[test]
fn the_last_messages_of_an_agent_are_kept_although_the_prompt_notices_its_end_first() {
    let mut world = running();
    let (call, _) = world.calls[0];
    let exit = AgentExit { code: Some(9), ..AgentExit::default() };
    world.feed(Input::CallFailed { call, failure: AgentFailure::Call(CallError::NotRunning(exit)) });
    let content = json!({ "type": "text", "text": "last words" });
    world.update(json!({ "sessionUpdate": "agent_message_chunk", "content": content }));
    world.end_agent();
    let said = world.log().iter().any(|event| format!("{event:?}").contains("last words"));
    assert_eq!((said, last_stop_reason(&world)), (true, Some(StopReason::Error)));
}

#[test]
fn messages_after_the_end_of_an_agent_are_ignored() {
    let mut world = running();
    let (call, _) = world.calls[0];
    world.end_agent();
    assert_eq!(last_stop_reason(&world), Some(StopReason::Error));
    let events = world.log().len();
    world.is_linked = true;
    world.agent(FromAgent::Gap);
    world.answer(call, Ok(json!({ "stopReason": "end_turn" })));
    assert_eq!(world.log().len(), events);
}

#[test]
fn terminating_ends_every_state_within_two_deadlines() {
    let states: [(&str, State, usize); 9] = [
        ("new", || World::new(ABLE), 0),
        ("preparing", || starting(0), 0),
        ("connecting", || starting(1), 0),
        ("opening", || starting(2), 0),
        ("ready", ready, 2),
        ("running", running, 2),
        ("asking", || with(running(), ask), 2),
        ("cancelling", || with(running(), |world| drop(cancel(world))), 2),
        ("lost", || with(ready(), World::end_agent), 0),
    ];
    for (name, state, deadlines) in states {
        let mut world = state();
        let steps = world.terminate(|reply| Command::Terminate { native: NativeSession::Delete, reply });
        assert_eq!((steps, world.state()), (deadlines, SessionState::Ended), "{name}");
        assert_eq!(world.unanswered(), Vec::<&str>::new(), "{name}");
    }
}

fn starting(jobs: usize) -> World {
    let mut world = World::new(ABLE);
    let reply = world.reply("start");
    world.command(Command::Start { reply });
    (0..jobs).for_each(|_| world.finish_job(Ok(())));
    world
}

fn with(mut world: World, step: impl FnOnce(&mut World)) -> World {
    step(&mut world);
    world
}

/// Returns a session on disk with this rule, and this rule of a client.
fn with_rules(rule: &str, allowance: &str) -> World {
    let rules = json!([{ "tool": "execute", "input": rule, "decision": "deny" }]);
    let request = json!({ "agent": "demo", "policy": { "rules": rules } });
    let mut record = Record::new(serde_json::from_value(request).unwrap(), "/".to_owned(), 0);
    let allow = |input: &str| AllowRule { tool: "*".to_owned(), input: Some(input.to_owned()) };
    record.allowances = vec![allow(allowance), allow("git status")];
    World::with_record(ABLE, SessionLimits::default(), record)
}

#[test]
fn no_agent_starts_without_a_rule_that_cannot_be_read() {
    let mut world = with_rules(&"x".repeat(400_000), "ls");
    let (reply, mut answer) = world.watched();
    world.command(Command::Start { reply });
    let failure = answer.try_recv().unwrap().unwrap_err();
    assert!(failure.to_string().starts_with("a rule of this session cannot be read"), "{failure}");
    assert!(world.job.is_none() && world.sent.is_empty());
    assert!(world.log().iter().any(|event| matches!(event, EventData::Error(_))));
}

#[test]
fn an_added_rule_that_cannot_be_read_is_left_out_alone() {
    let mut world = with_rules("rm *", &"x".repeat(400_000));
    world.make_ready();
    assert_eq!(world.state(), SessionState::Idle);
    let notices = world.log().into_iter().filter_map(|event| match event {
        EventData::Notice(notice) => notice.description,
        _ => None,
    });
    let notices: Vec<String> = notices.collect();
    assert!(matches!(&notices[..], [one] if one.contains("is longer than 8192 characters")), "{notices:?}");
    let call =
        |command: &str| json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": command } });
    let options = json!([{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }, { "optionId": "no", "name": "No", "kind": "reject_once" }]);
    for command in ["git status", "rm x"] {
        world.ask(
            "session/request_permission",
            json!({ "sessionId": NATIVE, "toolCall": call(command), "options": options }),
        );
    }
    let decided = world.log().into_iter().filter_map(|event| match event {
        EventData::PermissionResolved(resolved) => resolved.reply,
        _ => None,
    });
    let decided: Vec<PermissionReplyKind> = decided.collect();
    assert_eq!(decided, [PermissionReplyKind::Once, PermissionReplyKind::Reject]);
}
