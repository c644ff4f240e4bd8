//! A turn that runs, with what has begun in it.

use crate::context::TraceContext;
use crate::span::SpanId;
use sa_api::sessions::{ToolKind, ToolStatus};

/// Tool calls and messages of one turn that are followed. Those beyond have no spans and no content.
const FOLLOWED: usize = 4096;

#[derive(Debug)]
pub(super) struct OpenTurn {
    pub(super) id: String,
    pub(super) context: TraceContext,
    pub(super) parent: Option<SpanId>,
    pub(super) start_ms: u64,
    pub(super) tools: Vec<Tool>,
    waits: Vec<Wait>,
    pub(super) prompt: Option<String>,
    said: Vec<(String, String)>,
    /// Kind and message of the newest failure.
    pub(super) failure: Option<(String, String)>,
}

/// A tool call.
#[derive(Debug, Default)]
pub(super) struct Tool {
    pub(super) id: String,
    pub(super) span: SpanId,
    /// The call of which it is a part.
    pub(super) parent: Option<String>,
    pub(super) name: Option<String>,
    pub(super) kind: ToolKind,
    pub(super) status: ToolStatus,
    pub(super) start_ms: u64,
    pub(super) arguments: Option<String>,
    pub(super) result: Option<String>,
    pub(super) ended: bool,
}

/// A permission or question that nobody has answered.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) kind: &'static str,
    pub(super) id: String,
    /// The attribute that holds its id.
    pub(super) key: &'static str,
    pub(super) span: SpanId,
    pub(super) tool: Option<String>,
    pub(super) start_ms: u64,
}

impl OpenTurn {
    pub(super) fn new(id: &str, context: TraceContext, parent: Option<SpanId>, start_ms: u64) -> Self {
        Self {
            id: id.to_owned(),
            context,
            parent,
            start_ms,
            tools: Vec::new(),
            waits: Vec::new(),
            prompt: None,
            said: Vec::new(),
            failure: None,
        }
    }

    /// Returns a tool call, begun if it is new; none if it is not followed.
    pub(super) fn tool(&mut self, id: &str, begin: impl FnOnce() -> Tool) -> Option<&mut Tool> {
        let found = self.tools.iter().position(|tool| tool.id == id);
        if found.is_none() && self.tools.len() < FOLLOWED {
            self.tools.push(begin());
            return self.tools.last_mut();
        }
        self.tools.get_mut(found?)
    }

    /// Returns the span that a tool call is a part of.
    pub(super) fn parent_of(&self, id: &str) -> Option<SpanId> {
        let tool = self.tools.iter().find(|tool| tool.id == id)?;
        let parent =
            tool.parent.as_ref().and_then(|parent| self.tools.iter().find(|tool| tool.id == *parent));
        Some(parent.map_or(self.context.span_id, |parent| parent.span))
    }

    pub(super) fn wait(&mut self, wait: Wait) {
        if self.waits.len() < FOLLOWED {
            self.waits.push(wait);
        }
    }

    pub(super) fn resolve(&mut self, kind: &str, id: &str) -> Option<Wait> {
        let at = self.waits.iter().position(|wait| wait.kind == kind && wait.id == id)?;
        Some(self.waits.swap_remove(at))
    }

    pub(super) fn waiting(&self) -> Vec<(&'static str, String)> {
        self.waits.iter().map(|wait| (wait.kind, wait.id.clone())).collect()
    }

    /// Notes the newest text of a message.
    pub(super) fn say(&mut self, message: &str, text: String) {
        let is_new = self.said.iter().all(|(id, _)| id != message);
        if is_new && !text.is_empty() && self.said.len() < FOLLOWED {
            self.said.push((message.to_owned(), text));
        } else if let Some((_, known)) = self.said.iter_mut().find(|(id, _)| id == message) {
            *known = text;
        }
    }

    pub(super) fn said(&self) -> Vec<String> {
        self.said.iter().map(|(_, text)| text.clone()).collect()
    }
}
