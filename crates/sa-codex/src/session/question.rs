//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask::{Answer, Question as Native, UserInput, Words};
use agent_client_protocol_schema::v1::{
    ElicitationAction, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
    ToolKind,
};
use sa_acp::{Question, Reply, action, chosen, form_answers, form_request, one_line};
use serde_json::json;
use std::collections::BTreeMap;

/// Questions that wait for their answers.
#[derive(Debug)]
pub struct Questions {
    call: String,
    /// The CLI's own ids of them.
    ids: Vec<String>,
    questions: Vec<Question>,
    /// Asked one by one: those before this one are done.
    next: usize,
    answers: BTreeMap<String, Words>,
}

impl Questions {
    fn note(&mut self, index: usize, answers: Vec<String>) {
        if let Some(id) = self.ids.get(index).filter(|_| !answers.is_empty()) {
            self.answers.insert(id.clone(), Words { answers });
        }
    }
}

fn question(native: Native) -> Question {
    let options = native.options.unwrap_or_default();
    Question {
        text: native.question,
        header: native.header,
        several: false,
        free: native.is_other,
        options: options.into_iter().map(|choice| (choice.label, choice.description)).collect(),
    }
}

impl Session {
    /// Secrets must not be asked for in a form; such a question stays without an answer.
    pub(super) fn ask_user(&mut self, core: &mut Core, id: &str, input: UserInput) {
        let open: Vec<_> = input.questions.into_iter().filter(|question| !question.is_secret).collect();
        let questions = Questions {
            call: input.item_id,
            ids: open.iter().map(|question| question.id.clone()).collect(),
            questions: open.into_iter().map(question).collect(),
            next: 0,
            answers: BTreeMap::new(),
        };
        if questions.questions.is_empty() {
            return self.respond(core, id, Answer::Answers { answers: questions.answers });
        }
        self.tell_asked(core, &questions);
        if core.client.handshake.shows_forms() {
            self.show_form(core, id, questions);
        } else {
            self.next_choice(core, id, questions);
        }
    }

    /// The CLI has no item for a question.
    fn tell_asked(&self, core: &mut Core, questions: &Questions) {
        let title = match questions.questions.as_slice() {
            [only] => one_line(&only.text),
            several => format!("{} questions", several.len()),
        };
        let asked: Vec<_> = questions.questions.iter().map(|question| question.text.as_str()).collect();
        let call = ToolCall::new(questions.call.clone(), title)
            .name("request_user_input".to_owned())
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .raw_input(json!({ "questions": asked }));
        self.conversation.update(&mut core.client, &SessionUpdate::ToolCall(call));
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
                let answers = form_answers(questions.ids.len(), &accepted.content.unwrap_or_default());
                for (index, words) in answers.into_iter().enumerate() {
                    questions.note(index, words);
                }
            }
            Ok(ElicitationAction::Cancel) => self.stop(core),
            Ok(_) => {}
            Err(reason) => tracing::warn!(session = %self.conversation.id, reason, "no answer"),
        }
        self.finish(core, id, questions);
    }

    /// Asks the next question as a choice, or answers the CLI when none is left.
    fn next_choice(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let Some(question) = questions.questions.get(questions.next) else {
            return self.finish(core, id, questions);
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
                self.stop(core);
                return self.finish(core, id, questions);
            }
            Err(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "no answer");
                return self.finish(core, id, questions);
            }
        };
        let next = questions.next;
        let label = questions.questions.get(next).and_then(|question| question.label(&choice));
        if let Some(label) = label.map(str::to_owned) {
            questions.note(next, vec![label]);
        }
        questions.next += 1;
        self.next_choice(core, id, questions);
    }

    /// Answers the CLI. Without a single answer the user wants none of it.
    fn finish(&self, core: &mut Core, id: &str, questions: Questions) {
        let Questions { call, answers, .. } = questions;
        let status = if answers.is_empty() { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let said: BTreeMap<_, _> = answers.iter().map(|(id, words)| (id, &words.answers)).collect();
        let fields = ToolCallUpdateFields::new().status(status).raw_output(json!({ "answers": said }));
        self.conversation
            .update(&mut core.client, &SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call, fields)));
        self.respond(core, id, Answer::Answers { answers });
    }
}
