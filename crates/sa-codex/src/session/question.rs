//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask::no_answers;
use agent_client_protocol_schema::v1::{ToolCallStatus, ToolKind};
use sa_acp::{Described, Outcome, Question, QuestionOutcome, Reply, Session as _};
use serde_json::{Map, Value, json};

/// Questions with the CLI's own ids of them.
pub(super) type Questions = sa_acp::Questions<Vec<String>>;

/// Reads a question with its id. Secrets must not be asked for in a form; such a question stays without an answer.
fn question(native: &Value) -> Option<(String, Question)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_public = matches!(native["isSecret"], Value::Null | Value::Bool(false));
    let options = native["options"].as_array().into_iter().flatten();
    let question = Question {
        text: native["question"].as_str().filter(|_| is_public)?.to_owned(),
        header: text(&native["header"]),
        several: false,
        free: native["isOther"] == true,
        options: options.map(|choice| (text(&choice["label"]), text(&choice["description"]))).collect(),
    };
    Some((text(&native["id"]), question))
}

impl Session {
    pub(super) fn ask_user(&mut self, core: &mut Core, id: &str, asked: &Value) {
        let open = asked["questions"].as_array().into_iter().flatten().filter_map(question);
        let (ids, open): (Vec<_>, Vec<_>) = open.unzip();
        if open.is_empty() {
            return self.respond(core, id, &no_answers());
        }
        let call = asked["itemId"].as_str().unwrap_or_default().to_owned();
        let questions = Questions::new(call, open, ids);
        self.report_asked(core, &questions);
        self.next_question(core, id, questions);
    }

    /// Reports the call, as the CLI has no item for a question.
    fn report_asked(&mut self, core: &mut Core, questions: &Questions) {
        let input = json!({ "questions": questions.texts() });
        let call = Described::new("request_user_input", ToolKind::Other, questions.title(), input);
        self.tools.running.start(&mut core.io.client, &self.conversation.id, &questions.call, call, None);
    }

    /// Asks the client the next question, or answers the CLI when none is left.
    fn next_question(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let done = self.conversation.ask_question(&mut core.io.client, id, questions, Ask::Questions);
        if let Some(questions) = done {
            self.finish(core, id, questions);
        }
    }

    pub(super) fn on_answers(&mut self, core: &mut Core, id: &str, mut questions: Questions, reply: Reply) {
        match questions.on_reply(reply) {
            QuestionOutcome::Noted => return self.next_question(core, id, questions),
            QuestionOutcome::Cancelled => self.interrupt(core),
            QuestionOutcome::Declined => {}
            QuestionOutcome::Failed(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "no answer");
            }
        }
        self.finish(core, id, questions);
    }

    /// Answers the CLI. Without a single answer the user wants none of it.
    fn finish(&mut self, core: &mut Core, id: &str, questions: Questions) {
        let answered = questions.note.iter().zip(questions.answers()).filter(|(_, words)| !words.is_empty());
        let said: Map<_, _> = answered.map(|(id, words)| (id.clone(), json!(words))).collect();
        let status = if said.is_empty() { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let outcome = Outcome::new(status, Vec::new(), json!({ "answers": said }));
        self.tools.running.done(&mut core.io.client, &self.conversation.id, &questions.call, outcome);
        let answers = said.into_iter().map(|(id, words)| (id, json!({ "answers": words })));
        self.respond(core, id, &json!({ "answers": answers.collect::<Map<_, _>>() }));
    }
}
