//! Questions to the user: a form if the client shows forms, otherwise a choice in the dress of a permission request.

use super::action::{Action, Then};
use super::core::{Call, Core};
use super::permissions;
use super::session::Session;
use super::tools::{completed, failed, new_call, update};
use agent_client_protocol_schema::v1::{
    BooleanPropertySchema, CompleteElicitationNotification, CreateElicitationRequest, ElicitationAction,
    ElicitationContentValue, ElicitationFormMode, ElicitationId, ElicitationPropertySchema,
    ElicitationSchema, ElicitationSessionScope, ElicitationUrlMode, EnumOption, IntegerPropertySchema,
    MultiSelectPropertySchema, PermissionOption, PermissionOptionKind, SessionUpdate, StringPropertySchema,
    ToolCallId, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use sa_acp::{Reply, action, capitalized, chosen, paragraph};
use serde_json::json;
use std::collections::BTreeMap;

/// A question that waits for its answer.
#[derive(Debug)]
pub(super) enum Question {
    /// Asked as a form.
    Form(&'static [Field]),
    /// Asked as a choice among options: the tool call it came with.
    Choice { tool: ToolCallId, question: &'static str },
    /// The user was sent to an address.
    Url(ElicitationId),
}

#[derive(Debug)]
enum Kind {
    One,
    Many,
    Text,
    Number,
    Switch,
}

/// One input of a form.
#[derive(Debug)]
pub(super) struct Field {
    key: &'static str,
    question: &'static str,
    kind: Kind,
}

static FIELDS: [Field; 5] = [
    Field { key: "question_1", question: "Which color do you like?", kind: Kind::One },
    Field { key: "question_2", question: "Which fruits do you like?", kind: Kind::Many },
    Field { key: "question_3", question: "What is your name?", kind: Kind::Text },
    Field { key: "question_4", question: "How many lines should it be?", kind: Kind::Number },
    Field { key: "question_5", question: "Shall it be quick?", kind: Kind::Switch },
];

impl Field {
    fn options(&self) -> &'static [(&'static str, &'static str)] {
        match self.kind {
            Kind::One => &[("Red", "Like a brick"), ("Green", "Like a leaf"), ("Blue", "Like the sea")],
            Kind::Many => {
                &[("Apple", "From a tree"), ("Banana", "From a plant"), ("Cherry", "From a tree, too")]
            }
            Kind::Text => &[("Ada", "A name to begin with")],
            Kind::Number | Kind::Switch => &[],
        }
    }

    /// Returns the input, with the question next to it if there is one.
    fn schema(&self, question: Option<String>) -> ElicitationPropertySchema {
        let choices = || {
            let option =
                |(name, about): &(&str, &str)| EnumOption::new(*name, *name).description((*about).to_owned());
            self.options().iter().map(option).collect::<Vec<_>>()
        };
        match self.kind {
            Kind::One => StringPropertySchema::new().one_of(choices()).description(question).into(),
            Kind::Many => MultiSelectPropertySchema::titled(choices()).description(question).into(),
            Kind::Text => StringPropertySchema::new().max_length(200).description(question).into(),
            Kind::Number => IntegerPropertySchema::new().minimum(1).maximum(99).description(question).into(),
            Kind::Switch => BooleanPropertySchema::new().default_value(true).description(question).into(),
        }
    }
}

/// Asks the question of that name, if there is one.
pub(super) fn ask(session: &mut Session, core: &Core, name: &str) -> Option<Vec<Action>> {
    let fields = match name {
        "" | "single" => &FIELDS[..1],
        "multi" => &FIELDS[1..2],
        "text" => &FIELDS[2..3],
        "form" => &FIELDS[..],
        "url" => return Some(ask_url(session, core)),
        _ => return None,
    };
    let shows_forms = core.client.handshake.shows_forms();
    Some(if shows_forms { vec![ask_form(session, fields)] } else { ask_choice(session, fields) })
}

/// A form of one question is headed by it; a form of several names each at its input. Next to each choice stands an input
/// for an answer of one's own.
fn ask_form(session: &Session, fields: &'static [Field]) -> Action {
    let message = match fields {
        [only] => only.question,
        _ => "Please answer the following questions.",
    };
    let mut schema = ElicitationSchema::new();
    for field in fields {
        let question = (fields.len() > 1).then(|| field.question.to_owned());
        schema = schema.property(field.key, field.schema(question), false);
        if matches!(field.kind, Kind::One | Kind::Many) {
            let custom = StringPropertySchema::new().title("Something else".to_owned());
            schema = schema.property(format!("{}_custom", field.key), custom, false);
        }
    }
    let mode = ElicitationFormMode::new(ElicitationSessionScope::new(session.about.id.clone()), schema);
    let request = CreateElicitationRequest::new(mode, message);
    Action::Call(Box::new(Call::new("elicitation/create", &request, Then::Question(Question::Form(fields)))))
}

fn ask_choice(session: &mut Session, fields: &'static [Field]) -> Vec<Action> {
    let Some(field) = fields.first() else { return Vec::new() };
    let input = json!({ "question": field.question });
    let (tool, call) = new_call(session, "ask_user", ToolKind::Think, field.question, input);
    let details = ToolCallUpdateFields::new().title(field.question.to_owned()).kind(ToolKind::Think);
    let mut options: Vec<_> = field
        .options()
        .iter()
        .map(|(name, _)| PermissionOption::new(*name, *name, PermissionOptionKind::AllowOnce))
        .collect();
    options.push(PermissionOption::new("skip", "Skip", PermissionOptionKind::RejectOnce));
    let then = Then::Question(Question::Choice { tool: tool.clone(), question: field.question });
    vec![
        update(SessionUpdate::ToolCall(call)),
        permissions::request(session, ToolCallUpdate::new(tool, details), options, then),
    ]
}

fn ask_url(session: &mut Session, core: &Core) -> Vec<Action> {
    if !core.client.handshake.opens_urls() {
        return vec![Action::Say("The client opens no addresses.".to_owned())];
    }
    let id = ElicitationId::new(session.next_id("elicitation"));
    let scope = ElicitationSessionScope::new(session.about.id.clone());
    let mode = ElicitationUrlMode::new(scope, id.clone(), "https://example.com/demo");
    let request = CreateElicitationRequest::new(mode, "Please look at this page.");
    vec![Action::Call(Box::new(Call::new("elicitation/create", &request, Then::Question(Question::Url(id)))))]
}

/// Continues when the client has answered.
pub(super) fn answered(question: Question, answer: Reply) -> Vec<Action> {
    match question {
        Question::Form(fields) => vec![Action::Say(match action(answer) {
            Ok(ElicitationAction::Accept(accepted)) => {
                describe(fields, &accepted.content.unwrap_or_default())
            }
            Ok(ElicitationAction::Decline) => "The question was declined.".to_owned(),
            Ok(ElicitationAction::Cancel) => "The question was cancelled.".to_owned(),
            Ok(_) => "The answer is of a kind I do not know.".to_owned(),
            Err(reason) => capitalized(&reason),
        })],
        Question::Choice { tool, question } => choice_made(tool, question, answer),
        Question::Url(id) => match action(answer) {
            Ok(ElicitationAction::Accept(_)) => vec![
                Action::Notify {
                    method: "elicitation/complete".to_owned(),
                    params: serde_json::value::to_raw_value(&CompleteElicitationNotification::new(id)).ok(),
                },
                Action::Say("The page was visited.".to_owned()),
            ],
            Ok(_) => vec![Action::Say("The page was not visited.".to_owned())],
            Err(reason) => vec![Action::Say(capitalized(&reason))],
        },
    }
}

fn choice_made(tool: ToolCallId, question: &str, answer: Reply) -> Vec<Action> {
    match chosen(answer) {
        Ok(Some(choice)) if choice != "skip" => vec![
            completed(tool, vec![paragraph(choice.clone())], json!({ "answer": choice })),
            Action::Say(format!("{question} {choice}")),
        ],
        Ok(Some(_)) => {
            vec![update(failed(tool, "Skipped.")), Action::Say("The question was declined.".to_owned())]
        }
        Ok(None) => {
            vec![update(failed(tool, "Cancelled.")), Action::Say("The question was cancelled.".to_owned())]
        }
        Err(reason) => vec![update(failed(tool, &reason)), Action::Say(reason)],
    }
}

/// Returns what was answered in a text input of a form.
pub(super) fn text_answer(answer: Reply, key: &str) -> Option<String> {
    match action(answer) {
        Ok(ElicitationAction::Accept(accepted)) => accepted.content?.get(key).map(words),
        _ => None,
    }
}

/// Each question with what was answered.
fn describe(fields: &[Field], content: &BTreeMap<String, ElicitationContentValue>) -> String {
    let answer = |field: &Field| {
        let own = content.get(&format!("{}_custom", field.key));
        let words: Vec<_> = [content.get(field.key), own].into_iter().flatten().map(words).collect();
        if words.is_empty() {
            return format!("{} no answer", field.question);
        }
        format!("{} {}", field.question, words.join(", "))
    };
    fields.iter().map(answer).collect::<Vec<_>>().join("\n")
}

fn words(value: &ElicitationContentValue) -> String {
    match value {
        ElicitationContentValue::String(text) => text.clone(),
        ElicitationContentValue::StringArray(texts) => texts.join(", "),
        ElicitationContentValue::Integer(number) => number.to_string(),
        ElicitationContentValue::Number(number) => number.to_string(),
        ElicitationContentValue::Boolean(true) => "yes".to_owned(),
        ElicitationContentValue::Boolean(false) => "no".to_owned(),
        _ => "something else".to_owned(),
    }
}
