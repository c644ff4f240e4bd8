//! The list of all commands: their names, how they are written, what they do.

use super::action::{Action, Then};
use super::commands::{self, Stage, choose, say, waited};
use super::config::Select;
use super::content::sample;
use super::core::{Call, Effect};
use super::faults::garbage;
use super::script::{amount, bytes, error, every, message, some, split_word, stop_reason, tool_kind};
use super::{permissions, plan, questions, terminal, tools, tour};
use agent_client_protocol_schema::v1::AvailableCommand;

/// Turns the arguments of a command into actions; `None` if they do not fit.
type Run = fn(&str, &mut Stage<'_>) -> Option<Vec<Action>>;

/// A command of the script language.
#[derive(Debug)]
pub struct Entry {
    /// The first word of its line.
    pub name: &'static str,
    /// The arguments; empty if there are none.
    pub arguments: &'static str,
    /// The description, one sentence without a period.
    pub summary: &'static str,
    /// Set if the command is offered as a slash command; those that only break things are not.
    pub offered: bool,
    pub(super) run: Run,
}

impl Entry {
    /// Returns a line with this command.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }
}

const fn offer(name: &'static str, arguments: &'static str, summary: &'static str, run: Run) -> Entry {
    Entry { name, arguments, summary, offered: true, run }
}

const fn fault(name: &'static str, arguments: &'static str, summary: &'static str, run: Run) -> Entry {
    Entry { offered: false, ..offer(name, arguments, summary, run) }
}

/// Every command, in the order of the help.
pub static CATALOG: &[Entry] = &[
    offer("help", "", "List the commands", |_, _| Some(say(help()))),
    offer("tour", "[TEXT]", "Find, fix and test a bug, all of it made up", |_, on| {
        Some(tour::tour(on.session, on.core))
    }),
    offer("say", "TEXT", "Say the text", |text, _| some(text).map(say)),
    offer("stream", "N [BYTES] [every MS]", "Say N numbered chunks of BYTES bytes", |rest, on| {
        let (count, bytes, rest) = amount(rest)?;
        Some(on.stream(count, bytes, every(rest)?))
    }),
    offer("think", "TEXT", "Think the text", |text, _| Some(vec![Action::Think(some(text)?.to_owned())])),
    offer("read", "PATH", "Read a file", |path, on| Some(tools::read(on.session, on.core, some(path)?))),
    offer("edit", "PATH", "Edit a file and show the difference", |path, on| {
        Some(tools::edit(on.session, on.core, some(path)?))
    }),
    offer("run", "COMMAND", "Run a command in the client's terminal, or only pretend to", |command, on| {
        Some(terminal::run(on.session, on.core, some(command)?))
    }),
    offer("tool", "KIND [TITLE]", "Make a tool call of any kind", |rest, on| {
        let (kind, title) = split_word(rest);
        let title = some(title).unwrap_or("A tool of the demo agent");
        Some(tools::any(on.session, tool_kind(kind)?, title))
    }),
    offer("fail", "TOOL", "Make a tool call that fails", |tool, on| {
        Some(tools::fail(on.session, some(tool)?))
    }),
    offer("permission", "[TITLE]", "Ask for permission", |title, on| {
        let title = some(title).unwrap_or("Do something that needs permission");
        Some(permissions::permission(on.session, title))
    }),
    offer("leave-plan", "", "Ask whether to leave plan mode", |_, on| {
        Some(permissions::leave_plan(on.session))
    }),
    offer("question", "[single|multi|text|form|url]", "Ask the user a question", |name, on| {
        questions::ask(on.session, on.core, name)
    }),
    offer("plan", "[every MS]", "Make a plan and work through it", |rest, _| every(rest).map(plan::plan)),
    offer(
        "image",
        "[send [image|audio|link|resource]]",
        "Tell what came with the prompt, or send such content",
        |rest, on| match rest.strip_prefix("send") {
            Some(kind) => Some(vec![Action::Show(Box::new(sample(kind.trim())?))]),
            None => rest.is_empty().then(|| say(on.received())),
        },
    ),
    offer("usage", "", "Report the tokens used so far", |_, _| Some(vec![Action::Report])),
    offer("title", "TEXT", "Name the session", |title, _| {
        Some(vec![Action::Rename(some(title)?.to_owned())])
    }),
    offer("mode", "ID", "Switch the mode", |id, _| choose(Select::Mode, id)),
    offer("model", "ID", "Switch the model", |id, _| choose(Select::Model, id)),
    offer("effort", "ID", "Switch the effort", |id, _| choose(Select::Effort, id)),
    offer("config", "", "Tell all settings", |_, on| Some(say(on.session.about.settings.describe()))),
    offer("commands", "", "Announce the slash commands again", |_, _| {
        Some(vec![tools::update(commands::commands_update())])
    }),
    offer("mcp", "", "List the MCP servers it was given", |_, on| Some(say(on.mcp_servers()))),
    offer(
        "env",
        "NAME [VALUE]",
        "Tell whether an environment variable is set, or set to that",
        |rest, on| {
            let (name, expected) = split_word(rest);
            Some(say(on.variable(some(name)?, some(expected))))
        },
    ),
    offer("cwd", "", "Tell the working directory", |_, on| Some(say(on.directories()))),
    offer("notice", "[info|warning|error] TEXT", "Show a notice", |rest, on| on.notice(rest)),
    offer("compact", "", "Compact the conversation", |_, on| Some(plan::compact(on.session, on.core))),
    offer("sleep", "MS", "Wait; can be cancelled", |time, _| waited(time, Action::Pause, "slept")),
    fault("hang", "", "Never end the turn", |_, _| Some(vec![Action::Hang])),
    fault("ignore-cancel", "MS", "Wait and heed no cancellation meanwhile", |time, _| {
        waited(time, Action::Shield, "heeded nothing")
    }),
    fault("silent", "MS", "Write nothing at all for a time, in no session", |time, _| {
        waited(time, Action::Silence, "was silent")
    }),
    fault(
        "stop",
        "end_turn|max_tokens|max_turn_requests|refusal",
        "End the turn for that reason",
        |name, _| Some(vec![Action::End(Ok(stop_reason(name)?))]),
    ),
    fault("error", "[CODE] [MESSAGE]", "Answer the prompt with an error", |rest, _| {
        Some(vec![Action::End(Err(error(rest)))])
    }),
    fault("crash", "[CODE]", "Complain on standard error and exit", |rest, _| {
        let code = some(rest).map_or(Some(1), |code| code.parse().ok())?;
        let words = format!("demo: crashing with exit code {code}, as it was told to");
        let effects = [Effect::Stderr(words), Effect::Exit(code)].map(Action::Effect);
        Some(effects.into_iter().chain([Action::Hang]).collect())
    }),
    fault("abort", "", "End by SIGABRT", |_, _| Some(vec![Action::Effect(Effect::Abort), Action::Hang])),
    fault(
        "garbage",
        "[text|json|empty|response|utf8|long N|nolf]",
        "Write something that is no message",
        |words, _| garbage(words),
    ),
    fault("big", "BYTES", "Write one message of that size", |size, _| Some(vec![Action::Big(bytes(size)?)])),
    fault("flood", "N [BYTES]", "Write N numbered chunks as fast as they are taken", |rest, on| {
        let (count, bytes, rest) = amount(rest)?;
        rest.is_empty().then(|| on.flood(count, bytes))
    }),
    fault("stderr", "TEXT", "Write a line to standard error", |text, _| {
        Some(vec![Action::Effect(Effect::Stderr(some(text)?.to_owned()))])
    }),
    fault("close-stdout", "", "Close standard output and live on", |_, _| {
        Some(vec![Action::Effect(Effect::CloseOutput)])
    }),
    fault("deaf", "", "Stop reading standard input and live on", |_, _| {
        Some(vec![Action::Effect(Effect::StopReading)])
    }),
    fault("ext", "METHOD [JSON]", "Send a notification of any kind", |rest, on| {
        let (method, params) = message(rest)?;
        Some(vec![Action::Notify { method, params: on.fill_in(params) }])
    }),
    fault("ask", "METHOD [JSON]", "Send a request of any kind and tell the answer", |rest, on| {
        let (method, params) = message(rest)?;
        let then = Then::Tell(method.clone());
        let call = Call { method: method.into(), params: on.fill_in(params), then };
        Some(vec![Action::Call(Box::new(call))])
    }),
];

/// The answer to `help`.
fn help() -> String {
    let mut help = "I am the demo agent. I do what each line of a prompt says:\n\n".to_owned();
    for entry in CATALOG {
        help.push_str(&format!("- `{}`: {}\n", entry.usage(), entry.summary));
    }
    help.push_str("\nA slash before a command makes no difference. Anything else I say back to you.");
    help
}

/// The commands that clients offer to their users.
pub(super) fn available_commands() -> Vec<AvailableCommand> {
    let offered = CATALOG.iter().filter(|entry| entry.offered);
    offered.map(|entry| sa_acp::command(entry.name, entry.summary, some(entry.arguments))).collect()
}
