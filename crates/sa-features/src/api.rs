//! Ways to an agent through the daemon.

use crate::log::{Entry, Log};
use anyhow::{Context, Result};
use futures_util::future::BoxFuture;
use sa_testkit::{Acp, Daemon, Event, Sse};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// A connection that takes and gives ACP messages. Another API of the daemon can be one if it puts its own words into
/// these.
pub(crate) trait Api: Send + Sync {
    /// Sends a message. Answers to requests come where everything comes that the agent says: into the log.
    fn send(&self, message: Value) -> BoxFuture<'_, Result<()>>;

    /// Ends the agent.
    fn shut(&self) -> BoxFuture<'_, Result<()>>;
}

/// Time without any event after which a forgotten reader ends. Bodies have shorter deadlines.
const PATIENCE: Duration = Duration::from_secs(600);

/// `/v1/acp/{server_id}`.
pub(crate) struct AcpApi {
    acp: Acp,
    reader: JoinHandle<()>,
}

impl AcpApi {
    /// Starts the agent with its first message and returns the answer. Later messages of the agent go to `take`.
    pub(crate) async fn open(
        daemon: &Daemon,
        server: &str,
        query: &str,
        hello: &Value,
        log: Arc<Log>,
        take: impl Fn(Value) + Send + 'static,
    ) -> Result<(Self, Value)> {
        let acp = daemon.acp(server);
        let request = daemon.http().post(&acp.path(query)).json(hello.to_string());
        let answer = request.within(Duration::from_secs(60)).send().await?.expect_status(200)?.json()?;
        let mut stream = acp.events().await?;
        let reader = tokio::spawn(async move {
            if let Err(error) = read(&mut stream, &log, take).await {
                log.blame(format!("the stream broke: {error:#}"));
            }
        });
        Ok((Self { acp, reader }, answer))
    }
}

async fn read(stream: &mut Sse, log: &Log, take: impl Fn(Value)) -> Result<()> {
    while let Some(Event { event, data, .. }) = stream.next_within(PATIENCE).await? {
        let value: Value = serde_json::from_str(&data).with_context(|| format!("an event: {data}"))?;
        if event == "message" {
            take(value);
        } else {
            log.push(Entry::Fact { name: event, data: value });
        }
    }
    log.push(Entry::Fact { name: "end".to_owned(), data: json!({}) });
    Ok(())
}

impl Api for AcpApi {
    fn send(&self, message: Value) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.acp.post_async(message.to_string()).await?.expect_status(202)?;
            Ok(())
        })
    }

    fn shut(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.acp.delete().await?.expect_status(204)?;
            Ok(())
        })
    }
}

impl Drop for AcpApi {
    fn drop(&mut self) {
        self.reader.abort();
    }
}
