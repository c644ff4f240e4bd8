//! ACP v1 and universal events: the conversion between them. The way back from events to notifications is in `testing`: the daemon
//! does not need it.
//!
//! Pure: no input or output, no clock, no tasks. It reads leniently, because agents differ: what is not understood becomes
//! an unknown part, message or event that holds what was sent; nothing is an error, and nothing is lost.

mod blocks;
mod bounds;
mod carrier;
mod choices;
mod combinations;
mod contents;
mod copies;
mod form;
mod json;
mod mode_names;
mod modes;
mod names;
mod options;
mod permission;
mod printed;
mod prompt;
mod question;
mod reducer;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod uri;
mod words;

pub use bounds::{Bound, Bounds};
pub use choices::{mode_changed, shown_choices};
pub use combinations::{agent_modes, combinations, permission_modes};
pub use form::{BadAnswers, Field, Form, Labelled, Takes};
pub use modes::{
    AfterPlan, AgentOption, ModeTable, PermissionModes, Target, Targets, Unsupported, after_plan,
    check_agent_mode, choice_names, is_agent, is_loose, model_target, targets, variant_target,
};
pub use options::option_target;
pub use permission::{
    Asked, Decided, NoSuchOption, Unparsed, permission_answer, permission_cancelled, withhold,
};
pub use prompt::{PromptCapabilities, UnsupportedPart, prompt, stop_reason};
pub use question::question;
pub use reducer::{MAX_MESSAGE, Reducer};
