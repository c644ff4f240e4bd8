//! The attributes of the HTTP contract: `#[api]` for its types, `#[operation]` for its operations and `#[query]` for
//! their queries.

mod api;
mod docs;
mod operation;
mod query;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, ItemStruct, parse_macro_input};

/// Makes a type part of the contract: `Debug`, `Clone`, `PartialEq`, serde, its OpenAPI schema and, with the feature
/// `json-schema`, its JSON Schema.
///
/// In parentheses come further traits to derive, `strict` for a type that refuses unknown members, and `secret` for one
/// that writes its own `Debug`. An enum has `name()`; one without fields is `Copy` and `Eq`, and has `ALL` and
/// `from_name()`.
///
/// Names are in camel case. An optional member that is `None` is absent, unless it is `#[schema(required = true)]`. A
/// member that is marked `#[optional]` is absent if it is empty or false. One that is marked `#[newer]` is always there,
/// but may be missing in data of earlier versions.
#[proc_macro_attribute]
pub fn api(words: TokenStream, item: TokenStream) -> TokenStream {
    let words = parse_macro_input!(words as api::Words);
    api::expand(words, parse_macro_input!(item as DeriveInput)).into()
}

/// Makes a handler of `sa-http` an operation: `id: method "path" (request) -> response, flags`.
///
/// The doc comment is its documentation: the summary, the description, and a list of statuses (`- 404: …`, with the
/// headers of a response nested), of the body (`- body: …`) and of request headers (`` - `Prefer`: … ``, or
/// `` - `Prefer` (required): … ``). Parameters of the path have descriptions; `` - `{id}`: … `` is another one. Those of a `#[query]` struct, the body of `JsonBody<T>` and the answer of `Json<T>` are taken from the signature.
/// The flag `ticket` is for streams that a ticket opens, `public` for operations without a token.
#[proc_macro_attribute]
pub fn operation(declaration: TokenStream, item: TokenStream) -> TokenStream {
    let declaration = parse_macro_input!(declaration as operation::Declaration);
    let handler = parse_macro_input!(item as ItemFn);
    operation::expand(declaration, &handler).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Defines `routes()` and `Operations`, the routes and the documentation of these operations.
#[proc_macro]
pub fn operations(handlers: TokenStream) -> TokenStream {
    parse_macro_input!(handlers as operation::Operations).expand().into()
}

/// Makes a struct, whose name ends with `Query`, the query of operations that take it. Its fields are the parameters,
/// their comments the descriptions.
#[proc_macro_attribute]
pub fn query(_: TokenStream, item: TokenStream) -> TokenStream {
    query::expand(parse_macro_input!(item as ItemStruct)).into()
}
