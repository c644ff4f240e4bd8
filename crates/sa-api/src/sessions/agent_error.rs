//! Reasons why an agent is not ready.

use crate::AgentExit;
use sa_api_macros::api;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// The reason why an agent is not ready. `type` names the single other member, which has the details.
// `remote` keeps the derived form, without `type`, for the implementations below.
#[api]
#[cfg_attr(feature = "json-schema", schemars(rename = "AgentError", transform = add_types))]
#[serde(remote = "Self")]
pub enum AgentError {
    /// The provider rejected the credentials, or there are none.
    TokenError {
        /// Description of the problem.
        message: String,
    },
    /// The agent's process exited.
    ProcessExited {
        /// Description of the problem.
        message: String,
        /// Exit of the process.
        exit: AgentExit,
    },
    /// The agent's program could not be installed.
    InstallFailed {
        /// Description of the problem.
        message: String,
    },
    /// The agent's process could not be started.
    SpawnFailed {
        /// Description of the problem.
        message: String,
    },
    /// The agent does not support a setting of the session, such as its mode or model.
    Unsupported {
        /// Description of the problem.
        message: String,
    },
    /// The agent did not reply in time.
    Timeout {
        /// Description of the problem.
        message: String,
    },
    /// The agent replied with an error, or violated the protocol.
    Protocol {
        /// Description of the problem.
        message: String,
        /// The agent's own error.
        details: Option<Value>,
    },
}

impl Serialize for AgentError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            r#type: &'static str,
            #[serde(flatten, serialize_with = "AgentError::serialize")]
            error: &'a AgentError,
        }
        Written { r#type: self.name(), error: self }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AgentError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Read<'a> {
            #[serde(borrow, default)]
            r#type: Option<Cow<'a, str>>,
            #[serde(flatten, deserialize_with = "AgentError::deserialize")]
            error: AgentError,
        }
        let read = Read::deserialize(deserializer)?;
        match read.r#type {
            Some(stated) if stated != read.error.name() => {
                let actual = read.error.name();
                Err(D::Error::custom(format!("type is '{stated}', but there is '{actual}'")))
            }
            _ => Ok(read.error),
        }
    }
}

/// Adds `type` to each variant of the derived schema.
#[cfg(feature = "json-schema")]
fn add_types(schema: &mut schemars::Schema) {
    let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        let name = variant["required"][0].clone();
        variant["properties"]["type"] = serde_json::json!({ "type": "string", "const": name });
        if let Some(required) = variant["required"].as_array_mut() {
            required.insert(0, "type".into());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_says_its_type_and_is_read_without_it() {
        let message = || "m".to_owned();
        let exit = AgentExit::default();
        for error in [
            AgentError::TokenError { message: message() },
            AgentError::ProcessExited { message: message(), exit },
            AgentError::InstallFailed { message: message() },
            AgentError::SpawnFailed { message: message() },
            AgentError::Unsupported { message: message() },
            AgentError::Timeout { message: message() },
            AgentError::Protocol { message: message(), details: Some(json!({"code": 1})) },
        ] {
            let mut written = serde_json::to_value(&error).unwrap();
            assert_eq!(written["type"], error.name());
            assert_eq!(written[error.name()]["message"], "m");
            assert_eq!(serde_json::from_value::<AgentError>(written.clone()).unwrap(), error);
            written.as_object_mut().unwrap().remove("type");
            assert_eq!(serde_json::from_value::<AgentError>(written.clone()).unwrap(), error);
            written["type"] = json!("other");
            assert!(serde_json::from_value::<AgentError>(written).is_err());
        }
    }
}
