//! The offer of an agent, out of its answers to `initialize` and `session/new`.
//!
//! Agents say it in two ways: as config options, or as the older `modes` and `models`. Both become one list of config
//! options here, whose members keep the agent's own words.

use sa_agents::Capability;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The offer of an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Offer {
    /// ACP's session config options, as the agent said them or made from what it said.
    pub config_options: Vec<Value>,
    /// The capabilities, as far as the handshake shows them.
    pub capabilities: BTreeSet<Capability>,
}

/// One config option that is a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Select {
    /// The current choice.
    pub current: Option<String>,
    /// The possible choices.
    pub choices: Vec<Choice>,
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The value to send.
    pub value: String,
    /// For people.
    pub name: String,
    /// More about it.
    pub description: Option<String>,
}

impl Offer {
    pub(crate) fn new(initialized: &Value, session: &Value) -> Self {
        let mut config_options: Vec<Value> =
            session.get("configOptions").and_then(Value::as_array).cloned().unwrap_or_default();
        let has = |options: &[Value], category: &str| options.iter().any(|option| is_of(option, category));
        if !has(&config_options, "mode")
            && let Some(option) = legacy(session, "modes", "availableModes", "currentModeId", "id")
        {
            config_options.push(select("mode", "Mode", option));
        }
        if !has(&config_options, "model")
            && let Some(option) = legacy(session, "models", "availableModels", "currentModelId", "modelId")
        {
            config_options.push(select("model", "Model", option));
        }
        let mut offer = Self { config_options, capabilities: BTreeSet::new() };
        offer.capabilities = capabilities(initialized, &offer);
        offer
    }

    /// Returns the choice of this category: `mode`, `model` or `thought_level`.
    pub fn select(&self, category: &str) -> Option<Select> {
        let option = self.config_options.iter().find(|option| is_of(option, category))?;
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let entries = option.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // Choices may be grouped.
        let choices = entries
            .iter()
            .flat_map(|entry| match entry.get("options").and_then(Value::as_array) {
                Some(group) => group.as_slice(),
                None => std::slice::from_ref(entry),
            })
            .filter_map(|entry| {
                let value = text(entry, "value")?;
                let name = text(entry, "name").unwrap_or_else(|| value.clone());
                Some(Choice { value, name, description: text(entry, "description") })
            })
            .collect();
        Some(Select { current: text(option, "currentValue"), choices })
    }
}

fn is_of(option: &Value, category: &str) -> bool {
    let says = |key: &str| option.get(key).and_then(Value::as_str);
    // The category is optional; the ids are a convention.
    says("category").or_else(|| says("id")) == Some(category)
}

fn legacy(session: &Value, key: &str, list: &str, current: &str, id: &str) -> Option<(Value, Vec<Value>)> {
    let state = session.get(key)?;
    let choices = state.get(list)?.as_array()?.iter().filter_map(|entry| {
        let value = entry.get(id)?;
        let name = entry.get("name").unwrap_or(value);
        let mut choice = json!({"value": value, "name": name});
        if let (Some(choice), Some(description)) = (choice.as_object_mut(), entry.get("description")) {
            choice.insert("description".to_owned(), description.clone());
        }
        Some(choice)
    });
    Some((state.get(current).cloned().unwrap_or_default(), choices.collect()))
}

fn select(category: &str, name: &str, (current, options): (Value, Vec<Value>)) -> Value {
    json!({
        "id": category, "name": name, "category": category, "type": "select", "currentValue": current, "options": options,
    })
}

/// Returns the capabilities of every ACP agent: it speaks in text, reports tool calls and their results and asks for
/// permission.
pub fn every_agent_can() -> BTreeSet<Capability> {
    BTreeSet::from([
        Capability::TextMessages,
        Capability::StreamingDeltas,
        Capability::ToolCalls,
        Capability::ToolResults,
        Capability::Permissions,
        Capability::ItemStarted,
        Capability::SharedProcess,
        // Session setup carries stdio servers to every agent.
        Capability::McpTools,
    ])
}

/// That, and what the agent says beyond it.
fn capabilities(initialized: &Value, offer: &Offer) -> BTreeSet<Capability> {
    let says = |pointer: &str| match initialized.pointer(pointer) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(_) => true,
    };
    let mut found = every_agent_can();
    let plans =
        offer.select("mode").is_some_and(|modes| modes.choices.iter().any(|mode| mode.value == "plan"));
    let told = [
        (Capability::Images, says("/agentCapabilities/promptCapabilities/image")),
        (Capability::FileAttachments, says("/agentCapabilities/promptCapabilities/embeddedContext")),
        (
            Capability::SessionLifecycle,
            says("/agentCapabilities/loadSession") || says("/agentCapabilities/sessionCapabilities"),
        ),
        (Capability::PlanMode, plans),
    ];
    found.extend(told.into_iter().filter_map(|(capability, is)| is.then_some(capability)));
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn options_are_kept_in_the_agents_words() {
        let said = json!({"configOptions": [{
            "id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "b", "x": 1,
            "options": [{"group": "g", "name": "G", "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]}],
        }]});
        let offer = Offer::new(&json!({}), &said);
        assert_eq!(offer.config_options, said["configOptions"].as_array().unwrap().clone());
        let models = offer.select("model").unwrap();
        assert_eq!(models.current.as_deref(), Some("b"));
        assert_eq!(models.choices.iter().map(|c| c.value.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(offer.select("mode"), None);
    }

    #[test]
    fn the_older_lists_become_options() {
        let said = json!({
            "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask", "description": "d"}, {"id": "plan"}]},
            "models": {"currentModelId": "x", "availableModels": [{"modelId": "x", "name": "X"}]},
        });
        let offer = Offer::new(&json!({}), &said);
        let modes = offer.select("mode").unwrap();
        assert_eq!(modes.current.as_deref(), Some("ask"));
        assert_eq!(modes.choices[0].description.as_deref(), Some("d"));
        assert_eq!(modes.choices[1].name, "plan");
        assert_eq!(offer.select("model").unwrap().choices[0].name, "X");
        assert!(offer.capabilities.contains(&Capability::PlanMode));
    }

    #[test]
    fn the_handshake_tells_what_prompts_may_hold() {
        let said = json!({"agentCapabilities": {
            "loadSession": false, "promptCapabilities": {"image": true, "embeddedContext": false}, "sessionCapabilities": {"list": {}},
        }});
        let found = Offer::new(&said, &json!({})).capabilities;
        assert!(found.contains(&Capability::Images) && found.contains(&Capability::SessionLifecycle));
        assert!(!found.contains(&Capability::FileAttachments) && !found.contains(&Capability::PlanMode));
    }
}
