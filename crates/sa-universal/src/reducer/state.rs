//! State of a session other than its conversation: plan, commands, usage, title.

use crate::json::{self, Fields, Object};
use crate::words::Word;
use sa_api::sessions::{
    Command, CommandsAvailable, Compaction, EventData, InfoChanged, Notice, NoticeSeverity, Plan, PlanEntry,
    PlanPriority, PlanStatus, Unknown, Usage, UsageCost,
};
use serde_json::Value;
use std::collections::HashMap;

/// Members of `_meta` that belong to tracing.
const TRACING: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// The newest of each; only changes are reported.
#[derive(Debug, Default)]
pub(super) struct State {
    plan: Option<Plan>,
    commands: Option<CommandsAvailable>,
    usage: Usage,
    spending: Spending,
    title: Option<String>,
    /// The last members that were not understood, by kind of update.
    odd: HashMap<String, Object>,
}

/// The cost of a session, over all runs of its agent. Some agents count on when they are started again, others from zero.
#[derive(Debug, Default)]
struct Spending {
    /// By counts that came to an end.
    before: f64,
    /// The newest of the count that runs.
    last: f64,
    /// The agent has not said anything since it was started.
    is_new_run: bool,
}

impl Spending {
    /// Returns what the session has cost, given what it had cost and what the agent says now. It never gets less.
    fn total(&mut self, spent: Option<UsageCost>, told: UsageCost) -> UsageCost {
        let Some(spent) = spent.filter(|spent| spent.currency == told.currency) else {
            // Sums of several currencies make no sense.
            *self = Self { before: 0.0, last: told.amount, is_new_run: false };
            return told;
        };
        // Within a run, a little less is a better estimate, and much less a count that begins again.
        let least = if std::mem::take(&mut self.is_new_run) { self.last } else { self.last / 2.0 };
        if told.amount < least {
            self.before += self.last;
            self.last = told.amount;
        } else {
            self.last = self.last.max(told.amount);
        }
        // Without the dust of adding.
        let sum = ((self.before + self.last) * 1e9).round() / 1e9;
        UsageCost { amount: sum.max(spent.amount), currency: told.currency }
    }
}

impl State {
    pub(super) fn usage(&self) -> &Usage {
        &self.usage
    }

    pub(super) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub(super) fn plan(&mut self, update: &Object) -> Option<Vec<EventData>> {
        let (entries, odd) = entries(update, "entries", entry)?;
        let plan = Plan { entries };
        let event = (self.plan.as_ref() != Some(&plan)).then(|| EventData::Plan(plan.clone()));
        self.plan = Some(plan);
        Some(event.into_iter().chain(self.left_over("plan", odd)).collect())
    }

    pub(super) fn commands_update(&mut self, update: &Object) -> Option<Vec<EventData>> {
        let (commands, odd) = entries(update, "availableCommands", command)?;
        let available = CommandsAvailable { commands };
        let news = self.commands.as_ref() != Some(&available);
        let event = news.then(|| EventData::CommandsAvailable(available.clone()));
        self.commands = Some(available);
        Some(event.into_iter().chain(self.left_over("available_commands_update", odd)).collect())
    }

    /// Takes the figures of an update; those that are absent stay.
    pub(super) fn usage_update(&mut self, update: &Object) -> Option<Vec<EventData>> {
        let mut fields = Fields::new(update, &["sessionUpdate"]);
        let (used, size) = (fields.take("used", json::count), fields.take("size", json::count));
        let cost = fields.take("cost", cost);
        if used.is_none() && size.is_none() && cost.is_none() {
            return None;
        }
        let odd = fields.rest();
        let before = self.usage.clone();
        let usage = &mut self.usage;
        usage.context_used = used.or(usage.context_used);
        usage.context_size = size.or(usage.context_size);
        if let Some(cost) = cost {
            usage.cost = Some(self.spending.total(usage.cost.take(), cost));
        }
        let event = (*usage != before).then(|| EventData::Usage(usage.clone()));
        Some(event.into_iter().chain(self.left_over("usage_update", odd)).collect())
    }

    pub(super) fn carry_usage(&mut self, usage: Usage) {
        self.usage = usage;
        self.begin_run();
    }

    pub(super) fn begin_run(&mut self) {
        let spent = self.usage.cost.as_ref().map_or(0.0, |cost| cost.amount);
        self.spending = Spending { before: 0.0, last: spent, is_new_run: true };
    }

    pub(super) fn begin_session(&mut self) {
        let spent = self.usage.cost.as_ref().map_or(0.0, |cost| cost.amount);
        self.spending = Spending { before: spent, last: 0.0, is_new_run: true };
    }

    /// Ignores the time of the update: events have their own time.
    pub(super) fn info(&mut self, update: &Object) -> Vec<EventData> {
        let mut odd = json::rest(update, &["sessionUpdate", "title", "updatedAt"]);
        let title = match update.get("title") {
            Some(Value::String(title)) => Some(title.clone()),
            Some(Value::Null) => None,
            other => {
                json::put(&mut odd, "title", other.cloned());
                return self.left_over("session_info_update", odd).into_iter().collect();
            }
        };
        let news = title != self.title;
        self.title.clone_from(&title);
        let event = news.then_some(EventData::InfoChanged(InfoChanged { title }));
        event.into_iter().chain(self.left_over("session_info_update", odd)).collect()
    }

    /// Returns the members of an update that were not understood, unless they are the same as the last time.
    pub(super) fn left_over(&mut self, kind: &str, mut odd: Object) -> Option<EventData> {
        if let Some(Value::Object(meta)) = odd.get_mut("_meta") {
            meta.retain(|key, _| !TRACING.contains(&key.as_str()));
            if meta.is_empty() {
                odd.remove("_meta");
            }
        }
        if odd.is_empty() || self.odd.get(kind) == Some(&odd) {
            return None;
        }
        self.odd.insert(kind.to_owned(), odd.clone());
        odd.insert("sessionUpdate".to_owned(), kind.into());
        Some(EventData::Unknown(Unknown { raw: Value::Object(odd) }))
    }
}

fn cost(value: &Value) -> Option<UsageCost> {
    let object = value.as_object()?;
    let mut fields = Fields::new(object, &[]);
    let amount = fields.take("amount", Value::as_f64)?;
    let currency = fields.text("currency")?;
    fields.rest().is_empty().then_some(UsageCost { amount, currency })
}

/// Reads the entries of a list, and returns what is left of the update. A list with an entry that was not understood is left, too.
fn entries<T>(
    update: &Object,
    key: &str,
    read: fn(&Object) -> (Option<T>, bool),
) -> Option<(Vec<T>, Object)> {
    let list = json::list(update, key)?;
    let mut odd = json::rest(update, &["sessionUpdate", key]);
    let (mut entries, mut is_understood) = (Vec::new(), true);
    for value in list {
        let (entry, understood) = value.as_object().map_or((None, false), read);
        entries.extend(entry);
        is_understood &= understood;
    }
    if !is_understood {
        odd.insert(key.to_owned(), list.into());
    }
    Some((entries, odd))
}

/// An entry of a plan, and whether all of it was understood.
fn entry(object: &Object) -> (Option<PlanEntry>, bool) {
    let mut fields = Fields::new(object, &[]);
    let Some(content) = fields.text("content") else { return (None, false) };
    let status = fields.take("status", |status| PlanStatus::read(status.as_str()?));
    let priority = fields.take("priority", |priority| PlanPriority::read(priority.as_str()?));
    let status = status.unwrap_or(PlanStatus::Pending);
    let priority = priority.unwrap_or(PlanPriority::Medium);
    (Some(PlanEntry { content, status, priority }), fields.rest().is_empty())
}

fn command(object: &Object) -> (Option<Command>, bool) {
    let mut fields = Fields::new(object, &[]);
    let Some(name) = fields.text("name") else { return (None, false) };
    let input_hint = fields.take("input", |input| {
        let mut input = Fields::new(input.as_object()?, &[]);
        let hint = input.text("hint")?;
        input.rest().is_empty().then_some(hint)
    });
    let description = fields.text("description").unwrap_or_default();
    (Some(Command { name, description, input_hint }), fields.rest().is_empty())
}

/// A notice, and what was not understood of it.
pub(super) fn notice(update: &Object) -> Option<(Notice, Object)> {
    let mut fields = Fields::new(update, &["sessionUpdate"]);
    let title = fields.text("title").filter(|title| !title.is_empty());
    let description = fields.text("description").filter(|description| !description.is_empty());
    let (title, description) = match title {
        Some(title) => (title, description),
        None => (description?, None),
    };
    let severity = fields.take("severity", |severity| NoticeSeverity::read(severity.as_str()?));
    let severity = severity.unwrap_or(NoticeSeverity::Info);
    Some((Notice { severity, title, description }, fields.rest()))
}

/// A compaction, or a piece of its summary. The message of the agent is kept with it.
pub(super) fn compaction(update: &Object) -> Compaction {
    let text = |block: &Value| {
        let text = block.as_str().or_else(|| block.get("text")?.as_str());
        text.map(str::to_owned)
    };
    let summary = match (update.get("content"), update.get("summary")) {
        (Some(block), _) if !block.is_null() => text(block),
        (_, Some(Value::Array(blocks))) => {
            Some(blocks.iter().filter_map(text).collect::<String>()).filter(|text| !text.is_empty())
        }
        (_, Some(summary)) => text(summary),
        _ => None,
    };
    Compaction {
        id: json::owned(update, "compactionId"),
        status: json::owned(update, "status"),
        summary,
        raw: Value::Object(update.clone()),
    }
}
