//! Decisions without a client: rules, the permission mode, the time that is over.
//!
//! Much of a request is written by the model, and a rule must not be talked into an `allow`: that takes the tool's name or kind,
//! and all that the call is about. For a `deny` or an `ask` anything that may be meant is enough.

mod address;
mod members;
mod pattern;
mod place;
mod subject;
#[cfg(test)]
mod tests;

use pattern::Pattern;
use sa_api::sessions::{
    AllowRule, Decision, PermissionPolicy, PermissionReplyKind, PermissionRequest, TimeoutDecision,
};
use std::time::Duration;
use subject::{Subject, decisive, subjects};

/// A policy that is ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    rules: Vec<Rule>,
    /// Rules that clients have added. They come after the others and do not make the agent ask about more.
    allowances: Vec<Rule>,
    timeout: Option<Duration>,
    on_timeout: TimeoutDecision,
    damage: Damage,
}

/// Stored rules that cannot be read.
#[derive(Debug, Default)]
struct Damage {
    /// The reason a rule of the session's request cannot be read. Without it, the others mean something else: nothing is allowed.
    rules: Option<String>,
    /// The reasons rules of clients cannot be read. Without them, clients are asked more often.
    allowances: Vec<String>,
}

#[derive(Debug)]
struct Rule {
    tool: Pattern,
    input: Option<Pattern>,
    decision: Decision,
}

impl Policy {
    /// Refuses patterns that are none, with the pattern and why.
    pub(crate) fn new(policy: &PermissionPolicy) -> Result<Self, String> {
        let rules = policy.rules.iter().map(|rule| {
            let input = rule.input.as_deref().map(Pattern::new).transpose()?;
            Ok(Rule { tool: Pattern::new(&rule.tool)?, input, decision: rule.decision })
        });
        Ok(Self {
            rules: rules.collect::<Result<_, String>>()?,
            allowances: Vec::new(),
            timeout: policy.timeout_ms.map(Duration::from_millis),
            on_timeout: policy.on_timeout,
            damage: Damage::default(),
        })
    }

    /// Reads what was stored. Rules that cannot be read never allow anything.
    pub(crate) fn stored(policy: &PermissionPolicy, allowances: &[AllowRule]) -> Self {
        let mut stored = Self::new(policy).unwrap_or_else(|unreadable| Self {
            damage: Damage { rules: Some(unreadable), ..Damage::default() },
            ..Self::default()
        });
        for rule in allowances {
            if let Err(unreadable) = stored.allow(rule) {
                stored.damage.allowances.push(unreadable);
            }
        }
        stored
    }

    /// Returns why rules of clients are not used; fails if no agent may start, as rules of the session cannot be read.
    pub(crate) fn check(&self) -> Result<&[String], &str> {
        match &self.damage.rules {
            Some(unreadable) => Err(unreadable),
            None => Ok(&self.damage.allowances),
        }
    }

    /// Adds rules that clients have added before.
    pub(crate) fn with_allowances(mut self, allowances: &[AllowRule]) -> Result<Self, String> {
        for rule in allowances {
            self.allow(rule)?;
        }
        Ok(self)
    }

    /// Adds a rule of a client.
    pub(crate) fn allow(&mut self, rule: &AllowRule) -> Result<(), String> {
        self.allowances.push(Rule::allowing(rule)?);
        Ok(())
    }

    /// Returns whether a rule would allow this request.
    pub(crate) fn covers(rule: &AllowRule, request: &PermissionRequest) -> Result<bool, String> {
        Ok(Rule::allowing(rule)?.matches(request, &subjects(request)))
    }

    /// Returns the decision of the first rule that matches.
    pub(crate) fn decide(&self, request: &PermissionRequest) -> Option<Decision> {
        if self.damage.rules.is_some() {
            return Some(Decision::Deny);
        }
        if self.rules.is_empty() && self.allowances.is_empty() {
            return None;
        }
        let subjects = subjects(request);
        let mut rules = self.rules.iter().chain(&self.allowances);
        Some(rules.find(|rule| rule.matches(request, &subjects))?.decision)
    }

    /// Returns whether there is a rule, so that the agent has to ask about everything.
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Returns the time that a client has.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// The decision then.
    pub(crate) fn after_timeout(&self) -> PermissionReplyKind {
        match self.on_timeout {
            TimeoutDecision::Reject => PermissionReplyKind::Reject,
            TimeoutDecision::Allow => PermissionReplyKind::Once,
        }
    }
}

impl Rule {
    fn allowing(rule: &AllowRule) -> Result<Self, String> {
        let input = rule.input.as_deref().map(Pattern::new).transpose()?;
        Ok(Self { tool: Pattern::new(&rule.tool)?, input, decision: Decision::Allow })
    }

    fn matches(&self, request: &PermissionRequest, subjects: &[Subject]) -> bool {
        let mut names = request.tool.as_deref().into_iter().chain([request.kind.name()]);
        let is_named = names.any(|name| self.tool.matches(name));
        match self.decision {
            Decision::Allow => {
                is_named && self.input.as_ref().is_none_or(|input| covers_all(input, subjects))
            }
            Decision::Ask | Decision::Deny => {
                (is_named || self.tool.matches(&request.title))
                    && self.input.as_ref().is_none_or(|input| means_any(input, request, subjects))
            }
        }
    }
}

/// Returns whether all that a call is about is within a pattern. A call that says nothing of it is within those for everything.
fn covers_all(input: &Pattern, subjects: &[Subject]) -> bool {
    input.is_any() || (!subjects.is_empty() && decisive(subjects).all(|subject| subject.is_covered_by(input)))
}

/// Returns whether a pattern may mean something that a call is about.
fn means_any(input: &Pattern, request: &PermissionRequest, subjects: &[Subject]) -> bool {
    match subjects {
        [] => input.matches(&request.title),
        subjects => subjects.iter().any(|subject| subject.is_meant_by(input)),
    }
}
