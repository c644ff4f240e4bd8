//! `/v1/config`: MCP servers and skills, kept for a directory.

use crate::handler::{ApiResult, AppState, Json, JsonBody, StatusCode, operation, query};
use crate::query::QueryPath;
use sa_api::{McpConfigList, McpServerConfig, SkillsConfig, SkillsConfigList};
use sa_config::{ConfigKind, DirectoryConfig, Object, cleaned};
use sa_files::{Files, FilesError};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::PathBuf;

sa_api_macros::operations! {
    get_mcp, put_mcp, delete_mcp, list_mcp, get_skills, put_skills, delete_skills, list_skills
}

#[query]
pub(crate) struct DirectoryQuery {
    /// The directory; relative paths start at the workspace
    directory: QueryPath,
}

#[query]
pub(crate) struct McpQuery {
    /// The directory that it is kept for; relative paths start at the workspace
    directory: QueryPath,
    /// Name of the server
    mcp_name: String,
}

#[query]
pub(crate) struct SkillsQuery {
    /// The directory that it is kept for; relative paths start at the workspace
    directory: QueryPath,
    /// Name of the set of skills
    skill_name: String,
}

/// Returns what is kept for a directory, if requests may name it.
fn kept(state: &AppState, kind: ConfigKind, directory: &QueryPath) -> ApiResult<DirectoryConfig> {
    Ok(state.services.configs.of(kind, &locate(&state.services.files, directory.as_os_str())?))
}

/// Returns a directory as the store knows it, if requests may name it.
fn locate(files: &Files, directory: &OsStr) -> Result<PathBuf, FilesError> {
    let given = files.absolute(directory)?;
    // Only without `..` is it certain that the directory lies beneath the root.
    files.absolute(cleaned(&given).as_os_str())
}

/// Get an MCP server
///
/// Returns the configuration of one MCP server of a directory.
///
/// - 200: The server
/// - 404: No such server
#[operation(getMcpConfig: get "/v1/config/mcp" -> McpServerConfig)]
async fn get_mcp(state: AppState, query: McpQuery) -> ApiResult<Json<Object>> {
    Ok(Json(kept(&state, ConfigKind::Mcp, &query.directory)?.get(query.mcp_name).await?))
}

/// Set an MCP server
///
/// Adds the MCP server, or replaces the one with this name. Aliases of types and members are normalized; unknown
/// members are kept.
///
/// - body: The server
/// - 204: It is kept
#[operation(setMcpConfig: put "/v1/config/mcp" (McpServerConfig))]
async fn put_mcp(
    state: AppState,
    query: McpQuery,
    JsonBody(entry): JsonBody<Object>,
) -> ApiResult<StatusCode> {
    kept(&state, ConfigKind::Mcp, &query.directory)?.put(query.mcp_name, entry).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete an MCP server
///
/// Succeeds also if there is no such server.
///
/// - 204: It does not exist any more
#[operation(deleteMcpConfig: delete "/v1/config/mcp")]
async fn delete_mcp(state: AppState, query: McpQuery) -> ApiResult<StatusCode> {
    kept(&state, ConfigKind::Mcp, &query.directory)?.delete(query.mcp_name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the MCP servers of a directory
///
/// Returns the MCP servers that sessions in this directory use, by name.
///
/// - 200: The servers, by name
/// - 400: The directory is missing or wrong
#[operation(listMcpConfigs: get "/v1/config/mcp/list" -> McpConfigList)]
async fn list_mcp(state: AppState, query: DirectoryQuery) -> ApiResult<Json<Value>> {
    let servers = kept(&state, ConfigKind::Mcp, &query.directory)?.list().await?;
    Ok(Json(json!({ "servers": servers })))
}

/// Get a set of skills
///
/// Returns the configuration of one set of skills of a directory.
///
/// - 200: The skills
/// - 404: No such skills
#[operation(getSkillsConfig: get "/v1/config/skills" -> SkillsConfig)]
async fn get_skills(state: AppState, query: SkillsQuery) -> ApiResult<Json<Object>> {
    Ok(Json(kept(&state, ConfigKind::Skills, &query.directory)?.get(query.skill_name).await?))
}

/// Set a set of skills
///
/// Adds the set of skills, or replaces the one with this name. Unknown members are kept.
///
/// - body: Where the skills come from
/// - 204: It is kept
#[operation(setSkillsConfig: put "/v1/config/skills" (SkillsConfig))]
async fn put_skills(
    state: AppState,
    query: SkillsQuery,
    JsonBody(entry): JsonBody<Object>,
) -> ApiResult<StatusCode> {
    kept(&state, ConfigKind::Skills, &query.directory)?.put(query.skill_name, entry).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a set of skills
///
/// Succeeds also if there is no such set.
///
/// - 204: It does not exist any more
#[operation(deleteSkillsConfig: delete "/v1/config/skills")]
async fn delete_skills(state: AppState, query: SkillsQuery) -> ApiResult<StatusCode> {
    kept(&state, ConfigKind::Skills, &query.directory)?.delete(query.skill_name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the sets of skills of a directory
///
/// Returns the sets of skills that sessions in this directory use, by name.
///
/// - 200: The skills, by name
/// - 400: The directory is missing or wrong
#[operation(listSkillsConfigs: get "/v1/config/skills/list" -> SkillsConfigList)]
async fn list_skills(state: AppState, query: DirectoryQuery) -> ApiResult<Json<Value>> {
    let skills = kept(&state, ConfigKind::Skills, &query.directory)?.list().await?;
    Ok(Json(json!({ "skills": skills })))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sa_files::{FilesLimits, FilesOptions};
    use std::path::Path;

    #[test]
    fn no_spelling_of_a_directory_leads_out_of_the_root() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
        let options = FilesOptions {
            workspace: Some(root.clone()),
            root: Some(root.clone()),
            by_steps: false,
            limits: FilesLimits::default(),
        };
        let files = Files::open(options).unwrap();
        let at = |directory: &str| locate(&files, OsStr::new(directory));
        let root = root.to_str().unwrap();
        for inside in
            ["src/x", "./src//x/", "src/../src/x", "../sa-http/src/x", &format!("{root}/y/../src/x")]
        {
            assert_eq!(at(inside).unwrap(), Path::new(root).join("src/x"), "{inside}");
        }
        for outside in ["..", "../x", "src/../../x", "../sa-http-2", "/", &format!("{root}/../x")] {
            assert!(matches!(at(outside), Err(FilesError::Outside(_))), "{outside}");
        }
        assert!(matches!(at(""), Err(FilesError::Invalid(_))));
    }
}
