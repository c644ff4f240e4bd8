//! The offer of an agent: asked from the agent itself, or taken from the catalog if it cannot be asked.

use super::{CacheQuery, describe};
use crate::handler::{ApiResult, AppState, Json, operation};
use sa_agents::AgentSpec;
use sa_api::sessions::SessionChoices;
use sa_api::{
    AgentChoice, AgentConfigOption, AgentInfo, AgentModels, AgentModes, CredentialStatus, OfferSource,
};
use sa_disk::on_disk;
use sa_probe::{Answers, Offer, ProbeError, Select};
use sa_sessions::modes::{
    agent_modes, combinations, known_choices, mode_table, offered_choices, permission_modes,
};
use std::sync::Arc;
use std::time::Duration;

/// The mode of sessions whose client names none.
const USUAL_MODE: &str = "build";

/// Time for an agent without credentials: it may work without them, but most do not.
const HOPELESS: Duration = Duration::from_secs(2);

/// The config options of this agent, or why there are none. An agent that is not installed has none.
pub(super) async fn add_config(state: &AppState, mut info: AgentInfo, answers: Answers) -> AgentInfo {
    let agent = state.services.hub.catalog().get(&info.id).filter(|_| info.installed);
    let Some(agent) = agent else { return info };
    match state.services.agents.probe.ask(agent, answers).await {
        Ok(offer) => info.config_options = Some(config_options(&offer)),
        Err(error) => info.config_error = Some(error.to_string()),
    }
    info
}

/// Options of a kind that the contract does not know are left out.
fn config_options(offer: &Offer) -> Vec<AgentConfigOption> {
    // By way of text: reading trees would be a second reader of these types.
    let read = |option| serde_json::from_slice(&serde_json::to_vec(option).ok()?).ok();
    offer.config_options.iter().filter_map(read).collect()
}

/// The known part of an agent's offer.
enum Known {
    /// The agent said it.
    Said(Arc<Offer>),
    /// The agent could not be asked, for this reason.
    Unasked(String),
}

/// The facts that a request needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// The catalog is enough if the agent cannot be used anyway.
    Catalog,
    /// Only the agent knows.
    Agent,
}

/// Asks an agent what it offers, unless it is not there or has no credentials.
async fn ask(state: &AppState, agent: &AgentSpec, need: Need, answers: Answers) -> ApiResult<Known> {
    let (services, spec) = (state.services.agents.clone(), agent.clone());
    let (is_here, status) = on_disk(move || {
        let is_here = spec.program().is_none() || describe::found(&spec, &services).is_some();
        (is_here, describe::credentials(&spec, &services).0)
    })
    .await;
    let probe = &state.services.agents.probe;
    let id = &agent.id;
    if !is_here && !matches!(agent.launch, sa_agents::Launch::InstallOnly { .. }) {
        return Ok(Known::Unasked(format!("'{id}' is not installed")));
    }
    let failed = |error: ProbeError| match error {
        ProbeError::NotInstalled | ProbeError::NotLoggedIn(_) => {
            Ok(Known::Unasked(format!("'{id}': {error}")))
        }
        error => Err((error, id.as_str()).into()),
    };
    if status != CredentialStatus::Missing || answers == Answers::New {
        return probe.ask(agent, answers).await.map_or_else(failed, |offer| Ok(Known::Said(offer)));
    }
    if let Some(offer) = probe.known(agent) {
        return Ok(Known::Said(offer));
    }
    let missing = format!("'{id}' is not logged in: no credential was found for it");
    if need == Need::Catalog {
        return Ok(Known::Unasked(missing));
    }
    // An agent that takes longer keeps answering; a later request gets that.
    Ok(match tokio::time::timeout(HOPELESS, probe.ask(agent, Answers::Known)).await {
        Ok(Ok(offer)) => Known::Said(offer),
        Ok(Err(ProbeError::NotStartable)) => return failed(ProbeError::NotStartable),
        Ok(Err(_)) => Known::Unasked(missing),
        Err(_) => {
            Known::Unasked(format!("{missing}; it is still being asked, so a later request may list more"))
        }
    })
}

/// List the modes of an agent
///
/// Lists the values of `agentMode` and `permissionMode`, and what each combination does. The installed agent itself
/// is asked, by a handshake in an empty directory; its answer is kept for as long as the same version is installed.
/// An agent that is not installed or not logged in cannot be asked: the answer then has what the daemon's catalog
/// knows, with `source` `catalog`, `complete` false and a `reason`.
///
/// - 200: The agent's modes
/// - 400: The id is not UTF-8, or a parameter is not a boolean
/// - 422: The agent cannot be started here
/// - 502: The agent refused or did not answer; `detail` has its words
#[operation(listAgentModes: get "/v1/agents/{agent}/modes")]
pub(crate) async fn modes(
    state: AppState,
    agent: AgentSpec,
    cache: CacheQuery,
) -> ApiResult<Json<AgentModes>> {
    // The catalog does not know which agents of their own they have.
    let is_known = !agent.modes.known.is_empty() && agent.modes.agents.is_none();
    let need = if is_known { Need::Catalog } else { Need::Agent };
    let known = ask(&state, &agent, need, cache.answers()?).await?;
    Ok(Json(match known {
        Known::Said(offer) => modes_of(&agent, &offered_choices(&offer.config_options), None),
        Known::Unasked(reason) => modes_of(&agent, &known_choices(&agent), Some(reason)),
    }))
}

fn modes_of(agent: &AgentSpec, choices: &SessionChoices, reason: Option<String>) -> AgentModes {
    let table = mode_table(agent);
    let mut combinations = combinations(&table, choices);
    if reason.is_some() && choices.modes.is_empty() {
        // It may have modes that it seems to lack.
        combinations.retain(|combination| combination.supported);
    }
    AgentModes {
        modes: agent_modes(&table, choices),
        current: Some(USUAL_MODE.to_owned()),
        permission_modes: permission_modes(),
        combinations,
        source: if reason.is_some() { OfferSource::Catalog } else { OfferSource::Agent },
        complete: reason.is_none(),
        reason,
    }
}

/// List the models of an agent
///
/// Lists the values of `model` and `variant`. The installed agent itself is asked, by a handshake in an empty
/// directory; its answer is kept for as long as the same version is installed. For an agent that is not installed or
/// not logged in the lists are empty, with `complete` false and a `reason`; an agent without credentials is waited
/// for up to 2 seconds.
///
/// - 200: The agent's models; none if it does not list them
/// - 400: The id is not UTF-8, or a parameter is not a boolean
/// - 422: The agent cannot be started here
/// - 502: The agent refused or did not answer; `detail` has its words
#[operation(listAgentModels: get "/v1/agents/{agent}/models")]
pub(crate) async fn models(
    state: AppState,
    agent: AgentSpec,
    cache: CacheQuery,
) -> ApiResult<Json<AgentModels>> {
    let (offer, reason) = match ask(&state, &agent, Need::Agent, cache.answers()?).await? {
        Known::Said(offer) => (offer, None),
        Known::Unasked(reason) => (Arc::default(), Some(reason)),
    };
    let (models, current) = choices(offer.select("model"));
    let (variants, current_variant) = choices(offer.select("thought_level"));
    let source = if reason.is_some() { OfferSource::Catalog } else { OfferSource::Agent };
    let complete = reason.is_none();
    Ok(Json(AgentModels { models, current, variants, current_variant, source, complete, reason }))
}

fn choices(select: Option<Select>) -> (Vec<AgentChoice>, Option<String>) {
    let Some(select) = select else { return (Vec::new(), None) };
    let choices = select.choices.into_iter().map(|choice| AgentChoice {
        id: choice.value,
        name: choice.name,
        description: choice.description,
    });
    (choices.collect(), select.current)
}
