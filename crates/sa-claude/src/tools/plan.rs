//! The agent's list of what is to be done, kept from the tools it manages the list with.

use agent_client_protocol_schema::v1::{Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus};
use sa_acp::one_line;
use serde_json::Value;

/// The list as far as it is known. The CLI has had two ways of keeping one: `TodoWrite` states it whole, `TaskCreate` and
/// its kin change one entry at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Todos {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq)]
struct Item {
    /// Empty for entries of `TodoWrite`, which have none.
    id: String,
    subject: String,
    status: PlanEntryStatus,
}

impl Todos {
    /// Takes in a call that succeeded, with its structured result. Gives the plan if that changed it.
    pub(crate) fn note(&mut self, name: &str, input: &Value, structured: Option<&Value>) -> Option<Plan> {
        let before = self.items.clone();
        let structured = structured.unwrap_or(&Value::Null);
        match name {
            "TodoWrite" => self.replace(&input["todos"], "content"),
            "TaskCreate" => self.create(input, &structured["task"]),
            "TaskUpdate" => self.update(input, structured),
            "TaskList" => self.replace(&structured["tasks"], "subject"),
            "TaskGet" => self.refresh(&structured["task"]),
            _ => {}
        }
        (self.items != before).then(|| self.plan())
    }

    fn plan(&self) -> Plan {
        let entry = |item: &Item| {
            PlanEntry::new(item.subject.clone(), PlanEntryPriority::Medium, item.status.clone())
        };
        Plan::new(self.items.iter().map(entry).collect())
    }

    fn replace(&mut self, list: &Value, subject: &str) {
        let Some(list) = list.as_array() else { return };
        let item = |value: &Value| {
            Some(Item {
                id: id_of(&value["id"]).unwrap_or_default(),
                subject: one_line(value[subject].as_str()?),
                status: status_of(&value["status"]).unwrap_or(PlanEntryStatus::Pending),
            })
        };
        self.items = list.iter().filter_map(item).collect();
    }

    fn create(&mut self, input: &Value, task: &Value) {
        let subject = task["subject"].as_str().or(input["subject"].as_str());
        let (Some(id), Some(subject)) = (id_of(&task["id"]), subject) else { return };
        self.items.retain(|item| item.id != id);
        self.items.push(Item { id, subject: one_line(subject), status: PlanEntryStatus::Pending });
    }

    fn update(&mut self, input: &Value, structured: &Value) {
        let Some(id) = id_of(&input["taskId"]) else { return };
        if structured["success"] == false {
            return;
        }
        if input["status"] == "deleted" {
            return self.items.retain(|item| item.id != id);
        }
        let Some(item) = self.items.iter_mut().find(|item| item.id == id) else { return };
        if let Some(subject) = input["subject"].as_str() {
            item.subject = one_line(subject);
        }
        if let Some(status) = status_of(&input["status"]) {
            item.status = status;
        }
    }

    fn refresh(&mut self, task: &Value) {
        let (Some(id), Some(subject)) = (id_of(&task["id"]), task["subject"].as_str()) else { return };
        let Some(item) = self.items.iter_mut().find(|item| item.id == id) else { return };
        item.subject = one_line(subject);
        if let Some(status) = status_of(&task["status"]) {
            item.status = status;
        }
    }
}

/// Ids are texts, but models write them as numbers, too.
fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn status_of(value: &Value) -> Option<PlanEntryStatus> {
    match value.as_str()? {
        "pending" => Some(PlanEntryStatus::Pending),
        "in_progress" => Some(PlanEntryStatus::InProgress),
        "completed" => Some(PlanEntryStatus::Completed),
        _ => None,
    }
}
