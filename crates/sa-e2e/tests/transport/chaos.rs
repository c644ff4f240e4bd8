//! Clients that ask, are cut and come back in any order, with a real agent: every answer is found, by nobody but its client.

use crate::clients::pending;
use anyhow::{Context, Result, ensure};
use sa_e2e::{request, response};
use sa_testkit::{Acp, Daemon, Reply, Ws};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::task::JoinHandle;

/// Ids of the POSTs; each socket has two of these, too.
const IDS: u64 = 4;
const STEPS: usize = 60;

/// A generator of the same numbers in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A client of a socket with events. Its ids differ from those of the other socket.
struct Socket {
    acp: Acp,
    number: u64,
    open: Option<Ws>,
    last: u64,
    /// The names of unanswered requests, by id.
    asked: BTreeMap<u64, String>,
}

impl Socket {
    async fn connect(&mut self) -> Result<()> {
        if self.open.is_none() {
            let asking = self.acp.ws(&format!("?lastEventId={}", self.last));
            self.open = Some(asking.subprotocol("sandbox-agent.events.v1").connect().await?);
        }
        Ok(())
    }

    async fn ask(&mut self, which: u64, name: &str) -> Result<bool> {
        let id = self.number * 2 + which % 2;
        let Some(socket) = self.open.as_mut().filter(|_| !self.asked.contains_key(&id)) else {
            return Ok(false);
        };
        socket.send(&held(id, name)).await?;
        self.asked.insert(id, name.to_owned());
        Ok(true)
    }

    /// Reads until all is answered.
    async fn settle(&mut self) -> Result<()> {
        self.connect().await?;
        let socket = self.open.as_mut().context("a socket")?;
        while !self.asked.is_empty() {
            let event: Value = serde_json::from_str(&socket.message().await?)?;
            self.last = event["id"].as_u64().unwrap_or(self.last);
            let message = &event["data"];
            let Some(name) = message["id"].as_u64().and_then(|id| self.asked.get(&id)) else { continue };
            let is_mine = message["result"]["name"] == json!(name);
            ensure!(is_mine || event["event"] != json!("message"), "{name} was answered by {event}");
            if is_mine {
                self.asked.retain(|id, _| message["id"] != json!(id));
            }
        }
        Ok(())
    }
}

fn held(id: u64, name: &str) -> String {
    request(id, "hold", &format!(r#"{{"name":"{name}"}}"#))
}

struct Scene {
    acp: Acp,
    dice: Dice,
    sockets: [Socket; 2],
    posts: Vec<(u64, String, JoinHandle<Result<Reply>>)>,
    /// Requests whose answer nobody waits for: their ids and names.
    lost: Vec<(u64, String)>,
    held: Vec<String>,
    count: u64,
}

impl Scene {
    async fn step(&mut self) -> Result<()> {
        let name = format!("n{}", self.count);
        match self.dice.roll(10) {
            0..4 => {
                self.count += 1;
                let id = self.dice.roll(IDS);
                let asked = match self.dice.roll(4) {
                    0 | 1 => self.sockets[id as usize % 2].ask(id / 2, &name).await?,
                    2 => {
                        let posting = self.acp.posting(held(id, &name));
                        self.posts.push((id, name.clone(), tokio::spawn(posting.send())));
                        true
                    }
                    _ => {
                        self.acp.post_async(held(id, &name)).await?.expect_status(202)?;
                        self.lost.push((id, name.clone()));
                        true
                    }
                };
                if asked {
                    self.held.push(name);
                    pending(&self.acp, self.held.len() as u64).await?;
                }
            }
            4..7 if !self.held.is_empty() => {
                let which = self.dice.roll(self.held.len() as u64) as usize;
                self.release(&[self.held[which].clone()]).await?;
            }
            7 => self.sockets[self.dice.roll(2) as usize].open = None,
            8 => {
                let socket = &mut self.sockets[self.dice.roll(2) as usize];
                socket.connect().await?;
                if socket.asked.values().all(|name| !self.held.contains(name)) {
                    socket.settle().await?;
                }
            }
            9 if !self.posts.is_empty() => {
                let which = self.dice.roll(self.posts.len() as u64) as usize;
                let (id, name, post) = self.posts.remove(which);
                post.abort();
                self.lost.push((id, name));
            }
            _ => {}
        }
        Ok(())
    }

    async fn release(&mut self, names: &[String]) -> Result<()> {
        self.acp.call("release", &json!({ "names": names }).to_string()).await?;
        self.held.retain(|held| !names.contains(held));
        Ok(())
    }

    async fn finish(mut self) -> Result<()> {
        let held = self.held.clone();
        self.release(&held).await?;
        for (id, name, post) in self.posts {
            let reply = post.await??.expect_status(200)?;
            assert_eq!(reply.text(), response(id, &format!(r#"{{"name":"{name}"}}"#)));
        }
        for socket in &mut self.sockets {
            socket.settle().await.with_context(|| format!("socket {}", socket.number))?;
        }
        let mut stream = self.acp.events_after(0).await?;
        let mut lost: Vec<String> =
            self.lost.iter().map(|(id, name)| response(id, &format!(r#"{{"name":"{name}"}}"#))).collect();
        while !lost.is_empty() {
            let event = stream.event().await?;
            lost.retain(|answer| *answer != event.data);
        }
        pending(&self.acp, 0).await?;
        self.acp.delete().await?.expect_status(204)?;
        Ok(())
    }
}

#[tokio::test]
async fn every_answer_is_found_by_its_client_alone() -> Result<()> {
    let daemon = Daemon::start().await?;
    for seed in 1..=6 {
        let acp = daemon.acp(&format!("s{seed}"));
        acp.start("puppet").await?;
        let socket =
            |number| Socket { acp: acp.clone(), number, open: None, last: 1, asked: BTreeMap::new() };
        let mut scene = Scene {
            acp: acp.clone(),
            dice: Dice(seed * 0x9e37_79b9),
            sockets: [socket(0), socket(1)],
            posts: Vec::new(),
            lost: Vec::new(),
            held: Vec::new(),
            count: 0,
        };
        for _ in 0..STEPS {
            scene.step().await.with_context(|| format!("seed {seed}"))?;
        }
        scene.finish().await.with_context(|| format!("seed {seed}"))?;
    }
    assert!(Acp::list(daemon.http()).await?.is_empty());
    Ok(())
}
