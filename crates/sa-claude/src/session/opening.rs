//! How a session is opened: the process is greeted, what it says about itself is checked, and the client is answered.

use super::Session;
use super::control::Then;
use crate::core::Core;
use crate::launch::NativeConversation;
use crate::limits::OPTIONAL_ANSWERS;
use crate::native::answer::{Applied, Initialized, OLDEST, Settings};
use crate::native::line::{apply_settings, plain};
use crate::token::Token;
use agent_client_protocol_schema::v1::{Error, SessionUpdate};
use sa_acp::{How, RequestKey, Session as _, Version, Workspace, auth_required, failure};
use serde::Deserialize;
use serde_json::{Value, json};

/// A client's request that waits for the process to be ready.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) key: RequestKey,
    pub(crate) how: How,
    /// The history, if the client wants it.
    pub(crate) history: Vec<SessionUpdate>,
    /// The workspace of a session that was open already. It goes back there if it cannot be opened in another one.
    pub(crate) previous: Option<Workspace>,
}

/// The facts about a process so far. The outer `None` means that the answer is not there yet.
#[derive(Debug, Default)]
pub(super) struct Greeting {
    initialized: Option<Initialized>,
    version: Option<Option<String>>,
    applied: Option<Option<Applied>>,
    /// Set while the client's credential has not been handed to the CLI.
    awaits_token: bool,
}

/// The answer to one of our questions: `None` if none came in time.
pub(super) type ControlOutcome = Option<Result<Value, String>>;

impl Session {
    /// Opens a session that has no process.
    pub(crate) fn open(&mut self, core: &mut Core, opening: Opening, conversation: NativeConversation) {
        self.is_stored = opening.how != How::New;
        if self.is_stored {
            self.conversation.keep_title();
        }
        self.opening = Some(opening);
        self.start(core, conversation);
    }

    /// Opens a session that is open, which may be in another place from now on.
    pub(crate) fn reopen(
        &mut self,
        core: &mut Core,
        mut opening: Opening,
        workspace: Workspace,
    ) -> Result<(), Error> {
        if self.opening.is_some() || !self.conversation.is_open() {
            return Err(failure("the session is being opened or closed already", "busy"));
        }
        let moves = workspace != self.workspace;
        if moves && self.turn.is_some() {
            return Err(failure("the session is at work and cannot move", "busy"));
        }
        opening.previous = Some(std::mem::replace(&mut self.workspace, workspace));
        self.opening = Some(opening);
        if !moves {
            self.opened(core);
            return Ok(());
        }
        match &mut self.child {
            // Its end starts the next one.
            Some(child) => child.hurry(&mut core.io.processes, core.host.limits.drain),
            None => self.restart(core),
        }
        Ok(())
    }

    /// Says hello to a process that was just started.
    pub(super) fn greet(&mut self, core: &mut Core) {
        let token = core.host.token.as_ref().map(Token::settings);
        if let Some(child) = &mut self.child {
            child.note.greeting = Some(Greeting { awaits_token: token.is_some(), ..Greeting::default() });
        }
        let limit = core.host.limits.handshake;
        // First of all, as the answer to `initialize` says whether there is a credential.
        if let Some(settings) = token {
            self.control(core, &apply_settings(settings), limit, Then::TokenSet);
        }
        // A hook before every use of a tool, also of one that needs no permission.
        let hooks = json!({ "PreToolUse": [{ "hookCallbackIds": ["before-tool"] }] });
        self.control(core, &json!({ "subtype": "initialize", "hooks": hooks }), limit, Then::Initialized);
        self.control(core, &plain("get_binary_version"), limit, Then::Version);
        self.control(core, &plain("get_settings"), limit, Then::Settings);
    }

    fn greeting(&mut self) -> Option<&mut Greeting> {
        self.child.as_mut()?.note.greeting.as_mut()
    }

    pub(super) fn on_initialized(&mut self, core: &mut Core, answer: ControlOutcome) {
        let initialized = match answer {
            Some(Ok(value)) => Initialized::deserialize(value).map_err(|error| error.to_string()),
            Some(Err(error)) => Err(error),
            None => Err("claude did not get ready in time".to_owned()),
        };
        let initialized = match initialized {
            Ok(initialized) => initialized,
            Err(error) => return self.greeting_failed(core, &failure(error, "handshake_failed")),
        };
        let Some(greeting) = self.greeting() else { return };
        if initialized.claude_code_version.is_some() {
            greeting.version = Some(initialized.claude_code_version.clone());
        }
        greeting.initialized = Some(initialized);
        let soon = core.io.now.elapsed + OPTIONAL_ANSWERS;
        // With a credential of the client's, settings have to be known.
        let is_checked = core.host.token.is_some();
        self.controls.open.hurry(soon, |then| match then {
            Then::Version => true,
            Then::Settings => !is_checked,
            _ => false,
        });
        self.greeted(core);
    }

    pub(super) fn on_version(&mut self, core: &mut Core, answer: ControlOutcome) {
        let Some(greeting) = self.greeting().filter(|greeting| greeting.version.is_none()) else { return };
        greeting.version = Some(match answer {
            Some(Ok(value)) => value["version"].as_str().map(str::to_owned),
            // It answers what it does not know, so it is new enough.
            Some(Err(_)) => Some(OLDEST.to_string()),
            None => None,
        });
        self.greeted(core);
    }

    pub(super) fn on_settings(&mut self, core: &mut Core, answer: ControlOutcome) {
        let Some(greeting) = self.greeting() else { return };
        let value = answer.and_then(Result::ok);
        let settings = value.and_then(|value| Settings::deserialize(value).ok());
        let effective = settings.as_ref().and_then(|settings| settings.effective.clone());
        greeting.applied = Some(settings.map(|settings| settings.applied));
        if let Some(token) = &core.host.token {
            let rival = effective.as_ref().map(|effective| token.rival(effective));
            let reason = match rival {
                Some(None) => return self.greeted(core),
                Some(Some(name)) => format!("the settings of Claude Code set {name}, which comes first"),
                None => "Claude Code does not report which settings are in force".to_owned(),
            };
            return self.token_refused(core, &reason);
        }
        self.greeted(core);
    }

    pub(super) fn on_token_set(&mut self, core: &mut Core, answer: ControlOutcome) {
        match answer {
            Some(Ok(_)) => {
                let Some(greeting) = self.greeting() else { return };
                greeting.awaits_token = false;
                self.greeted(core);
            }
            Some(Err(error)) => self.token_refused(core, &error),
            None => self.token_refused(core, "Claude Code did not answer in time"),
        }
    }

    /// Another credential would be used than the one that the client gave.
    fn token_refused(&mut self, core: &mut Core, reason: &str) {
        let message = format!("the session's token would not be used: {reason}");
        self.greeting_failed(core, &auth_required(message));
    }

    /// Continues once everything is known.
    fn greeted(&mut self, core: &mut Core) {
        let complete = |greeting: &mut Greeting| {
            greeting.initialized.is_some()
                && greeting.version.is_some()
                && greeting.applied.is_some()
                && !greeting.awaits_token
        };
        let Some(child) = &mut self.child else { return };
        let Some(greeting) = child.note.greeting.take_if(complete) else { return };
        let initialized = greeting.initialized.unwrap_or_default();
        let version = greeting.version.flatten();
        if let Err(error) = check_version(version.as_deref()) {
            return self.greeting_failed(core, &error);
        }
        if !initialized.account.has_credentials() {
            let message = "Claude Code is not logged in: set ANTHROPIC_API_KEY, or run `claude` and log in";
            return self.greeting_failed(core, &auth_required(message));
        }
        self.has_switched = false;
        self.settings.learn(&initialized, greeting.applied.flatten().as_ref());
        self.learn_commands(&initialized.commands);
        self.order(core, &self.settings.thinking.request(), "set_max_thinking_tokens");
        self.send_mcp_servers(core);
        self.opened(core);
        self.send_next(core);
    }

    /// Answers the client that opened the session, if one did.
    fn opened(&mut self, core: &mut Core) {
        let Some(Opening { key, how, history, .. }) = self.opening.take() else { return };
        for update in history {
            self.conversation.update(&mut core.io.client, &update);
        }
        let settings = (self.settings.modes(), self.settings.options());
        let (id, commands) = (&self.conversation.id, self.commands.clone());
        core.io.client.opened_with_commands(&key, &how, id, settings, commands);
    }

    /// Ends a process that is of no use, and refuses all that waits for it.
    pub(super) fn greeting_failed(&mut self, core: &mut Core, error: &Error) {
        self.dismiss(core, error);
        self.fail_prompts(core, error);
    }

    /// Ends a process that is of no use, and refuses all that waits for it apart from prompts.
    pub(super) fn dismiss(&mut self, core: &mut Core, error: &Error) {
        if let Some(child) = &mut self.child {
            child.note.greeting = None;
            child.hurry(&mut core.io.processes, core.host.limits.drain);
        }
        self.fail_controls(core, error);
        self.opening_failed(core, error);
    }

    /// Refuses to open the session, if that is what a client waits for. A session that was open before stays open.
    pub(super) fn opening_failed(&mut self, core: &mut Core, error: &Error) {
        if let Some(opening) = self.opening.take() {
            core.io.client.fail(&opening.key, error);
            match opening.previous {
                Some(workspace) => self.workspace = workspace,
                None => self.conversation.discard(),
            }
        }
    }
}

fn check_version(version: Option<&str>) -> Result<(), Error> {
    let too_old = match version.map(Version::parse) {
        Some(Some(version)) => version < OLDEST,
        // A number of another form is not ours to judge.
        Some(None) => false,
        None => true,
    };
    if too_old { Err(OLDEST.required("Claude Code", version)) } else { Ok(()) }
}
