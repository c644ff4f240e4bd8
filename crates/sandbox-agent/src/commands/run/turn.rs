//! A turn that runs: what the agent does is shown, and what it asks is decided.

use super::outcome::Outcome;
use super::report::Report;
use super::{Begun, Inputs, Interruption, Run};
use crate::args::{OutputFormat, PermissionArg};
use crate::commands::render::print_text;
use crate::commands::session::{CLEANUP_TIMEOUT, explain};
use crate::commands::terminal::{Asking, Console, send};
use crate::failure::Failure;
use crate::signals::Ending;
use sa_api::sessions::{EventData, PermissionReplyKind, UniversalEvent};
use sa_client::{EventQuery, SessionStep};
use sa_terminal::Decision;
use tokio::time::timeout;

/// The part of a run between the message and the end of its turn.
pub(super) struct Turn<'a, 'b> {
    run: &'a Run<'a>,
    begun: &'a Begun,
    console: &'a mut Console,
    report: &'a mut Report,
    inputs: &'a mut Inputs<'b>,
    asking: Asking,
    answering: Answering,
    format: OutputFormat,
    is_cancelling: bool,
}

/// The way in which requests of the agent are decided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answering {
    /// By a person at the terminal.
    Person,
    /// By a flag.
    Flag(PermissionArg),
    /// Nobody can be asked, and no flag decides: all are rejected.
    Nobody,
    /// The same, after the user was advised.
    NobodyAdvised,
}

impl<'a, 'b> Turn<'a, 'b> {
    pub(super) fn new(
        run: &'a Run<'a>,
        begun: &'a Begun,
        console: &'a mut Console,
        report: &'a mut Report,
        inputs: &'a mut Inputs<'b>,
    ) -> Self {
        let answering = match run.args.permission {
            Some(decision) => Answering::Flag(decision),
            None if inputs.keyboard.is_some() && console.can_draw() => Answering::Person,
            None => Answering::Nobody,
        };
        let (asking, format) = (Asking::default(), run.args.format());
        Self { run, begun, console, report, inputs, asking, answering, format, is_cancelling: false }
    }

    /// Follows the turn to its end.
    pub(super) async fn follow(mut self) -> Result<Outcome, Failure> {
        let query = EventQuery::after(self.begun.after);
        let mut events = self.run.client().follow_events(self.run.id, query).await.map_err(explain)?;
        loop {
            let wants_frames = self.is_text() && self.console.needs_frame();
            tokio::select! {
                step = events.next() => match step.map_err(explain)? {
                    Some(SessionStep::Event(event, json)) => {
                        if let Some(outcome) = self.on_event(&event, &json).await? {
                            return Ok(outcome);
                        }
                    }
                    Some(SessionStep::Gap(gap)) => {
                        self.console.view.note(&format!("events before {} are no longer kept", gap.oldest));
                    }
                    None => return Ok(Outcome::failed("the session ended before the turn did")),
                },
                interruption = self.inputs.next(wants_frames) => {
                    if let Some(outcome) = self.on_interruption(interruption).await? {
                        return Ok(outcome);
                    }
                }
            }
        }
    }

    fn is_text(&self) -> bool {
        self.format == OutputFormat::Text
    }

    async fn on_interruption(&mut self, interruption: Interruption) -> Result<Option<Outcome>, Failure> {
        let client = self.run.client();
        match interruption {
            Interruption::Frame => {}
            Interruption::Signal(Ending::Interrupt) if !self.is_cancelling => {
                self.is_cancelling = true;
                client.cancel_turn(self.run.id).await.map_err(explain)?;
                if self.is_text() {
                    self.console.wait_for("cancelling", "Ctrl-C again ends this command");
                }
            }
            Interruption::Signal(ending) => {
                // Nobody waits for the rest: not the script that sent SIGTERM, not a terminal that was closed.
                let _ = timeout(CLEANUP_TIMEOUT, client.cancel_turn(self.run.id)).await;
                return Ok(Some(Outcome::Signal(ending)));
            }
            Interruption::Key(key) => {
                self.asking.decide(client, self.run.id, key, &mut self.console.view).await?;
            }
        }
        if self.is_text() {
            let asking = &self.asking;
            self.console.draw(|view, width| asking.draw(view, width))?;
        }
        Ok(None)
    }

    async fn on_event(&mut self, event: &UniversalEvent, json: &str) -> Result<Option<Outcome>, Failure> {
        self.report.on_event(event);
        match self.format {
            OutputFormat::StreamJson => print_text(json)?,
            OutputFormat::Json => {}
            OutputFormat::Text => self.console.view.show(event),
        }
        if self.answering == Answering::Person {
            self.ask(&event.data);
        } else {
            self.decide_alone(&event.data).await?;
        }
        if let Some(outcome) = Outcome::of(&event.data, &self.begun.turn_id, self.report) {
            return Ok(Some(outcome));
        }
        if self.is_text() {
            let asking = &self.asking;
            self.console.on_event(|view, width| asking.draw(view, width))?;
        }
        Ok(None)
    }

    /// Puts a request before the person at the terminal.
    fn ask(&mut self, data: &EventData) {
        if self.asking.on_event(data)
            && let Some(keyboard) = &mut self.inputs.keyboard
        {
            keyboard.forget();
        }
        if self.asking.is_open() {
            self.console.stop_waiting();
        } else if !self.is_cancelling {
            self.console.wait_for("working", "Ctrl-C cancels");
        }
    }

    /// Decides where nobody is asked: by the flag, else against it.
    async fn decide_alone(&mut self, data: &EventData) -> Result<(), Failure> {
        let (id, decision) = match data {
            EventData::PermissionAsked(request) => {
                let reply = match self.answering {
                    Answering::Flag(PermissionArg::Allow) => PermissionReplyKind::Once,
                    _ => PermissionReplyKind::Reject,
                };
                (&request.id, Decision::Permission { reply, reason: None })
            }
            EventData::QuestionAsked(request) => (&request.id, Decision::Reject),
            _ => return Ok(()),
        };
        if self.is_text() {
            if matches!(data, EventData::QuestionAsked(_)) {
                self.console.view.show_request(data);
            }
            if self.answering == Answering::Nobody {
                self.answering = Answering::NobodyAdvised;
                self.console.view.note(
                    "nobody can be asked here, so permissions and questions are rejected; --permission allow allows",
                );
            }
        }
        send(self.run.client(), self.run.id, id, decision).await.map(drop)
    }
}
