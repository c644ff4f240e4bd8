//! Agents: what there is, what of it is installed, what each offers.

mod describe;
mod install;
mod offer;

use crate::handler::{
    ApiError, ApiResult, AppState, ErrorCode, FromRequestParts, Json, JsonBody, Parts, Problem, operation,
    path_id, query,
};
use crate::query;
use futures_util::StreamExt;
use sa_agents::AgentSpec;
use sa_api::{AgentInfo, AgentList, AgentPatch};
use sa_probe::Answers;

/// Agents that are asked for their options at once.
const ASKED_AT_ONCE: usize = 4;

sa_api_macros::operations! {
    list, get, update, install::uninstall, install::install, install::install_stream, install::latest, offer::modes,
    offer::models
}

#[query]
pub(crate) struct ConfigQuery {
    /// Query installed agents for their modes, models and reasoning efforts (takes a few seconds)
    config: Option<bool>,
}

#[query]
pub(crate) struct CacheQuery {
    /// Query the agent again instead of using its last answer, even if it has no credentials
    no_cache: Option<bool>,
    /// Old name of `noCache`.
    #[serde(rename = "no_cache")]
    old_no_cache: Option<bool>,
}

impl CacheQuery {
    /// Returns the answers that may be used, under either name of the parameter.
    fn answers(&self) -> ApiResult<Answers> {
        let no_cache = query::either(("noCache", self.no_cache), ("no_cache", self.old_no_cache))?;
        Ok(if no_cache == Some(true) { Answers::New } else { Answers::Known })
    }
}

/// The agent in the path.
impl FromRequestParts<AppState> for AgentSpec {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let id = path_id(parts, state, "agent").await?;
        let found = state.services.hub.catalog().find(&id).cloned();
        found.map_err(|unknown| Problem::new(ErrorCode::NotFound, unknown.to_string()).with_agent(id).into())
    }
}

/// List agents
///
/// Returns every agent that this daemon knows, with its installed versions, credentials and capabilities.
///
/// - 200: Every agent this daemon knows
/// - 400: A parameter is not a boolean
#[operation(listAgents: get "/v1/agents")]
pub(crate) async fn list(
    state: AppState,
    ConfigQuery { config }: ConfigQuery,
    cache: CacheQuery,
) -> ApiResult<Json<AgentList>> {
    let answers = cache.answers()?;
    let mut agents = describe::all(&state).await;
    if config == Some(true) {
        agents = futures_util::stream::iter(agents)
            .map(|info| offer::add_config(&state, info, answers))
            .buffered(ASKED_AT_ONCE)
            .collect()
            .await;
    }
    Ok(Json(AgentList { agents }))
}

/// Get an agent
///
/// Returns one agent with its installed versions, credentials and capabilities.
///
/// - 200: The agent
/// - 400: The id is not UTF-8, or a parameter is not a boolean
#[operation(getAgent: get "/v1/agents/{agent}")]
pub(crate) async fn get(
    state: AppState,
    agent: AgentSpec,
    ConfigQuery { config }: ConfigQuery,
    cache: CacheQuery,
) -> ApiResult<Json<AgentInfo>> {
    let mut info = describe::one(&state, agent).await;
    if config == Some(true) {
        info = offer::add_config(&state, info, cache.answers()?).await;
    }
    Ok(Json(info))
}

/// Choose an agent's current version
///
/// `currentVersion` is the installed version that starts unless a session names another one. Agents that are running
/// keep the version that they run.
///
/// - body: The changes
/// - 200: The agent as it is now
/// - 400: The body names no change, or the id is not UTF-8
/// - 422: That version is not installed; `detail` lists those that are
#[operation(updateAgent: patch "/v1/agents/{agent}")]
pub(crate) async fn update(
    state: AppState,
    agent: AgentSpec,
    JsonBody(patch): JsonBody<AgentPatch>,
) -> ApiResult<Json<AgentInfo>> {
    let Some(version) = patch.current_version else {
        return Err(ApiError::invalid("there is nothing to change: name currentVersion"));
    };
    state.services.agents.launcher.installer().make_current(&agent.id, &version).await?;
    Ok(Json(describe::one(&state, agent).await))
}
