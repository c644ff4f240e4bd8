//! The cost of the Claude adapter on top of the CLI that it drives: until a session is ready, in memory, for each
//! chunk.
//!
//! The same CLI runs bare and behind the adapter, in turns, with the same scripted model.

use crate::figures::{Against, Figure, Goal, median};
use crate::process::Model;
use crate::run::Run;
use crate::stdio::Talker;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tempfile::TempDir;

/// The flags that the adapter itself passes to the CLI.
const FLAGS: [&str; 9] = [
    "--output-format",
    "stream-json",
    "--input-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-prompt-tool",
    "stdio",
    "--replay-user-messages",
];

/// One turn: how long it took and how many chunks came.
struct Turn {
    ms: f64,
    chunks: usize,
}

struct Stage<'a> {
    adapter: &'a Path,
    cli: PathBuf,
    model: Model,
}

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let Some(cli) = run.programs.claude() else {
        eprintln!("claude: not installed where tests keep it; run `cargo xtask test` first");
        return Ok(());
    };
    let model = Model::start(&run.programs)?;
    let adapter = run.programs.daemon.clone();
    let stage = Stage { adapter: &adapter, cli, model };
    let chunks = run.pick(5_000, 200);
    let (mut bare, mut adapted, mut memory) = (Samples::default(), Samples::default(), Vec::new());
    // The first start reads the program from disk.
    for round in 0..=run.pick(7, 1) {
        let (ready, turn) = stage.bare(chunks)?;
        let (adapted_ready, adapted_turn, own) = stage.adapted(chunks)?;
        if round > 0 {
            bare.add(ready, &turn);
            adapted.add(adapted_ready, &adapted_turn);
            memory.push(own * 1024.0 / 1e6);
        }
    }
    let beside = |name: &str, unit, value, floor| {
        Figure::new(name, unit, value).floors(Some(floor), None, Against::Only)
    };
    run.figure(beside("start to ready session", "ms", median(&adapted.ready), median(&bare.ready)));
    run.figure(beside("turn, time for each chunk", "µs", median(&adapted.chunk), median(&bare.chunk)));
    run.figure(Figure::new("adapter's own memory after it", "MB", median(&memory)).goal(Goal::AtMost(3.0)));
    Ok(())
}

#[derive(Default)]
struct Samples {
    ready: Vec<f64>,
    chunk: Vec<f64>,
}

impl Samples {
    fn add(&mut self, ready: f64, turn: &Turn) {
        self.ready.push(ready);
        self.chunk.push(turn.ms * 1e3 / turn.chunks.max(1) as f64);
    }
}

impl Stage<'_> {
    fn env(&self) -> [(&str, &str); 5] {
        [
            ("ANTHROPIC_BASE_URL", self.model.url()),
            ("ANTHROPIC_API_KEY", "sk-fake"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("LANG", "C.UTF-8"),
        ]
    }

    fn bare(&self, chunks: usize) -> Result<(f64, Turn)> {
        let home = TempDir::new()?;
        let begin = Instant::now();
        let mut command = Command::new(&self.cli);
        command.args(FLAGS);
        let mut cli = Talker::start(command, home.path(), &self.env())?;
        cli.say(
            &json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}}),
        )?;
        cli.hear(|line| line["type"] == "control_response", |_| ())?;
        let ready = begin.elapsed().as_secs_f64() * 1e3;
        let begin = Instant::now();
        let message = json!({"role": "user", "content": script(chunks)});
        cli.say(&json!({"type": "user", "message": message, "parent_tool_use_id": null, "session_id": ""}))?;
        let mut seen = 0;
        let count = |line: &Value| seen += usize::from(line["event"]["delta"]["type"] == "text_delta");
        cli.hear(|line| line["type"] == "result", count)?;
        Ok((ready, Turn { ms: begin.elapsed().as_secs_f64() * 1e3, chunks: seen }))
    }

    fn adapted(&self, chunks: usize) -> Result<(f64, Turn, f64)> {
        let home = TempDir::new()?;
        let begin = Instant::now();
        let mut command = Command::new(self.adapter);
        command.args(["acp", "claude", "--program"]).arg(&self.cli);
        let mut agent = Talker::start(command, home.path(), &self.env())?;
        let ask = |agent: &mut Talker, id: u64, method: &str, params: Value| -> Result<(Value, usize)> {
            agent.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
            let mut seen = 0;
            let count = |line: &Value| {
                seen += usize::from(line["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
            };
            let answer = agent.hear(|line| line["id"] == id && line.get("method").is_none(), count)?;
            Ok((answer.get("result").with_context(|| answer.to_string())?.clone(), seen))
        };
        ask(&mut agent, 1, "initialize", json!({"protocolVersion": 1}))?;
        let session = ask(&mut agent, 2, "session/new", json!({"cwd": home.path(), "mcpServers": []}))?.0;
        let ready = begin.elapsed().as_secs_f64() * 1e3;
        let begin = Instant::now();
        let prompt = json!([{"type": "text", "text": script(chunks)}]);
        let (_, seen) = ask(
            &mut agent,
            3,
            "session/prompt",
            json!({"sessionId": session["sessionId"], "prompt": prompt}),
        )?;
        let turn = Turn { ms: begin.elapsed().as_secs_f64() * 1e3, chunks: seen };
        Ok((ready, turn, agent.own_memory()?))
    }
}

fn script(chunks: usize) -> String {
    format!("repeat: {chunks} x 32")
}
