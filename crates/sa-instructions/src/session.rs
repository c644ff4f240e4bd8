//! One event of a session: reduced and serialized, committed, framed for a stream.

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use sa_api::Timestamp;
use sa_api::sessions::{EventData, UniversalEvent};
use sa_relay::push_event;
use sa_store::{Change, Listing, Mark, NewEvent, Store, StoreOptions};
use sa_universal::Reducer;
use serde_json::value::RawValue;

const SESSION: &str = "session";
/// A fixed time, in milliseconds since 1970.
const AT_MS: u64 = 1_800_000_000_000;

/// Reduces updates of an agent that streams text.
pub(crate) fn reduce(count: usize) -> Result<()> {
    let mut reducer = Reducer::new(SESSION);
    reducer.begin_turn("turn");
    let update = update()?;
    let mut events = 0;
    for id in 0..count as u64 {
        for event in reducer.update(&update) {
            ensure!(!serialize(id, event)?.is_empty(), "an event is empty");
            events += 1;
        }
    }
    ensure!(events >= count, "{count} updates became {events} events");
    Ok(())
}

/// Commits events to a store in memory, `batch` of them in each change.
pub(crate) fn commit(count: usize, batch: usize) -> Result<()> {
    let data = event()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        let store = Store::in_memory(StoreOptions::default()).await?;
        store.create(SESSION, Bytes::from_static(b"{}"), Listing::default()).await?;
        let (mut id, last) = (0, count as u64);
        while id < last {
            let upto = (id + batch as u64).min(last);
            let events = (id + 1..=upto).map(|id| NewEvent {
                id,
                at_ms: AT_MS,
                data: data.clone(),
                mark: Some(Mark::Piece { message: "message".to_owned() }),
            });
            let change = Change { events: events.collect(), ended: Some(false), ..Change::default() };
            id = store.commit(SESSION, change).await?.last;
        }
        store.close().await;
        Ok(())
    })
}

/// Frames events as server-sent events.
pub(crate) fn frame(count: usize) -> Result<()> {
    let data = event()?;
    let mut frames = Vec::new();
    for id in 0..count as u64 {
        push_event(&mut frames, None, Some(id), &data);
        if frames.len() > 64 * 1024 {
            ensure!(!Bytes::from(std::mem::take(&mut frames)).is_empty(), "no frames");
        }
    }
    Ok(())
}

fn update() -> Result<Box<RawValue>> {
    let text = "x".repeat(200);
    let update = format!(
        r#"{{"sessionId":"{SESSION}","update":{{"sessionUpdate":"agent_message_chunk","messageId":"message","content":{{"type":"text","text":"{text}"}}}}}}"#
    );
    Ok(RawValue::from_string(update)?)
}

fn event() -> Result<Bytes> {
    let mut reducer = Reducer::new(SESSION);
    reducer.begin_turn("turn");
    let piece = reducer.update(&update()?).into_iter().next_back().context("an update became no event")?;
    serialize(1, piece)
}

fn serialize(id: u64, data: EventData) -> Result<Bytes> {
    let event = UniversalEvent {
        id,
        timestamp: Timestamp::from_millis(AT_MS),
        session_id: SESSION.to_owned(),
        agent: "agent".to_owned(),
        native_session_id: Some("native".to_owned()),
        data,
    };
    Ok(serde_json::to_vec(&event)?.into())
}
