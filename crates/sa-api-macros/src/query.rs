//! `#[query]`: the parameters of a query, declared and documented once.

use crate::docs;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, ItemStruct, Type, parse_quote};

/// Types of fields that the contract has another type for, and whether they may be absent without being an `Option`.
const DOCUMENTED_AS: [(&str, &str, bool); 4] = [
    ("QueryPath", "String", false),
    ("Option<QueryPath>", "Option<String>", false),
    ("List", "Option<Vec<String>>", true),
    ("Option<usize>", "Option<u64>", false),
];

/// Makes a struct an extractor that reads the query, and its fields parameters of operations that take it.
pub(crate) fn expand(mut item: ItemStruct) -> TokenStream {
    item.attrs.push(parse_quote!(#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]));
    item.attrs.push(parse_quote!(#[serde(rename_all = "camelCase")]));
    item.attrs.push(parse_quote!(#[into_params(parameter_in = Query)]));
    if let Fields::Named(fields) = &mut item.fields {
        for field in &mut fields.named {
            docs::unwrap(&mut field.attrs);
            let written = field.ty.clone();
            let written = quote!(#written).to_string().replace(' ', "");
            let Some((_, documented, is_optional)) = DOCUMENTED_AS.iter().find(|(own, _, _)| *own == written)
            else {
                continue;
            };
            if *is_optional {
                field.attrs.push(parse_quote!(#[serde(default)]));
            }
            let is_given = field.attrs.iter().any(|attribute| attribute.path().is_ident("param"));
            if !is_given && let Ok(documented) = syn::parse_str::<Type>(documented) {
                field.attrs.push(parse_quote!(#[param(value_type = #documented)]));
            }
        }
    }
    let name = &item.ident;
    quote! {
        #item

        impl axum::extract::FromRequestParts<crate::state::AppState> for #name {
            type Rejection = crate::problem::ApiError;

            async fn from_request_parts(
                parts: &mut http::request::Parts,
                _: &crate::state::AppState,
            ) -> crate::problem::ApiResult<Self> {
                crate::query::read(parts.uri.query())
            }
        }
    }
}
