//! `sandbox-agent chat`: a session in the terminal, from a new one or one that exists.

mod commands;
mod history;
mod state;

use crate::args::ChatArgs;
use crate::commands::raw_mode::RawMode;
use crate::commands::session::{self, CLEANUP_TIMEOUT, explain};
use crate::commands::target::{Sessions, Target};
use crate::commands::terminal::{ColorChoice, Console, Keyboard, can_draw, frames};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use crate::signals::{Ending, Signals};
use crate::{memory, run_to_end};
use anyhow::{Context, anyhow};
use commands::Command;
use history::History;
use sa_api::sessions::{
    EventData, EventType, PostMessage, Role, Session, SessionPatch, TranscriptOrder, TranscriptState,
};
use sa_client::{Client, ClientError, EventQuery, SessionEvents, SessionStep, TranscriptQuery};
use sa_terminal::{Edit, Editor, Key, text_of};
use state::Chat;
use std::io::{self, IsTerminal};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Interval, timeout};

/// Messages of an existing session that are shown.
const SHOWN_MESSAGES: usize = 30;

/// The step after a session was left.
enum Next {
    Leave,
    /// Another session takes its place.
    Switch(String),
}

pub(crate) fn run(args: ChatArgs) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Failure::usage("chat needs a terminal; in scripts use 'sandbox-agent run'"));
    }
    // Before a session is created that nobody could talk to.
    if !can_draw() {
        return Err(Failure::usage("chat cannot draw on this terminal: TERM is 'dumb' or not set"));
    }
    memory::configure();
    run_to_end(whole(&args))
}

async fn whole(args: &ChatArgs) -> Result<(), Failure> {
    let mut signals = Signals::install().context("cannot handle signals")?;
    let target = Target::find(&args.target, Sessions::Kept).await?;
    let mut id = None;
    let outcome = converse(args, &target, &mut signals, &mut id).await;
    if let Some(id) = id {
        let data_dir = args.target.data_dir.as_ref();
        let data_dir = data_dir.map(|path| format!(" --data-dir {}", path.display())).unwrap_or_default();
        diagnose!("Continue with: sandbox-agent chat{data_dir} {id}");
    }
    target.close(&mut signals).await;
    outcome
}

/// Converses until the user leaves. Notes the session's id as soon as there is one, also if it fails later.
async fn converse(
    args: &ChatArgs,
    target: &Target,
    signals: &mut Signals,
    id: &mut Option<String>,
) -> Result<(), Failure> {
    let client = &target.client;
    let session = open(args, target, signals).await?;
    *id = Some(session.session_id.clone());
    let mut talk = Talk::new(args, target, session, signals)?;
    loop {
        match talk.session().await {
            Ok(Next::Leave) => break,
            Ok(Next::Switch(other)) => {
                let session = client.get_session(id.insert(other)).await.map_err(explain)?;
                talk.chat = Chat::new(session);
            }
            Err(failure) => {
                talk.give_terminal_back();
                return Err(failure);
            }
        }
    }
    if target.is_private() && talk.chat.is_running() {
        let _ = timeout(CLEANUP_TIMEOUT, client.cancel_turn(talk.chat.id())).await;
    }
    talk.give_terminal_back();
    Ok(())
}

/// Opens the session that was named, or a new one.
async fn open(args: &ChatArgs, target: &Target, signals: &mut Signals) -> Result<Session, Failure> {
    let client = &target.client;
    if let Some(id) = &args.id {
        let session = client.get_session(id).await.map_err(explain)?;
        let patch = args.session.choices.clone().into_patch();
        if patch == SessionPatch::default() {
            return Ok(session);
        }
        return client.patch_session(id, &patch).await.map_err(explain);
    }
    let agent = session::choose_agent(client, args.session.agent.as_deref()).await?;
    diagnose!("Starting {agent} … (Ctrl-C cancels)");
    let request = session::request(&agent, &args.session, target.place)?;
    let id = session::made_up_id("chat");
    let created = tokio::select! {
        created = client.create_session(&id, &request) => created,
        ending = signals.next() => {
            // A daemon that continues to run would start it all the same.
            let _ = timeout(CLEANUP_TIMEOUT, client.delete_session(&id)).await;
            return Err(Failure::Exit(ending.exit_code()));
        }
    };
    match session::checked(&agent, created)? {
        Ok(session) => Ok(session),
        Err(refused) => {
            diagnose!("error: {}", refused.explanation.text());
            Err(Failure::Exit(refused.exit_code()))
        }
    }
}

/// The terminal, the session and the line that is typed.
struct Talk<'a> {
    client: &'a Client,
    signals: &'a mut Signals,
    resized: Signal,
    frames: Interval,
    keyboard: Keyboard,
    raw: Option<RawMode>,
    console: Console,
    editor: Editor,
    history: History,
    chat: Chat,
}

impl<'a> Talk<'a> {
    fn new(
        args: &ChatArgs,
        target: &'a Target,
        session: Session,
        signals: &'a mut Signals,
    ) -> Result<Self, Failure> {
        let mut console = Console::new(&session.agent, ColorChoice::from(args.session.no_color));
        let history = History::open(args.target.data_dir.clone());
        let raw = RawMode::enter_keys().context("cannot use this terminal")?;
        console.take_pastes()?;
        if let Some(note) = &target.note {
            console.view.note(note);
        }
        Ok(Self {
            client: &target.client,
            signals,
            resized: signal(SignalKind::window_change())?,
            frames: frames(),
            keyboard: Keyboard::open(),
            raw,
            console,
            editor: Editor::with_history(history.entries()),
            history,
            chat: Chat::new(session),
        })
    }

    fn give_terminal_back(&mut self) {
        // That the terminal is gone is no news at the end.
        let _ = self.console.finish();
        self.raw = None;
    }

    /// Shows the session so far, then converses until it is left.
    async fn session(&mut self) -> Result<Next, Failure> {
        let after = self.show_transcript().await?;
        let mut events =
            self.client.follow_events(self.chat.id(), EventQuery::after(after)).await.map_err(explain)?;
        loop {
            self.draw()?;
            if let Some(next) = self.step(&mut events).await? {
                return Ok(next);
            }
        }
    }

    async fn show_transcript(&mut self) -> Result<u64, Failure> {
        let query =
            TranscriptQuery { after: None, limit: Some(SHOWN_MESSAGES), order: TranscriptOrder::Desc };
        let page = self.client.get_messages(self.chat.id(), query).await.map_err(explain)?;
        if page.has_more {
            self.console.view.note("earlier messages are not shown; /export writes all of them");
        }
        for message in page.messages.iter().rev() {
            match (message.state, message.role) {
                (TranscriptState::Withdrawn, _) => {}
                (TranscriptState::Queued, _) => self.chat.queue_message(&message.id, text_of(&message.parts)),
                (_, Role::User) => self.console.view.show_user(&text_of(&message.parts)),
                (_, Role::Assistant) => {
                    self.console.view.show_parts(&message.id, &message.parts, &message.metadata);
                }
            }
        }
        let query = EventQuery::after(0).types([EventType::CommandsAvailable]);
        let known = self.client.get_events(self.chat.id(), &query).await.map_err(explain)?;
        if let Some(EventData::CommandsAvailable(newest)) =
            known.events.into_iter().last().map(|event| event.data)
        {
            self.chat.commands = newest.commands;
        }
        Ok(page.events_after)
    }

    /// Waits for the next thing that happens.
    async fn step(&mut self, events: &mut SessionEvents) -> Result<Option<Next>, Failure> {
        let wants_frames = self.console.needs_frame();
        tokio::select! {
            step = events.next() => self.on_step(step.map_err(explain)?),
            key = self.keyboard.next() => match key {
                Some(key) => self.on_key(key).await,
                None => Ok(Some(Next::Leave)),
            },
            ending = self.signals.next() => match ending {
                Ending::Interrupt => self.on_interrupt().await,
                Ending::Terminate | Ending::Hangup => Ok(Some(Next::Leave)),
            },
            _ = self.resized.recv() => {
                self.console.on_resize();
                Ok(None)
            }
            _ = self.frames.tick(), if wants_frames => Ok(None),
        }
    }

    fn on_step(&mut self, step: Option<SessionStep>) -> Result<Option<Next>, Failure> {
        match step {
            Some(SessionStep::Event(event, _)) => {
                if self.chat.on_event(&event, &mut self.console.view) {
                    self.keyboard.forget();
                }
                Ok(None)
            }
            Some(SessionStep::Gap(gap)) => {
                self.console.view.note(&format!("events before {} are no longer kept", gap.oldest));
                Ok(None)
            }
            None => Err(Failure::Failed(anyhow!("the session ended"))),
        }
    }

    async fn on_key(&mut self, key: Key) -> Result<Option<Next>, Failure> {
        if key == Key::Control('c') {
            return self.on_interrupt().await;
        }
        self.chat.is_leaving = false;
        if self.chat.asking.is_open() {
            let Chat { asking, session, .. } = &mut self.chat;
            asking.decide(self.client, &session.session_id, key, &mut self.console.view).await?;
            return Ok(None);
        }
        match self.editor.on_key(key) {
            Edit::Submit(text) => return self.on_submit(text).await,
            Edit::EndOfInput => return Ok(Some(Next::Leave)),
            Edit::Complete => self.complete(),
            Edit::Escape => self.editor.set_text(""),
            Edit::Interrupt | Edit::Continue | Edit::Redraw => {}
        }
        Ok(None)
    }

    /// Cancels the turn. Without one, clears the line; on an empty one, leaves the second time.
    async fn on_interrupt(&mut self) -> Result<Option<Next>, Failure> {
        if !self.editor.text().is_empty() {
            self.editor.set_text("");
            return Ok(None);
        }
        if self.chat.is_leaving {
            return Ok(Some(Next::Leave));
        }
        self.chat.is_leaving = true;
        if self.chat.is_running() {
            self.chat.is_cancelling = true;
            self.cancel().await?;
        }
        Ok(None)
    }

    async fn cancel(&mut self) -> Result<(), Failure> {
        let cancelled = self.client.cancel_turn(self.chat.id()).await;
        self.unless_failed(cancelled).map(drop)
    }

    async fn on_submit(&mut self, text: String) -> Result<Option<Next>, Failure> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        self.editor.remember(&text);
        self.history.append(&text);
        match Command::parse(&text, &self.chat.commands) {
            Ok(Some(command)) => self.run_command(command).await,
            Ok(None) => {
                let message = PostMessage { message: Some(text.clone()), ..PostMessage::default() };
                let posted = self.client.post_message(self.chat.id(), &message, None).await;
                if self.unless_failed(posted)?.is_none() {
                    // The typed text is not lost.
                    self.editor.set_text(&text);
                }
                Ok(None)
            }
            Err(complaint) => {
                self.console.view.note(&complaint);
                Ok(None)
            }
        }
    }

    /// Returns the daemon's answer. Shows a failure that is no reason to leave.
    fn unless_failed<T>(&mut self, outcome: Result<T, ClientError>) -> Result<Option<T>, Failure> {
        let error = match outcome {
            Ok(answer) => return Ok(Some(answer)),
            Err(error) => error,
        };
        if error.problem_status() == Some(401) {
            return Err(explain(error));
        }
        let what = if error.is_connect() {
            "the daemon does not answer; try again when it is back".to_owned()
        } else {
            format!("{:#}", anyhow::Error::new(error))
        };
        self.console.view.explain(&sa_terminal::Explanation { what, next: None });
        Ok(None)
    }

    fn complete(&mut self) {
        let Some(typed) = self.editor.text().strip_prefix('/').map(str::to_owned) else { return };
        if typed.contains(char::is_whitespace) {
            return;
        }
        let names: Vec<String> = commands::names(&self.chat.commands);
        let (common, several) = sa_terminal::complete(&typed, names.iter().map(String::as_str));
        if several.is_empty() {
            self.editor.set_text(&format!("/{common} "));
        } else {
            self.editor.set_text(&format!("/{common}"));
            let list: Vec<String> = several.iter().map(|name| format!("/{name}")).collect();
            self.console.view.note(&list.join("  "));
        }
    }

    fn draw(&mut self) -> Result<(), Failure> {
        if self.chat.asking.is_open() || !self.chat.is_running() {
            self.console.stop_waiting();
        } else if self.chat.is_cancelling {
            self.console.wait_for("cancelling", "Ctrl-C again leaves");
        } else {
            self.console.wait_for("working", "Ctrl-C cancels");
        }
        let (chat, editor) = (&self.chat, &self.editor);
        Ok(self.console.on_event(|view, width| chat.lower(view, editor, width))?)
    }
}
