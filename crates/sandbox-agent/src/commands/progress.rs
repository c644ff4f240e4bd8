//! An installation as a progress bar, where somebody watches; as lines of text where nobody does.

use crate::diagnostics::diagnose;
use indicatif::{ProgressBar, ProgressStyle};
use sa_agents::SourceKind;
use sa_api::{InstallEvent, InstallSource};
use sa_install::Progress;
use std::io::IsTerminal;
use std::time::Duration;

const BYTES: &str = "{prefix} {msg} [{bar:24}] {bytes}/{total_bytes} {bytes_per_sec}";
const STEPS: &str = "{prefix} {spinner} {msg}";
const TICK: Duration = Duration::from_millis(120);

/// How one installation is shown, on standard error.
pub(crate) enum Bar {
    /// On a terminal.
    Drawn(ProgressBar),
    /// Each new step on a line; the last one is remembered.
    Lines { agent: String, last: String },
    /// Not at all.
    Silent,
}

impl Bar {
    pub(crate) fn new(agent: &str, silent: bool) -> Self {
        if silent {
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

    pub(crate) fn show(&mut self, progress: &Progress) {
        match self {
            Self::Drawn(bar) => draw(bar, progress),
            Self::Lines { agent, last } => {
                let words = words(progress);
                if *last != words {
                    diagnose!("{agent}: {words}");
                    *last = words;
                }
            }
            Self::Silent => {}
        }
    }

    /// The same for an installation on the daemon's machine; its end is none of its steps.
    pub(crate) fn show_event(&mut self, event: InstallEvent) {
        if let Some(progress) = step(event) {
            self.show(&progress);
        }
    }

    pub(crate) fn finish(&self) {
        if let Self::Drawn(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn draw(bar: &ProgressBar, progress: &Progress) {
    match progress {
        Progress::Downloading { received, total: Some(total), .. } => {
            bar.set_style(style(BYTES));
            bar.set_length(*total);
            bar.set_position(*received);
            bar.set_message("downloading");
        }
        Progress::SourceFailed { .. } => bar.println(format!("{}: {}", bar.prefix(), words(progress))),
        other => {
            bar.set_style(style(STEPS));
            bar.set_message(words(other));
        }
    }
}

fn words(progress: &Progress) -> String {
    match progress {
        Progress::Waiting => "waiting for another installation".to_owned(),
        Progress::Resolving { source } => format!("asking {}", source.name()),
        Progress::SourceFailed { source, reason } => format!("not from {}: {reason}", source.name()),
        Progress::Downloading { url, .. } => format!("downloading {url}"),
        Progress::Verifying => "verifying".to_owned(),
        Progress::Unpacking { .. } => "unpacking".to_owned(),
        Progress::Activating => "activating".to_owned(),
    }
}

fn step(event: InstallEvent) -> Option<Progress> {
    Some(match event {
        InstallEvent::Waiting => Progress::Waiting,
        InstallEvent::Resolving { source } => Progress::Resolving { source: kind(source) },
        InstallEvent::SourceFailed { source, reason } => {
            Progress::SourceFailed { source: kind(source), reason }
        }
        InstallEvent::Downloading { url, received, total } => Progress::Downloading { url, received, total },
        InstallEvent::Verifying => Progress::Verifying,
        InstallEvent::Unpacking { written } => Progress::Unpacking { written },
        InstallEvent::Activating => Progress::Activating,
        InstallEvent::Done(_) | InstallEvent::Failed(_) => return None,
    })
}

fn kind(source: InstallSource) -> SourceKind {
    match source {
        InstallSource::Vendor => SourceKind::Vendor,
        InstallSource::Github => SourceKind::Github,
        InstallSource::Npm => SourceKind::Npm,
        InstallSource::Registry => SourceKind::Registry,
        InstallSource::Local => SourceKind::Local,
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
