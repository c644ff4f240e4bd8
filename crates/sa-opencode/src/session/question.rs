//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask as native;
use agent_client_protocol_schema::v1::ToolKind;
use sa_acp::{Described, Question, QuestionOutcome, Reply, Session as _};
use serde_json::json;

pub(super) type Questions = sa_acp::Questions<()>;

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
        let questions = Questions::new(call, questions, ());
        // The server asks before it reports the call.
        let input = json!({ "questions": questions.texts() });
        let described = Described::new("question", ToolKind::Other, questions.title(), input);
        self.tool_started(core, &questions.call, described, None);
        self.next_question(core, &asked.id, questions);
    }

    /// Asks the client the next question, or answers the CLI when none is left.
    fn next_question(&mut self, core: &mut Core, id: &str, questions: Questions) {
        // Without a single answer the user wants none of it.
        match self.conversation.ask_question(&mut core.io.client, id, questions, Ask::Questions) {
            None => {}
            Some(done) if done.answers().iter().all(Vec::is_empty) => self.reject_question(core, id),
            Some(done) => self.answer_question(core, id, done.answers()),
        }
    }

    pub(super) fn on_answers(&mut self, core: &mut Core, id: &str, mut questions: Questions, reply: Reply) {
        match questions.on_reply(reply) {
            QuestionOutcome::Noted => self.next_question(core, id, questions),
            QuestionOutcome::Declined => self.reject_question(core, id),
            QuestionOutcome::Cancelled => {
                self.reject_question(core, id);
                self.interrupt(core);
            }
            QuestionOutcome::Failed(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "no answer");
                self.reject_question(core, id);
            }
        }
    }
}
