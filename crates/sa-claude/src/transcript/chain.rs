//! Which lines of a transcript are the conversation. Lines form a tree: a session that was taken up again from an earlier
//! point, or by two processes, has branches. The one that ends last is replayed.

use super::TranscriptError;
use super::lines::{Lines, StoredLine};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;
use uuid::Uuid;

/// Transcripts up to this many bytes are read.
const MAX_FILE: u64 = 512 << 20;

/// The longest conversation that is replayed, in bytes; of a longer one the end.
const BUDGET: u64 = 32 << 20;

/// The fields of a line that show its position in the conversation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: std::borrow::Cow<'a, str>,
    uuid: Option<Uuid>,
    parent_uuid: Option<Uuid>,
    /// Set where the conversation was compacted: what came before, though the model no longer sees it.
    logical_parent_uuid: Option<Uuid>,
    #[serde(default)]
    is_sidechain: bool,
}

#[derive(Debug)]
struct Node {
    offset: u64,
    length: u64,
    parent: Option<Uuid>,
    /// Set if it can say something; other lines only hold the tree together.
    speaks: bool,
    position: Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// The line is on the branch that is replayed.
    OnBranch,
    /// The line follows the branch and may be the result of a call. Results of calls that ran side by side are all
    /// children of the call, and the branch continues after the last of them only.
    SideResult,
    OffBranch,
}

/// The lines to replay.
#[derive(Debug)]
pub(super) struct Chain {
    file: File,
    nodes: std::vec::IntoIter<Node>,
    /// Set if the beginning was left out for its length.
    pub(super) cut: bool,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) line: Value,
    /// Only its tool results belong to the conversation.
    pub(super) results_only: bool,
}

impl Chain {
    /// Finds the conversation in a transcript. Lines that are no JSON, or too long, are passed over.
    pub(super) fn open(path: &Path) -> Result<Self, TranscriptError> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        if size > MAX_FILE {
            return Err(TranscriptError::TooLarge(size));
        }
        let (mut nodes, places) = index(Lines::new(file.try_clone()?, 0)?)?;
        follow(&mut nodes, &places);
        nodes.retain(|node| node.speaks && node.position != Position::OffBranch);
        let cut = within_budget(&mut nodes);
        Ok(Self { file, nodes: nodes.into_iter(), cut })
    }

    /// The next line, read from the disk only now.
    pub(super) fn next(&mut self) -> io::Result<Option<Link>> {
        for node in self.nodes.by_ref() {
            let Some(StoredLine { bytes, .. }) = Lines::new(self.file.try_clone()?, node.offset)?.next()?
            else {
                break;
            };
            if let Ok(line) = serde_json::from_slice(&bytes) {
                return Ok(Some(Link { line, results_only: node.position == Position::SideResult }));
            }
        }
        Ok(None)
    }
}

fn index(mut lines: Lines) -> io::Result<(Vec<Node>, HashMap<Uuid, usize>)> {
    let mut nodes = Vec::new();
    let mut places = HashMap::new();
    while let Some(line) = lines.next()? {
        let Ok(head) = serde_json::from_slice::<Head<'_>>(&line.bytes) else { continue };
        let Some(uuid) = head.uuid.filter(|_| !head.is_sidechain) else { continue };
        // The CLI writes some lines twice.
        if places.contains_key(&uuid) {
            continue;
        }
        places.insert(uuid, nodes.len());
        nodes.push(Node {
            offset: line.offset,
            length: lines.position() - line.offset,
            parent: head.parent_uuid.or(head.logical_parent_uuid),
            speaks: matches!(&*head.kind, "user" | "assistant" | "system"),
            position: Position::OffBranch,
        });
    }
    Ok((nodes, places))
}

/// Marks the branch that ends with the last line that says something, and what hangs on it.
fn follow(nodes: &mut [Node], places: &HashMap<Uuid, usize>) {
    let mut at = nodes.iter().rposition(|node| node.speaks);
    while let Some(index) = at {
        let Some(node) = nodes.get_mut(index).filter(|node| node.position == Position::OffBranch) else {
            break;
        };
        node.position = Position::OnBranch;
        // A parent whose line is lost is taken to be the line before.
        at = node.parent.and_then(|parent| places.get(&parent).copied().or(index.checked_sub(1)));
    }
    let on_branch: Vec<bool> = nodes.iter().map(|node| node.position == Position::OnBranch).collect();
    for node in nodes.iter_mut().filter(|node| node.position == Position::OffBranch) {
        let parent = node.parent.and_then(|parent| places.get(&parent));
        if parent.is_some_and(|parent| on_branch.get(*parent) == Some(&true)) {
            node.position = Position::SideResult;
        }
    }
}

/// Drops the oldest lines of a conversation that is too long. Says whether it did.
fn within_budget(nodes: &mut Vec<Node>) -> bool {
    let mut total = 0;
    let fits = |node: &&Node| {
        total += node.length;
        total <= BUDGET
    };
    let kept = nodes.iter().rev().take_while(fits).count();
    let dropped = nodes.len() - kept;
    nodes.drain(..dropped);
    dropped > 0
}
