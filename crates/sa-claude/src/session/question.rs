//! Questions of the model to the user: one form if the client shows forms, otherwise one choice after the other in the dress
//! of permission requests.

use super::Session;
use super::ask::{Ask, Told, chosen, deny};
use super::permission::{Permission, titled};
use crate::core::Core;
use crate::native::frame::CanUseTool;
use crate::native::line::Answer;
use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAction, ElicitationContentValue,
    ElicitationFormMode, ElicitationPropertySchema, ElicitationSchema, ElicitationSessionScope, EnumOption,
    MultiSelectPropertySchema, PermissionOption, PermissionOptionKind, StringPropertySchema, ToolCallId,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const SKIP: &str = "skip";

/// Questions that wait for their answers.
#[derive(Debug)]
pub(super) struct Questions {
    permission: Permission,
    questions: Vec<Question>,
    /// Asked one by one: those before this one are done.
    next: usize,
    answers: Map<String, Value>,
}

#[derive(Debug)]
struct Question {
    text: String,
    header: String,
    several: bool,
    /// Label and description.
    options: Vec<(String, String)>,
}

impl Question {
    fn read(value: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let options = value["options"].as_array().map(Vec::as_slice).unwrap_or_default();
        let option = |option: &Value| (text(&option["label"]), text(&option["description"]));
        Some(Self {
            text: value["question"].as_str()?.to_owned(),
            header: text(&value["header"]),
            several: value["multiSelect"] == true,
            options: options.iter().map(option).filter(|(label, _)| !label.is_empty()).collect(),
        })
    }

    /// The input; `asked` says whether the question has to be written next to it.
    fn schema(&self, asked: bool) -> ElicitationPropertySchema {
        let question = asked.then(|| self.text.clone());
        let header = Some(self.header.clone()).filter(|header| !header.is_empty());
        let choices = self.options.iter().map(|(label, about)| {
            let about = Some(about.clone()).filter(|about| !about.is_empty());
            EnumOption::new(label.clone(), label.clone()).description(about)
        });
        let choices: Vec<_> = choices.collect();
        if choices.is_empty() {
            StringPropertySchema::new().title(header).description(question).into()
        } else if self.several {
            MultiSelectPropertySchema::titled(choices).title(header).description(question).into()
        } else {
            StringPropertySchema::new().one_of(choices).title(header).description(question).into()
        }
    }
}

impl Questions {
    /// The answer for the CLI: the input of the tool, with what was answered.
    fn answer(mut self) -> Answer {
        if let Value::Object(input) = &mut self.permission.input {
            input.insert("answers".to_owned(), Value::Object(self.answers));
        }
        self.permission.allow(Vec::new())
    }

    /// Reads a form that was filled in. What the user wrote counts beside what was picked.
    fn fill(&mut self, content: &BTreeMap<String, ElicitationContentValue>) {
        for (index, question) in self.questions.iter().enumerate() {
            let key = key(index);
            let picked = content.get(&key).map(words).unwrap_or_default();
            let own = content.get(&format!("{key}_custom")).map(words).unwrap_or_default();
            let all: Vec<_> = picked.into_iter().chain(own).filter(|word| !word.trim().is_empty()).collect();
            if !all.is_empty() {
                self.answers.insert(question.text.clone(), Value::String(all.join(", ")));
            }
        }
    }
}

impl Session {
    pub(super) fn ask_user(&mut self, core: &mut Core, id: String, asked: CanUseTool) {
        let list = asked.input["questions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let questions: Vec<_> = list.iter().filter_map(Question::read).collect();
        let (permission, _) = self.permission(core, &id, asked, Vec::new());
        let questions = Questions { permission, questions, next: 0, answers: Map::new() };
        if questions.questions.is_empty() {
            return self.respond(core, &id, deny("There is no question to answer.", false));
        }
        if core.client.shows_forms() {
            self.show_form(core, id, questions);
        } else {
            self.next_choice(core, id, questions);
        }
    }

    /// A form of one question is headed by it; a form of several names each at its input.
    fn show_form(&mut self, core: &mut Core, id: String, questions: Questions) {
        let list = &questions.questions;
        let (message, asked) = match list.as_slice() {
            [only] => (only.text.clone(), false),
            _ => ("Please answer the following questions.".to_owned(), true),
        };
        let mut schema = ElicitationSchema::new();
        for (index, question) in list.iter().enumerate() {
            schema = schema.property(key(index), question.schema(asked), false);
            if !question.options.is_empty() {
                let custom = StringPropertySchema::new().title("Something else".to_owned());
                schema = schema.property(format!("{}_custom", key(index)), custom, false);
            }
        }
        let scope = ElicitationSessionScope::new(self.id.clone())
            .tool_call_id(ToolCallId::new(questions.permission.call.clone()));
        let request = CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message);
        self.pass_on(core, id, Ask::Form(Box::new(questions)), "elicitation/create", request);
    }

    pub(super) fn form_answered(&mut self, core: &mut Core, id: &str, mut questions: Questions, told: Told) {
        let answer = match action(told) {
            Ok(ElicitationAction::Accept(accepted)) => {
                questions.fill(&accepted.content.unwrap_or_default());
                self.tool_runs(core, &questions.permission.call);
                questions.answer()
            }
            Ok(ElicitationAction::Cancel) => deny("The user cancelled the turn.", true),
            Ok(_) => deny("The user declined to answer.", false),
            Err(reason) => deny(format!("The user could not be asked: {reason}."), false),
        };
        self.respond(core, id, answer);
    }

    /// Asks the next question as a choice, or answers the CLI when none is left. Several options cannot be picked this way,
    /// and nothing can be written.
    fn next_choice(&mut self, core: &mut Core, id: String, questions: Questions) {
        let Some(question) = questions.questions.get(questions.next) else {
            self.tool_runs(core, &questions.permission.call);
            return self.respond(core, &id, questions.answer());
        };
        let option = |(index, (label, about)): (usize, &(String, String))| {
            let name = if about.is_empty() { label.clone() } else { format!("{label}: {about}") };
            PermissionOption::new(format!("option_{index}"), name, PermissionOptionKind::AllowOnce)
        };
        let mut options: Vec<_> = question.options.iter().enumerate().map(option).collect();
        options.push(PermissionOption::new(SKIP, "Skip", PermissionOptionKind::RejectOnce));
        let call = titled(&questions.permission.call, &question.text);
        self.pass_on_choice(core, id, Ask::Choice(Box::new(questions)), call, options);
    }

    pub(super) fn choice_answered(
        &mut self,
        core: &mut Core,
        id: String,
        mut questions: Questions,
        told: Told,
    ) {
        let choice = match chosen(told) {
            Ok(Some(choice)) => choice,
            Ok(None) => return self.respond(core, &id, deny("The user cancelled the turn.", true)),
            Err(reason) => {
                let message = format!("The user could not be asked: {reason}.");
                return self.respond(core, &id, deny(message, false));
            }
        };
        if let Some(question) = questions.questions.get(questions.next) {
            let index = choice.strip_prefix("option_").and_then(|index| index.parse::<usize>().ok());
            if let Some((label, _)) = index.and_then(|index| question.options.get(index)) {
                questions.answers.insert(question.text.clone(), Value::String(label.clone()));
            }
        }
        questions.next += 1;
        self.next_choice(core, id, questions);
    }
}

fn key(index: usize) -> String {
    format!("question_{}", index + 1)
}

/// What the user did with a form; an error in words if the answer makes no sense.
pub(super) fn action(told: Told) -> Result<ElicitationAction, String> {
    let result = told.map_err(|error| format!("the client could not ask: {}", error.message))?;
    serde_json::from_str::<CreateElicitationResponse>(result.get())
        .map(|response| response.action)
        .map_err(|error| format!("the client's answer cannot be read: {error}"))
}

fn words(value: &ElicitationContentValue) -> Vec<String> {
    match value {
        ElicitationContentValue::String(text) => vec![text.clone()],
        ElicitationContentValue::StringArray(texts) => texts.clone(),
        ElicitationContentValue::Integer(number) => vec![number.to_string()],
        ElicitationContentValue::Number(number) => vec![number.to_string()],
        ElicitationContentValue::Boolean(yes) => vec![if *yes { "yes" } else { "no" }.to_owned()],
        _ => Vec::new(),
    }
}
