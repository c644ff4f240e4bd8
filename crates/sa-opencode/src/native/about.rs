//! The context of a directory: models, agents, commands, settings.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

lenient! {
    /// Providers of models that can be used.
    #[derive(Default)]
    struct Providers {
        providers: Vec<Provider>,
        /// The model that each has by default.
        default: BTreeMap<String, String>,
    }

    struct Provider(id: String) {
        name: String,
        /// The credentials, of which only matters whether there are some.
        key: Option<Value>,
        models: BTreeMap<String, Model>,
    }

    struct Model(id: String) {
        name: String,
        limit: Limit,
        variants: BTreeMap<String, Value>,
    }

    #[derive(Copy, Default)]
    struct Limit {
        context: f64,
    }

    struct Agent(name: String) {
        description: Option<String>,
        mode: String,
        hidden: bool,
        permission: Vec<super::ask::Rule>,
        model: Option<ModelRef>,
        variant: Option<String>,
    }

    struct Command(name: String) {
        description: Option<String>,
        hints: Vec<String>,
    }

    /// A session as the server knows it.
    struct Info(id: String) {
        directory: String,
        #[serde(rename = "parentID")]
        parent: Option<String>,
        title: String,
        cost: f64,
        agent: Option<String>,
        model: Option<ModelRef>,
        time: Times,
    }

    #[derive(Copy, Default)]
    struct Times {
        /// In milliseconds since 1970.
        updated: f64,
    }
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

impl Agent {
    /// Returns whether a user can talk to it.
    pub(crate) fn is_primary(&self) -> bool {
        self.mode != "subagent" && !self.hidden
    }
}

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

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Config {
    pub(crate) model: Option<String>,
    pub(crate) default_agent: Option<String>,
}

impl Info {
    /// Returns the title, unless it is the one that every session begins with.
    pub(crate) fn title(&self) -> Option<&str> {
        let title = self.title.trim();
        let is_made_up = ["New session - ", "Child session - "].iter().any(|begin| title.starts_with(begin));
        Some(title).filter(|title| !title.is_empty() && !is_made_up)
    }
}
