//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::Ask;
use super::permission::Permission;
use crate::core::Core;
use crate::native::frame::CanUseTool;
use crate::native::line::{AfterDenial, allow, deny};
use sa_acp::{Question, QuestionOutcome, Reply};
use serde_json::{Map, Value};

/// Questions of a tool that waits for permission.
pub(super) type Questions = sa_acp::Questions<Permission>;

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

/// Returns the answer for the CLI: the input of the tool, with what was answered.
fn answer(questions: Questions) -> Value {
    let answered =
        questions.texts().into_iter().zip(questions.answers()).filter(|(_, words)| !words.is_empty());
    let answers: Map<String, Value> =
        answered.map(|(text, words)| (text.to_owned(), Value::String(words.join(", ")))).collect();
    let mut permission = questions.note;
    if let Value::Object(input) = &mut permission.input {
        input.insert("answers".to_owned(), Value::Object(answers));
    }
    allow(permission.input, Vec::new())
}

impl Session {
    pub(super) fn ask_user(&mut self, core: &mut Core, id: String, asked: CanUseTool) {
        let list = asked.input["questions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let questions: Vec<_> = list.iter().filter_map(read).collect();
        let (permission, _) = self.permission(core, &id, asked, Vec::new());
        if questions.is_empty() {
            return self.respond(core, &id, &deny("There is no question to answer.", AfterDenial::Continue));
        }
        self.next_question(core, &id, Questions::new(permission.call.clone(), questions, permission));
    }

    /// Asks the client the next question, or answers the CLI when none is left.
    fn next_question(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let ask = |questions| Ask::Questions(Box::new(questions));
        if let Some(done) = self.conversation.ask_question(&mut core.io.client, id, questions, ask) {
            self.tools.runs(&mut core.io.client, &self.conversation.id, &done.call);
            self.respond(core, id, &answer(done));
        }
    }

    pub(super) fn on_answers(&mut self, core: &mut Core, id: &str, mut questions: Questions, reply: Reply) {
        let refusal = match questions.on_reply(reply) {
            QuestionOutcome::Noted => return self.next_question(core, id, questions),
            QuestionOutcome::Cancelled => deny("The user cancelled the turn.", AfterDenial::Stop),
            QuestionOutcome::Declined => deny("The user declined to answer.", AfterDenial::Continue),
            QuestionOutcome::Failed(reason) => {
                deny(format!("The user could not be asked: {reason}."), AfterDenial::Continue)
            }
        };
        self.respond(core, id, &refusal);
    }
}
