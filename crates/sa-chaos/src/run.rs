//! A run: rounds until the time is up, then the last checks.

use crate::audit::Extent;
use crate::checks;
use crate::clients::{Reader, Round, ServerClient, ServerReader, SessionClient, Visitor};
use crate::dice::Dice;
use crate::faults::{self, Fault, Ongoing, Tools};
use crate::model::{Files, Server, Session};
use crate::options::Options;
use crate::oracle::Oracle;
use crate::record::Record;
use crate::settle;
use crate::soak;
use crate::wire::Trouble;
use crate::world::World;
use anyhow::{Context, Result};
use sa_testkit::Sandbox;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The agents of the sessions that exist at once.
const AGENTS: [&str; 6] = ["rogue", "rogue", "rogue-claude", "rogue-codex", "demo", "demo"];
/// Every so many rounds all sessions finish and every event is read again.
const SETTLED: u64 = 4;
/// Progress is printed this often.
const PROGRESS: Duration = Duration::from_secs(15);

struct Run {
    world: World,
    oracle: Oracle,
    dice: Dice,
    tools: Tools,
    sessions: Vec<Arc<Session>>,
    servers: Vec<Arc<Server>>,
    files: Arc<Files>,
    /// Numbers sessions and clients.
    serial: u64,
}

/// Runs until the time is up or something differs; returns whether nothing did.
pub(crate) async fn run(options: &Options, no_namespace: Option<&str>) -> Result<bool> {
    println!("chaos: seed {}, {:.1} minutes", options.seed, options.length().as_secs_f64() / 60.0);
    let sandbox = Sandbox::new()?;
    let mut faults = options.faults();
    let tools = Tools::prepare(&mut faults, no_namespace, &sandbox)?;
    let oracle = Oracle::new();
    let data = sandbox.path("disk").join("data");
    let world = World::start(&oracle, sandbox, data, tools.preload()).await?;
    if !world.has_preload() {
        faults.retain(|fault| {
            if fault.needs_preload() {
                println!("skipped: fault {fault}, as the daemon is a static program");
            }
            !fault.needs_preload()
        });
    }
    let dice = Dice::new(options.seed);
    let servers = [("a1", "puppet"), ("a2", "puppet"), ("a3", "stubborn")];
    let servers = servers.map(|(id, agent)| Arc::new(Server::new(id.to_owned(), agent))).to_vec();
    let mut run =
        Run { world, oracle, dice, tools, sessions: Vec::new(), servers, files: Arc::default(), serial: 0 };
    let mut growth = None;
    let mut outcome = match options.soak {
        true => soak::soak(&run.world, &mut run.dice, options.length()).await.map(|grown| growth = grown),
        false => run.rounds(options.length(), &faults).await,
    };
    if outcome.is_ok() && !run.oracle.has_differences() {
        outcome = checks::conclude(&mut run.world, &run.sessions, &run.servers).await;
    }
    let is_clean = run.conclude(options, outcome);
    if let Some(page) = &options.update {
        let skipped: Vec<Fault> =
            options.faults().into_iter().filter(|fault| !faults.contains(fault)).collect();
        let (oracle, growth) = (&run.oracle, growth.as_ref());
        let record = Record { options, skipped: &skipped, oracle, growth, build: build() };
        record.write_to(page)?;
    }
    Ok(is_clean)
}

/// Returns the profile that the daemon was built with: the name of its directory.
fn build() -> String {
    let folder = sa_testkit::daemon_path().ok().and_then(|path| Some(path.parent()?.file_name()?.to_owned()));
    folder.unwrap_or_default().to_string_lossy().into_owned()
}

impl Run {
    async fn rounds(&mut self, length: Duration, faults: &[Fault]) -> Result<()> {
        let (started, mut printed, mut number) = (Instant::now(), Instant::now(), 0);
        while started.elapsed() < length && !self.oracle.has_differences() {
            number += 1;
            self.replenish().await?;
            let fault = if self.dice.chance(85) { self.dice.pick(faults).copied() } else { None };
            self.oracle.note("round", format_args!("{number} with {fault:?}"));
            self.round(number, fault).await?;
            self.compare(number % SETTLED == 0).await?;
            if printed.elapsed() > PROGRESS {
                printed = Instant::now();
                self.print_progress(number);
            }
        }
        self.compare(true).await
    }

    fn print_progress(&self, rounds: u64) {
        let counts = self.oracle.counts();
        println!(
            "{:6.0} s: {rounds} rounds, {} operations, {} faults, {} observations checked",
            self.oracle.elapsed().as_secs_f64(),
            counts.operations,
            counts.faults,
            counts.observations
        );
    }

    fn conclude(&self, options: &Options, outcome: Result<()>) -> bool {
        let counts = self.oracle.counts();
        println!(
            "chaos: {} operations, {} faults, {} observations checked in {:.0} s",
            counts.operations,
            counts.faults,
            counts.observations,
            self.oracle.elapsed().as_secs_f64()
        );
        if let Err(error) = outcome {
            self.oracle.differ("run", format_args!("{error:#}"));
        }
        if !self.oracle.has_differences() {
            println!("no difference");
            return true;
        }
        println!("{}\n{}", self.oracle.report(), self.world.logs());
        println!("differences found with seed {}", options.seed);
        false
    }

    /// Creates sessions until there are enough.
    async fn replenish(&mut self) -> Result<()> {
        let mut missing = AGENTS.to_vec();
        for session in &self.sessions {
            missing.iter().position(|agent| *agent == session.agent).map(|place| missing.remove(place));
        }
        for agent in missing {
            self.serial += 1;
            let session = Arc::new(Session::new(format!("s{}", self.serial), agent));
            self.create(&session).await?;
            self.sessions.push(session);
        }
        Ok(())
    }

    /// Creates a session by two requests at once: one of them makes it.
    async fn create(&mut self, session: &Session) -> Result<()> {
        let cwd = self.world.workspace(&session.id)?;
        let body = json!({ "agent": session.agent, "cwd": cwd, "title": "chaos" }).to_string();
        let wire = &self.world.wire;
        let request = wire.http.post(&session.path("")).json(body);
        let twice = self.dice.chance(30);
        let attempt = || wire.send(&session.id, request.clone(), |status| matches!(status, 200 | 201 | 409));
        let statuses = if twice {
            let (one, other) = futures_util::future::join(attempt(), attempt()).await;
            vec![one.status(), other.status()]
        } else {
            vec![attempt().await.status()]
        };
        let made = statuses.iter().filter(|status| **status == 201).count();
        self.oracle.expect(made == 1, &session.id, || format!("creating it was answered {statuses:?}"));
        Ok(())
    }

    /// Has clients act, with a fault in the middle.
    async fn round(&mut self, number: u64, fault: Option<Fault>) -> Result<()> {
        let round = Round::default();
        let mut clients = JoinSet::new();
        self.spawn_clients(number, &round, &mut clients)?;
        tokio::time::sleep(self.dice.millis(50, 2500)).await;
        let ongoing = match fault {
            Some(fault) => faults::begin(fault, &mut self.world, &self.tools, &mut self.dice).await?,
            None => Ongoing::Over,
        };
        tokio::time::sleep(self.dice.millis(0, 1200)).await;
        // Requests may wait for a stopped agent longer than clients do.
        let ongoing = faults::wake_agents(ongoing);
        round.end();
        while let Some(ended) = clients.join_next().await {
            ended.context("a client panicked")?;
        }
        faults::end(ongoing, &mut self.world, &self.tools).await?;
        if fault == Some(Fault::Disk) {
            for session in &self.sessions {
                settle::await_storage(&self.world.wire, session).await;
            }
            self.world.wire.set_trouble(Trouble::None);
        }
        Ok(())
    }

    fn spawn_clients(&mut self, number: u64, round: &Round, clients: &mut JoinSet<()>) -> Result<()> {
        let wire = &self.world.wire;
        for session in &self.sessions {
            for place in 0..2 {
                let name = format!("{}-{number}-{place}", session.id);
                clients.spawn(SessionClient::new(wire, session, self.dice.fork(), name).run(round.clone()));
            }
            clients.spawn(Reader::new(wire, session, self.dice.fork()).run(round.clone()));
        }
        for server in &self.servers {
            for place in 0..2 {
                let name = format!("{}-{number}-{place}", server.id);
                clients.spawn(ServerClient::new(wire, server, self.dice.fork(), name).run(round.clone()));
            }
            clients.spawn(ServerReader::new(wire, server, self.dice.fork()).run(round.clone()));
        }
        let directory = self.world.workspace("files")?;
        let name = format!("v-{number}");
        let visitor = Visitor::new(wire, &self.sessions, &self.files, directory, self.dice.fork(), name);
        clients.spawn(visitor.run(round.clone()));
        Ok(())
    }

    /// Compares everything that clients saw with the model; `settled` after all sessions have finished.
    async fn compare(&mut self, settled: bool) -> Result<()> {
        let extent = if settled { Extent::Whole } else { Extent::New };
        let sessions = std::mem::take(&mut self.sessions);
        self.sessions = checks::compare(&self.world, sessions, extent).await?;
        for server in &self.servers {
            checks::compare_server(&self.world.wire, server);
        }
        if settled {
            checks::expect_rest(&self.world, &self.servers).await?;
        }
        Ok(())
    }
}
