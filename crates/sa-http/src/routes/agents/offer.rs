//! What an agent offers: asked from the agent itself.

use super::{Id, Parameters, named};
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::extract::{Query, State};
use sa_api::{AgentChoice, AgentInfo, AgentModels, AgentModes, Problem};
use sa_probe::Select;

/// The config options of this agent, or why there are none. An agent that is not installed has none to tell.
pub(super) async fn add_config(state: &AppState, mut info: AgentInfo, anew: bool) -> AgentInfo {
    let Some(agent) = state.hub.catalogue().get(&info.id).filter(|_| info.installed) else { return info };
    match state.agents.probe.ask(agent, anew).await {
        Ok(offer) => info.config_options = Some(offer.config_options.clone()),
        Err(error) => info.config_error = Some(error.to_string()),
    }
    info
}

/// The modes of an agent.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/modes", operation_id = "listAgentModes", tag = "agents",
    summary = "List the modes of an agent",
    description = "Asked from the installed agent itself, by a handshake in an empty directory; the answer is kept for as long as \
        the same version is installed.",
    params(
        ("agent" = String, Path, description = "The agent's id"),
        ("noCache" = Option<bool>, Query, description = "Do not use what it said before"),
    ),
    responses(
        (status = 200, description = "Its modes; none if it has no such thing", body = AgentModes),
        (status = 400, description = "The id is not UTF-8, or a parameter is not a boolean", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such agent, or it is not installed", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "It cannot be started here", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "It did not answer; the detail has its words", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn modes(
    State(state): State<AppState>,
    id: Id,
    query: Parameters,
) -> ApiResult<Json<AgentModes>> {
    let agent = named(&state, id)?;
    let Query(query) = query?;
    let offer = state.agents.probe.ask(&agent, query.no_cache).await.map_err(|error| (error, &*agent.id))?;
    let (modes, current) = choices(offer.select("mode"));
    Ok(Json(AgentModes { modes, current }))
}

/// The models of an agent.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/models", operation_id = "listAgentModels", tag = "agents",
    summary = "List the models of an agent",
    description = "Asked from the installed agent itself, by a handshake in an empty directory; the answer is kept for as long as \
        the same version is installed. `variants` is how hard a model thinks.",
    params(
        ("agent" = String, Path, description = "The agent's id"),
        ("noCache" = Option<bool>, Query, description = "Do not use what it said before"),
    ),
    responses(
        (status = 200, description = "Its models; none if it does not tell", body = AgentModels),
        (status = 400, description = "The id is not UTF-8, or a parameter is not a boolean", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such agent, or it is not installed", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "It cannot be started here", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "It did not answer; the detail has its words", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn models(
    State(state): State<AppState>,
    id: Id,
    query: Parameters,
) -> ApiResult<Json<AgentModels>> {
    let agent = named(&state, id)?;
    let Query(query) = query?;
    let offer = state.agents.probe.ask(&agent, query.no_cache).await.map_err(|error| (error, &*agent.id))?;
    let (models, current) = choices(offer.select("model"));
    let (variants, current_variant) = choices(offer.select("thought_level"));
    Ok(Json(AgentModels { models, current, variants, current_variant }))
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
