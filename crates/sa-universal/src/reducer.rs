//! From ACP's notifications to events.

mod live;
mod speech;
mod state;
mod tools;

use crate::choices::{Offered, change, shown_choices};
use crate::form::Form;
use crate::json::{self, Object};
use crate::names::Names;
use crate::{carrier, permission};
use sa_api::sessions::{EventData, QuestionRequest, SessionChoices, Unknown, Usage};
use serde_json::Value;
use serde_json::value::RawValue;
use speech::{ChunkKind, Scope, Speech};
use state::State;
use tools::Tools;

pub use speech::MAX_MESSAGE;
pub(crate) use tools::Tool;

/// Reduces the notifications of one ACP session to events.
///
/// Text comes as `messageDelta` at once, and as a whole `message` when it is complete, when something else begins, or when
/// the turn ends. A message with an id of the agent's can continue after other things: a later `message` of the same id then
/// replaces the earlier one. A message of the agent's that has no id ends when a tool call, a message of someone else or
/// the turn's end comes. One that grows beyond [`MAX_MESSAGE`] is closed and continues as a new one, `<id>~2`, whose metadata
/// says what it `continues`.
///
/// A tool call is a `message` with its whole state. While it runs, what it prints comes as `messageDelta`, as long as that is not
/// much more than the output itself; the rest waits for the call's end, for a question, or for [`catch_up`](Self::catch_up).
///
/// Memory is bounded: one open message for each of 32 sub-agents, and 16 MiB of tool calls (256 KiB between turns). An update of a tool call that
/// is no longer remembered begins a new message, `tool:<id>~2`.
#[derive(Debug)]
pub struct Reducer {
    name: String,
    turn: Option<String>,
    quiet: bool,
    names: Names,
    speech: Speech,
    tools: Tools,
    state: State,
    offered: Offered,
    choices: SessionChoices,
}

impl Reducer {
    /// A reducer for the first run of an agent. `name` must differ from reducer to reducer: messages to which the agent gives
    /// no id, outside of turns, are named after it.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            turn: None,
            quiet: false,
            names: Names::default(),
            speech: Speech::default(),
            tools: Tools::default(),
            state: State::default(),
            offered: Offered::default(),
            choices: SessionChoices::default(),
        }
    }

    /// Begins the agent's `run`th run, counted from one over the whole life of the session: what it calls by a
    /// name that it gave before is something else.
    pub fn begin_run(&mut self, run: u32) -> Vec<EventData> {
        let mut events = self.speech.close();
        events.extend(self.tools.settle(None));
        self.names = Names::of_run(run);
        self.tools = Tools::default();
        self.state.begin_run();
        self.heard(events)
    }

    /// Begins a turn. Returns messages that were still open.
    pub fn begin_turn(&mut self, turn_id: &str) -> Vec<EventData> {
        let events = self.speech.close();
        self.turn = Some(turn_id.to_owned());
        self.heard(events)
    }

    /// Ends the turn. Reports messages that are still open.
    pub fn end_turn(&mut self) -> Vec<EventData> {
        let mut events = self.speech.close();
        events.extend(self.tools.settle(None));
        self.tools.rest();
        self.turn = None;
        self.heard(events)
    }

    /// Takes the params of a `session/update`.
    pub fn update(&mut self, params: &RawValue) -> Vec<EventData> {
        let params = json::read(params);
        let update = params.get("update");
        let known = update.and_then(Value::as_object).and_then(|update| {
            let kind = json::text(update, "sessionUpdate")?;
            self.reduce(kind, update)
        });
        let events = known.unwrap_or_else(|| {
            let raw = update.unwrap_or(&params).clone();
            vec![EventData::Unknown(Unknown { raw })]
        });
        self.heard(events)
    }

    /// Takes the result of `session/new`, `load`, `resume` or `fork`.
    pub fn session_opened(&mut self, result: &RawValue) -> Vec<EventData> {
        if let Some(result) = json::read(result).as_object() {
            self.offered.opened(result);
        }
        self.chosen().into_iter().collect()
    }

    /// Takes the result of `session/set_config_option`.
    pub fn config_changed(&mut self, result: &RawValue) -> Vec<EventData> {
        if let Some(result) = json::read(result).as_object() {
            self.offered.set_options(result);
        }
        self.chosen().into_iter().collect()
    }

    /// The agent accepted `session/set_mode`; not all of them say so by an update.
    pub fn mode_set(&mut self, mode_id: &str) -> Vec<EventData> {
        self.offered.set_mode(mode_id);
        self.chosen().into_iter().collect()
    }

    /// The agent accepted `session/set_model`.
    pub fn model_set(&mut self, model_id: &str) -> Vec<EventData> {
        self.offered.set_model(model_id);
        self.chosen().into_iter().collect()
    }

    /// While history is replayed (`session/load`), the conversation is taken in but not reported: the log has it. The
    /// choices, commands, usage and title are reported nevertheless.
    pub fn quiet(&mut self, on: bool) {
        if self.quiet && !on {
            self.speech.close();
        }
        self.quiet = on;
    }

    /// Takes the params of a `session/request_permission`: what is new of its tool call, then what is asked. All that the
    /// agent has reported of the call before is filled in.
    ///
    /// # Errors
    ///
    /// When the request names no tool call or no option.
    pub fn permission(
        &mut self,
        params: &RawValue,
        id: &str,
    ) -> Result<(Vec<EventData>, permission::Asked), permission::Unparsed> {
        let params = json::read(params);
        let turn = self.turn.clone();
        let (call_id, call) = permission::tool_call(&params)?;
        let mut events = self.speech.flush();
        events.extend(self.tool(&call_id, call));
        events.extend(self.tools.settle(Some(&call_id)));
        let events = self.heard(events);
        let known = self.tools.get(&call_id).cloned().unwrap_or_else(|| Tool::new(&call_id, call));
        let asked = permission::asked(&params, &known, id, turn.as_deref())?;
        Ok((events, asked))
    }

    /// Takes the params of an `elicitation/create`: the text that leads to it, whole, then what is asked.
    pub fn question(
        &mut self,
        params: &RawValue,
        id: &str,
    ) -> (Vec<EventData>, Result<(QuestionRequest, Form), permission::Unparsed>) {
        let mut events = self.speech.flush();
        events.extend(self.tools.settle(None));
        (self.heard(events), crate::question(params, id, self.turn.as_deref()))
    }

    /// Returns true if tool calls have printed something that is not reported.
    pub fn is_behind(&self) -> bool {
        self.tools.owes()
    }

    /// Reports what tool calls have printed and is not reported, however much was reported before.
    pub fn catch_up(&mut self) -> Vec<EventData> {
        let events = self.tools.catch_up();
        self.heard(events)
    }

    /// Counts on from what the session had used before.
    pub fn carry_usage(&mut self, usage: Usage) {
        self.state.carry_usage(usage);
    }

    /// Notes that the agent makes a new session of its own, whose costs it counts from zero.
    pub fn begin_session(&mut self) {
        self.state.begin_session();
    }

    /// Returns the current choices and the possible ones.
    pub fn choices(&self) -> &SessionChoices {
        &self.choices
    }

    /// Returns the usage of the session.
    pub fn usage(&self) -> &Usage {
        self.state.usage()
    }

    /// The session's title, if the agent gave it one.
    pub fn title(&self) -> Option<&str> {
        self.state.title()
    }

    fn reduce(&mut self, kind: &str, update: &Object) -> Option<Vec<EventData>> {
        match kind {
            "user_message_chunk" => Some(self.chunk(ChunkKind::User, update)),
            "agent_message_chunk" => Some(self.chunk(ChunkKind::Agent, update)),
            "agent_thought_chunk" => Some(self.chunk(ChunkKind::Thought, update)),
            "tool_call" | "tool_call_update" => Some(match json::text(update, "toolCallId") {
                Some(id) => self.tool(id, update),
                None => {
                    let error = "a tool call without an id".to_owned();
                    vec![speech::unparsed(Value::Object(update.clone()), error)]
                }
            }),
            "plan" => self.state.plan(update).map(|events| self.after_speech(events)),
            "available_commands_update" => self.state.commands_update(update),
            "usage_update" => self.state.usage_update(update),
            "session_info_update" => Some(match carrier::event(update) {
                Some(event) => vec![event],
                None => self.state.info(update),
            }),
            "current_mode_update" => {
                self.offered.set_mode(json::text(update, "currentModeId")?);
                let odd = json::rest(update, &["sessionUpdate", "currentModeId"]);
                Some(self.changed(kind, odd))
            }
            "config_option_update" => {
                json::list(update, "configOptions")?;
                let mut odd = json::rest(update, &["sessionUpdate", "configOptions"]);
                let options = self.offered.set_options(update);
                json::put(&mut odd, "configOptions", (!options.is_empty()).then_some(options));
                Some(self.changed(kind, odd))
            }
            "notice" => {
                let (notice, odd) = state::notice(update)?;
                Some([EventData::Notice(notice)].into_iter().chain(self.state.left_over(kind, odd)).collect())
            }
            "compaction_update" | "compaction_summary_chunk" => {
                Some(vec![EventData::Compaction(state::compaction(update))])
            }
            _ => None,
        }
    }

    fn chunk(&mut self, voice: ChunkKind, update: &Object) -> Vec<EventData> {
        let mut scope = Scope { names: &mut self.names, name: &self.name, turn: self.turn.as_deref() };
        self.speech.chunk(&mut scope, voice, update)
    }

    fn tool(&mut self, id: &str, update: &Object) -> Vec<EventData> {
        let mut events = Vec::new();
        if self.tools.get(id).is_none() {
            events = self.speech.interrupt(carrier::parent(update.get("_meta")));
        }
        let mut scope = Scope { names: &mut self.names, name: &self.name, turn: self.turn.as_deref() };
        events.extend(self.tools.update(&mut scope, id, update));
        events
    }

    /// Puts the text that led to events before them, if there are any.
    fn after_speech(&mut self, events: Vec<EventData>) -> Vec<EventData> {
        if events.is_empty() { events } else { self.speech.flush().into_iter().chain(events).collect() }
    }

    fn changed(&mut self, kind: &str, odd: Object) -> Vec<EventData> {
        self.chosen().into_iter().chain(self.state.left_over(kind, odd)).collect()
    }

    fn chosen(&mut self) -> Option<EventData> {
        let choices = self.offered.choices();
        if choices == self.choices {
            return None;
        }
        let before = std::mem::replace(&mut self.choices, choices);
        Some(EventData::ModeChanged(change(shown_choices(&before), shown_choices(&self.choices))))
    }

    /// Filters events that may be published.
    fn heard(&self, mut events: Vec<EventData>) -> Vec<EventData> {
        if self.quiet {
            events.retain(|event| {
                matches!(
                    event,
                    EventData::ModeChanged(_)
                        | EventData::CommandsAvailable(_)
                        | EventData::Usage(_)
                        | EventData::InfoChanged(_)
                )
            });
        }
        events
    }
}

/// Keeps the additions to a message: `_meta` and annotations as they are, the rest as not recognized.
fn note(metadata: &mut Object, mut beside: Object) {
    if beside.get("_meta").is_some_and(Value::is_object)
        && let Some(meta) = beside.remove("_meta")
    {
        json::merge(metadata, Object::from_iter([("_meta".to_owned(), meta)]));
    }
    json::put(metadata, "annotations", beside.remove("annotations"));
    if !beside.is_empty() {
        match metadata.get_mut("unrecognized") {
            Some(Value::Object(before)) => before.extend(beside),
            _ => {
                metadata.insert("unrecognized".to_owned(), Value::Object(beside));
            }
        }
    }
    metadata
        .retain(|key, value| key != "unrecognized" || value.as_object().is_none_or(|odd| !odd.is_empty()));
}
