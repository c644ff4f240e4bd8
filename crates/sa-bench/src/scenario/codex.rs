//! The cost of the Codex adapter on top of the app-server that it drives, next to the adapters that npm has: until a
//! session is ready, for each chunk, in memory.
//!
//! The same CLI runs bare, behind our adapter and behind the Node adapter, in turns, with the same scripted model;
//! the native adapter of npm includes another core.

use crate::figures::{Against, Figure, Goal, median};
use crate::process::Model;
use crate::run::Run;
use crate::stdio::Talker;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tempfile::TempDir;

/// Packages of npm that the adapter is compared with, where somebody has put them into the cache of the tests: `npm
/// install --prefix CACHE/codex-acp NAME@VERSION`. Each has a name and a program.
const PEERS: [(&str, &str); 2] = [
    ("@agentclientprotocol/codex-acp, on Node", "@agentclientprotocol/codex-acp/dist/index.js"),
    ("@zed-industries/codex-acp, native", "@zed-industries/codex-acp-linux-x64/bin/codex-acp"),
];

/// An adapter under measurement.
enum Contestant {
    /// The CLI itself, in its own protocol.
    Bare,
    Ours,
    /// A package of npm.
    Peer(PathBuf),
}

#[derive(Default)]
struct Samples {
    ready: Vec<f64>,
    chunk: Vec<f64>,
    memory: Vec<f64>,
}

struct Stage {
    adapter: PathBuf,
    cli: PathBuf,
    cache: PathBuf,
    model: Model,
    chunks: usize,
}

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let found =
        run.programs.cache().map(|cache| (cache.join("codex@newest/agents/codex/current/bin/codex"), cache));
    let Some((cli, cache)) = found.filter(|(cli, _)| cli.exists()) else {
        eprintln!("codex: not installed where tests keep it; run `cargo xtask test` first");
        return Ok(());
    };
    let (adapter, model) = (run.programs.daemon.clone(), Model::start(&run.programs)?);
    let stage = Stage { adapter, cli, cache, model, chunks: run.pick(5_000, 200) };
    let mut contestants = vec![
        ("bare", Contestant::Bare, Samples::default()),
        ("adapter", Contestant::Ours, Samples::default()),
    ];
    for (name, program) in PEERS {
        let program = stage.cache.join("codex-acp/node_modules").join(program);
        if program.exists() {
            contestants.push((name, Contestant::Peer(program), Samples::default()));
        }
    }
    // The first start reads the programs from disk.
    for round in 0..=run.pick(7, 1) {
        for (name, contestant, samples) in &mut contestants {
            let (ready, chunk, memory) = stage.play(contestant).with_context(|| (*name).to_owned())?;
            if round > 0 {
                samples.ready.push(ready);
                samples.chunk.push(chunk);
                samples.memory.push(memory);
            }
        }
    }
    let Some(((_, _, bare), others)) = contestants.split_first() else { return Ok(()) };
    for (name, contestant, samples) in others {
        let beside = |what: &str, unit, value: &[f64], floor: &[f64]| {
            let figure = Figure::new(format!("{name}: {what}"), unit, median(value));
            figure.floors(Some(median(floor)), None, Against::Only)
        };
        run.figure(beside("start to ready session", "ms", &samples.ready, &bare.ready));
        run.figure(beside("turn, time for each chunk", "µs", &samples.chunk, &bare.chunk));
        let memory = Figure::new(format!("{name}: its own memory after it"), "MB", median(&samples.memory));
        let goal = matches!(contestant, Contestant::Ours).then_some(Goal::AtMost(3.0));
        run.figure(memory.maybe_goal(goal));
    }
    run.figure(Figure::new("bare: its own memory after it", "MB", median(&bare.memory)));
    Ok(())
}

impl Stage {
    /// Milliseconds until a session is ready, microseconds for each chunk of a turn, and megabytes after it.
    fn play(&self, contestant: &Contestant) -> Result<(f64, f64, f64)> {
        // The CLI does without some of its helpers where files are temporary.
        let home = TempDir::new_in(&self.cache)?;
        let codex_home = home.path().join(".codex");
        fs::create_dir_all(&codex_home)?;
        fs::write(codex_home.join("config.toml"), self.settings())?;
        let cli = self.cli.to_string_lossy();
        let codex_home = codex_home.to_string_lossy();
        let env = [
            ("CODEX_HOME", codex_home.as_ref()),
            ("CODEX_PATH", cli.as_ref()),
            ("NO_BROWSER", "1"),
            ("SCRIPTED_API_KEY", "sk-fake"),
            ("LANG", "C.UTF-8"),
        ];
        let begin = Instant::now();
        let mut talker = Talker::start(self.command(contestant), home.path(), &env)?;
        let session = match contestant {
            Contestant::Bare => open_bare(&mut talker, home.path())?,
            _ => open(&mut talker, home.path())?,
        };
        let ready = begin.elapsed();
        let begin = Instant::now();
        match contestant {
            Contestant::Bare => turn_bare(&mut talker, &session, self.chunks)?,
            _ => turn(&mut talker, &session, self.chunks)?,
        }
        let chunk = begin.elapsed().as_secs_f64() * 1e6 / self.chunks as f64;
        Ok((ready.as_secs_f64() * 1e3, chunk, talker.own_memory()? * 1024.0 / 1e6))
    }

    fn command(&self, contestant: &Contestant) -> Command {
        match contestant {
            Contestant::Bare => {
                let mut command = Command::new(&self.cli);
                command.arg("app-server");
                command
            }
            Contestant::Ours => {
                let mut command = Command::new(&self.adapter);
                command.args(["acp", "codex", "--program"]).arg(&self.cli);
                command
            }
            Contestant::Peer(program) if program.extension().is_some_and(|ending| ending == "js") => {
                let mut command = Command::new("node");
                command.arg(program);
                command
            }
            Contestant::Peer(program) => Command::new(program),
        }
    }

    /// Returns the scripted model as a provider, in the form that every one of them reads.
    fn settings(&self) -> String {
        let url = self.model.url();
        format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\n\
             base_url = \"{url}/v1\"\nenv_key = \"SCRIPTED_API_KEY\"\nwire_api = \"responses\"\n"
        )
    }
}

fn ask(talker: &mut Talker, id: u64, method: &str, params: &Value) -> Result<Value> {
    talker.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
    let answer = talker.hear(|line| line["id"] == id && line.get("method").is_none(), |_| ())?;
    Ok(answer.get("result").with_context(|| format!("{method}: {answer}"))?.clone())
}

fn script(chunks: usize) -> String {
    format!("repeat: {chunks} x 32")
}

fn open_bare(talker: &mut Talker, cwd: &Path) -> Result<Value> {
    let client = json!({"name": "sa-bench", "title": null, "version": "0"});
    ask(talker, 1, "initialize", &json!({"clientInfo": client, "capabilities": {"experimentalApi": true}}))?;
    talker.say(&json!({"method": "initialized"}))?;
    // A client needs the list before it can offer a choice of models.
    ask(talker, 2, "model/list", &json!({"limit": 100}))?;
    let params = json!({"cwd": cwd, "approvalPolicy": "untrusted", "sandbox": "danger-full-access"});
    Ok(ask(talker, 3, "thread/start", &params)?["thread"]["id"].clone())
}

fn turn_bare(talker: &mut Talker, thread: &Value, chunks: usize) -> Result<()> {
    let input = json!([{"type": "text", "text": script(chunks)}]);
    talker.say(&json!({"id": 4, "method": "turn/start", "params": {"threadId": thread, "input": input}}))?;
    talker.hear(|line| line["method"] == "turn/completed", |_| ()).map(drop)
}

fn open(talker: &mut Talker, cwd: &Path) -> Result<Value> {
    ask(talker, 1, "initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}))?;
    Ok(ask(talker, 2, "session/new", &json!({"cwd": cwd, "mcpServers": []}))?["sessionId"].clone())
}

fn turn(talker: &mut Talker, session: &Value, chunks: usize) -> Result<()> {
    let prompt = json!([{"type": "text", "text": script(chunks)}]);
    ask(talker, 3, "session/prompt", &json!({"sessionId": session, "prompt": prompt})).map(drop)
}
