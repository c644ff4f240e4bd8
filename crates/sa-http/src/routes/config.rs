//! `/v1/config`: MCP servers and skills, kept for a directory.

use crate::body::JsonBody;
use crate::problem::ApiResult;
use crate::query::Parameters;
use crate::state::AppState;
use axum::Json;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::routing::get;
use http::StatusCode;
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

/// The entry that a request names.
struct Target {
    kind: ConfigKind,
    directory: PathBuf,
    name: String,
}

impl Target {
    fn read(state: &AppState, kind: ConfigKind, parameter: &str, query: Option<&str>) -> ApiResult<Self> {
        let query = Parameters::parse(query)?;
        let name = query.required_text(parameter)?.to_owned();
        Ok(Self { kind, directory: directory(state, &query)?, name })
    }
}

fn directory(state: &AppState, query: &Parameters) -> ApiResult<PathBuf> {
    Ok(state.files.absolute(&query.path("directory")?)?)
}

/// Defines the four operations on one kind of configuration.
macro_rules! operations {
    (
        $kind:ident, $entry:ident, $list:ident, $member:tt, $name:tt, $path:tt, $list_path:tt,
        get: $get:ident $get_id:tt $get_summary:tt $get_description:tt $found:tt $missing:tt,
        put: $put:ident $put_id:tt $put_summary:tt $put_description:tt $body:tt,
        delete: $delete:ident $delete_id:tt $delete_summary:tt $delete_description:tt,
        list: $all:ident $list_id:tt $list_summary:tt $list_description:tt $listed:tt
    ) => {
        #[utoipa::path(
            get, path = $path, operation_id = $get_id, tag = "config",
            summary = $get_summary,
            description = $get_description,
            params(
                ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
                ($name = String, Query, description = "Its name"),
            ),
            responses(
                (status = 200, description = $found, body = $entry),
                (status = 400, description = "A parameter is missing or wrong"),
                (status = 404, description = $missing),
            )
        )]
        async fn $get(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<Json<Object>> {
            let target = Target::read(&state, ConfigKind::$kind, $name, query.as_deref())?;
            Ok(Json(state.configs.get(target.kind, &target.directory, &target.name).await?))
        }

        #[utoipa::path(
            put, path = $path, operation_id = $put_id, tag = "config",
            summary = $put_summary,
            description = $put_description,
            params(
                ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
                ($name = String, Query, description = "Its name"),
            ),
            request_body(content = $entry, content_type = "application/json", description = $body),
            responses(
                (status = 204, description = "It is kept"),
                (status = 400, description = "A parameter or field is missing or wrong"),
                (status = 413, description = "The body, or all that is kept for the directory, exceeds the limit"),
                (status = 429, description = "Too many are kept for this directory"),
            )
        )]
        async fn $put(
            State(state): State<AppState>,
            RawQuery(query): RawQuery,
            body: JsonBody,
        ) -> ApiResult<StatusCode> {
            let target = Target::read(&state, ConfigKind::$kind, $name, query.as_deref())?;
            let entry: Object = body.read().await?;
            state.configs.put(target.kind, &target.directory, &target.name, entry).await?;
            Ok(StatusCode::NO_CONTENT)
        }

        #[utoipa::path(
            delete, path = $path, operation_id = $delete_id, tag = "config",
            summary = $delete_summary,
            description = $delete_description,
            params(
                ("directory" = String, Query, description = "The directory that it is kept for; relative paths start at the workspace"),
                ($name = String, Query, description = "Its name"),
            ),
            responses(
                (status = 204, description = "It does not exist any more"),
                (status = 400, description = "A parameter is missing or wrong"),
            )
        )]
        async fn $delete(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<StatusCode> {
            let target = Target::read(&state, ConfigKind::$kind, $name, query.as_deref())?;
            state.configs.delete(target.kind, &target.directory, &target.name).await?;
            Ok(StatusCode::NO_CONTENT)
        }

        #[utoipa::path(
            get, path = $list_path, operation_id = $list_id, tag = "config",
            summary = $list_summary,
            description = $list_description,
            params(("directory" = String, Query, description = "The directory; relative paths start at the workspace")),
            responses(
                (status = 200, description = $listed, body = $list),
                (status = 400, description = "The directory is missing or wrong"),
            )
        )]
        async fn $all(State(state): State<AppState>, RawQuery(query): RawQuery) -> ApiResult<Json<Value>> {
            let directory = directory(&state, &Parameters::parse(query.as_deref())?)?;
            Ok(Json(json!({ $member: state.configs.list(ConfigKind::$kind, &directory).await? })))
        }
    };
}

operations! {
    Mcp, McpServerConfig, McpConfigList, "servers", "mcpName", "/v1/config/mcp", "/v1/config/mcp/list",
    get: get_mcp "getMcpConfig" "Get an MCP server"
        "Returns the configuration of one MCP server of a directory."
        "The server" "No such server",
    put: put_mcp "setMcpConfig" "Set an MCP server"
        "Adds the MCP server, or replaces the one with this name. Aliases of types and members are normalized; unknown members are kept."
        "The server",
    delete: delete_mcp "deleteMcpConfig" "Delete an MCP server" "Succeeds also if there is no such server.",
    list: list_mcp "listMcpConfigs" "List the MCP servers of a directory"
        "Returns the MCP servers that sessions in this directory use, by name."
        "The servers, by name"
}

operations! {
    Skills, SkillsConfig, SkillsConfigList, "skills", "skillName", "/v1/config/skills", "/v1/config/skills/list",
    get: get_skills "getSkillsConfig" "Get a set of skills"
        "Returns the configuration of one set of skills of a directory."
        "The skills" "No such skills",
    put: put_skills "setSkillsConfig" "Set a set of skills"
        "Adds the set of skills, or replaces the one with this name. Unknown members are kept."
        "Where the skills come from",
    delete: delete_skills "deleteSkillsConfig" "Delete a set of skills" "Succeeds also if there is no such set.",
    list: list_skills "listSkillsConfigs" "List the sets of skills of a directory"
        "Returns the sets of skills that sessions in this directory use, by name."
        "The skills, by name"
}
