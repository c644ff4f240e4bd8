//! A request as every model API means it: who said what so far, and which tools are offered.

use serde_json::Value;

/// The conversation that a request asks the model to continue.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) model: String,
    /// Instructions of the agent: system prompt, developer messages.
    pub(crate) system: String,
    pub(crate) turns: Vec<Turn>,
    pub(crate) tools: Vec<Offer>,
    pub(crate) effort: Option<String>,
    /// The request's thinking settings, as JSON.
    pub(crate) thinking: Option<String>,
    /// The JSON Schema that the answer must fit.
    pub(crate) schema: Option<Value>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) stream: bool,
    /// The agent's name of its session, if it has one.
    pub(crate) session: Option<String>,
    /// Set if the conversation is to be summed up in the vendor's own form.
    pub(crate) compaction: bool,
}

/// The messages of one side in a row.
#[derive(Debug)]
pub(crate) enum Turn {
    User(Said),
    Assistant {
        /// The step of the script that made this turn, if one of its calls shows it.
        step: Option<usize>,
    },
}

impl Turn {
    /// Returns what the agent's side said, if this is its turn.
    pub(crate) fn said(&self) -> Option<&Said> {
        match self {
            Self::User(said) => Some(said),
            Self::Assistant { .. } => None,
        }
    }
}

/// A message from the agent's side: a prompt, results of tools, or both.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) texts: Vec<String>,
    /// Media types.
    pub(crate) images: Vec<String>,
    /// Texts of tool results.
    pub(crate) results: Vec<String>,
}

/// The form in which a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// With a JSON object.
    Function,
    /// With plain text.
    Custom,
    /// From JavaScript, which is itself the text for a custom tool.
    Nested,
}

/// A tool that the agent offers.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) form: Form,
    /// JSON Schema of its input; null if unknown.
    pub(crate) schema: Value,
}

impl Offer {
    /// A tool that is called by its name, in this form.
    pub(crate) fn new(name: &str, form: Form, schema: Option<&Value>) -> Self {
        Self { name: name.to_owned(), namespace: None, form, schema: schema.cloned().unwrap_or_default() }
    }
}

impl Said {
    /// A prompt of these texts.
    pub(crate) fn prompt(texts: Vec<&str>) -> Self {
        Self { texts: texts.into_iter().map(str::to_owned).collect(), ..Self::default() }
    }
}

impl Conversation {
    pub(crate) fn instruct(&mut self, text: &str) {
        if !self.system.is_empty() {
            self.system.push('\n');
        }
        self.system.push_str(text);
    }

    pub(crate) fn user(&mut self, said: Said) {
        self.turns.push(Turn::User(said));
    }

    /// Notes that the model spoke. Pieces without anything between them are one turn.
    pub(crate) fn assistant(&mut self, call_id: Option<&str>) {
        let told = call_id.and_then(step_of);
        match self.turns.last_mut() {
            Some(Turn::Assistant { step }) => *step = told.or(*step),
            _ => self.turns.push(Turn::Assistant { step: told }),
        }
    }

    /// Everything that was said from the agent's side, prompts included.
    pub(crate) fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().filter_map(Turn::said).flat_map(|said| &said.texts).map(String::as_str)
    }

    /// Returns a rough count of the input's tokens.
    pub(crate) fn input_tokens(&self) -> u64 {
        let said = self.turns.iter().filter_map(Turn::said);
        let lengths = said.flat_map(|said| said.texts.iter().chain(&said.results)).map(String::len);
        tokens(self.system.len() + lengths.sum::<usize>())
    }
}

/// Tokens in so many bytes of text, roughly.
pub(crate) fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// An id for a tool call of a step. The step travels in it, since agents send calls back in an order of their own.
pub(crate) fn call_id(prefix: &str, step: usize) -> String {
    format!("{prefix}_s{step}_{}", unique())
}

/// Letters and digits that nothing else has.
pub(crate) fn unique() -> String {
    uuid::Uuid::new_v4().simple().to_string().chars().take(20).collect()
}

fn step_of(call_id: &str) -> Option<usize> {
    call_id.split('_').find_map(|part| part.strip_prefix('s')?.parse().ok())
}

/// A field's text, or nothing.
pub(crate) fn text_of<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

/// A field's list, or an empty one.
pub(crate) fn list_of<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The texts of a content that is a text or a list of parts.
pub(crate) fn texts_of(content: Option<&Value>) -> Vec<&str> {
    match content {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text_of(part, "text")).collect(),
        _ => Vec::new(),
    }
}

/// The media type in a `data:` address; other addresses have none.
pub(crate) fn media_type(url: &str) -> String {
    let data = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
    data.unwrap_or("image").to_owned()
}
