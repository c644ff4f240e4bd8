//! Doc comments as texts of the contract. Comments are wrapped, texts are not: lines of a paragraph are joined.

use syn::{Attribute, Error, Expr, Lit, Meta, Result, parse_quote};

/// The documentation of an operation.
#[derive(Default)]
pub(crate) struct OperationDocs {
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) body: Option<String>,
    pub(crate) headers: Vec<HeaderDocs>,
    pub(crate) responses: Vec<ResponseDocs>,
}

pub(crate) struct ResponseDocs {
    pub(crate) status: u16,
    pub(crate) description: String,
    pub(crate) headers: Vec<HeaderDocs>,
}

/// A header of requests or of a response, or a parameter of the path if its name is in braces.
pub(crate) struct HeaderDocs {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) is_required: bool,
}

/// Lines of a comment that belong together, with the indentation of the first.
struct Block {
    is_nested: bool,
    text: String,
}

impl OperationDocs {
    /// Reads the comment: the summary, the description, and a list of statuses, headers and the body.
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut docs = Self::default();
        for Block { is_nested, text } in blocks(&lines(attributes)) {
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

/// Replaces the lines of a comment by their paragraphs.
pub(crate) fn unwrap(attributes: &mut Vec<Attribute>) {
    let text =
        blocks(&lines(attributes)).into_iter().map(|block| block.text).collect::<Vec<_>>().join("\n\n");
    attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    if !text.is_empty() {
        attributes.push(parse_quote!(#[doc = #text]));
    }
}

fn lines(attributes: &[Attribute]) -> Vec<String> {
    let text = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(text).collect()
}

/// Joins lines into paragraphs and items of lists.
fn blocks(lines: &[String]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let text = line.trim();
        if text.is_empty() {
            is_open = false;
        } else if is_open && !text.starts_with("- ") {
            if let Some(last) = blocks.last_mut() {
                last.text += " ";
                last.text += text;
            }
        } else {
            is_open = true;
            blocks.push(Block { is_nested: line.starts_with("   "), text: text.to_owned() });
        }
    }
    blocks
}
