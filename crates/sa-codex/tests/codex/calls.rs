//! Lines of the adapter to the app-server, compared with the vendor's own schema.

use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The vendor's schema of the parameters of a request, and their names.
struct Call {
    validator: Validator,
    names: Vec<String>,
}

static CALLS: LazyLock<HashMap<String, Call>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/codex/app-server.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let calls = schema["$defs"].as_object().unwrap().iter().filter_map(|(name, definition)| {
        let method = name.strip_prefix("call/")?;
        let validator = jsonschema::draft202012::new(definition).unwrap();
        let names = definition["properties"].as_object().map(|all| all.keys().cloned().collect());
        Some((method.to_owned(), Call { validator, names: names.unwrap_or_default() }))
    });
    calls.collect()
});

/// Fails if the app-server would not understand this request.
pub(crate) fn check(line: &Value) {
    let (method, params) = (line["method"].as_str().unwrap(), &line["params"]);
    let call = CALLS.get(method).unwrap_or_else(|| panic!("{method} is not in the schema"));
    let wrong: Vec<String> = call.validator.iter_errors(params).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{method} {params}: {wrong:?}");
    let strange = params.as_object().unwrap().keys().find(|name| !call.names.contains(name));
    assert_eq!(strange, None, "{method} has no such parameter");
}
