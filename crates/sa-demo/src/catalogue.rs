//! The list of all commands: their names, how they are written, what they do.

use super::config::Select;
use super::content::Sample;
use super::faults::Garbage;
use super::questions::Variant;
use super::script::{self, Command, amount, every, milliseconds, or, some, stop_reason};
use agent_client_protocol_schema::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use std::fmt;

/// A command of the script language.
pub struct Entry {
    /// The first word of its line.
    pub name: &'static str,
    /// What follows the name; empty if nothing does.
    pub arguments: &'static str,
    /// What it does, in one sentence without a full stop.
    pub summary: &'static str,
    /// Set if the command is offered as a slash command; those that only break things are not.
    pub offered: bool,
    pub(super) parse: fn(&str) -> Option<Command>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

impl Entry {
    /// How a line with this command looks.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }
}

const fn offer(
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    parse: fn(&str) -> Option<Command>,
) -> Entry {
    Entry { name, arguments, summary, offered: true, parse }
}

const fn fault(
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    parse: fn(&str) -> Option<Command>,
) -> Entry {
    Entry { name, arguments, summary, offered: false, parse }
}

/// Every command, in the order of the help.
pub static CATALOGUE: &[Entry] = &[
    offer("help", "", "List the commands", |_| Some(Command::Help)),
    offer("tour", "[TEXT]", "Find, fix and test a bug, all of it made up", |_| Some(Command::Tour)),
    offer("say", "TEXT", "Say the text", |rest| some(rest).map(Command::Say)),
    offer("stream", "N [BYTES] [every MS]", "Say N numbered chunks of BYTES bytes", |rest| {
        let (count, bytes, rest) = amount(rest)?;
        Some(Command::Stream { count, bytes, every: every(rest)? })
    }),
    offer("think", "TEXT", "Think the text", |rest| some(rest).map(Command::Think)),
    offer("read", "PATH", "Read a file", |rest| some(rest).map(Command::Read)),
    offer("edit", "PATH", "Edit a file and show the difference", |rest| some(rest).map(Command::Edit)),
    offer("run", "COMMAND", "Run a command in the client's terminal, or only pretend to", |rest| {
        some(rest).map(Command::Run)
    }),
    offer("tool", "KIND [TITLE]", "Make a tool call of any kind", script::tool),
    offer("fail", "TOOL", "Make a tool call that fails", |rest| some(rest).map(Command::Fail)),
    offer("permission", "[TITLE]", "Ask for permission", |rest| {
        Some(Command::Permission(or(rest, "Do something that needs permission")))
    }),
    offer("leave-plan", "", "Ask whether to leave plan mode", |_| Some(Command::LeavePlan)),
    offer("question", "[single|multi|text|form|url]", "Ask the user a question", |rest| {
        Variant::from_name(rest).map(Command::Question)
    }),
    offer("plan", "[every MS]", "Make a plan and work through it", |rest| every(rest).map(Command::Plan)),
    offer(
        "image",
        "[send [image|audio|link|resource]]",
        "Tell what came with the prompt, or send such content",
        |rest| match rest.strip_prefix("send") {
            Some(kind) => Sample::from_name(kind.trim()).map(Command::Send),
            None => rest.is_empty().then_some(Command::Image),
        },
    ),
    offer("usage", "", "Report the tokens used so far", |_| Some(Command::Usage)),
    offer("title", "TEXT", "Name the session", |rest| some(rest).map(Command::Title)),
    offer("mode", "ID", "Switch the mode", |rest| choose(Select::Mode, rest)),
    offer("model", "ID", "Switch the model", |rest| choose(Select::Model, rest)),
    offer("effort", "ID", "Switch the effort", |rest| choose(Select::Effort, rest)),
    offer("config", "", "Tell all settings", |_| Some(Command::Config)),
    offer("commands", "", "Announce the slash commands again", |_| Some(Command::Commands)),
    offer("mcp", "", "List the MCP servers it was given", |_| Some(Command::Mcp)),
    offer("env", "NAME [VALUE]", "Tell whether an environment variable is set, or set to that", script::env),
    offer("cwd", "", "Tell the working directory", |_| Some(Command::Cwd)),
    offer("notice", "[info|warning|error] TEXT", "Show a notice", script::notice),
    offer("compact", "", "Compact the conversation", |_| Some(Command::Compact)),
    offer("sleep", "MS", "Wait; can be cancelled", |rest| milliseconds(rest).map(Command::Sleep)),
    fault("hang", "", "Never end the turn", |_| Some(Command::Hang)),
    fault("ignore-cancel", "MS", "Wait and heed no cancellation meanwhile", |rest| {
        milliseconds(rest).map(Command::IgnoreCancel)
    }),
    fault("silent", "MS", "Write nothing at all for a time, in no session", |rest| {
        milliseconds(rest).map(Command::Silent)
    }),
    fault("stop", "end_turn|max_tokens|max_turn_requests|refusal", "End the turn for that reason", |rest| {
        stop_reason(rest).map(Command::Stop)
    }),
    fault("error", "[CODE] [MESSAGE]", "Answer the prompt with an error", |rest| Some(script::error(rest))),
    fault("crash", "[CODE]", "Complain on standard error and exit", |rest| {
        if rest.is_empty() { Some(Command::Crash(1)) } else { rest.parse().ok().map(Command::Crash) }
    }),
    fault("abort", "", "End by SIGABRT", |_| Some(Command::Abort)),
    fault(
        "garbage",
        "[text|json|empty|response|utf8|long N|nolf]",
        "Write something that is no message",
        |rest| Garbage::from_words(rest).map(Command::Garbage),
    ),
    fault("big", "BYTES", "Write one message of that size", |rest| script::bytes(rest).map(Command::Big)),
    fault("flood", "N [BYTES]", "Write N numbered chunks as fast as they are taken", |rest| {
        amount(rest)
            .and_then(|(count, bytes, rest)| rest.is_empty().then_some(Command::Flood { count, bytes }))
    }),
    fault("stderr", "TEXT", "Write a line to standard error", |rest| some(rest).map(Command::Stderr)),
    fault("close-stdout", "", "Close standard output and live on", |_| Some(Command::CloseStdout)),
    fault("deaf", "", "Stop reading standard input and live on", |_| Some(Command::Deaf)),
    fault("ext", "METHOD [JSON]", "Send a notification of any kind", |rest| {
        script::message(rest).map(|(method, params)| Command::Ext { method, params })
    }),
    fault("ask", "METHOD [JSON]", "Send a request of any kind and tell the answer", |rest| {
        script::message(rest).map(|(method, params)| Command::Ask { method, params })
    }),
];

fn choose(select: Select, rest: &str) -> Option<Command> {
    some(rest).map(|value| Command::Choose(select, value))
}

/// The answer to `help`.
pub(super) fn help() -> String {
    let mut help = "I am the demo agent. I do what each line of a prompt says:\n\n".to_owned();
    for entry in CATALOGUE {
        help.push_str(&format!("- `{}`: {}\n", entry.usage(), entry.summary));
    }
    help.push_str("\nA slash before a command makes no difference. Anything else I say back to you.");
    help
}

/// The commands that clients offer to their users.
pub(super) fn available_commands() -> Vec<AvailableCommand> {
    let offered = CATALOGUE.iter().filter(|entry| entry.offered);
    let command = |entry: &Entry| {
        let hint = some(entry.arguments).map(UnstructuredCommandInput::new);
        AvailableCommand::new(entry.name, entry.summary).input(hint.map(AvailableCommandInput::Unstructured))
    };
    offered.map(command).collect()
}
