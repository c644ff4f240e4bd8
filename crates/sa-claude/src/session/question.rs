//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::{Ask, deny};
use super::permission::{Permission, titled};
use crate::core::Core;
use crate::native::frame::CanUseTool;
use crate::native::line::Answer;
use agent_client_protocol_schema::v1::ElicitationAction;
use sa_acp::{Question, Reply, action, chosen, form_answers, form_request};
use serde_json::{Map, Value};

/// Questions that wait for their answers.
#[derive(Debug)]
pub struct Questions {
    permission: Permission,
    questions: Vec<Question>,
    /// Asked one by one: those before this one are done.
    next: usize,
    answers: Map<String, Value>,
}

fn read(value: &Value) -> Option<Question> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let options = value["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    let option = |option: &Value| (text(&option["label"]), text(&option["description"]));
    Some(Question {
        text: value["question"].as_str()?.to_owned(),
        header: text(&value["header"]),
        several: value["multiSelect"] == true,
        free: true,
        options: options.iter().map(option).filter(|(label, _)| !label.is_empty()).collect(),
    })
}

impl Questions {
    /// The answer for the CLI: the input of the tool, with what was answered.
    fn answer(mut self) -> Answer {
        if let Value::Object(input) = &mut self.permission.input {
            input.insert("answers".to_owned(), Value::Object(self.answers));
        }
        self.permission.allow(Vec::new())
    }

    fn note(&mut self, index: usize, words: &[String]) {
        if let Some(question) = self.questions.get(index).filter(|_| !words.is_empty()) {
            self.answers.insert(question.text.clone(), Value::String(words.join(", ")));
        }
    }
}

impl Session {
    pub(super) fn ask_user(&mut self, core: &mut Core, id: String, asked: CanUseTool) {
        let list = asked.input["questions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let questions: Vec<_> = list.iter().filter_map(read).collect();
        let (permission, _) = self.permission(core, &id, asked, Vec::new());
        let questions = Questions { permission, questions, next: 0, answers: Map::new() };
        if questions.questions.is_empty() {
            return self.respond(core, &id, deny("There is no question to answer.", false));
        }
        if core.client.handshake.shows_forms() {
            self.show_form(core, &id, questions);
        } else {
            self.next_choice(core, &id, questions);
        }
    }

    fn show_form(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let request = form_request(&self.conversation.id, &questions.permission.call, &questions.questions);
        self.conversation.pass_on(
            &mut core.client,
            id,
            Ask::Form(Box::new(questions)),
            "elicitation/create",
            request,
        );
    }

    pub(super) fn form_answered(
        &mut self,
        core: &mut Core,
        id: &str,
        mut questions: Questions,
        reply: Reply,
    ) {
        let answer = match action(reply) {
            Ok(ElicitationAction::Accept(accepted)) => {
                let content = accepted.content.unwrap_or_default();
                let answers = form_answers(questions.questions.len(), &content);
                for (index, words) in answers.iter().enumerate() {
                    questions.note(index, words);
                }
                self.tools.runs(&mut core.client, &self.conversation.id, &questions.permission.call);
                questions.answer()
            }
            Ok(ElicitationAction::Cancel) => deny("The user cancelled the turn.", true),
            Ok(_) => deny("The user declined to answer.", false),
            Err(reason) => deny(format!("The user could not be asked: {reason}."), false),
        };
        self.respond(core, id, answer);
    }

    /// Asks the next question as a choice, or answers the CLI when none is left.
    fn next_choice(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let Some(question) = questions.questions.get(questions.next) else {
            self.tools.runs(&mut core.client, &self.conversation.id, &questions.permission.call);
            return self.respond(core, id, questions.answer());
        };
        let options = question.choices();
        let call = titled(&questions.permission.call, &question.text);
        self.conversation.pass_on_choice(
            &mut core.client,
            id,
            Ask::Choice(Box::new(questions)),
            call,
            options,
        );
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
            Ok(None) => return self.respond(core, id, deny("The user cancelled the turn.", true)),
            Err(reason) => {
                let message = format!("The user could not be asked: {reason}.");
                return self.respond(core, id, deny(message, false));
            }
        };
        let next = questions.next;
        let label = questions.questions.get(next).and_then(|question| question.label(&choice));
        if let Some(label) = label.map(str::to_owned) {
            questions.note(next, &[label]);
        }
        questions.next += 1;
        self.next_choice(core, id, questions);
    }
}
