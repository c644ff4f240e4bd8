//! Tool calls: reading, editing, and calls of any kind.

use super::action::{Action, Then};
use super::config::{self, Select};
use super::core::{Call, Core};
use super::permissions::{self, Permission};
use super::script::tool_kind;
use super::session::Session;
use agent_client_protocol_schema::v1::{
    Diff, ReadTextFileRequest, ReadTextFileResponse, SessionUpdate, ToolCall, ToolCallContent, ToolCallId,
    ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind, WriteTextFileRequest,
};
use sa_acp::{Reply, paragraph};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The continuation of a read or an edit.
#[derive(Debug)]
pub(super) enum FileStep {
    Read {
        tool: ToolCallId,
        path: PathBuf,
    },
    /// The old text of a file that is to be edited.
    Edit {
        tool: ToolCallId,
        path: PathBuf,
    },
    Write {
        tool: ToolCallId,
        path: PathBuf,
        diff: Diff,
    },
}

/// Returns the action that reports an update.
pub(super) fn update(update: SessionUpdate) -> Action {
    Action::Update(Box::new(update))
}

pub(super) fn change(tool: ToolCallId, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(tool, fields))
}

/// Makes a tool call under a new id.
pub(super) fn new_call(
    session: &mut Session,
    name: &str,
    kind: ToolKind,
    title: impl Into<String>,
    input: Value,
) -> (ToolCallId, ToolCall) {
    let tool = ToolCallId::new(session.next_id("call"));
    let call = ToolCall::new(tool.clone(), title).name(name.to_owned()).kind(kind).raw_input(input);
    (tool, call)
}

/// Makes a tool call that reads or edits a file of the session's directory.
pub(super) fn file_call(
    session: &mut Session,
    kind: ToolKind,
    name: &str,
    line: Option<u32>,
) -> (ToolCallId, ToolCall, PathBuf) {
    let path = session.about.cwd.join(name);
    let (tool, verb) = if kind == ToolKind::Edit { ("edit_file", "Edit") } else { ("read_file", "Read") };
    let (id, call) = new_call(session, tool, kind, format!("{verb} {name}"), json!({ "path": path }));
    (id, call.locations(vec![ToolCallLocation::new(path.clone()).line(line)]), path)
}

/// The tool call is at work.
pub(super) fn started(tool: ToolCallId) -> Action {
    update(change(tool, ToolCallUpdateFields::new().status(ToolCallStatus::InProgress)))
}

/// The tool call came to its end.
pub(super) fn completed(tool: ToolCallId, content: Vec<ToolCallContent>, output: Value) -> Action {
    let fields =
        ToolCallUpdateFields::new().status(ToolCallStatus::Completed).content(content).raw_output(output);
    update(change(tool, fields))
}

/// The tool call did not succeed.
pub(super) fn failed(tool: ToolCallId, reason: &str) -> SessionUpdate {
    let fields = ToolCallUpdateFields::new()
        .status(ToolCallStatus::Failed)
        .content(vec![paragraph(reason)])
        .raw_output(json!({ "error": reason }));
    change(tool, fields)
}

/// Does the work of a tool that changes things if the session's mode lets it, after asking if it says so. `subject` is what
/// a decision for good is remembered for.
pub(super) fn gated(
    session: &Session,
    details: ToolCallUpdate,
    subject: &str,
    work: Vec<Action>,
) -> Vec<Action> {
    let tool = details.tool_call_id.clone();
    match session.about.settings.get(Select::Mode) {
        config::PLAN => vec![
            update(failed(tool, "Plan mode only reads.")),
            Action::Say("I am in plan mode, which only reads. Send `mode ask` or `leave-plan`.".to_owned()),
        ],
        config::ASK => {
            let refused = vec![update(failed(tool, "Not allowed by the client."))];
            permissions::ask(session, details, Permission::new(subject, work, refused))
        }
        _ => work,
    }
}

pub(super) fn read(session: &mut Session, core: &Core, name: &str) -> Vec<Action> {
    let (tool, call, path) = file_call(session, ToolKind::Read, name, Some(1));
    let mut actions = vec![update(SessionUpdate::ToolCall(call)), started(tool.clone())];
    if core.client.handshake.reads_files() {
        actions.push(read_call(session, &path, FileStep::Read { tool, path: path.clone() }));
    } else {
        actions.extend(read_done(tool, &path, &invented(&path)));
    }
    actions
}

pub(super) fn edit(session: &mut Session, core: &Core, name: &str) -> Vec<Action> {
    let (tool, call, path) = file_call(session, ToolKind::Edit, name, None);
    let mut actions = vec![update(SessionUpdate::ToolCall(call))];
    if core.client.handshake.reads_files() {
        actions.push(read_call(session, &path, FileStep::Edit { tool, path: path.clone() }));
    } else {
        let old = invented(&path);
        actions.extend(edit_text(session, core, tool, path, Some(old)));
    }
    actions
}

pub(super) fn any(session: &mut Session, kind: ToolKind, title: &str) -> Vec<Action> {
    let (tool, call) = new_call(session, "demo_tool", kind, title, json!({}));
    vec![
        update(SessionUpdate::ToolCall(call)),
        started(tool.clone()),
        completed(tool, vec![paragraph("Done.")], json!({ "done": true })),
    ]
}

pub(super) fn fail(session: &mut Session, name: &str) -> Vec<Action> {
    let kind = tool_kind(name).unwrap_or_default();
    let (tool, call) = new_call(session, name, kind, format!("Use {name}"), json!({}));
    vec![
        update(SessionUpdate::ToolCall(call)),
        started(tool.clone()),
        update(failed(tool, &format!("{name} failed, as it was told to."))),
    ]
}

/// Continues when the client has answered.
pub(super) fn answered(session: &Session, core: &Core, step: FileStep, answer: Reply) -> Vec<Action> {
    match step {
        FileStep::Read { tool, path } => match file_content(answer) {
            Ok(content) => read_done(tool, &path, &content),
            Err(reason) => {
                vec![update(failed(tool, &reason)), Action::Say(format!("I could not read it: {reason}"))]
            }
        },
        // A file that cannot be read is taken to be new.
        FileStep::Edit { tool, path } => {
            let old = file_content(answer).ok();
            edit_text(session, core, tool, path, old)
        }
        FileStep::Write { tool, path, diff } => match answer {
            Ok(_) => edit_done(tool, &path, diff),
            Err(error) => {
                let reason = error.message;
                vec![update(failed(tool, &reason)), Action::Say(format!("I could not write it: {reason}"))]
            }
        },
    }
}

fn read_call(session: &Session, path: &Path, step: FileStep) -> Action {
    let request = ReadTextFileRequest::new(session.about.id.clone(), path);
    Action::Call(Box::new(Call::new("fs/read_text_file", &request, Then::File(Box::new(step)))))
}

fn file_content(answer: Reply) -> Result<String, String> {
    read_reply::<ReadTextFileResponse>(answer).map(|response| response.content)
}

/// Reads a reply; an error in words if the request failed or the reply makes no sense.
pub(super) fn read_reply<T: DeserializeOwned>(reply: Reply) -> Result<T, String> {
    let result = reply.map_err(|error| error.message)?;
    serde_json::from_str(result.get()).map_err(|error| format!("the client's answer cannot be read: {error}"))
}

fn read_done(tool: ToolCallId, path: &Path, content: &str) -> Vec<Action> {
    let output = json!({ "lines": content.lines().count(), "bytes": content.len() });
    vec![
        completed(tool, vec![paragraph(content)], output),
        Action::Say(format!("I read {}: {} lines.", path.display(), content.lines().count())),
    ]
}

/// Edits a file whose text is known.
fn edit_text(
    session: &Session,
    core: &Core,
    tool: ToolCallId,
    path: PathBuf,
    old: Option<String>,
) -> Vec<Action> {
    let new = format!("{}This line was added by the demo agent.\n", old.as_deref().unwrap_or_default());
    let diff = Diff::new(path.clone(), new.clone()).old_text(old);
    let mut work = vec![started(tool.clone())];
    if core.client.handshake.writes_files() {
        let request = WriteTextFileRequest::new(session.about.id.clone(), path.clone(), new);
        let step = FileStep::Write { tool: tool.clone(), path: path.clone(), diff: diff.clone() };
        let call = Call::new("fs/write_text_file", &request, Then::File(Box::new(step)));
        work.push(Action::Call(Box::new(call)));
    } else {
        work.extend(edit_done(tool.clone(), &path, diff.clone()));
    }
    let fields = ToolCallUpdateFields::new()
        .title(format!("Edit {}", path.display()))
        .kind(ToolKind::Edit)
        .content(vec![diff.into()]);
    gated(session, ToolCallUpdate::new(tool, fields), "edit", work)
}

fn edit_done(tool: ToolCallId, path: &Path, diff: Diff) -> Vec<Action> {
    vec![
        completed(tool, vec![diff.into()], json!({ "path": path })),
        Action::Say(format!("I edited {}.", path.display())),
    ]
}

/// Returns what a file is said to hold when nobody reads it for the agent.
fn invented(path: &Path) -> String {
    format!("This is what {} might hold.\nThe demo agent made it up.\n", path.display())
}
