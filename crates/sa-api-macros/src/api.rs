//! `#[api]`: the form that all types of the contract share.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Field, Fields, Ident, Result, Token, Type, Variant, parse_quote,
};

/// The words in parentheses: `strict`, `secret`, and traits to derive.
pub(crate) struct Words(Vec<Ident>);

impl Parse for Words {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        Punctuated::<Ident, Token![,]>::parse_terminated(input).map(|words| Self(words.into_iter().collect()))
    }
}

/// Adds derives and attributes to a type, and to an enum the names of its variants.
pub(crate) fn expand(Words(words): Words, mut item: DeriveInput) -> TokenStream {
    let has = |word: &str| words.iter().any(|known| known == word);
    let own = words.iter().filter(|word| *word != "strict" && *word != "secret").cloned();
    let debug = (!has("secret")).then(|| format_ident!("Debug"));
    let of_words = is_fieldless(&item).then(|| [format_ident!("Copy"), format_ident!("Eq")]);
    let derived = debug.into_iter().chain(of_words.into_iter().flatten()).chain(own);
    let shared: [Attribute; 2] = [
        parse_quote!(#[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::utoipa::ToSchema, #(#derived),*)]),
        parse_quote!(#[cfg_attr(feature = "json-schema", derive(::schemars::JsonSchema))]),
    ];
    item.attrs.push(parse_quote!(#[serde(rename_all = "camelCase")]));
    if has("strict") {
        item.attrs.push(parse_quote!(#[serde(deny_unknown_fields)]));
    }
    // Derives come before the attributes that they read.
    item.attrs.splice(0..0, shared);
    let mut names = None;
    match &mut item.data {
        Data::Struct(data) => complete(&mut data.fields),
        Data::Enum(data) => {
            item.attrs.push(parse_quote!(#[serde(rename_all_fields = "camelCase")]));
            data.variants.iter_mut().for_each(complete_variant);
            names = (!mention(&item.attrs, "untagged")).then(|| name_variants(&item.ident, data));
        }
        Data::Union(_) => {}
    }
    quote!(#item #names)
}

fn is_fieldless(item: &DeriveInput) -> bool {
    let Data::Enum(data) = &item.data else { return false };
    data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit))
}

/// Returns the functions that give the contract's names of variants.
fn name_variants(item: &Ident, data: &DataEnum) -> TokenStream {
    let variants: Vec<&Ident> = data.variants.iter().map(|variant| &variant.ident).collect();
    let names: Vec<String> = variants.iter().map(|variant| camel_case(variant)).collect();
    if !data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit)) {
        return quote! {
            impl #item {
                /// Returns the name that says which variant this is.
                pub fn name(&self) -> &'static str {
                    match self { #(Self::#variants { .. } => #names),* }
                }
            }
        };
    }
    quote! {
        impl #item {
            /// All values, in the order of their declaration.
            pub const ALL: &[Self] = &[#(Self::#variants),*];

            /// Returns the name in JSON.
            pub fn name(self) -> &'static str {
                match self { #(Self::#variants => #names),* }
            }

            /// Returns the value of that name in JSON.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { #(#names => Some(Self::#variants),)* _ => None }
            }
        }
    }
}

fn camel_case(variant: &Ident) -> String {
    let name = variant.to_string();
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn complete_variant(variant: &mut Variant) {
    complete(&mut variant.fields);
    if matches!(variant.fields, Fields::Named(_)) {
        // `ToSchema` does not read `rename_all_fields`.
        variant.attrs.push(parse_quote!(#[schema(rename_all = "camelCase")]));
    }
}

fn complete(fields: &mut Fields) {
    if let Fields::Named(fields) = fields {
        fields.named.iter_mut().for_each(expand_marks);
        fields.named.iter_mut().filter(|field| is_absent_if_none(field)).for_each(|field| {
            if !mention(&field.attrs, "default") {
                field.attrs.push(parse_quote!(#[serde(default)]));
            }
            field.attrs.push(parse_quote!(#[serde(skip_serializing_if = "Option::is_none")]));
        });
    }
}

/// Expands the marks of a member. The schema has the members of an embedded type among its own, and not those that a map
/// keeps because the contract does not list them.
fn expand_marks(field: &mut Field) {
    let kind = last_segment(&field.ty);
    for attribute in std::mem::take(&mut field.attrs) {
        if attribute.path().is_ident("newer") {
            field.attrs.push(parse_quote!(#[serde(default)]));
            field.attrs.push(parse_quote!(#[schema(required = true)]));
        } else if attribute.path().is_ident("optional") {
            let is_empty = match kind.as_str() {
                "bool" => "std::ops::Not::not".to_owned(),
                kind => format!("{kind}::is_empty"),
            };
            field.attrs.push(parse_quote!(#[serde(default, skip_serializing_if = #is_empty)]));
            field.attrs.push(match kind.as_str() {
                "Map" => parse_quote!(#[schema(value_type = Object, required = false)]),
                _ => parse_quote!(#[schema(required = false)]),
            });
        } else {
            field.attrs.push(attribute);
        }
    }
    if mention(&field.attrs, "flatten") {
        let is_map = kind.ends_with("Map");
        field.attrs.push(if is_map {
            parse_quote!(#[schema(ignore)])
        } else {
            parse_quote!(#[schema(inline)])
        });
    }
}

fn last_segment(written: &Type) -> String {
    let Type::Path(path) = written else { return String::new() };
    path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}

fn is_absent_if_none(field: &Field) -> bool {
    last_segment(&field.ty) == "Option"
        && !mention(&field.attrs, "skip_serializing_if")
        && !mention(&field.attrs, "required = true")
}

/// Returns whether one of these attributes has that text, comments aside.
fn mention(attributes: &[Attribute], text: &str) -> bool {
    let is_comment = |attribute: &Attribute| attribute.path().is_ident("doc");
    attributes
        .iter()
        .filter(|attribute| !is_comment(attribute))
        .any(|attribute| attribute.to_token_stream().to_string().contains(text))
}
