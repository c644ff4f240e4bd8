//! `sandbox-agent api processes …`.

mod attach;
mod config;
mod logs;
mod screen;

use super::{print, show};
use crate::args::{CommandLine, InputArgs, ProcessesCommand, RunArgs, StartArgs};
use crate::commands::raw_mode;
use crate::commands::render::{
    NONE, Table, age, command_line, exited, or_none, print_json, print_text, yes_or_no,
};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sa_api::{
    ProcessCreateRequest, ProcessInfo, ProcessInputRequest, ProcessRunRequest, ProcessState,
    ProcessTerminalSize, Timestamp,
};
use sa_client::{Client, ProcessEnding};
use std::fs::File;
use std::io::{self, Read, Write};

/// The exit code for a command that timed out, as `timeout` has it.
const EXIT_TIMED_OUT: u8 = 124;
/// Input in one request: the default limit of the daemon.
const INPUT_BYTES: usize = 64 * 1024;

pub(super) async fn call(client: &Client, command: ProcessesCommand) -> Result<(), Failure> {
    match command {
        ProcessesCommand::Run(args) => run(client, args).await,
        ProcessesCommand::Start(args) => start(client, args).await,
        ProcessesCommand::List { owner, output } => {
            show(output, client.list_processes(owner), |list| table(&list.processes).print()).await
        }
        ProcessesCommand::Get { id, output } => show(output, client.get_process(&id), describe).await,
        ProcessesCommand::Rm { id } => Ok(client.delete_process(&id).await?),
        ProcessesCommand::Stop { id, wait_ms, grace_ms, output } => {
            let ending = ProcessEnding { wait_ms, grace_ms };
            show(output, client.stop_process(&id, ending), print_status).await
        }
        ProcessesCommand::Kill { id, wait_ms, output } => {
            let ending = ProcessEnding { wait_ms, grace_ms: None };
            show(output, client.kill_process(&id, ending), print_status).await
        }
        ProcessesCommand::Logs(args) => logs::print_logs(client, args).await,
        ProcessesCommand::Input(args) => input(client, args).await,
        ProcessesCommand::Resize { id, cols, rows } => {
            let size = ProcessTerminalSize { cols, rows };
            Ok(client.resize_process_terminal(&id, size).await.map(drop)?)
        }
        ProcessesCommand::Attach(args) => attach::attach(client, args).await,
        ProcessesCommand::Config(args) => config::config(client, args).await,
    }
}

async fn run(client: &Client, args: RunArgs) -> Result<(), Failure> {
    let RunArgs { timeout_ms, max_output_bytes, output, line } = args;
    let CommandLine { cwd, env, command } = line;
    let (command, args) = split(command)?;
    let env = env.into_iter().collect();
    let request = ProcessRunRequest { command, args, cwd, env, timeout_ms, max_output_bytes };
    let outcome = client.run_process(&request).await?;
    if output.json {
        print_json(&outcome)?;
    } else {
        write(io::stdout().lock(), &outcome.stdout, outcome.stdout_base64.as_deref())?;
        write(io::stderr().lock(), &outcome.stderr, outcome.stderr_base64.as_deref())?;
        let cut = [(outcome.stdout_truncated, "output"), (outcome.stderr_truncated, "error output")];
        for (_, what) in cut.iter().filter(|(truncated, _)| *truncated) {
            diagnose!("[there was more {what} than the daemon keeps; see --max-output-bytes]");
        }
        if outcome.exit.oom_killed {
            diagnose!("[killed for want of memory]");
        }
    }
    if outcome.timed_out {
        return Err(Failure::Exit(EXIT_TIMED_OUT));
    }
    exit_as(outcome.exit.exit_code, outcome.exit.signal)
}

async fn start(client: &Client, args: StartArgs) -> Result<(), Failure> {
    let StartArgs { interactive, tty, attach, output, line } = args;
    let CommandLine { cwd, env, command } = line;
    let (command, args) = split(command)?;
    let (env, tty) = (env.into_iter().collect(), tty || attach);
    let size = tty.then(raw_mode::size).flatten();
    let (cols, rows) = size.map(|size| (size.cols, size.rows)).unzip();
    let request = ProcessCreateRequest { command, args, cwd, env, interactive, tty, cols, rows };
    let process = client.create_process(&request).await?;
    if attach {
        return attach::attach(client, attach::usual(process.id)).await;
    }
    print(output, &process, |process| print_text(&process.id))
}

/// The program and its arguments.
fn split(words: Vec<String>) -> Result<(String, Vec<String>), Failure> {
    let mut words = words.into_iter();
    let command = words.next().ok_or_else(|| Failure::usage("there is no command to start"))?;
    Ok((command, words.collect()))
}

/// Output as the bytes that it was.
fn write(mut to: impl Write, text: &str, base64: Option<&str>) -> Result<(), Failure> {
    match base64 {
        Some(base64) => to.write_all(&decode(base64)?)?,
        None => to.write_all(text.as_bytes())?,
    }
    Ok(to.flush()?)
}

/// The bytes of what the daemon sent in base64.
fn decode(text: &str) -> Result<Vec<u8>, Failure> {
    Ok(STANDARD.decode(text).context("the daemon sent something that is not base64")?)
}

/// Ends this command as the process ended.
fn exit_as(code: Option<i32>, signal: Option<i32>) -> Result<(), Failure> {
    let code = match (code, signal) {
        (Some(0), _) => return Ok(()),
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    };
    Err(Failure::Exit(u8::try_from(code).unwrap_or(1)))
}

async fn input(client: &Client, args: InputArgs) -> Result<(), Failure> {
    let mut source: Box<dyn Read> = match (args.text, args.file) {
        (Some(text), _) => Box::new(io::Cursor::new(text)),
        (None, Some(path)) => {
            Box::new(File::open(&path).with_context(|| format!("cannot read {}", path.display()))?)
        }
        (None, None) => Box::new(io::stdin()),
    };
    let mut buffer = vec![0; INPUT_BYTES];
    loop {
        let length = source.read(&mut buffer).context("cannot read the input")?;
        let over = length == 0;
        if over && !args.eof {
            return Ok(());
        }
        let data = (!over).then(|| STANDARD.encode(buffer.get(..length).unwrap_or_default()));
        let request = ProcessInputRequest { data, eof: over, ..ProcessInputRequest::default() };
        client.send_process_input(&args.id, &request).await?;
        if over {
            return Ok(());
        }
    }
}

fn table(processes: &[ProcessInfo]) -> Table {
    let mut table = Table::new(&["ID", "STATUS", "PID", "TTY", "AGE", "COMMAND"]);
    let now = Timestamp::now().as_millis();
    for process in processes {
        table.add(&[
            &process.id,
            &status(process),
            &or_none(process.pid),
            if process.tty { "yes" } else { NONE },
            &age(now.saturating_sub(process.created_at.as_millis())),
            &command_line(&process.command, &process.args),
        ]);
    }
    table
}

fn describe(process: &ProcessInfo) -> io::Result<()> {
    let rows = [
        ("id", process.id.clone()),
        ("status", status(process)),
        ("pid", or_none(process.pid)),
        ("command", command_line(&process.command, &process.args)),
        ("directory", or_none(process.cwd.as_ref())),
        ("terminal", yes_or_no(process.tty)),
        ("interactive", yes_or_no(process.interactive)),
    ];
    Table::of_pairs(rows).print()
}

fn print_status(process: &ProcessInfo) -> io::Result<()> {
    print_text(&status(process))
}

fn status(process: &ProcessInfo) -> String {
    match (process.status, process.exit.exit_code, process.exit.signal) {
        (ProcessState::Running, ..) => "running".to_owned(),
        (_, None, Some(_)) if process.exit.oom_killed => "killed for want of memory".to_owned(),
        (_, code, signal) => exited(code, signal),
    }
}
