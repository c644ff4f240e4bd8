//! Decisions that outlast their request: rules that clients add, and the names of those who decide.

use super::machine::Machine;
use crate::SessionError;
use crate::error::Result;
use crate::policy::Policy;
use sa_api::sessions::{
    AllowRule, Decision, PermissionReply, PermissionReplyKind, PermissionRequest, ResolvedBy,
};
use std::borrow::Cow;

/// Maximum number of rules that clients can add to one session.
const MAX_ALLOWANCES: usize = 256;
/// Maximum number of characters in a client's name.
const MAX_NAME: usize = 100;

/// Rejects a client's name that is too long for a line.
pub(super) fn check_client(name: Option<&str>) -> Result<()> {
    if name.is_none_or(|name| name.chars().count() <= MAX_NAME) {
        return Ok(());
    }
    Err(SessionError::Invalid(format!("`client` must have at most {MAX_NAME} characters")))
}

impl Machine {
    /// Returns the reply that the agent gets. The daemon keeps rules itself, so the agent allows only this call.
    pub(super) fn reply_to_agent<'a>(
        &self,
        permission: &PermissionRequest,
        decision: &'a PermissionReply,
    ) -> Result<Cow<'a, PermissionReply>> {
        let Some(rule) = &decision.rule else { return Ok(Cow::Borrowed(decision)) };
        if decision.reply != PermissionReplyKind::Always {
            return Err(SessionError::Invalid("`rule` requires the reply `always`".to_owned()));
        }
        if decision.option_id.is_some() {
            return Err(SessionError::Invalid("use either `rule` or `optionId`".to_owned()));
        }
        if !Policy::covers(rule, permission).map_err(SessionError::Invalid)? {
            return Err(SessionError::Invalid("`rule` does not match this request".to_owned()));
        }
        if self.record.allowances.len() >= MAX_ALLOWANCES && !self.record.allowances.contains(rule) {
            return Err(SessionError::Invalid(format!("the session already has {MAX_ALLOWANCES} rules")));
        }
        let once = PermissionReplyKind::Once;
        Ok(Cow::Owned(PermissionReply { reply: once, ..decision.clone() }))
    }

    /// Adds a rule, and decides on other open requests that it matches.
    pub(super) fn allow(&mut self, rule: AllowRule) {
        if self.policy.allow(&rule).is_err() || self.record.allowances.contains(&rule) {
            return;
        }
        self.record.allowances.push(rule);
        let open = self.record.permissions.iter();
        let matching = open.filter(|permission| self.policy.decide(permission) == Some(Decision::Allow));
        let ids: Vec<String> = matching.map(|permission| permission.id.clone()).collect();
        for id in ids {
            self.decide_automatically(&id, PermissionReplyKind::Once, ResolvedBy::Rule);
        }
    }
}
