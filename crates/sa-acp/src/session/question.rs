//! Questions of a model to the user: as one form, or one by one as choices in the dress of permission requests.

use super::answers::{Reply, action, chosen};
use crate::protocol::handshake::Handshake;
use crate::text::wording::one_line;
use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, ElicitationAction, ElicitationContentValue, ElicitationFormMode,
    ElicitationPropertySchema, ElicitationSchema, ElicitationSessionScope, EnumOption,
    MultiSelectPropertySchema, PermissionOption, PermissionOptionKind, RequestPermissionRequest, SessionId,
    StringPropertySchema, ToolCallId, ToolCallUpdate, ToolCallUpdateFields,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The option that leaves a question without an answer.
const SKIP: &str = "skip";

#[derive(Debug, Clone)]
pub struct Question {
    pub text: String,
    /// The question in a word or two; may be empty.
    pub header: String,
    /// Allows several options to be picked.
    pub several: bool,
    /// Allows an answer in the user's own words; a question without options always does.
    pub free: bool,
    /// Label and description.
    pub options: Vec<(String, String)>,
}

impl Question {
    /// Returns the input, with the question next to it if there is one.
    fn schema(&self, question: Option<String>) -> ElicitationPropertySchema {
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

    /// Returns the options as those of a permission request. Several cannot be picked this way, and nothing can be written.
    fn choices(&self) -> Vec<PermissionOption> {
        let option = |(index, (label, about)): (usize, &(String, String))| {
            let name = if about.is_empty() { label.clone() } else { format!("{label}: {about}") };
            PermissionOption::new(format!("option_{index}"), name, PermissionOptionKind::AllowOnce)
        };
        let mut options: Vec<_> = self.options.iter().enumerate().map(option).collect();
        options.push(PermissionOption::new(SKIP, "Skip", PermissionOptionKind::RejectOnce));
        options
    }

    /// The label of an option of [`Question::choices`]; `None` for the one that skips.
    fn label(&self, choice: &str) -> Option<&str> {
        let index = choice.strip_prefix("option_")?.parse::<usize>().ok()?;
        self.options.get(index).map(|(label, _)| label.as_str())
    }
}

/// Questions that wait for the user's answers. `N` is the agent's own note about them.
#[derive(Debug)]
pub struct Questions<N> {
    /// The tool call that asks.
    pub call: String,
    pub note: N,
    questions: Vec<Question>,
    answers: Vec<Vec<String>>,
    style: Style,
}

/// The form in which the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// All questions in one form.
    Form,
    /// One question after the other, each as a choice.
    Choices,
}

/// A request to the client that asks one question, or all of them.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum QuestionRequest {
    /// All of them.
    Form(Box<CreateElicitationRequest>),
    /// The next one.
    Choice(Box<RequestPermissionRequest>),
}

impl QuestionRequest {
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Form(_) => "elicitation/create",
            Self::Choice(_) => "session/request_permission",
        }
    }
}

/// The outcome of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum QuestionOutcome {
    /// The answer is noted; more questions may follow.
    Noted,
    /// The user does not want to answer.
    Declined,
    Cancelled,
    /// The client could not ask, for this reason.
    Failed(String),
}

impl<N> Questions<N> {
    /// Returns questions that nobody was asked yet.
    pub fn new(call: String, questions: Vec<Question>, note: N) -> Self {
        Self { call, note, questions, answers: Vec::new(), style: Style::Choices }
    }

    /// Returns a title for the tool call.
    pub fn title(&self) -> String {
        match self.questions.as_slice() {
            [only] => one_line(&only.text),
            several => format!("{} questions", several.len()),
        }
    }

    pub fn texts(&self) -> Vec<&str> {
        self.questions.iter().map(|question| question.text.as_str()).collect()
    }

    /// Returns the answers in the order of the questions; the last ones may be missing.
    pub fn answers(&self) -> &[Vec<String>] {
        &self.answers
    }

    /// Returns the next request to the client, or `None` once all questions were asked.
    pub(crate) fn next_request(
        &mut self,
        client: &Handshake,
        session: &SessionId,
    ) -> Option<QuestionRequest> {
        let question = self.questions.get(self.answers.len())?;
        if client.shows_forms() {
            self.style = Style::Form;
            let form = form_request(session, &self.call, &self.questions);
            return Some(QuestionRequest::Form(Box::new(form)));
        }
        let fields = ToolCallUpdateFields::new().title(question.text.clone());
        let call = ToolCallUpdate::new(self.call.clone(), fields);
        let choice = RequestPermissionRequest::new(session.clone(), call, question.choices());
        Some(QuestionRequest::Choice(Box::new(choice)))
    }

    /// Takes the reply to the last request.
    pub fn on_reply(&mut self, reply: Reply) -> QuestionOutcome {
        if self.style == Style::Form {
            return match action(reply) {
                Ok(ElicitationAction::Accept(accepted)) => {
                    let content = accepted.content.unwrap_or_default();
                    self.answers = form_answers(self.questions.len(), &content);
                    QuestionOutcome::Noted
                }
                Ok(ElicitationAction::Cancel) => QuestionOutcome::Cancelled,
                Ok(_) => QuestionOutcome::Declined,
                Err(reason) => QuestionOutcome::Failed(reason),
            };
        }
        match chosen(reply) {
            Ok(Some(choice)) => {
                let question = self.questions.get(self.answers.len());
                let label = question.and_then(|question| question.label(&choice)).map(str::to_owned);
                self.answers.push(label.into_iter().collect());
                QuestionOutcome::Noted
            }
            Ok(None) => QuestionOutcome::Cancelled,
            Err(reason) => QuestionOutcome::Failed(reason),
        }
    }
}

fn form_request(session: &SessionId, call: &str, questions: &[Question]) -> CreateElicitationRequest {
    let (message, schema) = question_form(questions);
    let scope = ElicitationSessionScope::new(session.clone()).tool_call_id(ToolCallId::new(call.to_owned()));
    CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message)
}

/// Returns the heading of a form and its inputs. A form of one question is headed by it; a form of several names each at its
/// input.
pub fn question_form(questions: &[Question]) -> (String, ElicitationSchema) {
    let message = match questions {
        [only] => only.text.clone(),
        _ => "Please answer the following questions.".to_owned(),
    };
    let mut schema = ElicitationSchema::new();
    for (index, question) in questions.iter().enumerate() {
        let text = (questions.len() > 1).then(|| question.text.clone());
        schema = schema.property(key(index), question.schema(text), false);
        if question.free && !question.options.is_empty() {
            let custom = StringPropertySchema::new().title("Something else".to_owned());
            schema = schema.property(format!("{}_custom", key(index)), custom, false);
        }
    }
    (message, schema)
}

/// The answers in a form that was filled in, question by question. An answer in the user's own words counts in addition to the options.
pub fn form_answers(count: usize, content: &BTreeMap<String, ElicitationContentValue>) -> Vec<Vec<String>> {
    let answers = |index| {
        let key = key(index);
        let picked = content.get(&key).map(words).unwrap_or_default();
        let own = content.get(&format!("{key}_custom")).map(words).unwrap_or_default();
        picked.into_iter().chain(own).filter(|word| !word.trim().is_empty()).collect()
    };
    (0..count).map(answers).collect()
}

fn key(index: usize) -> String {
    format!("question_{}", index + 1)
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
