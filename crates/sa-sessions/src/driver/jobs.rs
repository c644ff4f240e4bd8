//! Jobs of sessions: what takes a while and reports back.

use super::link::AgentLink;
use super::{Driver, JobDone, context};
use crate::history;
use crate::parts::Parts;
use crate::policy::Policy;
use crate::session::{Input, Job, Setup, Tracing};
use crate::shared::Shared;
use crate::taking_up::Arrival;
use futures_util::FutureExt;
use sa_otlp::Conversation;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Words in the names of variables that hold credentials.
const SECRET_WORDS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

impl Driver {
    pub(super) fn start_job(&mut self, job: Job) {
        let (parts, shared) = (Arc::clone(&self.parts), Arc::clone(&self.shared));
        let is_lookup = matches!(job, Job::LookUpKey(_));
        let running = async move {
            match job {
                Job::PrepareContext { request, cwd, env } => {
                    let cwd = Path::new(&cwd);
                    let context = context::prepare(&parts, &shared.id, *request, cwd, &env).await;
                    JobDone::Input(Box::new(Input::Prepared(context)))
                }
                Job::Connect { agent, version, env, trace } => {
                    let mut spec = match parts.agent(&agent) {
                        Ok(spec) => spec,
                        Err(unknown) => return JobDone::Connected(Err(unknown)),
                    };
                    spec.env.extend(trace);
                    JobDone::Connected(parts.pool.connect(spec, version.as_deref(), &env).await)
                }
                Job::ReadHistory { current_turn } => {
                    let limit = parts.options.limits.replay_bytes;
                    let history = history::of(&shared.log, current_turn.as_deref(), limit).await;
                    JobDone::Input(Box::new(Input::HistoryRead(history)))
                }
                Job::LookUpKey(key) => {
                    let known = match key {
                        Some(key) => parts.options.store.message_by_key(&shared.id, &key).await,
                        None => Ok(None),
                    };
                    JobDone::Input(Box::new(Input::KeyLookedUp(known.map_err(Into::into))))
                }
            }
        };
        let slot = if is_lookup { &mut self.lookup } else { &mut self.start };
        *slot = Some(running.boxed());
    }

    pub(super) fn on_job_done(&mut self, done: JobDone) -> Input {
        match done {
            JobDone::Input(input) => {
                match *input {
                    Input::KeyLookedUp(_) => self.lookup = None,
                    _ => self.start = None,
                }
                *input
            }
            JobDone::Connected(outcome) => {
                self.start = None;
                Input::Connected(outcome.map(|process| {
                    let (link, agent) = AgentLink::new(&self.shared, process);
                    self.link = Some(link);
                    agent
                }))
            }
        }
    }
}

/// Returns what the machine of a stored session is made of.
pub(crate) fn setup(shared: &Shared, parts: &Parts, arrival: Arrival) -> Setup {
    let Arrival { record, env, listing, .. } = arrival;
    let agent = &record.request.agent;
    Setup {
        id: shared.id.clone(),
        limits: parts.options.limits.clone(),
        modes: parts.mode_table(agent),
        token: parts.token_variable(agent),
        policy: Policy::stored(&record.request.policy, &record.allowances),
        listing,
        last: shared.log.ends().last,
        tracing: tracing_of(parts, &shared.id, agent, &env),
        record,
        env,
    }
}

/// Returns what reports spans of a session; nothing if nobody collects them.
fn tracing_of(parts: &Parts, session: &str, agent: &str, env: &BTreeMap<String, String>) -> Option<Tracing> {
    let exporter = parts.options.telemetry.clone()?;
    let provider = parts.catalog().get(agent).and_then(|agent| agent.token.as_ref()?.provider.clone());
    let conversation = Conversation {
        session: session.to_owned(),
        agent: agent.to_owned(),
        provider: provider.unwrap_or_else(|| agent.to_owned()),
    };
    let is_secret = |name: &str| SECRET_WORDS.iter().any(|word| name.to_uppercase().contains(word));
    let of_daemon = parts.options.host.environment.iter().filter(|(name, _)| is_secret(name));
    let secrets = || of_daemon.map(|(_, value)| value).chain(&parts.options.secrets).cloned().collect();
    let secrets = exporter.with_content().then(secrets);
    Some(Tracing::new(exporter, conversation, secrets, env))
}
