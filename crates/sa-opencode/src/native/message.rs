//! Messages and what they are made of.

use serde_json::Value;

lenient! {
    /// A message without its parts.
    struct Message(id: String) {
        role: String,
        /// For messages of the model whether they sum the conversation up.
        summary: Value,
        cost: f64,
        tokens: Tokens,
        error: Option<Failure>,
        finish: Option<String>,
    }

    #[derive(Copy, Default, PartialEq)]
    struct Tokens {
        input: f64,
        output: f64,
        reasoning: f64,
        cache: Cache,
    }

    #[derive(Copy, Default, PartialEq)]
    struct Cache {
        read: f64,
        write: f64,
    }

    #[derive(Default)]
    struct Failure {
        name: String,
        data: Value,
    }

    /// A message with its parts.
    struct Whole(info: Message) {
        parts: Vec<Part>,
    }

    /// A part of a message. Which fields it has depends on its type.
    #[derive(Default)]
    struct Part {
        id: String,
        #[serde(rename = "messageID")]
        message: String,
        r#type: String,
        text: String,
        /// Not written by the user, though in the user's name.
        synthetic: bool,
        ignored: bool,
        url: String,
        filename: Option<String>,
        tool: String,
        #[serde(rename = "callID")]
        call: String,
        state: State,
    }

    #[derive(Default)]
    struct State(#[serde(default, deserialize_with = "crate::gate::unmarked")] input: Value) {
        status: String,
        output: Option<String>,
        error: Option<String>,
        metadata: Value,
        /// Files that came of it.
        attachments: Vec<Part>,
    }
}

impl Message {
    pub(crate) fn is_summary(&self) -> bool {
        self.summary == Value::Bool(true)
    }
}

impl Failure {
    pub(crate) fn message(&self) -> &str {
        self.data["message"].as_str().filter(|message| !message.is_empty()).unwrap_or(&self.name)
    }

    /// The HTTP status that the model's API answered with.
    pub(crate) fn status(&self) -> Option<i64> {
        self.data["statusCode"].as_i64()
    }
}
