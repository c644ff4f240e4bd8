//! `/v1/config`: MCP servers and skills, kept for a directory.

use crate::body::read_json;
use crate::problem::ApiResult;
use crate::query::Parameters;
use crate::state::AppState;
use axum::Json;
use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::routing::get;
use http::{HeaderMap, StatusCode};
use sa_api::{McpConfigList, McpServerConfig, SkillsConfig, SkillsConfigList};
use sa_config::{ConfigKind, Object};
use serde_json::{Value, json};
use std::path::PathBuf;
use utoipa::OpenApi;

/// The routes of this area.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/v1/config/mcp", get(get_mcp).put(put_mcp).delete(delete_mcp))
        .route("/v1/config/mcp/list", get(list_mcp))
        .route("/v1/config/skills", get(get_skills).put(put_skills).delete(delete_skills))
        .route("/v1/config/skills/list", get(list_skills))
}

/// The documentation of [`routes`].
#[derive(OpenApi)]
#[openapi(paths(get_mcp, put_mcp, delete_mcp, list_mcp, get_skills, put_skills, delete_skills, list_skills))]
pub(crate) struct Operations;

/// What a request is about.
struct Target {
    kind: ConfigKind,
    directory: PathBuf,
    name: String,
}

impl Target {
    fn read(state: &AppState, kind: ConfigKind, query: Option<&str>) -> ApiResult<Self> {
        let query = Parameters::parse(query)?;
        let parameter = match kind {
            ConfigKind::Mcp => "mcpName",
            ConfigKind::Skills => "skillName",
        };
        let name = query.required_text(parameter)?.to_owned();
        Ok(Self { kind, directory: directory(state, &query)?, name })
    }

    async fn get(self, state: &AppState) -> ApiResult<Json<Object>> {
        Ok(Json(state.configs.get(self.kind, &self.directory, &self.name).await?))
    }

    async fn put(self, state: &AppState, headers: &HeaderMap, body: Body) -> ApiResult<StatusCode> {
        let entry: Object = read_json(state, headers, body).await?;
        state.configs.put(self.kind, &self.directory, &self.name, entry).await?;
        Ok(StatusCode::NO_CONTENT)
    }

    async fn delete(self, state: &AppState) -> ApiResult<StatusCode> {
        state.configs.delete(self.kind, &self.directory, &self.name).await?;
        Ok(StatusCode::NO_CONTENT)
    }
}

fn directory(state: &AppState, query: &Parameters) -> ApiResult<PathBuf> {
    Ok(state.files.absolute(&query.path("directory")?)?)
}

async fn list(
    state: &AppState,
    kind: ConfigKind,
    query: Option<&str>,
    member: &str,
) -> ApiResult<Json<Value>> {
    let directory = directory(state, &Parameters::parse(query)?)?;
    Ok(Json(json!({ member: state.configs.list(kind, &directory).await? })))
}

/// One MCP server.
#[utoipa::path(
    get, path = "/v1/config/mcp", operation_id = "getMcpConfig", tag = "config",
    summary = "Get an MCP server",
    description = "Returns the configuration of one MCP server of a directory.",
    params(
        ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
        ("mcpName" = String, Query, description = "Its name"),
    ),
    responses(
        (status = 200, description = "The server", body = McpServerConfig),
        (status = 400, description = "A parameter is missing or wrong"),
        (status = 404, description = "No such server"),
    )
)]
async fn get_mcp(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<Json<Object>> {
    Target::read(&state, ConfigKind::Mcp, query.as_deref())?.get(&state).await
}

/// Keeps an MCP server.
#[utoipa::path(
    put, path = "/v1/config/mcp", operation_id = "setMcpConfig", tag = "config",
    summary = "Set an MCP server",
    description = "Adds the MCP server, or replaces the one with this name. Aliases of types and members are normalized; unknown members are kept.",
    params(
        ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
        ("mcpName" = String, Query, description = "Its name"),
    ),
    request_body(content = McpServerConfig, content_type = "application/json", description = "The server"),
    responses(
        (status = 204, description = "It is kept"),
        (status = 400, description = "A parameter or field is missing or wrong"),
        (status = 413, description = "The body, or all that is kept for the directory, exceeds the limit"),
        (status = 429, description = "Too many are kept for this directory"),
    )
)]
async fn put_mcp(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<StatusCode> {
    Target::read(&state, ConfigKind::Mcp, query.as_deref())?.put(&state, &headers, body).await
}

/// Deletes an MCP server.
#[utoipa::path(
    delete, path = "/v1/config/mcp", operation_id = "deleteMcpConfig", tag = "config",
    summary = "Delete an MCP server",
    description = "Succeeds also if there is no such server.",
    params(
        ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
        ("mcpName" = String, Query, description = "Its name"),
    ),
    responses(
        (status = 204, description = "It does not exist any more"),
        (status = 400, description = "A parameter is missing or wrong"),
    )
)]
async fn delete_mcp(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<StatusCode> {
    Target::read(&state, ConfigKind::Mcp, query.as_deref())?.delete(&state).await
}

/// All MCP servers of a directory.
#[utoipa::path(
    get, path = "/v1/config/mcp/list", operation_id = "listMcpConfigs", tag = "config",
    summary = "List the MCP servers of a directory",
    description = "Returns the MCP servers that sessions in this directory use, by name.",
    params(("directory" = String, Query, description = "The directory; relative paths start at the workspace")),
    responses(
        (status = 200, description = "The servers, by name", body = McpConfigList),
        (status = 400, description = "The directory is missing or wrong"),
    )
)]
async fn list_mcp(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<Json<Value>> {
    list(&state, ConfigKind::Mcp, query.as_deref(), "servers").await
}

/// One set of skills.
#[utoipa::path(
    get, path = "/v1/config/skills", operation_id = "getSkillsConfig", tag = "config",
    summary = "Get a set of skills",
    description = "Returns the configuration of one set of skills of a directory.",
    params(
        ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
        ("skillName" = String, Query, description = "Its name"),
    ),
    responses(
        (status = 200, description = "The skills", body = SkillsConfig),
        (status = 400, description = "A parameter is missing or wrong"),
        (status = 404, description = "No such skills"),
    )
)]
async fn get_skills(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<Json<Object>> {
    Target::read(&state, ConfigKind::Skills, query.as_deref())?.get(&state).await
}

/// Keeps a set of skills.
#[utoipa::path(
    put, path = "/v1/config/skills", operation_id = "setSkillsConfig", tag = "config",
    summary = "Set a set of skills",
    description = "Adds the set of skills, or replaces the one with this name. Unknown members are kept.",
    params(
        ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
        ("skillName" = String, Query, description = "Its name"),
    ),
    request_body(content = SkillsConfig, content_type = "application/json", description = "Where the skills come from"),
    responses(
        (status = 204, description = "It is kept"),
        (status = 400, description = "A parameter or field is missing or wrong"),
        (status = 413, description = "The body, or all that is kept for the directory, exceeds the limit"),
        (status = 429, description = "Too many are kept for this directory"),
    )
)]
async fn put_skills(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<StatusCode> {
    Target::read(&state, ConfigKind::Skills, query.as_deref())?.put(&state, &headers, body).await
}

/// Deletes a set of skills.
#[utoipa::path(
    delete, path = "/v1/config/skills", operation_id = "deleteSkillsConfig", tag = "config",
    summary = "Delete a set of skills",
    description = "Succeeds also if there is no such set.",
    params(
        ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
        ("skillName" = String, Query, description = "Its name"),
    ),
    responses(
        (status = 204, description = "It does not exist any more"),
        (status = 400, description = "A parameter is missing or wrong"),
    )
)]
async fn delete_skills(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<StatusCode> {
    Target::read(&state, ConfigKind::Skills, query.as_deref())?.delete(&state).await
}

/// All sets of skills of a directory.
#[utoipa::path(
    get, path = "/v1/config/skills/list", operation_id = "listSkillsConfigs", tag = "config",
    summary = "List the sets of skills of a directory",
    description = "Returns the sets of skills that sessions in this directory use, by name.",
    params(("directory" = String, Query, description = "The directory; relative paths start at the workspace")),
    responses(
        (status = 200, description = "The skills, by name", body = SkillsConfigList),
        (status = 400, description = "The directory is missing or wrong"),
    )
)]
async fn list_skills(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<Json<Value>> {
    list(&state, ConfigKind::Skills, query.as_deref(), "skills").await
}
