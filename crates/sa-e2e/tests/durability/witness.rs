//! Clients that note what the daemon acknowledged, and hold it to that.

use anyhow::{Context, Result, ensure};
use sa_testkit::{Http, Sse};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use tokio::task::JoinHandle;

/// Everything that clients of one session received.
#[derive(Debug, Default)]
struct Told {
    /// Events that were received, as they came.
    events: BTreeMap<u64, String>,
    /// Turns of messages that were accepted.
    turns: BTreeSet<String>,
}

/// One session, its clients, and what they know.
pub(crate) struct Witness {
    id: String,
    told: Arc<Mutex<Told>>,
    /// All events up to here were found in order.
    verified: u64,
    clients: Vec<JoinHandle<()>>,
}

impl Witness {
    pub(crate) async fn create(http: &Http, id: &str) -> Result<Self> {
        let body = json!({ "agent": "demo" }).to_string();
        http.post(&format!("/v1/sessions/{id}")).json(body).send().await?.expect_status(201)?;
        Ok(Self { id: id.to_owned(), told: Arc::default(), verified: 0, clients: Vec::new() })
    }

    /// Begins to read and to post, as fast as it goes, until the daemon is gone.
    pub(crate) fn work(&mut self, http: &Http) {
        let (id, told, after) = (self.id.clone(), Arc::clone(&self.told), self.verified);
        let reader = http.clone();
        self.clients.push(tokio::spawn(async move {
            // Whatever breaks here is the daemon's end; what came before it counts.
            let _end = read(&reader, &id, after, &told).await;
        }));
        let (id, told, poster) = (self.id.clone(), Arc::clone(&self.told), http.clone());
        self.clients.push(tokio::spawn(async move {
            let _end = post(&poster, &id, &told).await;
        }));
    }

    /// The daemon is gone: so are its clients.
    pub(crate) async fn rest(&mut self) {
        for client in self.clients.drain(..) {
            client.abort();
            // An aborted task's end is an error.
            let _aborted = client.await;
        }
    }

    /// Checks that everything received is in the log: ids without a hole or a repeat, each event as it was, each
    /// message.
    pub(crate) async fn verify(&mut self, http: &Http) -> Result<()> {
        let mut told = std::mem::take(&mut *self.told.lock().unwrap());
        loop {
            let path = format!("/v1/sessions/{}/events?offset={}&limit=1000", self.id, self.verified);
            let page = http.get(&path).send().await?.expect_status(200)?.json()?;
            for event in page["events"].as_array().context("events")? {
                let id = event["id"].as_u64().context("an id")?;
                ensure!(id == self.verified + 1, "{}: event {id} came after {}", self.id, self.verified);
                self.verified = id;
                if let Some(known) = told.events.remove(&id) {
                    let known: Value = serde_json::from_str(&known)?;
                    ensure!(known == *event, "{}: event {id} was {known}, and is {event}", self.id);
                }
                let message = &event["data"]["message"];
                if message["role"] == "user" {
                    told.turns.remove(message["metadata"]["turnId"].as_str().context("a turn")?);
                }
            }
            if page["hasMore"] == false {
                break;
            }
        }
        ensure!(told.events.is_empty(), "{}: these events are lost: {:?}", self.id, told.events);
        ensure!(told.turns.is_empty(), "{}: these messages are lost: {:?}", self.id, told.turns);
        Ok(())
    }

    pub(crate) fn events(&self) -> u64 {
        self.verified
    }
}

async fn read(http: &Http, id: &str, after: u64, told: &Mutex<Told>) -> Result<()> {
    let mut stream = Sse::open(http.get(&format!("/v1/sessions/{id}/events/sse?offset={after}"))).await?;
    loop {
        let event = stream.event().await?;
        let number = event.json()?["id"].as_u64().context("an id")?;
        told.lock().unwrap().events.insert(number, event.data);
    }
}

async fn post(http: &Http, id: &str, told: &Mutex<Told>) -> Result<()> {
    loop {
        let body = json!({ "message": "stream 12 64\ntool read Look\nsay Done." }).to_string();
        let reply = http.post(&format!("/v1/sessions/{id}/messages")).json(body).send().await?;
        if reply.status == 202 {
            let turn = reply.json()?["turnId"].as_str().context("a turn")?.to_owned();
            told.lock().unwrap().turns.insert(turn);
        } else {
            // As many wait as may; the agent is behind.
            tokio::task::yield_now().await;
        }
    }
}
