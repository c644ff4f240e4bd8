//! The protocols that the agent speaks.

mod acp;
mod claude;
mod codex;

use serde_json::Value;
use std::path::PathBuf;

/// A protocol between this agent and its client.
pub(crate) trait Dialect {
    /// Reads a message of the client, and answers it unless it begins or ends a turn.
    fn read(&mut self, message: &Value) -> Incoming;
}

/// The meaning of a message of the client.
pub(crate) enum Incoming {
    Prompt(Prompt),
    /// The turn of this session is to end.
    Cancel(String),
    /// The request with this id is answered.
    Answer(String),
    Handled,
}

/// A prompt, and the voice in which its turn speaks.
pub(crate) struct Prompt {
    pub(crate) session: String,
    pub(crate) directory: PathBuf,
    pub(crate) text: String,
    pub(crate) voice: Box<dyn Voice>,
}

/// The end of a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Completed,
    Cancelled,
}

/// The messages of one turn to the client.
pub(crate) trait Voice: Send {
    /// Says that the prompt is being worked on.
    fn begin(&mut self) {}
    /// Adds a piece to what the model says.
    fn say(&mut self, text: &str);
    /// Asks for permission; returns the id of the request.
    fn ask(&mut self) -> String;
    /// Reports that the tool which asked has run.
    fn ran(&mut self) {}
    /// Takes a request back.
    fn withdraw(&mut self, id: &str);
    /// Sends something about a session that does not exist.
    fn speak_of_nobody(&mut self);
    /// Ends the turn; called again to end it twice.
    fn end(&mut self, ending: Ending);
}

impl dyn Dialect {
    /// Returns the protocol that the caller expects of a program with these arguments.
    pub(crate) fn by_arguments(arguments: &[String]) -> Box<Self> {
        let has = |word: &str| arguments.iter().any(|argument| argument == word);
        if has("app-server") {
            Box::new(codex::Codex::default())
        } else if has("--output-format") {
            Box::new(claude::Claude::start())
        } else {
            Box::new(acp::Acp::default())
        }
    }
}

/// Joins the text of a prompt's parts.
fn text_of(parts: &Value) -> String {
    let parts = parts.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}
