//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask as native;
use agent_client_protocol_schema::v1::{ElicitationAction, ToolCallUpdate, ToolCallUpdateFields, ToolKind};
use sa_acp::{Described, Question, Reply, action, chosen, form_answers, form_request, one_line};
use serde_json::json;

/// Questions that wait for their answers.
#[derive(Debug)]
pub struct Questions {
    call: String,
    questions: Vec<Question>,
    /// Asked one by one: those before this one are done.
    next: usize,
    answers: Vec<Vec<String>>,
}

fn question(native: native::Question) -> Question {
    Question {
        text: native.question,
        header: native.header,
        several: native.multiple,
        free: native.custom.unwrap_or(true),
        options: native.options.into_iter().map(|choice| (choice.label, choice.description)).collect(),
    }
}

impl Session {
    /// The session, or a sub-agent of it, asks the user something.
    pub(super) fn ask_user(&mut self, core: &mut Core, asked: native::Questions) {
        if self.conversation.asks.contains_key(&asked.id) {
            return;
        }
        let call = asked.tool.map(|tool| tool.call).filter(|call| !call.is_empty());
        let call = call.unwrap_or_else(|| asked.id.clone());
        if self.is_plan_exit(&call, &asked.questions) {
            return self.ask_plan(core, &asked.id, call, &asked.questions);
        }
        let questions: Vec<_> = asked.questions.into_iter().map(question).collect();
        if questions.is_empty() {
            return self.reject_question(core, &asked.id);
        }
        self.tell_asked(core, &call, &questions);
        let questions = Questions { call, questions, next: 0, answers: Vec::new() };
        if core.client.handshake.shows_forms() {
            self.show_form(core, &asked.id, questions);
        } else {
            self.next_choice(core, &asked.id, questions);
        }
    }

    /// The server asks before it tells of the call.
    fn tell_asked(&mut self, core: &mut Core, call: &str, questions: &[Question]) {
        let title = match questions {
            [only] => one_line(&only.text),
            several => format!("{} questions", several.len()),
        };
        let asked: Vec<_> = questions.iter().map(|question| question.text.as_str()).collect();
        let input = json!({ "questions": asked });
        let described = Described::new("question", ToolKind::Other, title, input);
        self.tool_started(core, call, described, None);
    }

    fn show_form(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let request = form_request(&self.conversation.id, &questions.call, &questions.questions);
        self.conversation.pass_on(&mut core.client, id, Ask::Form(questions), "elicitation/create", request);
    }

    pub(super) fn form_answered(
        &mut self,
        core: &mut Core,
        id: &str,
        mut questions: Questions,
        reply: Reply,
    ) {
        match action(reply) {
            Ok(ElicitationAction::Accept(accepted)) => {
                let content = accepted.content.unwrap_or_default();
                questions.answers = form_answers(questions.questions.len(), &content);
                self.finish(core, id, &questions);
            }
            Ok(ElicitationAction::Cancel) => {
                self.reject_question(core, id);
                self.stop(core);
            }
            Ok(_) => self.reject_question(core, id),
            Err(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "no answer");
                self.reject_question(core, id);
            }
        }
    }

    /// Asks the next question as a choice, or answers the server when none is left.
    fn next_choice(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let Some(question) = questions.questions.get(questions.next) else {
            return self.finish(core, id, &questions);
        };
        let options = question.choices();
        let fields = ToolCallUpdateFields::new().title(question.text.clone());
        let call = ToolCallUpdate::new(questions.call.clone(), fields);
        self.conversation.pass_on_choice(&mut core.client, id, Ask::Choice(questions), call, options);
    }

    pub(super) fn choice_answered(
        &mut self,
        core: &mut Core,
        id: &str,
        mut questions: Questions,
        reply: Reply,
    ) {
        let choice = match chosen(reply) {
            Ok(Some(choice)) => choice,
            Ok(None) => {
                self.reject_question(core, id);
                return self.stop(core);
            }
            Err(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "no answer");
                return self.reject_question(core, id);
            }
        };
        let question = questions.questions.get(questions.next);
        let label = question.and_then(|question| question.label(&choice)).map(str::to_owned);
        questions.answers.push(label.into_iter().collect());
        questions.next += 1;
        self.next_choice(core, id, questions);
    }

    /// Answers the server. Without a single answer the user wants none of it.
    fn finish(&self, core: &mut Core, id: &str, questions: &Questions) {
        if questions.answers.iter().all(Vec::is_empty) {
            return self.reject_question(core, id);
        }
        self.answer_question(core, id, &questions.answers);
    }
}
