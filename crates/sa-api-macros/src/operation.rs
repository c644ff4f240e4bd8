//! `#[operation]` and `operations!`: a handler, its route and its documentation, declared once.

use crate::docs::{Block, blocks};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, ItemFn, LitStr, Path, PathArguments, Result, ReturnType,
    Token, Type, parenthesized,
};

/// The declaration of an operation: `id: method "path" (request) -> response, flags`.
pub(crate) struct Declaration {
    id: Ident,
    method: Ident,
    path: LitStr,
    request: Option<Content>,
    response: Option<Content>,
    flags: Vec<Ident>,
}

/// A type in one or more media types, JSON if none is named.
struct Content {
    schema: Type,
    media: Vec<LitStr>,
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let id = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        let (method, path) = (input.parse()?, input.parse()?);
        let mut request = None;
        if input.peek(syn::token::Paren) {
            let inner;
            parenthesized!(inner in input);
            request = Some(inner.parse()?);
        }
        let response = input.parse::<Option<Token![->]>>()?.map(|_| input.parse()).transpose()?;
        let mut flags = Vec::new();
        while input.parse::<Option<Token![,]>>()?.is_some() {
            let flag: Ident = input.parse()?;
            if flag != "public" && flag != "ticket" {
                return Err(Error::new(flag.span(), "expected `public` or `ticket`"));
            }
            flags.push(flag);
        }
        Ok(Self { id, method, path, request, response, flags })
    }
}

impl Parse for Content {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let schema = input.parse()?;
        let mut media = Vec::new();
        if input.parse::<Option<Token![as]>>()?.is_some() {
            media.push(input.parse()?);
            while input.parse::<Option<Token![|]>>()?.is_some() {
                media.push(input.parse()?);
            }
        }
        Ok(Self { schema, media })
    }
}

impl Content {
    fn json(schema: Type) -> Self {
        Self { schema, media: Vec::new() }
    }

    /// Returns the tokens that describe the content of a response.
    fn tokens(&self) -> TokenStream {
        let Self { schema, media } = self;
        match &media[..] {
            [] => quote!(body = #schema,),
            [only] => quote!(body = #schema, content_type = #only,),
            several => quote!(content(#((#schema = #several)),*),),
        }
    }
}

/// The documentation of an operation.
#[derive(Default)]
struct OperationDocs {
    summary: String,
    description: String,
    body: Option<String>,
    headers: Vec<HeaderDocs>,
    responses: Vec<ResponseDocs>,
}

struct ResponseDocs {
    status: u16,
    description: String,
    headers: Vec<HeaderDocs>,
}

/// A header of requests or of a response, or a parameter of the path if its name is in braces.
struct HeaderDocs {
    name: String,
    description: String,
    is_required: bool,
}

impl OperationDocs {
    /// Reads the comment: the summary, the description, and a list of statuses, headers and the body.
    fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut docs = Self::default();
        for Block { is_nested, text } in blocks(attributes) {
            let Some(item) = text.strip_prefix("- ") else {
                let known = if docs.summary.is_empty() { &mut docs.summary } else { &mut docs.description };
                if !known.is_empty() {
                    return Err(misplaced(&text));
                }
                *known = text;
                continue;
            };
            let (name, text) = item.split_once(": ").ok_or_else(|| misplaced(item))?;
            let text = text.to_owned();
            if let Some((name, suffix)) = name.strip_prefix('`').and_then(|name| name.split_once('`')) {
                let last = docs.responses.last_mut().map(|response| &mut response.headers);
                let headers = if is_nested { last } else { Some(&mut docs.headers) };
                headers.ok_or_else(|| misplaced(item))?.push(HeaderDocs {
                    name: name.to_owned(),
                    description: text,
                    is_required: suffix == " (required)",
                });
            } else if name == "body" {
                docs.body = Some(text);
            } else {
                let status = name.parse().map_err(|_| misplaced(item))?;
                docs.responses.push(ResponseDocs { status, description: text, headers: Vec::new() });
            }
        }
        Ok(docs)
    }
}

fn misplaced(text: &str) -> Error {
    let expected = "a summary, a description, then `- 200: …`, `- body: …` and `` - `Header`: … ``";
    let message = format!("unexpected text in the comment of an operation: '{text}'; expected {expected}");
    Error::new(proc_macro2::Span::call_site(), message)
}

/// Adds the documentation and the route to a handler.
pub(crate) fn expand(declaration: Declaration, handler: &ItemFn) -> Result<TokenStream> {
    let docs = OperationDocs::read(&handler.attrs)?;
    let Declaration { id, method, path, request, response, flags } = declaration;
    let (id, OperationDocs { summary, description, .. }) = (id.unraw().to_string(), &docs);
    let is_set = |name: &str| flags.iter().any(|flag| flag == name);
    let security = is_set("public").then(|| quote!(security(()),));
    let parameters = parameters(handler, &docs, is_set("ticket"));
    let request = request.or_else(|| body_of(handler)).map(|Content { schema, media }| {
        let media = media.first().map_or("application/json".to_owned(), LitStr::value);
        let description = docs.body.clone().unwrap_or_default();
        quote!(request_body(content = #schema, content_type = #media, description = #description),)
    });
    let response = response.or_else(|| json_of(handler));
    let responses = responses(&docs.responses, response.as_ref());
    let (visibility, name) = (&handler.vis, &handler.sig.ident);
    let route = format_ident!("__route_{name}");
    Ok(quote! {
        #[utoipa::path(
            #method, path = #path, operation_id = #id, summary = #summary, description = #description, #security
            params(#(#parameters),*), #request responses(#(#responses),*)
        )]
        #handler

        #visibility fn #route() -> (&'static str, axum::routing::MethodRouter<crate::state::AppState>) {
            (#path, axum::routing::#method(#name))
        }
    })
}

/// Returns the parameters of a query, of the ticket and of headers. Headers come first if the handler takes them first.
fn parameters(handler: &ItemFn, docs: &OperationDocs, takes_ticket: bool) -> Vec<TokenStream> {
    let arguments: Vec<&Type> = arguments(handler).collect();
    let queries = arguments.iter().filter_map(|argument| query_type(argument));
    let mut parameters: Vec<TokenStream> = queries.map(|query| quote!(#query)).collect();
    if takes_ticket {
        let text = "A ticket from `POST /v1/tickets`, for clients that cannot send headers";
        parameters.push(quote!(("ticket" = Option<String>, Query, description = #text)));
    }
    let headers = arguments.iter().position(|argument| ends_with(argument, "HeaderMap"));
    let query = arguments.iter().position(|argument| query_type(argument).is_some());
    let are_first = headers.zip(query).is_some_and(|(headers, query)| headers < query);
    let of_path = |header: &&HeaderDocs| header.name.starts_with('{');
    let headers = docs.headers.iter().filter(|header| !of_path(header));
    let headers = headers.map(|HeaderDocs { name, description, is_required }| {
        let required = header_type(name);
        let schema = if *is_required { required } else { quote!(Option<#required>) };
        quote!((#name = #schema, Header, description = #description))
    });
    let at = if are_first { 0 } else { parameters.len() };
    parameters.splice(at..at, headers);
    let of_path = docs.headers.iter().filter(of_path).map(|HeaderDocs { name, description, .. }| {
        let name = name.trim_matches(['{', '}']);
        quote!((#name = String, Path, description = #description))
    });
    parameters.splice(0..0, of_path);
    parameters
}

fn responses(responses: &[ResponseDocs], content: Option<&Content>) -> Vec<TokenStream> {
    let has_ok = responses.iter().any(|response| response.status == 200);
    let describe = |ResponseDocs { status, description, headers }: &ResponseDocs| {
        let has_body = match status {
            // Next to an answer, this only says that the request was accepted.
            202 => !has_ok,
            204 => false,
            status => (200..300).contains(status),
        };
        let content = content.filter(|_| has_body).map(Content::tokens);
        let headers = headers.iter().map(|HeaderDocs { name, description, .. }| {
            let schema = header_type(name);
            quote!((#name = #schema, description = #description))
        });
        let headers = match headers.len() {
            0 => None,
            _ => Some(quote!(headers(#(#headers),*))),
        };
        quote!((status = #status, description = #description, #content #headers))
    };
    responses.iter().map(describe).collect()
}

fn header_type(name: &str) -> TokenStream {
    match name {
        "Content-Length" | "Last-Event-ID" => quote!(u64),
        _ => quote!(String),
    }
}

/// Returns the JSON body that a handler takes.
fn body_of(handler: &ItemFn) -> Option<Content> {
    arguments(handler).find_map(|argument| {
        let optional = |schema| Content::json(syn::parse_quote!(Option<#schema>));
        let required = inner(argument, "JsonBody").cloned().map(Content::json);
        required.or_else(|| inner(argument, "OptionalJsonBody").map(optional))
    })
}

/// Returns the JSON that a handler returns: `T` in `Json<T>`, within a result or next to a status.
fn json_of(handler: &ItemFn) -> Option<Content> {
    let ReturnType::Type(_, returned) = &handler.sig.output else { return None };
    find(returned, "Json").cloned().map(Content::json)
}

/// Returns `T` of `name<T>`, also within a result or a tuple.
fn find<'a>(written: &'a Type, name: &str) -> Option<&'a Type> {
    match written {
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|element| find(element, name)),
        written => inner(written, name).or_else(|| find(inner(written, "ApiResult")?, name)),
    }
}

fn arguments(handler: &ItemFn) -> impl Iterator<Item = &Type> {
    handler.sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(&*argument.ty),
        FnArg::Receiver(_) => None,
    })
}

/// Returns the type of an argument that `#[query]` made, also within a result.
fn query_type(written: &Type) -> Option<&Type> {
    Some(inner(written, "ApiResult").unwrap_or(written)).filter(|written| ends_with(written, "Query"))
}

fn ends_with(written: &Type, name: &str) -> bool {
    let Type::Path(path) = written else { return false };
    path.path.segments.last().is_some_and(|last| last.ident.to_string().ends_with(name))
}

/// Returns `T` of a type that is written `name<T>`.
fn inner<'a>(written: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = written else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(argument)) => Some(argument),
        _ => None,
    }
}

/// Handlers that are operations.
pub(crate) struct Operations(Punctuated<Path, Token![,]>);

impl Parse for Operations {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        Punctuated::parse_terminated(input).map(Self)
    }
}

impl Operations {
    /// Returns the router of the operations, and their documentation.
    pub(crate) fn expand(&self) -> TokenStream {
        let handlers = self.0.iter();
        let routes = self.0.iter().cloned().map(|mut path| {
            if let Some(last) = path.segments.last_mut() {
                last.ident = format_ident!("__route_{}", last.ident);
            }
            path
        });
        quote! {
            /// Returns the routes of this area.
            pub(crate) fn routes() -> axum::Router<crate::state::AppState> {
                let routes = [#(#routes()),*];
                routes.into_iter().fold(axum::Router::new(), |router, (path, handler)| router.route(path, handler))
            }

            /// The documentation of [`routes`].
            #[derive(utoipa::OpenApi)]
            #[openapi(paths(#(#handlers),*))]
            pub(crate) struct Operations;
        }
    }
}
