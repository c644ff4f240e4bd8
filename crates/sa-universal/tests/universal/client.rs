//! A little client of ACP: what it knows of a session after some updates. It is the measure of what updates mean.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The knowledge of a client.
#[derive(Debug, Default)]
pub(crate) struct Client {
    said: Vec<Said>,
    /// Messages without an id that can still continue, by sub-agent.
    nameless: BTreeMap<Option<String>, usize>,
    pub(crate) tools: BTreeMap<String, Value>,
    pub(crate) plan: Value,
    pub(crate) commands: Value,
    mode: Value,
    options: Vec<Value>,
    pub(crate) usage: Value,
    pub(crate) title: Value,
    pub(crate) told: Vec<Value>,
    /// Updates of no known kind.
    pub(crate) unknown: Vec<Value>,
}

/// A message.
#[derive(Debug, Default, Clone)]
struct Said {
    id: Option<String>,
    user: bool,
    parent: Option<String>,
    /// Everything said, thought or shown, one after the other.
    pieces: Vec<(bool, Value)>,
    beside: Value,
    annotations: Value,
}

impl Client {
    pub(crate) fn update(&mut self, update: &Value) {
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        match kind {
            "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" => self.chunk(kind, update),
            "tool_call" | "tool_call_update" => self.tool(update),
            "plan" => self.plan = update["entries"].clone(),
            "available_commands_update" => self.commands = update["availableCommands"].clone(),
            "current_mode_update" => self.set_mode(&update["currentModeId"]),
            "config_option_update" => {
                self.options = update["configOptions"].as_array().unwrap().clone();
                let mode = self.options.iter().find(|option| option["category"] == "mode");
                if let Some(mode) = mode.map(|option| option["currentValue"].clone()) {
                    self.set_mode(&mode);
                }
            }
            "session_info_update" => match carried(update, "event") {
                Some(event) => self.carried(event),
                None => self.title = update["title"].clone(),
            },
            "usage_update" => merge(&mut self.usage, &without(update, &["sessionUpdate"])),
            "notice" | "compaction_update" | "compaction_summary_chunk" => self.told.push(update.clone()),
            _ => self.unknown.push(update.clone()),
        }
    }

    fn carried(&mut self, event: &Value) {
        if event["unknown"].is_object() {
            self.unknown.push(event["unknown"]["raw"].clone());
        } else if event["compaction"].is_object() {
            self.told.push(event["compaction"]["raw"].clone());
        } else {
            panic!("an update should have told {event}");
        }
    }

    fn set_mode(&mut self, mode: &Value) {
        self.mode = mode.clone();
        for option in self.options.iter_mut().filter(|option| option["category"] == "mode") {
            let offered = option["options"].as_array().unwrap().iter().any(|choice| choice["value"] == *mode);
            if offered {
                option["currentValue"] = mode.clone();
            }
        }
    }

    /// A turn ends: a message without an id cannot continue.
    pub(crate) fn turn_ends(&mut self) {
        self.nameless.clear();
    }

    fn chunk(&mut self, kind: &str, update: &Value) {
        if update["content"] == json!({ "type": "text", "text": "" }) && update["_meta"].is_null() {
            return;
        }
        let said = self.place(kind == "user_message_chunk", update);
        let mut meta = update["_meta"].clone();
        let mut block = update["content"].clone();
        let mut thought = kind == "agent_thought_chunk";
        if let Some(part) = carried(&block, "part") {
            assert_eq!(part["type"], "unknown", "a block should have told {part}");
            block = part["raw"].clone();
            if block["sessionUpdate"] == "agent_thought_chunk" {
                thought = true;
                block = block["content"].clone();
            }
        } else if block["type"] == "text" {
            merge(&mut meta, &block["_meta"]);
            if !block["annotations"].is_null() {
                said.annotations = block["annotations"].clone();
            }
            block = block["text"].clone();
        }
        meta.as_object_mut().map(|meta| meta.remove("sandboxAgent"));
        merge(&mut said.beside, &meta);
        match (said.pieces.last_mut(), &block) {
            (_, Value::String(text)) if text.is_empty() => {}
            (Some((same, Value::String(last))), Value::String(text)) if *same == thought => {
                last.push_str(text)
            }
            _ => said.pieces.push((thought, block)),
        }
    }

    /// The message that a piece belongs to.
    fn place(&mut self, user: bool, update: &Value) -> &mut Said {
        let parent = parent(update);
        let id = update["messageId"].as_str().map(str::to_owned);
        let found = match &id {
            Some(_) => {
                self.nameless.remove(&parent);
                self.said.iter().position(|said| said.id == id && said.user == user && said.parent == parent)
            }
            None => self.nameless.get(&parent).copied().filter(|index| self.said[*index].user == user),
        };
        let index = found.unwrap_or_else(|| {
            self.said.push(Said { id: id.clone(), user, parent: parent.clone(), ..Said::default() });
            self.said.len() - 1
        });
        if id.is_none() {
            self.nameless.insert(parent, index);
        }
        &mut self.said[index]
    }

    fn tool(&mut self, update: &Value) {
        let id = update["toolCallId"].as_str().unwrap();
        if !self.tools.contains_key(id) {
            self.nameless.remove(&parent(update));
        }
        let fresh = || json!({ "kind": "other", "status": "pending", "content": [], "locations": [] });
        let tool = self.tools.entry(id.to_owned()).or_insert_with(fresh);
        let mut meta = tool["_meta"].clone();
        merge(&mut meta, &update["_meta"]);
        for (key, value) in without(update, &["sessionUpdate", "_meta"]).as_object().unwrap() {
            tool[key] = value.clone();
        }
        if let Some(contents) = tool["content"].as_array_mut() {
            for content in contents {
                if let Some(hidden) = carried(&content["content"], "content") {
                    *content = hidden.clone();
                }
            }
        }
        if !meta.is_null() {
            meta.as_object_mut().map(|meta| meta.remove("sandboxAgent"));
            tool["_meta"] = meta;
        }
    }

    /// Everything said, in the order in which it began, without what is empty.
    fn conversation(&self) -> Vec<Said> {
        let said = self.said.iter().filter(|said| {
            !said.pieces.is_empty()
                || !said.annotations.is_null()
                || said.beside.as_object().is_some_and(|beside| !beside.is_empty())
        });
        said.cloned().collect()
    }

    /// Fails unless both know the same. Where this one was given no id, the other's is its own.
    #[track_caller]
    pub(crate) fn assert_knows_the_same_as(&self, other: &Self) {
        let (ours, theirs) = (self.conversation(), other.conversation());
        assert_eq!(ours.len(), theirs.len(), "{ours:#?}\n{theirs:#?}");
        for (one, another) in ours.iter().zip(&theirs) {
            assert!(one.id.is_none() || one.id == another.id, "{one:?}\n{another:?}");
            let words =
                |said: &Said| (said.user, said.parent.clone(), said.pieces.clone(), said.annotations.clone());
            assert_eq!(words(one), words(another));
            let beside = |said: &Said| without(&said.beside, &[]);
            assert_eq!(beside(one), beside(another));
        }
        let named = |(id, tool): (&String, &Value)| {
            let mut tool = tool.clone();
            if tool["title"].is_null() {
                tool["title"] = if tool["name"].is_null() { json!(id) } else { tool["name"].clone() };
            }
            // A copy of what is shown says nothing new, and may be there or not.
            let texts = tool["content"].as_array().into_iter().flatten();
            let texts: Vec<&str> = texts.filter_map(|content| content["content"]["text"].as_str()).collect();
            let is_copy = !texts.is_empty()
                && tool["rawOutput"]
                    .as_str()
                    .is_some_and(|text| text.trim_end() == texts.join("\n").trim_end());
            let is_done = tool["status"] == "completed" || tool["status"] == "failed";
            if is_copy && is_done {
                tool.as_object_mut().map(|tool| tool.remove("rawOutput"));
            }
            (id.clone(), tool)
        };
        let tools = |client: &Self| client.tools.iter().map(named).collect::<BTreeMap<_, _>>();
        assert_eq!(tools(self), tools(other));
        let state = |client: &Self| {
            json!([client.plan, client.commands, client.mode, client.options, client.usage, client.title])
        };
        assert_eq!(state(self), state(other));
        assert_eq!(self.told, other.told);
        assert_eq!(self.unknown, other.unknown);
    }
}

fn carried<'a>(value: &'a Value, what: &str) -> Option<&'a Value> {
    value.get("_meta")?.get("sandboxAgent")?.get(what)
}

fn parent(update: &Value) -> Option<String> {
    let own = update["_meta"].as_object()?.values();
    own.filter_map(|own| own["parentToolUseId"].as_str()).map(str::to_owned).next()
}

fn without(value: &Value, keys: &[&str]) -> Value {
    let Some(object) = value.as_object() else { return json!({}) };
    let rest = object.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
    Value::Object(rest.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>())
}

fn merge(old: &mut Value, new: &Value) {
    match (old, new) {
        (_, Value::Null) => {}
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in new {
                merge(old.entry(key).or_insert(Value::Null), value);
            }
        }
        (old, new) => *old = new.clone(),
    }
}
