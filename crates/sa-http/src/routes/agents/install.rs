//! Installing and removing agents.

use crate::handler::{
    AcceptsEvents, ApiError, ApiResult, AppState, ErrorCode, HeaderMap, IntoResponse, Json, OptionalJsonBody,
    Problem, Response, operation, query,
};
use crate::negotiate::{Media, prefers};
use crate::query;
use crate::stream::{self, sse};
use futures_util::{Stream, StreamExt};
use sa_agents::AgentSpec;
use sa_api::{InstallAgent, InstallArtifact, InstallEvent, InstalledAgent, LatestVersion, UninstalledAgent};
use sa_install::{InstallRequest, Installed, Installer, Job};

/// Install an agent
///
/// Fetches the agent's program from the first source that has it, checks it against the published digest and puts it
/// in its place at once. Several versions live side by side. `makeCurrent` says whether this one starts when none is
/// named; by default it does, unless a newer version is current. An agent that is part of the daemon (`builtIn`)
/// needs no installation: the answer says so. The installation continues if the client disconnects; the same request
/// again joins it. `POST /v1/agents/{agent}/install/sse` streams the progress.
///
/// - body: What to install; the latest version by default
/// - 200: The agent is installed
/// - 400: The body does not say what to install, or the agent is none that is installed by this daemon
/// - 404: No such agent, or no source has this version
/// - 422: The agent is not built for this machine
/// - 502: No source could provide it; `details.attempts` has what each said
#[operation(installAgent: post "/v1/agents/{agent}/install" -> InstalledAgent)]
pub(crate) async fn install(
    state: AppState,
    agent: AgentSpec,
    headers: HeaderMap,
    OptionalJsonBody(wanted): OptionalJsonBody<InstallAgent>,
) -> ApiResult<Response> {
    let streams = prefers(&headers, Media::EventStream, Media::Json)?;
    let installation = begin(&state, &agent, wanted)?;
    if streams {
        Ok(installation.progress(&state))
    } else {
        Ok(Json(installation.outcome().await?).into_response())
    }
}

/// Install an agent and stream the progress
///
/// Installs as `POST /v1/agents/{agent}/install` does and answers with server-sent events, one `InstallEvent` each,
/// named by its `step`. The stream ends with `done` or `failed`. The installation continues if the client
/// disconnects; the same request again joins it.
///
/// - body: What to install; the latest version by default
/// - 200: The progress of the installation
/// - 400: The body does not say what to install, or the agent is none that is installed by this daemon
#[operation(streamAgentInstallation: post "/v1/agents/{agent}/install/sse" -> InstallEvent as "text/event-stream")]
pub(crate) async fn install_stream(
    state: AppState,
    agent: AgentSpec,
    _: AcceptsEvents,
    OptionalJsonBody(wanted): OptionalJsonBody<InstallAgent>,
) -> ApiResult<Response> {
    Ok(begin(&state, &agent, wanted)?.progress(&state))
}

/// An installation that was asked for.
enum Installation {
    /// The agent is part of the daemon.
    BuiltIn(InstalledAgent),
    Running(Installer, Job),
}

/// Starts the installation that the body asks for, or joins it.
fn begin(state: &AppState, agent: &AgentSpec, wanted: InstallAgent) -> ApiResult<Installation> {
    if agent.is_built_in() {
        return built_in(state, agent, wanted.agent_version.as_deref()).map(Installation::BuiltIn);
    }
    let request = InstallRequest {
        version: wanted.agent_version,
        reinstall: wanted.reinstall.unwrap_or(false),
        source: wanted.source,
        make_current: wanted.make_current,
        ..InstallRequest::default()
    };
    let installer = state.services.agents.launcher.installer().clone();
    let job = installer.install(agent, request);
    Ok(Installation::Running(installer, job))
}

impl Installation {
    /// Waits for the end of the installation.
    async fn outcome(self) -> ApiResult<InstalledAgent> {
        match self {
            Self::BuiltIn(agent) => Ok(agent),
            Self::Running(installer, mut job) => Ok(describe(&installer, job.outcome().await?)),
        }
    }

    /// Returns the response that streams the installation.
    fn progress(self, state: &AppState) -> Response {
        let events = match self {
            Self::BuiltIn(agent) => futures_util::stream::iter([InstallEvent::Done(agent)]).left_stream(),
            Self::Running(installer, job) => events(installer, job).right_stream(),
        };
        let frames = events.map(|event| sse::event(event.name(), None, &event));
        stream::response(state, frames.fuse().boxed())
    }
}

fn events(installer: Installer, job: Job) -> impl Stream<Item = InstallEvent> {
    futures_util::stream::unfold(Some(job), move |job| {
        let installer = installer.clone();
        async move {
            let mut job = job?;
            if let Some(progress) = job.next().await {
                return Some((progress, Some(job)));
            }
            let end = match job.outcome().await {
                Ok(installed) => InstallEvent::Done(describe(&installer, installed)),
                Err(error) => InstallEvent::Failed(*ApiError::from(error).0),
            };
            Some((end, None))
        }
    })
}

/// An agent that is part of the daemon. It has one version, the daemon's.
fn built_in(state: &AppState, agent: &AgentSpec, version: Option<&str>) -> ApiResult<InstalledAgent> {
    let own = env!("CARGO_PKG_VERSION");
    if let Some(other) = version.filter(|version| ![own, "latest"].contains(version)) {
        let detail = format!("'{}' is built in; its only version is {own}, not '{other}'", agent.id);
        return Err(Problem::new(ErrorCode::VersionNotFound, detail).with_agent(&agent.id).into());
    }
    Ok(InstalledAgent {
        agent: agent.id.clone(),
        version: own.to_owned(),
        path: state.services.agents.launcher.this_program().display().to_string(),
        source: "builtin".to_owned(),
        already_installed: true,
        already_installed_04: true,
        built_in: true,
        current: true,
        artifacts: Vec::new(),
    })
}

fn describe(installer: &Installer, installed: Installed) -> InstalledAgent {
    let path = installer.program(&installed.receipt).display().to_string();
    let current = installer.current(&installed.receipt.agent).ok().flatten();
    let current = current.is_some_and(|current| current.version == installed.receipt.version);
    let Installed { receipt, already_installed } = installed;
    let artifact = InstallArtifact {
        kind: "native_agent".to_owned(),
        path: path.clone(),
        source: receipt.source.clone(),
        version: receipt.version.clone(),
    };
    InstalledAgent {
        agent: receipt.agent,
        version: receipt.version,
        path,
        source: receipt.source,
        already_installed,
        already_installed_04: already_installed,
        built_in: false,
        current,
        artifacts: vec![artifact],
    }
}

#[query]
pub(crate) struct UninstallQuery {
    /// Remove only this version
    agent_version: Option<String>,
    /// The same as `agentVersion`
    version: Option<String>,
}

/// Uninstall an agent
///
/// Agents that are running keep running. Without `agentVersion` all versions are removed. If nothing was installed,
/// which is always so for an agent that is part of the daemon, `removed` is empty.
///
/// - 200: The versions that were removed
/// - 400: The id is not UTF-8, the version is not one, or a parameter is not known
#[operation(uninstallAgent: delete "/v1/agents/{agent}")]
pub(crate) async fn uninstall(
    state: AppState,
    agent: AgentSpec,
    query: UninstallQuery,
) -> ApiResult<Json<UninstalledAgent>> {
    let version = query::either(("agentVersion", query.agent_version), ("version", query.version))?;
    let installer = state.services.agents.launcher.installer();
    let removed = installer.uninstall(&agent.id, version.as_deref()).await?;
    Ok(Json(UninstalledAgent { agent: agent.id, removed }))
}

/// Get the latest version of an agent
///
/// Asks the agent's sources, in their order. `outdated` is absent if no version is installed.
///
/// - 200: The newest version, and the installed one
/// - 400: The agent is none that is installed by this daemon
/// - 422: The agent is not built for this machine
/// - 502: No source answered; `details.attempts` has what each said
#[operation(getLatestAgentVersion: get "/v1/agents/{agent}/latest")]
pub(crate) async fn latest(state: AppState, agent: AgentSpec) -> ApiResult<Json<LatestVersion>> {
    Ok(Json(state.services.agents.launcher.installer().check_latest(&agent).await?))
}
