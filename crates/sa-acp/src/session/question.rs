//! Questions of a model to the user: as one form, or one by one as choices in the dress of permission requests.

use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, ElicitationContentValue, ElicitationFormMode, ElicitationPropertySchema,
    ElicitationSchema, ElicitationSessionScope, EnumOption, MultiSelectPropertySchema, PermissionOption,
    PermissionOptionKind, SessionId, StringPropertySchema, ToolCallId,
};
use std::collections::BTreeMap;

/// The option that leaves a question without an answer.
const SKIP: &str = "skip";

/// One question.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// It in a word or two; may be empty.
    pub header: String,
    /// Whether several options can be picked.
    pub several: bool,
    /// Whether something else than the options can be written; without options it always can.
    pub free: bool,
    /// Label and description.
    pub options: Vec<(String, String)>,
}

impl Question {
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

    /// Its options as those of a permission request. Several cannot be picked this way, and nothing can be written.
    pub fn choices(&self) -> Vec<PermissionOption> {
        let option = |(index, (label, about)): (usize, &(String, String))| {
            let name = if about.is_empty() { label.clone() } else { format!("{label}: {about}") };
            PermissionOption::new(format!("option_{index}"), name, PermissionOptionKind::AllowOnce)
        };
        let mut options: Vec<_> = self.options.iter().enumerate().map(option).collect();
        options.push(PermissionOption::new(SKIP, "Skip", PermissionOptionKind::RejectOnce));
        options
    }

    /// The label of an option of [`Question::choices`]; `None` for the one that skips.
    pub fn label(&self, choice: &str) -> Option<&str> {
        let index = choice.strip_prefix("option_")?.parse::<usize>().ok()?;
        self.options.get(index).map(|(label, _)| label.as_str())
    }
}

/// The questions of that call as one form.
pub fn form_request(session: &SessionId, call: &str, questions: &[Question]) -> CreateElicitationRequest {
    let (message, schema) = question_form(questions);
    let scope = ElicitationSessionScope::new(session.clone()).tool_call_id(ToolCallId::new(call.to_owned()));
    CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message)
}

/// What a form is headed by, and its inputs. A form of one question is headed by it; a form of several names each at its
/// input.
pub fn question_form(questions: &[Question]) -> (String, ElicitationSchema) {
    let (message, asked) = match questions {
        [only] => (only.text.clone(), false),
        _ => ("Please answer the following questions.".to_owned(), true),
    };
    let mut schema = ElicitationSchema::new();
    for (index, question) in questions.iter().enumerate() {
        schema = schema.property(key(index), question.schema(asked), false);
        if question.free && !question.options.is_empty() {
            let custom = StringPropertySchema::new().title("Something else".to_owned());
            schema = schema.property(format!("{}_custom", key(index)), custom, false);
        }
    }
    (message, schema)
}

/// The answers in a form that was filled in, question by question. What the user wrote counts beside what was picked.
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
