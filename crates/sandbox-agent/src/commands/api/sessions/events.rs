//! Messages that are sent and events that are shown.

use super::bodies;
use crate::args::{EventArgs, SendArgs};
use crate::commands::api::print;
use crate::commands::render::print_text;
use crate::commands::terminal::{ColorChoice, Console};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::Context;
use sa_api::sessions::{EventData, EventType, StopReason, UniversalEvent};
use sa_client::{Client, EventQuery, SessionStep};

pub(super) async fn send(client: &Client, args: SendArgs) -> Result<(), Failure> {
    let message = bodies::message(&args)?;
    let key = args.idempotency_key.as_deref();
    if !args.stream {
        let accepted = client.post_message(&args.id, &message, key).await?;
        return print(args.output, &accepted, |accepted| print_text(&accepted.turn_id));
    }
    let mut stream = client.post_message_stream(&args.id, &message, key).await?;
    let mut console = Console::new("", ColorChoice::Auto);
    let mut reason = None;
    while let Some(event) = stream.next().await? {
        if event.event != "message" {
            console.view.note(&format!("{}: {}", event.event, event.data));
            continue;
        }
        let read =
            UniversalEvent::from_json(event.data.as_bytes()).context("the daemon sent a broken event")?;
        if let EventData::TurnEnded(ended) = &read.data {
            reason = Some(ended.stop_reason);
        }
        if args.output.json {
            print_text(&event.data)?;
        } else {
            console.show_all(&read)?;
        }
    }
    console.finish()?;
    if reason == Some(StopReason::EndTurn) { Ok(()) } else { Err(Failure::Exit(1)) }
}

pub(super) async fn page(client: &Client, id: &str, args: &EventArgs, limit: usize) -> Result<(), Failure> {
    let after = args.after;
    let page = client.get_events(id, &query(args)?.limit(limit)).await?;
    match page.oldest {
        Some(oldest) if oldest <= after => {
            diagnose!("[there is no event {after}; these are from the oldest on]");
        }
        Some(oldest) => diagnose!("[events before {oldest} are no longer kept]"),
        None => {}
    }
    for event in &page.events {
        print_text(&serde_json::to_string(event)?)?;
    }
    if page.has_more {
        diagnose!("[there are more: --after {}]", page.next);
    }
    Ok(())
}

/// The events that the flags ask for.
fn query(args: &EventArgs) -> Result<EventQuery, Failure> {
    let types = args.types.iter().map(|name| {
        EventType::from_name(name).ok_or_else(|| {
            let known = EventType::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
            Failure::usage(format!("unknown event type '{name}'; known are: {known}"))
        })
    });
    let query = EventQuery::after(args.after).types(types.collect::<Result<Vec<_>, _>>()?);
    Ok(if args.no_deltas { query.without_deltas() } else { query })
}

pub(super) async fn follow(client: &Client, id: &str, args: &EventArgs, json: bool) -> Result<(), Failure> {
    let mut events = client.follow_events(id, query(args)?).await?;
    let mut console = Console::new("", ColorChoice::Auto);
    while let Some(step) = events.next().await? {
        match step {
            SessionStep::Event(_, text) if json => print_text(&text)?,
            SessionStep::Event(event, _) => console.show_all(&event)?,
            SessionStep::Gap(gap) => {
                console.view.note(&format!("events before {} are no longer kept", gap.oldest));
            }
        }
    }
    Ok(console.finish()?)
}
