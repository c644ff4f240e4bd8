//! Doc comments as texts of the contract. Comments are wrapped, texts are not: lines of a paragraph are joined.

use syn::{Attribute, Expr, ExprLit, Lit, parse_quote};

/// Lines of a comment that belong together, with the indentation of the first.
pub(crate) struct Block {
    pub(crate) is_nested: bool,
    pub(crate) text: String,
}

/// Replaces the lines of a comment by their paragraphs.
pub(crate) fn unwrap(attributes: &mut Vec<Attribute>) {
    let text = blocks(attributes).into_iter().map(|block| block.text).collect::<Vec<_>>().join("\n\n");
    attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    if !text.is_empty() {
        attributes.push(parse_quote!(#[doc = #text]));
    }
}

fn lines(attributes: &[Attribute]) -> Vec<String> {
    let comments = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let text = |comment: &Attribute| match &comment.meta.require_name_value().ok()?.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    };
    comments.filter_map(text).collect()
}

/// Returns the paragraphs and items of lists in a comment, whose lines are joined.
pub(crate) fn blocks(attributes: &[Attribute]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in lines(attributes) {
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
