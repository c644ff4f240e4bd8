//! The OpenAPI document that a daemon serves, to hold against what it does.

use anyhow::{Context, Result, anyhow, ensure};
use jsonschema::Validator;
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// The document, with the schemas that were asked for so far.
pub(crate) struct Document {
    pub(crate) json: Value,
    validators: HashMap<String, Validator>,
}

impl Document {
    pub(crate) async fn of(daemon: &Daemon) -> Result<Self> {
        let json = daemon.http().get("/v1/openapi.json").send().await?.expect_status(200)?.json()?;
        Ok(Self { json, validators: HashMap::new() })
    }

    /// Checks a value against that schema of the document.
    pub(crate) fn check(&mut self, schema: &str, value: &Value) -> Result<()> {
        if !self.validators.contains_key(schema) {
            ensure!(self.json["components"]["schemas"][schema].is_object(), "there is no schema {schema}");
            let reference = format!("#/components/schemas/{schema}");
            let root = json!({ "$ref": reference, "components": self.json["components"] });
            let validator = jsonschema::validator_for(&root).map_err(|error| anyhow!("{schema}: {error}"))?;
            self.validators.insert(schema.to_owned(), validator);
        }
        let validator = self.validators.get(schema).context("a validator")?;
        let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        ensure!(errors.is_empty(), "not a {schema}: {errors:?}\n{value:#}");
        Ok(())
    }

    /// Returns the names that distinguish the variants of that schema.
    pub(crate) fn variants(&self, schema: &str) -> Result<BTreeSet<String>> {
        let mapping = self.json["components"]["schemas"][schema]["discriminator"]["mapping"].as_object();
        Ok(mapping.with_context(|| format!("{schema} has no discriminator"))?.keys().cloned().collect())
    }
}
