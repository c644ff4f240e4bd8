//! Agents: what there is, what of it is installed, what each offers.

mod describe;
mod install;
mod offer;

pub(crate) use install::{
    __path_install, __path_install_stream, __path_latest, __path_uninstall, install, install_stream, latest,
    uninstall,
};
pub(crate) use offer::{__path_models, __path_modes, models, modes};

use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult};
use crate::query;
use crate::state::AppState;
use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use futures_util::StreamExt;
use sa_agents::AgentSpec;
use sa_api::{AgentInfo, AgentList, AgentPatch, ErrorCode, Problem};
use serde::Deserialize;

/// How many agents are asked at once what they offer.
const ASKED_AT_ONCE: usize = 4;

/// Query of the descriptions of agents.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct AgentQuery {
    /// True to query agents for their modes and models.
    #[serde(default)]
    config: bool,
    /// Ask them again.
    #[serde(rename = "noCache")]
    no_cache: Option<bool>,
    #[serde(rename = "no_cache")]
    old_no_cache: Option<bool>,
}

impl AgentQuery {
    /// Returns whether agents are asked again, under either name.
    fn no_cache(&self) -> ApiResult<bool> {
        let asked = query::either(("noCache", self.no_cache), ("no_cache", self.old_no_cache))?;
        Ok(asked.unwrap_or_default())
    }
}

type Id = Result<Path<String>, PathRejection>;
type Parameters = Result<Query<AgentQuery>, QueryRejection>;

#[utoipa::path(
    get, path = "/v1/agents", operation_id = "listAgents", tag = "agents",
    summary = "List agents",
    description = "Returns every agent that this daemon knows, with its installed versions, credentials and capabilities.",
    params(
        ("config" = Option<bool>, Query, description = "Ask each installed agent which models, modes and efforts it offers; takes seconds"),
        ("noCache" = Option<bool>, Query, description = "With `config`: do not use what an agent said before"),
    ),
    responses(
        (status = 200, description = "Every agent this daemon knows", body = AgentList),
        (status = 400, description = "A parameter is not a boolean"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>, query: Parameters) -> ApiResult<Json<AgentList>> {
    let Query(query) = query?;
    let no_cache = query.no_cache()?;
    let mut agents = describe::all(&state).await;
    if query.config {
        agents = futures_util::stream::iter(agents)
            .map(|info| offer::add_config(&state, info, no_cache))
            .buffered(ASKED_AT_ONCE)
            .collect()
            .await;
    }
    Ok(Json(AgentList { agents }))
}

#[utoipa::path(
    get, path = "/v1/agents/{agent}", operation_id = "getAgent", tag = "agents",
    summary = "Get an agent",
    description = "Returns one agent with its installed versions, credentials and capabilities.",
    params(
        ("config" = Option<bool>, Query, description = "Ask it which models, modes and efforts it offers; takes seconds"),
        ("noCache" = Option<bool>, Query, description = "With `config`: do not use what it said before"),
    ),
    responses(
        (status = 200, description = "The agent", body = AgentInfo),
        (status = 400, description = "The id is not UTF-8, or a parameter is not a boolean"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    id: Id,
    query: Parameters,
) -> ApiResult<Json<AgentInfo>> {
    let agent = named(&state, id)?;
    let Query(query) = query?;
    let mut info = describe::one(&state, agent).await;
    if query.config {
        info = offer::add_config(&state, info, query.no_cache()?).await;
    }
    Ok(Json(info))
}

#[utoipa::path(
    patch, path = "/v1/agents/{agent}", operation_id = "updateAgent", tag = "agents",
    summary = "Choose an agent's current version",
    description = "`currentVersion` is the installed version that starts unless a session names another one. Agents that are running keep \
        the version that they run.",
    request_body(content = AgentPatch, content_type = "application/json", description = "The changes"),
    responses(
        (status = 200, description = "The agent as it is now", body = AgentInfo),
        (status = 400, description = "The body names no change, or the id is not UTF-8"),
        (status = 422, description = "That version is not installed; `detail` lists those that are"),
    )
)]
pub(crate) async fn update(
    State(state): State<AppState>,
    id: Id,
    body: JsonBody,
) -> ApiResult<Json<AgentInfo>> {
    let agent = named(&state, id)?;
    let patch: AgentPatch = body.read().await?;
    let Some(version) = patch.current_version else {
        return Err(ApiError::new(
            ErrorCode::InvalidRequest,
            "there is nothing to change: name currentVersion",
        ));
    };
    state.agents.launcher.installer().make_current(&agent.id, &version).await?;
    Ok(Json(describe::one(&state, agent).await))
}

/// The agent that the path names.
fn named(state: &AppState, id: Id) -> ApiResult<AgentSpec> {
    let Path(id) = id?;
    let found = state.hub.catalogue().find(&id).cloned();
    found.map_err(|unknown| Problem::new(ErrorCode::NotFound, unknown.to_string()).with_agent(id).into())
}
