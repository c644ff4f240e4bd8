//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask::{Answer, Question as Native, UserInput, Words};
use agent_client_protocol_schema::v1::{
    SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use sa_acp::{Answered, Question, Reply, Session as _};
use serde_json::json;
use std::collections::BTreeMap;

/// Questions with the CLI's own ids of them.
pub(super) type Questions = sa_acp::Questions<Vec<String>>;

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
        if open.is_empty() {
            return self.respond(core, id, Answer::Answers { answers: BTreeMap::new() });
        }
        let ids = open.iter().map(|question| question.id.clone()).collect();
        let questions = Questions::new(input.item_id, open.into_iter().map(question).collect(), ids);
        self.tell_asked(core, &questions);
        self.next_question(core, id, questions);
    }

    /// The CLI has no item for a question.
    fn tell_asked(&self, core: &mut Core, questions: &Questions) {
        let call = ToolCall::new(questions.call.clone(), questions.title())
            .name("request_user_input".to_owned())
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .raw_input(json!({ "questions": questions.texts() }));
        self.conversation.update(&mut core.client, &SessionUpdate::ToolCall(call));
    }

    /// Asks the client the next question, or answers the CLI when none is left.
    fn next_question(&mut self, core: &mut Core, id: &str, mut questions: Questions) {
        let Some(request) = questions.next_request(&core.client.handshake, &self.conversation.id) else {
            return self.finish(core, id, questions);
        };
        let method = request.method();
        self.conversation.pass_on(&mut core.client, id, Ask::Questions(questions), method, request);
    }

    pub(super) fn questions_answered(
        &mut self,
        core: &mut Core,
        id: &str,
        mut questions: Questions,
        reply: Reply,
    ) {
        match questions.on_reply(reply) {
            Answered::Noted => return self.next_question(core, id, questions),
            Answered::Cancelled => self.interrupt(core),
            Answered::Declined => {}
            Answered::Failed(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "no answer");
            }
        }
        self.finish(core, id, questions);
    }

    /// Answers the CLI. Without a single answer the user wants none of it.
    fn finish(&self, core: &mut Core, id: &str, questions: Questions) {
        let answered = questions.note.iter().zip(questions.answers()).filter(|(_, words)| !words.is_empty());
        let said: BTreeMap<String, Vec<String>> =
            answered.map(|(id, words)| (id.clone(), words.clone())).collect();
        let status = if said.is_empty() { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let fields = ToolCallUpdateFields::new().status(status).raw_output(json!({ "answers": said }));
        let update = ToolCallUpdate::new(questions.call, fields);
        self.conversation.update(&mut core.client, &SessionUpdate::ToolCallUpdate(update));
        let answers = said.into_iter().map(|(id, answers)| (id, Words { answers })).collect();
        self.respond(core, id, Answer::Answers { answers });
    }
}
