//! The shape of a JSON-RPC message as the contract states it. The code passes messages on as bytes and has no type
//! of its own for them.

use std::borrow::Cow;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Stands for any JSON-RPC 2.0 message in the contract.
pub(crate) struct JsonRpcMessage;

impl ToSchema for JsonRpcMessage {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("JsonRpcMessage")
    }
}

impl PartialSchema for JsonRpcMessage {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let either = |types: &[Type]| ObjectBuilder::new().schema_type(SchemaType::Array(types.to_vec()));
        let anything = || ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        let error = ObjectBuilder::new()
            .property("code", ObjectBuilder::new().schema_type(Type::Integer))
            .required("code")
            .property("message", text())
            .required("message")
            .property("data", anything())
            .description(Some("In a response: why it failed."));
        ObjectBuilder::new()
            .property("jsonrpc", text().enum_values(Some(["2.0"])))
            .required("jsonrpc")
            .property(
                "id",
                either(&[Type::String, Type::Integer, Type::Null])
                    .description(Some("In requests and responses.")),
            )
            .property("method", text().description(Some("In requests and notifications.")))
            .property(
                "params",
                either(&[Type::Object, Type::Array])
                    .additional_properties(Some(AdditionalProperties::FreeForm(true)))
                    .description(Some("In requests and notifications.")),
            )
            .property("result", anything().description(Some("In a response: what came of the request.")))
            .property("error", error)
            .description(Some("One JSON-RPC 2.0 message: a request, a notification or a response."))
            .into()
    }
}
