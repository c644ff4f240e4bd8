//! The command `run`: in a terminal of the client if it has any, otherwise only in words.

use super::action::{Action, Then};
use super::core::{Call, Core};
use super::session::Session;
use super::tools::{change, completed, failed, gated, new_call, read_reply, started, update};
use agent_client_protocol_schema::v1::{
    CreateTerminalRequest, CreateTerminalResponse, ReleaseTerminalRequest, SessionUpdate, Terminal,
    TerminalExitStatus, TerminalId, TerminalOutputRequest, TerminalOutputResponse, ToolCallContent,
    ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind, WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
};
use sa_acp::{Reply, paragraph};
use serde_json::json;

/// Output that the client is asked to keep, in bytes.
const OUTPUT_LIMIT: u64 = 1 << 20;

/// The continuation of a run.
#[derive(Debug)]
pub(super) enum TerminalStep {
    Create { tool: ToolCallId },
    Wait { tool: ToolCallId, terminal: TerminalId },
    Output { tool: ToolCallId, terminal: TerminalId, status: TerminalExitStatus },
    Release { tool: ToolCallId, terminal: TerminalId, status: TerminalExitStatus, output: String },
}

pub(super) fn run(session: &mut Session, core: &Core, command: &str) -> Vec<Action> {
    let input = json!({ "command": command, "cwd": session.about.cwd });
    let (tool, call) = new_call(session, "run_command", ToolKind::Execute, command, input);
    let mut actions = vec![update(SessionUpdate::ToolCall(call))];
    let mut work = vec![started(tool.clone())];
    if core.client.handshake.runs_terminals() {
        let request = CreateTerminalRequest::new(session.about.id.clone(), "sh")
            .args(vec!["-c".to_owned(), command.to_owned()])
            .cwd(session.about.cwd.clone())
            .output_byte_limit(OUTPUT_LIMIT);
        work.push(next("terminal/create", &request, TerminalStep::Create { tool: tool.clone() }));
    } else {
        work.extend(pretend(tool.clone(), command));
    }
    let fields = ToolCallUpdateFields::new().title(command.to_owned()).kind(ToolKind::Execute);
    actions.extend(gated(session, ToolCallUpdate::new(tool, fields), "run", work));
    actions
}

/// Output that grows, as if there were a command.
fn pretend(tool: ToolCallId, command: &str) -> Vec<Action> {
    let first = format!("$ {command}\n");
    let all = format!("{first}Nothing was run: the client offers no terminals.\n");
    let fields = ToolCallUpdateFields::new().content(vec![paragraph(first)]);
    vec![
        update(change(tool.clone(), fields)),
        completed(tool, vec![paragraph(all.clone())], json!({ "exitCode": 0, "output": all })),
        Action::Say("I pretended to run it.".to_owned()),
    ]
}

/// The request that gives a terminal back, which also ends its command.
pub(super) fn release(session: &Session, terminal: TerminalId, then: Then) -> Call {
    Call::new("terminal/release", &ReleaseTerminalRequest::new(session.about.id.clone(), terminal), then)
}

/// Continues when the client has answered.
pub(super) fn answered(session: &Session, step: TerminalStep, answer: Reply) -> Vec<Action> {
    match step {
        TerminalStep::Create { tool } => match read_reply::<CreateTerminalResponse>(answer) {
            Ok(response) => created(session, tool, response.terminal_id),
            Err(reason) => give_up(tool, &reason),
        },
        TerminalStep::Wait { tool, terminal } => match read_reply::<WaitForTerminalExitResponse>(answer) {
            Ok(response) => {
                let request = TerminalOutputRequest::new(session.about.id.clone(), terminal.clone());
                let step = TerminalStep::Output { tool, terminal, status: response.exit_status };
                vec![next("terminal/output", &request, step)]
            }
            Err(reason) => give_up(tool, &reason),
        },
        TerminalStep::Output { tool, terminal, status } => match read_reply::<TerminalOutputResponse>(answer)
        {
            Ok(response) => {
                let output = response.output;
                let step = TerminalStep::Release { tool, terminal: terminal.clone(), status, output };
                let call = release(session, terminal, Then::Terminal(step));
                vec![Action::Call(Box::new(call))]
            }
            Err(reason) => give_up(tool, &reason),
        },
        // The command has ended and its output is here, so it does not matter what became of the terminal.
        TerminalStep::Release { tool, terminal, status, output } => {
            vec![Action::Release(terminal.clone()), ended(tool, terminal, &status, &output), told(&status)]
        }
    }
}

fn created(session: &Session, tool: ToolCallId, terminal: TerminalId) -> Vec<Action> {
    let shown = ToolCallUpdateFields::new().content(vec![shown(terminal.clone())]);
    let request = WaitForTerminalExitRequest::new(session.about.id.clone(), terminal.clone());
    vec![
        Action::Hold(terminal.clone()),
        update(change(tool.clone(), shown)),
        next("terminal/wait_for_exit", &request, TerminalStep::Wait { tool, terminal }),
    ]
}

fn shown(terminal: TerminalId) -> ToolCallContent {
    ToolCallContent::Terminal(Terminal::new(terminal))
}

fn ended(tool: ToolCallId, terminal: TerminalId, status: &TerminalExitStatus, output: &str) -> Action {
    let raw = json!({ "exitCode": status.exit_code, "signal": status.signal, "output": output });
    if status.exit_code == Some(0) {
        return completed(tool, vec![shown(terminal)], raw);
    }
    let fields = ToolCallUpdateFields::new();
    let fields = fields.status(ToolCallStatus::Failed).content(vec![shown(terminal)]).raw_output(raw);
    update(change(tool, fields))
}

fn told(status: &TerminalExitStatus) -> Action {
    Action::Say(match (status.exit_code, &status.signal) {
        (Some(code), _) => format!("The command ended with exit code {code}."),
        (None, Some(signal)) => format!("The command was ended by {signal}."),
        (None, None) => "The command ended.".to_owned(),
    })
}

fn give_up(tool: ToolCallId, reason: &str) -> Vec<Action> {
    vec![update(failed(tool, reason)), Action::Say(format!("I could not run it: {reason}"))]
}

fn next(method: &'static str, request: &impl serde::Serialize, step: TerminalStep) -> Action {
    Action::Call(Box::new(Call::new(method, request, Then::Terminal(step))))
}
