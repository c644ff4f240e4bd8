//! Questions and permissions: asked by the agent, decided by a client, a rule, the mode or a timeout.

use super::Effect;
use super::allowing::check_client;
use super::asks::{MAX_OPEN, OpenAsk};
use super::machine::Machine;
use super::phase::{Permissions, Phase};
use crate::agent::RpcError;
use crate::command::Posted;
use crate::error::Result;
use crate::record::OpenQuestion;
use crate::{SessionError, Verdict};
use sa_api::sessions::{
    CrashKind, Delivery, EventData, MessagePart, PermissionReply, PermissionReplyKind, PermissionRequest,
    PermissionResolved, QuestionOutcome, QuestionReply, QuestionRequest, QuestionResolved, ResolvedBy,
};
use sa_jsonrpc::codes;
use sa_universal::{Asked as Wanted, BadAnswers, Form};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

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

impl Machine {
    pub(super) fn on_request(&mut self, request: String, method: &str, params: &RawValue) {
        if self.asks.is_full() {
            return self.refuse_overflow(request);
        }
        let id = self.now.new_id("ask");
        let outcome = match method {
            "session/request_permission" => {
                let fewer = self.without_looser(params);
                let params = fewer.as_deref().unwrap_or(params);
                self.reducer.permission(params, &id).map(|(events, wanted)| {
                    self.note(events);
                    match wanted {
                        Wanted::Permission(permission) => {
                            self.ask_permission(request.clone(), permission, Marked::read(params));
                        }
                        Wanted::PlanApproval(question, form) => {
                            self.ask_question(request.clone(), question, form, None);
                        }
                    }
                })
            }
            "elicitation/create" => {
                let visit =
                    serde_json::from_str::<Visit>(params.get()).ok().map(|visit| visit.elicitation_id);
                let (events, wanted) = self.reducer.question(params, &id);
                self.note(events);
                wanted.map(|(question, form)| self.ask_question(request.clone(), question, form, visit))
            }
            _ => {
                let message = format!("the daemon does not offer {method}");
                return self.refuse(request, codes::METHOD_NOT_FOUND, message);
            }
        };
        if let Err(unparsed) = outcome {
            let message = format!("the agent asked something that cannot be understood: {unparsed}");
            self.report_error(CrashKind::Unparsed, message, serde_json::from_str(params.get()).ok());
            self.refuse(request, codes::INVALID_PARAMS, unparsed.to_string());
        }
    }

    /// Refuses a request of an agent that does not wait for its many others.
    fn refuse_overflow(&mut self, request: String) {
        let message = format!("the agent waits for {MAX_OPEN} decisions; its further requests are refused");
        if self.asks.is_new_overflow() {
            self.report_error(CrashKind::Protocol, message.clone(), None);
        }
        self.refuse(request, codes::INTERNAL_ERROR, message);
    }

    /// Returns whether the agent is to stop, so that nobody is asked any more.
    fn is_stopping(&self) -> bool {
        matches!(self.phase, Phase::Leaving(_)) || self.ending.is_some() || self.turn.is_stopping()
    }

    fn refuse(&mut self, request: String, code: i32, message: String) {
        self.answer_agent(request, Err(RpcError::new(code, message)));
    }

    fn answer_agent(&mut self, request: String, outcome: Result<Value, RpcError>) {
        self.effect(Effect::Answer { request, outcome });
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
        if self.phase.link().is_some_and(|link| link.permissions == Permissions::Daemon) {
            return Some((once, ResolvedBy::PermissionMode));
        }
        // The agent asks about this only because the session has rules, and none of them is about it.
        (marked == Marked::Allowed && self.policy.has_rules()).then_some((once, ResolvedBy::Agent))
    }

    fn ask_permission(&mut self, request: String, mut permission: PermissionRequest, marked: Marked) {
        self.recognize(&mut permission);
        let decided = self.decided(&permission, marked);
        let timeout = self.policy.timeout().filter(|_| decided.is_none());
        permission.expires_at = timeout.map(|timeout| self.now.timestamp_in(timeout));
        let id = permission.id.clone();
        let deadline = timeout.map(|timeout| self.now.instant + timeout);
        self.asks.add(OpenAsk { id: id.clone(), request, deadline, visit: None });
        self.draft.event(EventData::PermissionAsked(permission.clone()));
        self.record.permissions.push(permission);
        match decided {
            Some((Some(reply), by)) => self.decide_automatically(&id, reply, by),
            Some((None, by)) => self.withdraw_ask(&id, by),
            None => {}
        }
    }

    fn ask_question(
        &mut self,
        request: String,
        mut question: QuestionRequest,
        form: Form,
        visit: Option<String>,
    ) {
        self.recognize(&mut question);
        let timeout = self.policy.timeout();
        question.expires_at = timeout.map(|timeout| self.now.timestamp_in(timeout));
        let id = question.id.clone();
        let deadline = timeout.map(|timeout| self.now.instant + timeout);
        self.asks.add(OpenAsk { id: id.clone(), request, deadline, visit });
        self.draft.event(EventData::QuestionAsked(question.clone()));
        self.record.questions.push(OpenQuestion { request: question, form });
        if self.is_stopping() {
            self.withdraw_ask(&id, ResolvedBy::TurnEnded);
        }
    }

    /// Takes a client's answers to a question. Without answers the question is rejected.
    pub(super) fn answer_question(&mut self, id: &str, reply: Option<QuestionReply>) -> Result<()> {
        let (answers, client) = match reply {
            Some(QuestionReply { answers, client }) => (Some(answers), client),
            None => (None, None),
        };
        check_client(client.as_deref())?;
        let Some(open) = self.record.questions.iter().find(|open| open.request.id == id) else {
            return Err(self.asks.not_open(id));
        };
        let (outcome, answer) = match &answers {
            Some(answers) => {
                let answer = open.form.answer(answers).map_err(|bad| match bad {
                    BadAnswers::Bound { .. } => SessionError::OutOfBounds(bad),
                    bad => SessionError::Invalid(bad.to_string()),
                })?;
                (QuestionOutcome::Answered, answer)
            }
            None => (QuestionOutcome::Rejected, open.form.decline()),
        };
        let (id, by) = (id.to_owned(), ResolvedBy::Client);
        self.close(Verdict::Question(QuestionResolved { id, outcome, answers, by, client }), Ok(answer));
        Ok(())
    }

    /// Records a decision, and answers the agent.
    fn close(&mut self, verdict: Verdict, answer: Result<Value, RpcError>) {
        self.record.questions.retain(|open| open.request.id != verdict.id());
        self.record.permissions.retain(|permission| permission.id != verdict.id());
        if let Some(ask) = self.asks.take(verdict.id()) {
            self.answer_agent(ask.request, answer);
        }
        self.asks.remember(verdict.clone());
        self.draft.event(verdict.into_event());
    }

    /// Takes a client's decision on a permission.
    pub(super) fn answer_permission(&mut self, id: &str, decision: PermissionReply) -> Result<()> {
        if !self.record.permissions.iter().any(|permission| permission.id == id) {
            return Err(self.asks.not_open(id));
        }
        check_client(decision.client.as_deref())?;
        let message = decision.message.clone().filter(|text| !text.trim().is_empty());
        // Before anything is decided: a message that cannot be passed on must not be lost.
        if message.is_some() {
            self.check_open()?;
            self.check_room()?;
        }
        self.decide_permission(id, &decision, ResolvedBy::Client)?;
        if let Some(rule) = decision.rule {
            self.allow(rule);
        }
        if let Some(text) = message {
            let (parts, trace) = (vec![MessagePart::Text { text }], self.tracing.context());
            let posted = Posted { parts, delivery: Delivery::Queue, key: None, digest: [0; 32], trace };
            let (message, _) = self.stage(posted);
            self.queue.push(message);
        }
        Ok(())
    }

    fn decide_permission(&mut self, id: &str, decision: &PermissionReply, by: ResolvedBy) -> Result<()> {
        let Some(permission) = self.record.permissions.iter().find(|permission| permission.id == id) else {
            return Err(SessionError::NotAsked(id.to_owned()));
        };
        let to_agent = self.reply_to_agent(permission, decision)?;
        let decided = sa_universal::permission_answer(permission, &to_agent)
            .map_err(|none| SessionError::Invalid(none.to_string()))?;
        let resolved = PermissionResolved {
            id: id.to_owned(),
            reply: Some(if decision.rule.is_some() { decision.reply } else { decided.reply }),
            option_id: decided.option_id,
            rule: decision.rule.clone(),
            by,
            client: decision.client.clone(),
        };
        self.close(Verdict::Permission(resolved), Ok(decided.result));
        Ok(())
    }

    /// Decides without a client. An agent that only offers to be allowed permanently is allowed permanently.
    pub(super) fn decide_automatically(&mut self, id: &str, reply: PermissionReplyKind, by: ResolvedBy) {
        let or = if reply == PermissionReplyKind::Once { PermissionReplyKind::Always } else { reply };
        for reply in [reply, or] {
            let decision =
                PermissionReply { reply, option_id: None, message: None, rule: None, client: None };
            if self.decide_permission(id, &decision, by).is_ok() {
                return;
            }
        }
        self.withdraw_ask(id, by);
    }

    /// Closes an ask that nobody can answer any more, and answers the agent that it was cancelled.
    fn withdraw_ask(&mut self, id: &str, by: ResolvedBy) {
        let question = self.record.questions.iter().find(|open| open.request.id == id);
        let answer = question.map_or_else(sa_universal::permission_cancelled, |open| open.form.cancel());
        self.close_undecided(id, by, Ok(answer));
    }

    /// Closes an ask that the agent has withdrawn.
    pub(super) fn on_request_withdrawn(&mut self, params: &RawValue) {
        if let Some(id) = self.asks.withdrawn(params) {
            let cancelled = RpcError::new(codes::REQUEST_CANCELLED, "the request was cancelled".to_owned());
            self.close_undecided(&id, ResolvedBy::Withdrawn, Err(cancelled));
        }
    }

    fn close_undecided(&mut self, id: &str, by: ResolvedBy, answer: Result<Value, RpcError>) {
        let is_question = self.record.questions.iter().any(|open| open.request.id == id);
        let withdrawn = if is_question { Verdict::question_withdrawn } else { Verdict::permission_withdrawn };
        self.close(withdrawn(id.to_owned(), by), answer);
    }

    /// Closes everything that is open, also asks of an agent that is gone.
    pub(super) fn withdraw_asks(&mut self, by: ResolvedBy) {
        let questions = self.record.questions.iter().map(|open| open.request.id.clone());
        let permissions = self.record.permissions.iter().map(|permission| permission.id.clone());
        let ids: Vec<String> = questions.chain(permissions).collect();
        for id in ids {
            self.withdraw_ask(&id, by);
        }
    }

    /// Decides what nobody has decided in time.
    pub(super) fn expire_asks(&mut self) {
        for id in self.asks.due(self.now.instant) {
            let Some(open) = self.record.questions.iter().find(|open| open.request.id == id) else {
                self.decide_automatically(&id, self.policy.after_timeout(), ResolvedBy::Timeout);
                continue;
            };
            let decline = open.form.decline();
            let verdict = Verdict::question(id, QuestionOutcome::Rejected, ResolvedBy::Timeout);
            self.close(verdict, Ok(decline));
        }
    }

    /// Closes a question whose answer was given elsewhere.
    pub(super) fn on_visited(&mut self, params: &RawValue) {
        let Ok(visit) = serde_json::from_str::<Visit>(params.get()) else { return };
        if let Some(id) = self.asks.visiting(&visit.elicitation_id) {
            let verdict = Verdict::question(id, QuestionOutcome::Answered, ResolvedBy::Client);
            self.close(verdict, Ok(json!({ "action": "accept" })));
        }
    }
}
