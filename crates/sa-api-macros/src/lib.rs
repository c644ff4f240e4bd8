//! `#[api]`: the attributes that all types of the HTTP contract share, in one place.

use proc_macro::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Type, parse_macro_input, parse_quote};

/// Makes a type part of the contract: serde, its OpenAPI schema and, with the feature `json-schema`, its JSON Schema.
///
/// Names are in camel case, unless the type says otherwise. An optional member that is `None` is absent, unless it is
/// `#[schema(required = true)]`.
#[proc_macro_attribute]
pub fn api(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = parse_macro_input!(item as DeriveInput);
    let shared: [Attribute; 2] = [
        parse_quote!(#[derive(::serde::Serialize, ::serde::Deserialize, ::utoipa::ToSchema)]),
        parse_quote!(#[cfg_attr(feature = "json-schema", derive(::schemars::JsonSchema))]),
    ];
    if !mention(&item.attrs, "rename_all =") {
        item.attrs.push(parse_quote!(#[serde(rename_all = "camelCase")]));
    }
    // Derives come before the attributes that they read.
    item.attrs.splice(0..0, shared);
    match &mut item.data {
        Data::Struct(data) => complete(&mut data.fields),
        Data::Enum(data) => data.variants.iter_mut().for_each(|variant| complete(&mut variant.fields)),
        Data::Union(_) => {}
    }
    quote!(#item).into()
}

fn complete(fields: &mut Fields) {
    if let Fields::Named(fields) = fields {
        fields.named.iter_mut().filter(|field| is_absent_if_none(field)).for_each(|field| {
            if !mention(&field.attrs, "default") {
                field.attrs.push(parse_quote!(#[serde(default)]));
            }
            field.attrs.push(parse_quote!(#[serde(skip_serializing_if = "Option::is_none")]));
        });
    }
}

fn is_absent_if_none(field: &Field) -> bool {
    let Type::Path(path) = &field.ty else { return false };
    let is_option = path.path.segments.last().is_some_and(|last| last.ident == "Option");
    is_option && !mention(&field.attrs, "skip_serializing_if") && !mention(&field.attrs, "required = true")
}

/// Returns whether one of these attributes has that text, comments aside.
fn mention(attributes: &[Attribute], text: &str) -> bool {
    let is_comment = |attribute: &Attribute| attribute.path().is_ident("doc");
    attributes
        .iter()
        .filter(|attribute| !is_comment(attribute))
        .any(|attribute| attribute.to_token_stream().to_string().contains(text))
}
