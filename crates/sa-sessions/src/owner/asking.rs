//! Questions and permissions: asked by the agent, decided by a client, a rule, the mode or the time.

use super::Owner;
use super::allowing::{Resolver, check_client};
use super::turns::named;
use crate::agent::{RpcError, withdrawn_request};
use crate::command::Posted;
use crate::moment::now_ms;
use crate::record::OpenQuestion;
use crate::{SessionError, Verdict};
use sa_api::Timestamp;
use sa_api::sessions::{
    CrashInfo, CrashKind, Delivery, EventData, MessagePart, PermissionReply, PermissionReplyKind,
    PermissionRequest, PermissionResolved, QuestionOutcome, QuestionReply, QuestionRequest, QuestionResolved,
    ResolvedBy,
};
use sa_jsonrpc::{Id, codes};
use sa_universal::{Asked as Wanted, BadAnswers, Form};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// Decisions that are remembered for those who come too late.
const DECIDED: usize = 1024;

/// A request of the agent's that waits for a decision.
pub(super) struct Asked {
    pub(super) id: String,
    /// The JSON of the id under which the agent waits.
    request: String,
    pub(super) deadline: Option<Instant>,
    kind: Kind,
    /// What the agent calls the visit to an address that it waits for.
    visit: Option<String>,
}

/// A visit to an address, as the agent names it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Visit {
    elicitation_id: String,
}

/// A mark on a request for permission.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marked {
    Nothing,
    /// The agent would have allowed the call by itself.
    Allowed,
}

impl Marked {
    fn read(params: &RawValue) -> Self {
        let params: Value = serde_json::from_str(params.get()).unwrap_or_default();
        match params["_meta"]["sandboxAgent"]["allowed"] == true {
            true => Self::Allowed,
            false => Self::Nothing,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Question,
    Permission,
}

impl Owner {
    /// The agent asks something.
    pub(super) fn asks(&mut self, request: String, method: &str, params: &RawValue) {
        let turn = self.turn_id();
        let outcome = match method {
            "session/request_permission" => {
                let fewer = self.without_looser(params);
                let params = fewer.as_deref().unwrap_or(params);
                self.reducer.permission(params, &named("ask")).map(|(events, asked)| {
                    self.note(events);
                    match asked {
                        Wanted::Permission(permission) => {
                            self.permission_asked(request.clone(), permission, Marked::read(params));
                        }
                        Wanted::PlanApproval(question, form) => {
                            self.question_asked(request.clone(), question, form, None);
                        }
                    }
                })
            }
            "elicitation/create" => {
                let visit =
                    serde_json::from_str::<Visit>(params.get()).ok().map(|visit| visit.elicitation_id);
                let (events, asked) = self.reducer.question(params, &named("ask"));
                self.note(events);
                asked.map(|(question, form)| self.question_asked(request.clone(), question, form, visit))
            }
            _ => {
                let message = format!("the daemon does not offer {method}");
                return self.refuse(request, codes::METHOD_NOT_FOUND, message);
            }
        };
        if let Err(unparsed) = outcome {
            self.draft.event(EventData::Error(CrashInfo {
                message: format!("the agent asked something that cannot be understood: {unparsed}"),
                kind: CrashKind::Unparsed,
                turn_id: turn,
                exit: None,
                details: serde_json::from_str(params.get()).ok(),
            }));
            self.refuse(request, codes::INVALID_PARAMS, unparsed.to_string());
        }
    }

    /// Returns whether the agent is to stop, so that nobody is asked any more.
    fn is_stopping(&self) -> bool {
        self.closing
            || self.ending.is_some()
            || self.turn.as_ref().is_some_and(|turn| turn.cancel_by.is_some())
    }

    fn refuse(&mut self, request: String, code: i32, message: String) {
        self.reply(request, Err(RpcError { code: i64::from(code), message, data: None }));
    }

    /// Decides on a permission without a client, if that can be done.
    fn decided(
        &self,
        permission: &PermissionRequest,
        marked: Marked,
    ) -> Option<(Option<PermissionReplyKind>, ResolvedBy)> {
        if self.is_stopping() {
            return Some((None, ResolvedBy::TurnEnded));
        }
        if let Some(decision) = self.policy.decide(permission) {
            return decision.reply().map(|reply| (Some(reply), ResolvedBy::Rule));
        }
        let once = Some(PermissionReplyKind::Once);
        if self.link.as_ref().is_some_and(|link| link.allow_all) {
            return Some((once, ResolvedBy::PermissionMode));
        }
        // The agent asks about this only because the session has rules, and none of them is about it.
        (marked == Marked::Allowed && self.policy.has_rules()).then_some((once, ResolvedBy::Agent))
    }

    fn permission_asked(&mut self, request: String, mut permission: PermissionRequest, marked: Marked) {
        self.recognize(&mut permission);
        let decided = self.decided(&permission, marked);
        let deadline = self.policy.timeout().filter(|_| decided.is_none());
        permission.expires_at = deadline.map(expires);
        let asked = Asked {
            id: permission.id.clone(),
            request,
            deadline: deadline.map(|timeout| Instant::now() + timeout),
            kind: Kind::Permission,
            visit: None,
        };
        self.draft.event(EventData::PermissionAsked(permission.clone()));
        self.record.permissions.push(permission);
        self.asked.push(asked);
        if let Some((reply, by)) = decided {
            let id = self.asked.last().map(|asked| asked.id.clone()).unwrap_or_default();
            match reply {
                Some(reply) => self.decide_unasked(&id, reply, by),
                None => self.withdraw(&id, by),
            }
        }
    }

    fn question_asked(
        &mut self,
        request: String,
        mut question: QuestionRequest,
        form: Form,
        visit: Option<String>,
    ) {
        self.recognize(&mut question);
        let timeout = self.policy.timeout();
        question.expires_at = timeout.map(expires);
        let id = question.id.clone();
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        self.asked.push(Asked { id: id.clone(), request, deadline, kind: Kind::Question, visit });
        self.draft.event(EventData::QuestionAsked(question.clone()));
        self.record.questions.push(OpenQuestion { request: question, form });
        if self.is_stopping() {
            self.withdraw(&id, ResolvedBy::TurnEnded);
        }
    }

    /// A client answers, or rejects, a question.
    pub(super) async fn answer_question(
        &mut self,
        id: &str,
        reply: Option<QuestionReply>,
    ) -> Result<(), SessionError> {
        let (answers, client) = match reply {
            Some(QuestionReply { answers, client }) => (Some(answers), client),
            None => (None, None),
        };
        check_client(client.as_deref())?;
        let Some(open) = self.record.questions.iter().find(|open| open.request.id == id) else {
            return Err(self.not_open(id));
        };
        let answer = match &answers {
            Some(answers) => {
                let answer = open.form.answer(answers);
                answer.map_err(|bad| match bad {
                    BadAnswers::Bound { .. } => SessionError::OutOfBounds(bad),
                    bad => SessionError::Invalid(bad.to_string()),
                })?
            }
            None => open.form.decline(),
        };
        let outcome = if answers.is_some() { QuestionOutcome::Answered } else { QuestionOutcome::Rejected };
        self.close_question(id, outcome, answers, Resolver { by: ResolvedBy::Client, client }, answer);
        self.commit().await;
        Ok(())
    }

    fn close_question(
        &mut self,
        id: &str,
        outcome: QuestionOutcome,
        answers: Option<Vec<Vec<String>>>,
        resolver: Resolver,
        answer: Value,
    ) {
        self.record.questions.retain(|open| open.request.id != id);
        let resolved = QuestionResolved {
            id: id.to_owned(),
            outcome,
            answers,
            by: resolver.by,
            client: resolver.client,
        };
        self.remember(Verdict::Question(resolved.clone()));
        self.draft.event(EventData::QuestionResolved(resolved));
        if let Some(asked) = self.take_asked(id) {
            self.reply(asked.request, Ok(answer));
        }
    }

    /// A client decides on a permission.
    pub(super) async fn answer_permission(
        &mut self,
        id: &str,
        decision: PermissionReply,
    ) -> Result<(), SessionError> {
        if !self.record.permissions.iter().any(|permission| permission.id == id) {
            return Err(self.not_open(id));
        }
        check_client(decision.client.as_deref())?;
        let message = decision.message.clone().filter(|text| !text.trim().is_empty());
        // Before anything is decided: what cannot be passed on must not be lost.
        if message.is_some() {
            self.check_room()?;
        }
        self.decide_permission(id, &decision, ResolvedBy::Client)?;
        if let Some(rule) = decision.rule {
            self.allow(rule);
        }
        let staged = message.map(|text| {
            let parts = vec![MessagePart::Text { text }];
            let trace = self.trace.clone();
            self.stage(Posted { parts, delivery: Delivery::Queue, key: None, digest: [0; 32], trace })
        });
        self.commit().await;
        if let Some((message, _)) = staged {
            self.enqueue(message);
        }
        Ok(())
    }

    fn decide_permission(
        &mut self,
        id: &str,
        decision: &PermissionReply,
        by: ResolvedBy,
    ) -> Result<(), SessionError> {
        let Some(position) = self.record.permissions.iter().position(|permission| permission.id == id) else {
            return Err(SessionError::NotAsked(id.to_owned()));
        };
        let permission = &self.record.permissions[position];
        let to_agent = self.reply_to_agent(permission, decision)?;
        let decided = sa_universal::permission_answer(permission, &to_agent)
            .map_err(|none| SessionError::Invalid(none.to_string()))?;
        self.record.permissions.remove(position);
        let resolved = PermissionResolved {
            id: id.to_owned(),
            reply: Some(if decision.rule.is_some() { decision.reply } else { decided.reply }),
            option_id: decided.option_id,
            rule: decision.rule.clone(),
            by,
            client: decision.client.clone(),
        };
        self.remember(Verdict::Permission(resolved.clone()));
        self.draft.event(EventData::PermissionResolved(resolved));
        if let Some(asked) = self.take_asked(id) {
            self.reply(asked.request, Ok(decided.result));
        }
        Ok(())
    }

    /// Decides without a client. An agent that only offers to be allowed for good is allowed for good.
    pub(super) fn decide_unasked(&mut self, id: &str, reply: PermissionReplyKind, by: ResolvedBy) {
        let or = if reply == PermissionReplyKind::Once { PermissionReplyKind::Always } else { reply };
        for reply in [reply, or] {
            let decision =
                PermissionReply { reply, option_id: None, message: None, rule: None, client: None };
            if self.decide_permission(id, &decision, by).is_ok() {
                return;
            }
        }
        self.withdraw(id, by);
    }

    /// Closes what nobody can answer any more, and answers the agent that it was cancelled.
    fn withdraw(&mut self, id: &str, by: ResolvedBy) {
        let question = self.record.questions.iter().find(|open| open.request.id == id);
        let answer = question.map_or_else(sa_universal::permission_cancelled, |open| open.form.cancel());
        self.close_undecided(id, by, Ok(answer));
    }

    /// Closes what the agent has taken back. An answer that comes later would be for something that is no longer so.
    pub(super) fn taken_back(&mut self, params: &RawValue) {
        let Some(request) = withdrawn_request(params) else { return };
        let asked = self.asked.iter().find(|asked| Id::from_json(&asked.request).as_ref() == Some(&request));
        if let Some(id) = asked.map(|asked| asked.id.clone()) {
            let message = "the request was cancelled".to_owned();
            let cancelled = RpcError { code: i64::from(codes::REQUEST_CANCELLED), message, data: None };
            self.close_undecided(&id, ResolvedBy::Withdrawn, Err(cancelled));
        }
    }

    fn close_undecided(&mut self, id: &str, by: ResolvedBy, answer: Result<Value, RpcError>) {
        let questions = self.record.questions.len();
        self.record.questions.retain(|open| open.request.id != id);
        let verdict = if self.record.questions.len() < questions {
            let outcome = QuestionOutcome::Cancelled;
            Verdict::Question(QuestionResolved {
                id: id.to_owned(),
                outcome,
                answers: None,
                by,
                client: None,
            })
        } else {
            self.record.permissions.retain(|permission| permission.id != id);
            Verdict::Permission(PermissionResolved {
                id: id.to_owned(),
                reply: None,
                option_id: None,
                rule: None,
                by,
                client: None,
            })
        };
        self.remember(verdict.clone());
        self.draft.event(match verdict {
            Verdict::Question(resolved) => EventData::QuestionResolved(resolved),
            Verdict::Permission(resolved) => EventData::PermissionResolved(resolved),
        });
        if let Some(asked) = self.take_asked(id) {
            self.reply(asked.request, answer);
        }
    }

    /// The same for everything that is open, also what an agent asked that is gone.
    pub(super) fn withdraw_asked(&mut self, by: ResolvedBy) {
        let questions = self.record.questions.iter().map(|open| open.request.id.clone());
        let permissions = self.record.permissions.iter().map(|permission| permission.id.clone());
        let ids: Vec<String> = questions.chain(permissions).collect();
        for id in ids {
            self.withdraw(&id, by);
        }
    }

    /// Decides what nobody has decided in time.
    pub(super) fn expire_asked(&mut self, now: Instant) {
        let due = self.asked.iter().filter(|asked| asked.deadline.is_some_and(|deadline| deadline <= now));
        let due: Vec<(String, Kind)> = due.map(|asked| (asked.id.clone(), asked.kind)).collect();
        for (id, kind) in due {
            if kind == Kind::Permission {
                self.decide_unasked(&id, self.policy.after_timeout(), ResolvedBy::Timeout);
            } else if let Some(open) = self.record.questions.iter().find(|open| open.request.id == id) {
                let decline = open.form.decline();
                self.close_question(
                    &id,
                    QuestionOutcome::Rejected,
                    None,
                    ResolvedBy::Timeout.into(),
                    decline,
                );
            }
        }
    }

    /// What was to be done elsewhere is done.
    pub(super) fn visited(&mut self, params: &RawValue) {
        let Ok(visit) = serde_json::from_str::<Visit>(params.get()) else { return };
        let asked = self.asked.iter().find(|asked| asked.visit.as_ref() == Some(&visit.elicitation_id));
        if let Some(id) = asked.map(|asked| asked.id.clone()) {
            let answer = json!({ "action": "accept" });
            self.close_question(&id, QuestionOutcome::Answered, None, ResolvedBy::Client.into(), answer);
        }
    }

    fn take_asked(&mut self, id: &str) -> Option<Asked> {
        let position = self.asked.iter().position(|asked| asked.id == id)?;
        Some(self.asked.swap_remove(position))
    }

    fn remember(&mut self, verdict: Verdict) {
        if self.decided.len() == DECIDED {
            self.decided.pop_front();
        }
        self.decided.push_back(verdict);
    }

    /// Why nothing of this id can be decided: it was lately, or it is not known here.
    fn not_open(&self, id: &str) -> SessionError {
        match self.decided.iter().rev().find(|verdict| verdict.id() == id) {
            Some(verdict) => SessionError::Resolved(Box::new(verdict.clone())),
            None => SessionError::NotAsked(id.to_owned()),
        }
    }
}

fn expires(timeout: Duration) -> Timestamp {
    Timestamp::from_millis(now_ms().saturating_add(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)))
}
