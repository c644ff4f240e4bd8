//! How full the context is, and what it cost.

use super::Session;
use crate::core::Core;
use crate::native::frame::TurnResult;
use agent_client_protocol_schema::v1::{Cost, SessionUpdate, UsageUpdate};
use sa_acp::ModelTokens;

/// The context size of most models, in tokens.
const USUAL_WINDOW: u64 = 200_000;

/// The context size of a model whose name says so, in tokens.
const LARGE_WINDOW: u64 = 1_000_000;

/// Tokens and money of a session.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Of the message that is being streamed.
    message: ModelTokens,
    model: Option<String>,
    large: bool,
    /// In the context, as of the last message.
    used: Option<u64>,
    /// Of the context, once a result has shown it.
    size: Option<u64>,
    /// The model by its full name.
    full_model: Option<String>,
    /// Spent by processes before this one.
    before: f64,
    /// Spent by this process; the CLI reports the sum since its start.
    cost: Option<f64>,
    /// Set until the first result of a process that continues a conversation.
    fresh: bool,
}

impl Meter {
    /// Notes that another process continues. Some versions add to the cost so far, others start at zero.
    pub(super) fn restarted(&mut self) {
        self.fresh = self.cost.is_some();
    }

    /// Another model has another context.
    pub(super) fn model_changed(&mut self) {
        (self.size, self.full_model) = (None, None);
    }

    /// The model by its full name, which may show how large its context is; `size` is what is known of that.
    pub(super) fn saw_model(&mut self, model: &str, size: Option<u64>) {
        self.large = model.contains("[1m]");
        self.size = size.or(self.size.filter(|_| self.full_model.as_deref() == Some(model)));
        self.full_model = Some(model.to_owned());
    }

    /// A message begins.
    pub(super) fn began(&mut self, model: Option<String>, usage: Option<ModelTokens>) {
        self.message = usage.unwrap_or_default();
        self.model = model;
    }

    /// The context is another from now on.
    pub(super) fn set_used(&mut self, used: u64) {
        self.used = Some(used);
    }

    fn spent(&mut self, total: f64) {
        if std::mem::take(&mut self.fresh)
            && let Some(last) = self.cost
            && total < last
        {
            self.before += last;
        }
        self.cost = Some(total);
    }

    /// The size of the context by the model's name. Asking the CLI would have it count every tool at the model's API.
    fn guess(&self) -> u64 {
        if self.large { LARGE_WINDOW } else { USUAL_WINDOW }
    }

    fn update(&self) -> Option<UsageUpdate> {
        let size = self.size.unwrap_or_else(|| self.guess());
        let cost = self.cost.map(|cost| Cost::new(self.before + cost, "USD"));
        Some(UsageUpdate::new(self.used?, size).cost(cost))
    }
}

impl Session {
    /// A message is complete: only now its tokens are right.
    pub(super) fn meter_message(&mut self, core: &mut Core, usage: Option<ModelTokens>) {
        if let Some(usage) = usage {
            self.meter.message.update(usage);
        }
        self.meter.used = Some(self.meter.message.total().unwrap_or(0));
        self.report_usage(core);
    }

    pub(super) fn meter_result(&mut self, core: &mut Core, result: &TurnResult) {
        let name = self.meter.model.as_deref().unwrap_or_default();
        let known = result
            .model_usage
            .iter()
            .find(|(model, _)| model.as_str() == name || model.strip_suffix("[1m]") == Some(name));
        let known =
            known.or_else(|| result.model_usage.iter().next().filter(|_| result.model_usage.len() == 1));
        if let Some(window) = known.and_then(|(_, usage)| usage["contextWindow"].as_u64()) {
            self.meter.size = Some(window);
            if let Some(model) = &self.meter.full_model {
                core.windows.insert(model.clone(), window);
            }
        }
        if let Some(total) = result.total_cost_usd {
            self.meter.spent(total);
        }
        self.report_usage(core);
    }

    pub(super) fn report_usage(&self, core: &mut Core) {
        if let Some(update) = self.meter.update() {
            self.conversation.update(&mut core.io.client, &SessionUpdate::UsageUpdate(update));
        }
    }
}
