//! JSON-RPC messages as the contract states them. The code passes messages on as bytes and has no types of its own for them.

use utoipa::openapi::schema::{AnyOfBuilder, KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Stands for any JSON-RPC 2.0 message in the contract.
pub(crate) struct JsonRpcMessage;

/// The forms of messages, and the details of an error: name, description and members.
const FORMS: [(&str, &str, &[&str]); 5] = [
    (
        "JsonRpcRequest",
        "A request. The receiver answers it with a result or an error of the same id.",
        &["jsonrpc", "id", "method", "params"],
    ),
    ("JsonRpcNotification", "A notification. There is no answer to it.", &["jsonrpc", "method", "params"]),
    ("JsonRpcResult", "The answer to a request that succeeded.", &["jsonrpc", "id", "result"]),
    ("JsonRpcError", "The answer to a request that failed.", &["jsonrpc", "id", "error"]),
    ("JsonRpcErrorDetails", "The reason why a request failed.", &["code", "message", "data"]),
];

/// Members that may be absent.
const OPTIONAL: [&str; 2] = ["params", "data"];

impl ToSchema for JsonRpcMessage {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend(FORMS.map(|(name, description, members)| {
            let form = ObjectBuilder::new().schema_type(Type::Object).description(Some(description));
            let form = members.iter().fold(form, |form, name| match OPTIONAL.contains(name) {
                true => form.property(*name, member(name)),
                false => form.property(*name, member(name)).required(*name),
            });
            (name.to_owned(), form.into())
        }));
    }
}

impl PartialSchema for JsonRpcMessage {
    fn schema() -> RefOr<Schema> {
        // A request has all members of a notification, so these do not exclude each other.
        ["JsonRpcRequest", "JsonRpcNotification", "JsonRpcResult", "JsonRpcError"]
            .into_iter()
            .fold(AnyOfBuilder::new(), |any, name| any.item(Ref::from_schema_name(name)))
            .description(Some("A JSON-RPC 2.0 message: a request, a notification, a result or an error."))
            .into()
    }
}

/// The schema of a member, the same in every form.
fn member(name: &str) -> RefOr<Schema> {
    let object = |kind: SchemaType| ObjectBuilder::new().schema_type(kind);
    let described = |kind: SchemaType, text: &str| object(kind).description(Some(text));
    match name {
        "jsonrpc" => object(Type::String.into()).enum_values(Some(["2.0"])).into(),
        "id" => object(SchemaType::Array(vec![Type::String, Type::Integer, Type::Null])).into(),
        "method" => described(Type::String.into(), "Name of the method.").into(),
        "params" => {
            described(SchemaType::AnyValue, "Parameters of the method: an object or an array.").into()
        }
        "result" => described(SchemaType::AnyValue, "Result of the method.").into(),
        "code" => described(Type::Integer.into(), "Code of the error.")
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .into(),
        "message" => described(Type::String.into(), "Description of the error.").into(),
        "data" => described(SchemaType::AnyValue, "More about the error.").into(),
        _ => {
            let mut details = Ref::from_schema_name("JsonRpcErrorDetails");
            details.description = "Reason for the failure.".to_owned();
            details.into()
        }
    }
}
