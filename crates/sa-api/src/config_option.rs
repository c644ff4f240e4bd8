//! Config options of an agent, as ACP defines them. The daemon passes them on as it gets them.

use crate::sessions::OptionValue;
use utoipa::ToSchema;

/// A config option of an agent, as ACP defines it. It may have more members than these.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) struct AgentConfigOption {
    /// Id of the option.
    id: String,
    /// Display name of the option.
    name: String,
    /// Description of the option.
    #[schema(nullable = false)]
    description: Option<String>,
    /// Category of the option, such as `mode`, `model` or `thought_level`.
    #[schema(nullable = false)]
    category: Option<String>,
    /// Type of the option, such as `select` or `boolean`.
    #[schema(rename = "type")]
    kind: String,
    /// Value of the option in new sessions.
    #[schema(nullable = false)]
    current_value: Option<OptionValue>,
    /// Values to choose from, or groups of them.
    #[schema(nullable = false)]
    options: Option<Vec<AgentConfigValue>>,
}

/// A value of a config option, or a group of values.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) struct AgentConfigValue {
    /// The value; absent for a group.
    #[schema(nullable = false)]
    value: Option<String>,
    /// Id of the group; absent for a value.
    #[schema(nullable = false)]
    group: Option<String>,
    /// Display name.
    name: String,
    /// Description of the value.
    #[schema(nullable = false)]
    description: Option<String>,
    /// Values of the group; absent for a value.
    #[schema(nullable = false, no_recursion)]
    options: Option<Vec<AgentConfigValue>>,
}
