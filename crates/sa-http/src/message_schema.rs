//! JSON-RPC messages as the contract states them. The code passes messages on as bytes and has no types of its own for them.

use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use utoipa::openapi::schema::{AnyOfBuilder, Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Stands for any JSON-RPC 2.0 message in the contract.
pub(crate) struct JsonRpcMessage;

impl ToSchema for JsonRpcMessage {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("JsonRpcMessage")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
            schemas.push((T::name().into_owned(), T::schema()));
        }
        add::<JsonRpcRequest>(schemas);
        add::<JsonRpcNotification>(schemas);
        add::<JsonRpcResult>(schemas);
        add::<JsonRpcError>(schemas);
        add::<JsonRpcErrorDetails>(schemas);
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

/// A request. The receiver answers it with a result or an error of the same id.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) struct JsonRpcRequest {
    /// Version of the protocol.
    #[schema(schema_with = version)]
    jsonrpc: String,
    /// Id that the answer has, too.
    #[schema(schema_with = id)]
    id: Value,
    /// Name of the method.
    method: String,
    /// Parameters of the method: an object or an array.
    #[schema(required = false)]
    params: Value,
}

/// A notification. There is no answer to it.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) struct JsonRpcNotification {
    /// Version of the protocol.
    #[schema(schema_with = version)]
    jsonrpc: String,
    /// Name of the method.
    method: String,
    /// Parameters of the method: an object or an array.
    #[schema(required = false)]
    params: Value,
}

/// The answer to a request that succeeded.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) struct JsonRpcResult {
    /// Version of the protocol.
    #[schema(schema_with = version)]
    jsonrpc: String,
    /// Id of the request.
    #[schema(schema_with = id)]
    id: Value,
    /// Result of the method.
    result: Value,
}

/// The answer to a request that failed.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) struct JsonRpcError {
    /// Version of the protocol.
    #[schema(schema_with = version)]
    jsonrpc: String,
    /// Id of the request; `null` if it could not be read.
    #[schema(schema_with = id)]
    id: Value,
    /// Reason for the failure.
    error: JsonRpcErrorDetails,
}

/// The reason why a request failed.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) struct JsonRpcErrorDetails {
    /// Code of the error.
    code: i64,
    /// Description of the error.
    message: String,
    /// More about the error.
    #[schema(required = false)]
    data: Value,
}

fn version() -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["2.0"])).build()
}

fn id() -> Object {
    let types = [Type::String, Type::Integer, Type::Null];
    ObjectBuilder::new().schema_type(SchemaType::Array(types.to_vec())).build()
}
