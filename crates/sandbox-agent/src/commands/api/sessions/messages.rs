//! The transcript as text.

use crate::args::MessagesArgs;
use crate::commands::api::show;
use crate::commands::render::print_text;
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use sa_api::sessions::{MessagePart, Role, ToolStatus, TranscriptMessage, TranscriptPage, TranscriptState};
use sa_client::{Client, TranscriptQuery};
use sa_terminal::clean;
use std::io;

pub(super) async fn page(client: &Client, args: &MessagesArgs) -> Result<(), Failure> {
    let query = TranscriptQuery { after: args.after, limit: Some(args.limit), order: args.order };
    show(args.output, client.get_messages(&args.id, query), print_page).await
}

fn print_page(page: &TranscriptPage) -> io::Result<()> {
    for message in &page.messages {
        print_text(&text(message))?;
    }
    if let Some(next) = page.next {
        diagnose!("[there are more: --after {next}]");
    }
    Ok(())
}

/// A message as a paragraph: what a user said has a mark before each line, tools are in brackets.
fn text(message: &TranscriptMessage) -> String {
    let parts = message.parts.iter().filter_map(|part| match part {
        MessagePart::Text { text } => Some(clean(text).into_owned()),
        MessagePart::ToolCall { title, status, .. } => Some(format!("[{}{}]", clean(title), ending(*status))),
        MessagePart::File { path: Some(path), .. } => Some(format!("[file {}]", clean(path))),
        MessagePart::Image { mime_type, .. } => Some(format!("[image {}]", clean(mime_type))),
        MessagePart::Error { message } => Some(format!("[error: {}]", clean(message))),
        _ => None,
    });
    let text = parts.collect::<Vec<_>>().join("\n");
    let text = match message.role {
        Role::User => text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n"),
        Role::Assistant => text,
    };
    match message.state {
        TranscriptState::Complete => text,
        TranscriptState::Streaming => format!("{text}[streaming]"),
        TranscriptState::Queued => format!("{text} [queued]"),
        TranscriptState::Withdrawn => format!("{text} [withdrawn]"),
    }
}

fn ending(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Completed => "",
        ToolStatus::Failed => ": failed",
        ToolStatus::Pending | ToolStatus::InProgress => ": running",
    }
}
