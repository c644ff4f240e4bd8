//! Requests that the agent echoes: 1, 16 and 128 in flight, over 1 and 16 ACP servers.

use crate::acp;
use crate::figures::{Against, Figure, Goal, median, percentile_us};
use crate::pipe::PipeAgent;
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Echo};
use anyhow::{Result, ensure};
use sa_bench::message::now;
use sa_bench::{Connection, Progress, Readiness};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// The number of requests at once and of servers, and the goal.
struct Shape {
    flights: usize,
    servers: usize,
    p50: Option<Goal>,
    cpu: Option<Goal>,
}

impl Shape {
    const fn plain(flights: usize, servers: usize) -> Self {
        Self { flights, servers, p50: None, cpu: None }
    }

    fn name(&self) -> String {
        let servers = if self.servers == 1 { "server" } else { "servers" };
        format!("{} in flight, {} {servers}", self.flights, self.servers)
    }
}

/// CPU time of the daemon for a request while 16 are under way.
const CPU: Goal = Goal::AtMost(45.0);

const SHAPES: &[Shape] = &[
    Shape { p50: Some(Goal::RatioAtMost(1.3)), ..Shape::plain(1, 1) },
    Shape { cpu: Some(CPU), ..Shape::plain(16, 1) },
    Shape::plain(128, 1),
    Shape { cpu: Some(CPU), ..Shape::plain(16, 16) },
    Shape::plain(128, 16),
];

/// The figures of one shape, a value a round.
#[derive(Default)]
struct Samples {
    p50: Vec<f64>,
    p99: Vec<f64>,
    per_second: Vec<f64>,
}

impl Samples {
    fn take(&mut self, mut nanos: Vec<u64>, time: Duration) {
        self.p50.push(percentile_us(&mut nanos, 0.50));
        self.p99.push(percentile_us(&mut nanos, 0.99));
        self.per_second.push(nanos.len() as f64 / time.as_secs_f64());
    }
}

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    let floor = run.floor()?;
    for index in 0..16 {
        acp::create(&daemon, &index.to_string(), &mut run.scratch)?;
    }
    for shape in SHAPES {
        one_shape(run, &daemon, &floor, shape)?;
    }
    Ok(())
}

fn one_shape(run: &mut Run, daemon: &Server, floor: &Server, shape: &Shape) -> Result<()> {
    let Shape { flights, servers, .. } = *shape;
    let mut to_daemon = lanes(daemon, flights, |lane| wire::server_path(&(lane % servers).to_string()))?;
    let mut to_floor = lanes(floor, flights, |_| "/echo".to_owned())?;
    let mut agent = PipeAgent::start(&run.programs, None)?;
    let time = run.round_time();
    drive(&mut to_daemon, time / 4, &mut run.scratch)?;
    drive(&mut to_floor, time / 4, &mut run.scratch)?;
    agent.round_trips(flights, time / 4)?;

    let [mut ours, mut http, mut pipe] = [Samples::default(), Samples::default(), Samples::default()];
    let (mut cpu, mut answered) = (Duration::ZERO, 0);
    for _ in 0..run.rounds() {
        let before = daemon.cpu()?;
        let nanos = drive(&mut to_daemon, time, &mut run.scratch)?;
        cpu += daemon.cpu()? - before;
        answered += nanos.len();
        ours.take(nanos, time);
        http.take(drive(&mut to_floor, time, &mut run.scratch)?, time);
        pipe.take(agent.round_trips(flights, time)?, time);
    }
    report(run, shape, [&ours, &http, &pipe], cpu.as_secs_f64() * 1e6 / answered as f64);
    Ok(())
}

fn report(run: &mut Run, shape: &Shape, [ours, http, pipe]: [&Samples; 3], cpu: f64) {
    let name = shape.name();
    let figure = |name: String, unit, against, of: fn(&Samples) -> &Vec<f64>| {
        let floors = (Some(median(of(pipe))), Some(median(of(http))));
        Figure::new(name, unit, median(of(ours))).floors(floors.0, floors.1, against)
    };
    let p50 = figure(format!("{name}, p50"), "µs", Against::Sum, |samples| &samples.p50);
    run.figure(p50.maybe_goal(shape.p50));
    run.figure(figure(format!("{name}, p99"), "µs", Against::Sum, |samples| &samples.p99));
    run.figure(figure(name.clone(), "req/s", Against::Lower, |samples| &samples.per_second));
    run.figure(Figure::new(format!("{name}, daemon CPU"), "µs/req", cpu).maybe_goal(shape.cpu));
}

/// One connection with at most one request under way.
struct Lane {
    connection: Connection,
    echo: Echo,
    body: Vec<u8>,
    sent_at: u64,
}

impl AsFd for Lane {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }
}

fn lanes(server: &Server, count: usize, path: impl Fn(usize) -> String) -> Result<Vec<Lane>> {
    let lane = |index| {
        Ok(Lane {
            connection: server.connect()?,
            echo: Echo::post(&path(index)),
            body: Vec::new(),
            sent_at: 0,
        })
    };
    (0..count).map(lane).collect()
}

/// Keeps every lane busy for `time`; returns the nanoseconds of each request.
fn drive(lanes: &mut [Lane], time: Duration, scratch: &mut [u8]) -> Result<Vec<u64>> {
    let mut set = Readiness::over(lanes.iter())?;
    let mut ready = Vec::new();
    let mut taken = Vec::new();
    let end = now() + u64::try_from(time.as_nanos())?;
    let send = |lane: &mut Lane, index: usize| {
        lane.body.clear();
        lane.sent_at = now();
        lane.connection.send(lane.echo.next(index as u64))
    };
    for (index, lane) in lanes.iter_mut().enumerate() {
        send(lane, index)?;
    }
    let mut busy = lanes.len();
    while busy > 0 {
        set.wait(Duration::from_secs(20), &mut ready)?;
        ensure!(!ready.is_empty(), "{busy} requests are not answered");
        for index in ready.drain(..) {
            let lane = &mut lanes[index];
            let body = &mut lane.body;
            if lane.connection.read(scratch, |part| body.extend_from_slice(part))? != Progress::Complete {
                continue;
            }
            let arrived = now();
            let status = lane.connection.status();
            ensure!(status == Some(200), "echo: status {status:?}: {}", String::from_utf8_lossy(&lane.body));
            ensure!(lane.echo.matches(&lane.body), "an answer to another request");
            taken.push(arrived - lane.sent_at);
            if arrived < end {
                send(lane, index)?;
            } else {
                busy -= 1;
            }
        }
    }
    Ok(taken)
}
