//! What there is in a directory: models, agents, commands, settings.

use super::or_default;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Providers of models that can be used.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Providers {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) providers: Vec<Provider>,
    /// The model that each has by default.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) default: BTreeMap<String, String>,
}

/// One of them.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Provider {
    pub(crate) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) name: String,
    /// The credentials, of which only matters whether there are some.
    #[serde(default)]
    key: Option<Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) models: BTreeMap<String, Model>,
}

/// The vendor's own service, part of which needs no credentials.
const HOSTED: &str = "opencode";

impl Provider {
    /// Returns whether it would be used although nobody asked for it: the vendor's own service without credentials for
    /// it.
    pub(crate) fn is_unasked(&self) -> bool {
        self.id == HOSTED && self.key.as_ref().is_none_or(Value::is_null)
    }
}

/// A model.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Model {
    pub(crate) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) limit: Limit,
    #[serde(default, deserialize_with = "or_default")]
    variants: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct Limit {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) context: f64,
}

/// Efforts from little to much.
const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

impl Model {
    /// Returns the variants, from little effort to much; those of other kinds come last.
    pub(crate) fn variants(&self) -> Vec<&str> {
        let is_off = |value: &Value| value["disabled"] == true;
        let mut names: Vec<_> =
            self.variants.iter().filter(|(_, value)| !is_off(value)).map(|(name, _)| name.as_str()).collect();
        names.sort_by_key(|name| EFFORTS.iter().position(|known| known == name).unwrap_or(EFFORTS.len()));
        names
    }
}

/// An agent of the server: what it is told to do, and what it may.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Agent {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) mode: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) hidden: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) permission: Vec<super::ask::Rule>,
    #[serde(default)]
    pub(crate) model: Option<ModelRef>,
    #[serde(default)]
    pub(crate) variant: Option<String>,
}

impl Agent {
    /// Returns whether a user can talk to it.
    pub(crate) fn is_primary(&self) -> bool {
        self.mode != "subagent" && !self.hidden
    }
}

/// A model by its name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelRef {
    #[serde(rename = "providerID")]
    pub(crate) provider: String,
    #[serde(rename = "modelID", alias = "id")]
    pub(crate) model: String,
}

impl ModelRef {
    /// As in `anthropic/claude-sonnet-4-6`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (provider, model) = text.split_once('/')?;
        Some(Self { provider: provider.to_owned(), model: model.to_owned() })
    }

    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }
}

/// A slash command.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Command {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// What it takes.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) hints: Vec<String>,
}

/// Settings.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Config {
    #[serde(default)]
    pub(crate) model: Option<String>,
    #[serde(default)]
    pub(crate) default_agent: Option<String>,
}

/// Whether the server is well, and which version it is.
#[derive(Debug, Deserialize)]
pub(crate) struct Health {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) version: String,
}

/// A session as the server knows it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Info {
    pub(crate) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) directory: String,
    #[serde(default, rename = "parentID")]
    pub(crate) parent: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    title: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) cost: f64,
    #[serde(default)]
    pub(crate) agent: Option<String>,
    #[serde(default)]
    pub(crate) model: Option<ModelRef>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) time: Times,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct Times {
    /// In milliseconds since 1970.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) updated: f64,
}

impl Info {
    /// Returns the title, unless it is the one that every session begins with.
    pub(crate) fn title(&self) -> Option<&str> {
        let title = self.title.trim();
        let is_made_up = ["New session - ", "Child session - "].iter().any(|begin| title.starts_with(begin));
        Some(title).filter(|title| !title.is_empty() && !is_made_up)
    }
}
