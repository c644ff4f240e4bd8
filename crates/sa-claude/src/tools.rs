//! Claude Code's tools as ACP shows them: what a call is about, and what became of it. Pure: a tool's name, its input and its
//! result in, tool calls out. Knows neither sessions nor turns.

mod blocks;
mod call;
mod edits;
mod outcome;
mod permission;
mod plan;
mod shell;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use blocks::content_block;
pub(crate) use call::call;
pub(crate) use outcome::result;
pub(crate) use permission::rules_for_always;
pub(crate) use plan::Todos;

/// The server and the tool that a name like `mcp__server__tool` stands for.
fn mcp_parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}
