//! Bounds of parameters, in one place: a parameter of one name has the same bounds in every operation.

use super::schemas;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayItems, Object, Type};
use utoipa::openapi::{Deprecated, RefOr, Required, Schema};

/// Session ids that clients choose; `import` is reserved for the operation at that path.
pub(super) const SESSION_ID: &str = "^[A-Za-z0-9][A-Za-z0-9._~:@-]{0,127}$";
/// Ids of ACP servers that clients choose.
const SERVER_ID: &str = "^[A-Za-z0-9._~:@-]{1,128}$";
/// Permissions of a file.
const OCTAL_MODE: &str = "^0*[0-7]{1,4}$";

/// `*`, or entity tags with commas between them.
const ENTITY_TAGS: &str = r#"^\s*(\*|(W/)?"[^"]*"(\s*,\s*(W/)?"[^"]*")*)\s*$"#;

enum Bound {
    Pattern(&'static str),
    /// At least and at most so many characters.
    Length(usize, Option<usize>),
    Least(usize),
    OneOf(&'static [&'static str]),
}

/// Place, name and bound, in every operation.
const BOUNDS: &[(ParameterIn, &str, Bound)] = &[
    (ParameterIn::Path, "sessionId", Bound::Pattern(SESSION_ID)),
    (ParameterIn::Path, "serverId", Bound::Pattern(SERVER_ID)),
    (ParameterIn::Path, "processId", Bound::Length(1, None)),
    (ParameterIn::Path, "messageId", Bound::Length(1, None)),
    (ParameterIn::Path, "questionId", Bound::Length(1, None)),
    (ParameterIn::Path, "permissionId", Bound::Length(1, None)),
    (ParameterIn::Path, "agent", Bound::Length(1, None)),
    (ParameterIn::Header, "Idempotency-Key", Bound::Length(1, Some(255))),
    (ParameterIn::Header, "Acp-Connection-Id", Bound::Length(1, None)),
    (ParameterIn::Header, "If-Match", Bound::Pattern(ENTITY_TAGS)),
    (ParameterIn::Header, "If-None-Match", Bound::Pattern(ENTITY_TAGS)),
    (ParameterIn::Query, "limit", Bound::Least(1)),
    (ParameterIn::Query, "mode", Bound::Pattern(OCTAL_MODE)),
    (ParameterIn::Query, "format", Bound::OneOf(&["tar", "tar.gz"])),
    (ParameterIn::Query, "owner", Bound::OneOf(&["user", "desktop", "system"])),
    (ParameterIn::Query, "stream", Bound::OneOf(&["stdout", "stderr", "combined", "pty"])),
];

/// Bounds that hold in one operation only.
const OWN_BOUNDS: &[(&str, &str, Bound)] = &[
    ("importSession", "sessionId", Bound::Pattern(SESSION_ID)),
    ("listSessions", "include", Bound::OneOf(&["choices"])),
    ("listSessions", "metadata", Bound::Pattern("^[^:]*:")),
];

/// Parameters of paths, with their descriptions.
const OF_PATHS: &[(&str, &str)] = &[
    ("agent", "The agent's id"),
    ("messageId", "The message's id, as `queue` and the events have it"),
    ("permissionId", "The permission's id, as `permissionAsked` and the session have it"),
    ("processId", "The process's id"),
    ("questionId", "The question's id, as `questionAsked` and the session have it"),
    ("serverId", "The server"),
    ("sessionId", "The session's id"),
    ("ticket", "The ticket"),
];

/// Adds the parameters in a path that an operation does not describe itself, in the order of the path.
pub(super) fn add_of_path(path: &str, operation: &mut Operation) {
    let parameters = operation.parameters.get_or_insert_default();
    let of_path: Vec<&(&str, &str)> = path
        .split(['{', '}'])
        .skip(1)
        .step_by(2)
        .filter_map(|name| OF_PATHS.iter().find(|(known, _)| *known == name))
        .collect();
    for (at, (name, description)) in of_path.into_iter().enumerate() {
        let is_known = parameters.iter().any(|parameter| {
            matches!(parameter, RefOr::T(known) if known.name == *name && known.parameter_in == ParameterIn::Path)
        });
        if !is_known {
            let parameter = ParameterBuilder::new()
                .name(*name)
                .parameter_in(ParameterIn::Path)
                .description(Some(*description))
                .required(Required::True)
                .schema(Some(Object::with_type(Type::String)));
            parameters.insert(at, parameter.build().into());
        }
    }
}

/// Parameters of earlier versions that are still taken, and those of `getProcessLogs` alone.
const DEPRECATED: [&str; 4] = ["no_cache", "offset", "since", "version"];
const DEPRECATED_IN_LOGS: [&str; 2] = ["follow", "Last-Event-ID"];

/// Adds the bounds to an operation's parameters.
pub(super) fn bound(operation: &mut Operation) {
    let id = operation.operation_id.clone().unwrap_or_default();
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        let name = parameter.name.as_str();
        let is_old =
            DEPRECATED.contains(&name) || (id == "getProcessLogs" && DEPRECATED_IN_LOGS.contains(&name));
        parameter.deprecated = is_old.then_some(Deprecated::True);
        // An optional parameter may be absent, but there is no null in HTTP.
        parameter.schema.iter_mut().for_each(schemas::drop_null);
        let own = OWN_BOUNDS.iter().find(|(of, name, _)| *of == id && *name == parameter.name);
        let shared = BOUNDS
            .iter()
            .find(|(place, name, _)| *place == parameter.parameter_in && *name == parameter.name);
        // A required text is not empty.
        let is_required =
            parameter.parameter_in == ParameterIn::Query && parameter.required == Required::True;
        let required = is_required.then_some(&Bound::Length(1, None));
        let bound = own.map(|(_, _, bound)| bound).or(shared.map(|(_, _, bound)| bound)).or(required);
        match (bound, &mut parameter.schema) {
            (Some(bound), Some(RefOr::T(Schema::Object(schema)))) => bound.apply(schema),
            // Of a list, each item is bounded.
            (Some(bound), Some(RefOr::T(Schema::Array(list)))) => {
                if let ArrayItems::RefOrSchema(items) = &mut list.items
                    && let RefOr::T(Schema::Object(schema)) = &mut **items
                {
                    bound.apply(schema);
                }
            }
            _ => {}
        }
    }
    operation.parameters.take_if(|parameters| parameters.is_empty());
}

impl Bound {
    fn apply(&self, schema: &mut Object) {
        match self {
            Self::Pattern(pattern) => schema.pattern = Some((*pattern).to_owned()),
            Self::Length(least, most) => {
                schema.min_length = Some(*least);
                schema.max_length = *most;
            }
            Self::Least(least) => schema.minimum = Some((*least).into()),
            Self::OneOf(values) => {
                schema.enum_values = Some(values.iter().map(|value| (*value).into()).collect());
            }
        }
    }
}
