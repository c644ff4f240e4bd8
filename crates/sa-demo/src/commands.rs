//! What each command of a script does, as actions.

use super::action::{Action, Answer, Numbered, Then};
use super::catalogue::{available_commands, help};
use super::config::Select;
use super::core::{Call, Core, Effect};
use super::script::Command;
use super::session::Session;
use super::tools::update;
use super::{permissions, plan, questions, terminal, tools, tour};
use agent_client_protocol_schema::v1::{
    AvailableCommandsUpdate, Error, McpServer, MessageId, Notice, NoticeSeverity, SessionUpdate,
};
use serde_json::value::RawValue;

/// Turns the next command of a session's turn into actions.
pub(super) fn expand(
    command: Command,
    attachments: &[String],
    session: &mut Session,
    core: &Core,
) -> Vec<Action> {
    match command {
        Command::Help => say(help()),
        Command::Say(words) => say(words),
        Command::Think(words) => vec![Action::Think(words)],
        Command::Stream { count, bytes, every } => {
            let message = MessageId::new(session.next_id("msg"));
            vec![Action::Numbered(Numbered { next: 1, count, bytes, every, message, kept: true })]
        }
        Command::Read(path) => tools::read(session, core, &path),
        Command::Edit(path) => tools::edit(session, core, &path),
        Command::Run(command) => terminal::run(session, core, &command),
        Command::Tool { kind, title } => tools::any(session, kind, &title),
        Command::Fail(tool) => tools::fail(session, &tool),
        Command::Permission(title) => permissions::permission(session, &title),
        Command::LeavePlan => permissions::leave_plan(session),
        Command::Question(variant) => questions::ask(session, core, variant),
        Command::Plan(every) => plan::plan(every),
        Command::Tour => tour::tour(session, core),
        Command::Compact => plan::compact(session, core),
        Command::Notice(severity, words) => notice(core, severity, words),
        Command::Image => say(received(attachments)),
        Command::Send(sample) => vec![Action::Show(Box::new(sample.block()))],
        Command::Usage => vec![Action::Report],
        Command::Title(title) => vec![Action::Rename(title)],
        Command::Choose(select, value) => choose(select, value),
        Command::Config => say(session.settings.describe()),
        Command::Commands => vec![update(commands_update())],
        Command::Mcp => say(mcp_servers(&session.mcp_servers)),
        Command::Env { name, expected } => say(variable(core, &name, expected.as_deref())),
        Command::Cwd => say(directories(session)),
        Command::Echo(words) => say(echo(session, &words)),
        Command::Misused(entry) => say(format!("Usage: `{}`: {}.", entry.usage(), entry.summary)),
        other => misbehave(other, session),
    }
}

/// The commands that wait, end things, or do what an agent should not.
fn misbehave(command: Command, session: &mut Session) -> Vec<Action> {
    match command {
        Command::Sleep(time) => {
            vec![Action::Pause(time), Action::Say(format!("I slept for {} ms.", time.as_millis()))]
        }
        Command::IgnoreCancel(time) => {
            vec![Action::Shield(time), Action::Say(format!("I heeded nothing for {} ms.", time.as_millis()))]
        }
        Command::Silent(time) => {
            vec![Action::Silence(time), Action::Say(format!("I was silent for {} ms.", time.as_millis()))]
        }
        Command::Hang => vec![Action::Hang],
        Command::Stop(reason) => vec![Action::End(Ok(reason))],
        Command::Error { code, message } => vec![Action::End(Err(Error::new(code, message)))],
        Command::Crash(code) => vec![
            Action::Effect(Effect::Stderr(format!(
                "demo: crashing with exit code {code}, as it was told to"
            ))),
            Action::Effect(Effect::Exit(code)),
            Action::Hang,
        ],
        Command::Abort => vec![Action::Effect(Effect::Abort), Action::Hang],
        Command::Garbage(garbage) => garbage.actions(),
        Command::Big(bytes) => vec![Action::Big(bytes)],
        Command::Flood { count, bytes } => {
            let message = MessageId::new(session.next_id("msg"));
            vec![Action::Numbered(Numbered { next: 1, count, bytes, every: None, message, kept: false })]
        }
        Command::Stderr(words) => vec![Action::Effect(Effect::Stderr(words))],
        Command::CloseStdout => vec![Action::Effect(Effect::CloseOutput)],
        Command::Deaf => vec![Action::Effect(Effect::StopReading)],
        Command::Ext { method, params } => {
            vec![Action::Notify { method, params: fill_in(params, session) }]
        }
        Command::Ask { method, params } => {
            let then = Then::Tell(method.clone());
            vec![Action::Call(Box::new(Call {
                method: method.into(),
                params: fill_in(params, session),
                then,
            }))]
        }
        _ => Vec::new(),
    }
}

fn say(words: String) -> Vec<Action> {
    vec![Action::Say(words)]
}

/// The slash commands, as a client is told of them.
pub(super) fn commands_update() -> SessionUpdate {
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(available_commands()))
}

/// Returns what the client answered to `ask`.
pub(super) fn tell(method: &str, answer: Answer) -> Vec<Action> {
    say(match answer {
        Ok(result) => format!("{method} was answered: {}", result.get()),
        Err(error) => format!("{method} failed: {} {}", i32::from(error.code), error.message),
    })
}

/// Scripts cannot know the id of their session, so they write `$SESSION`.
fn fill_in(params: Option<Box<RawValue>>, session: &Session) -> Option<Box<RawValue>> {
    let filled = params?.get().replace("$SESSION", &session.id.0);
    RawValue::from_string(filled).ok()
}

fn echo(session: &Session, words: &str) -> String {
    let said = if words.is_empty() { "You said nothing.".to_owned() } else { format!("You said: {words}") };
    let model = session.settings.get(Select::Model);
    let effort = session.settings.get(Select::Effort);
    format!("{said}\n\nI am the demo agent ({model}, effort {effort}). Send `help` to see what I can do.")
}

fn choose(select: Select, value: String) -> Vec<Action> {
    let setting = select.id();
    if select.choices().iter().any(|choice| choice.id == value) {
        let told = format!("The {setting} is {value} now.");
        return vec![Action::Choose(select, value), Action::Say(told)];
    }
    let known: Vec<_> = select.choices().iter().map(|choice| choice.id).collect();
    say(format!("There is no {setting} {value}, only {}.", known.join(", ")))
}

fn notice(core: &Core, severity: NoticeSeverity, words: String) -> Vec<Action> {
    if core.client.handshake.shows_notices() {
        return vec![update(SessionUpdate::Notice(Notice::new(severity, words)))];
    }
    say(format!("Notice: {words}"))
}

fn received(attachments: &[String]) -> String {
    if attachments.is_empty() {
        return "Nothing came with the prompt but text.".to_owned();
    }
    let list: String = attachments.iter().map(|attachment| format!("\n- {attachment}")).collect();
    format!("This came with the prompt:{list}")
}

/// Names and places only: values of variables and headers may be secret.
fn mcp_servers(servers: &[McpServer]) -> String {
    let describe = |server: &McpServer| match server {
        McpServer::Http(server) => format!("\n- {}: http, {}", server.name, server.url),
        McpServer::Sse(server) => format!("\n- {}: sse, {}", server.name, server.url),
        McpServer::Stdio(server) => {
            let command: Vec<_> =
                std::iter::once(server.command.display().to_string()).chain(server.args.clone()).collect();
            let variables: Vec<_> = server.env.iter().map(|variable| variable.name.as_str()).collect();
            let with =
                if variables.is_empty() { String::new() } else { format!(", with {}", variables.join(", ")) };
            format!("\n- {}: stdio, {}{with}", server.name, command.join(" "))
        }
        _ => "\n- of an unknown kind".to_owned(),
    };
    if servers.is_empty() {
        return "No MCP servers were given.".to_owned();
    }
    format!("MCP servers:{}", servers.iter().map(describe).collect::<String>())
}

/// Never tells a value, which may be secret.
fn variable(core: &Core, name: &str, expected: Option<&str>) -> String {
    let state = match ((core.host.env)(name), expected) {
        (None, _) => "is not set",
        (Some(_), None) => "is set",
        (Some(value), Some(expected)) if value == expected => "is set to that value",
        (Some(_), Some(_)) => "is set to another value",
    };
    format!("{name} {state}.")
}

fn directories(session: &Session) -> String {
    let more = session.additional_directories.iter().map(|path| format!("\n{}", path.display()));
    std::iter::once(session.cwd.display().to_string()).chain(more).collect()
}
