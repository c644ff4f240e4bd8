//! An installation as a progress bar, where somebody watches; as lines of text where nobody does.

use super::render::Format;
use crate::diagnostics::diagnose;
use indicatif::{ProgressBar, ProgressStyle};
use sa_api::InstallEvent;
use std::io::IsTerminal;
use std::time::Duration;

const BYTES: &str = "{prefix} {msg} [{bar:24}] {bytes}/{total_bytes} {bytes_per_sec}";
const STEPS: &str = "{prefix} {spinner} {msg}";
const TICK: Duration = Duration::from_millis(120);

/// The display of one installation, on standard error.
pub(crate) enum Bar {
    /// On a terminal.
    Drawn(ProgressBar),
    /// Each new step on a line; the last one is remembered.
    Lines { agent: String, last: String },
    /// Not at all.
    Silent,
}

impl Bar {
    pub(crate) fn new(agent: &str, format: Format) -> Self {
        if format == Format::Json {
            Self::Silent
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new_spinner().with_prefix(agent.to_owned());
            bar.set_style(style(STEPS));
            bar.enable_steady_tick(TICK);
            Self::Drawn(bar)
        } else {
            Self::Lines { agent: agent.to_owned(), last: String::new() }
        }
    }

    pub(crate) fn show(&mut self, event: &InstallEvent) {
        match self {
            Self::Drawn(bar) => draw(bar, event),
            Self::Lines { agent, last } => {
                let words = words(event);
                if *last != words {
                    diagnose!("{agent}: {words}");
                    *last = words;
                }
            }
            Self::Silent => {}
        }
    }

    pub(crate) fn finish(&self) {
        if let Self::Drawn(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn draw(bar: &ProgressBar, event: &InstallEvent) {
    match event {
        InstallEvent::Downloading { received, total: Some(total), .. } => {
            bar.set_style(style(BYTES));
            bar.set_length(*total);
            bar.set_position(*received);
            bar.set_message("downloading");
        }
        InstallEvent::SourceFailed { .. } => bar.println(format!("{}: {}", bar.prefix(), words(event))),
        other => {
            bar.set_style(style(STEPS));
            bar.set_message(words(other));
        }
    }
}

fn words(event: &InstallEvent) -> String {
    match event {
        InstallEvent::Waiting => "waiting for another installation".to_owned(),
        InstallEvent::Resolving { source } => format!("asking {}", source.name()),
        InstallEvent::SourceFailed { source, reason } => format!("not from {}: {reason}", source.name()),
        InstallEvent::Downloading { url, .. } => format!("downloading {url}"),
        InstallEvent::Verifying => "verifying".to_owned(),
        InstallEvent::Unpacking { .. } => "unpacking".to_owned(),
        InstallEvent::Activating => "activating".to_owned(),
        InstallEvent::Done(_) => "done".to_owned(),
        InstallEvent::Failed(problem) => problem.detail.clone(),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
