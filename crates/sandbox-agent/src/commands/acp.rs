//! `sandbox-agent acp <agent>`: a built-in agent on standard input and output, for the daemon and for editors.

use crate::agents::Agents;
use crate::args::AcpArgs;
use crate::commands::install_agent::{install_watched, load, runtime};
use crate::commands::render::Format;
use crate::failure::Failure;
use anyhow::Context;
use sa_agents::{Builtin, TOKEN_VARIABLES};
use sa_install::InstallRequest;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Variables by which Claude Code is sent to something else than its vendor, which may have models of its own.
const CLAUDE_GATEWAYS: [&str; 4] =
    ["ANTHROPIC_BASE_URL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

const UNSTARTABLE: &str = "the agent cannot be started";

pub(crate) fn run(args: AcpArgs) -> Result<ExitCode, Failure> {
    match Builtin::from_id(&args.agent) {
        Some(Builtin::Demo) => Ok(sa_demo::run_stdio(sa_demo::Options {
            state_dir: state_dir(&args),
            env: Box::new(|name| std::env::var(name).ok()),
        })),
        Some(Builtin::Amp) => Ok(amp(program(args)?)?.into_program().context(UNSTARTABLE)?.run_stdio()),
        Some(Builtin::Claude) => {
            let state_dir = state_dir(&args);
            let options = sa_claude::Options { state_dir, ..claude(program(args)?) };
            Ok(options.into_program().run_stdio())
        }
        Some(Builtin::Codex) => Ok(codex(program(args)?).into_program().run_stdio()),
        Some(Builtin::Pi) => Ok(pi(program(args)?).into_program().context(UNSTARTABLE)?.run_stdio()),
        Some(Builtin::OpenCode) => {
            Ok(opencode(program(args)?).into_program().context(UNSTARTABLE)?.run_stdio())
        }
        None => {
            let settings = load(args.local)?;
            let agent = settings.catalog.find(&args.agent).map_err(Failure::usage)?;
            let known = Builtin::ALL.map(Builtin::id).join(", ");
            Err(Failure::usage(format_args!(
                "'{0}' has no built-in adapter (those are: {known}). It speaks ACP itself; \
                 try 'sandbox-agent run --agent {0} \"hello\"'",
                agent.id
            )))
        }
    }
}

/// The agent's own directory. Without a data directory the agent keeps nothing.
fn state_dir(args: &AcpArgs) -> Option<PathBuf> {
    let usual = || Some(load(args.local.clone()).ok()?.data_dir.join("state").join(&args.agent));
    args.state_dir.clone().or_else(usual)
}

/// The names of the variables that hold the session's own credential, and of those that must not come before it.
fn token_variables() -> Vec<String> {
    let names = std::env::var(TOKEN_VARIABLES).unwrap_or_default();
    names.split_whitespace().map(str::to_owned).collect()
}

fn claude(program: PathBuf) -> sa_claude::Options {
    let config_dir = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let names = token_variables();
    let token = sa_claude::Token::new(names.iter().map(String::as_str), |name| std::env::var(name).ok());
    let mut options = sa_claude::Options {
        is_root: rustix::process::geteuid().is_root(),
        // This program is for sandboxes.
        allow_bypass: true,
        token: (!names.is_empty()).then_some(token),
        any_model: CLAUDE_GATEWAYS
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())),
        ..sa_claude::Options::new(program, config_dir.unwrap_or_else(|| home().join(".claude")))
    };
    options.cli.inherited = std::env::vars_os().collect();
    options
}

fn codex(program: PathBuf) -> sa_codex::Options {
    let codex_home = std::env::var_os("CODEX_HOME").map(PathBuf::from);
    let base_url = set("OPENAI_BASE_URL");
    let mut options = sa_codex::Options {
        api_key: set("CODEX_API_KEY").or_else(|| set("OPENAI_API_KEY")).map(Into::into),
        // This program is for sandboxes.
        allow_bypass: true,
        token_variable: token_variables().into_iter().next(),
        // A gateway may have models of its own.
        any_model: base_url.is_some(),
        base_url,
        ..sa_codex::Options::new(program, codex_home.unwrap_or_else(|| home().join(".codex")))
    };
    options.cli.inherited = std::env::vars_os().collect();
    options
}

fn amp(program: PathBuf) -> Result<sa_amp::Options, Failure> {
    let own = std::env::current_exe().context("where this program is")?;
    let mut options = sa_amp::Options::new(program, vec![own.into(), "amp-permission".into()], &home());
    options.cli.inherited = std::env::vars_os().collect();
    options.has_key = set_path("AMP_API_KEY").is_some();
    // This program is for sandboxes.
    options.allow_bypass = true;
    if let Some(config) = set_path("XDG_CONFIG_HOME") {
        options.settings = config.join("amp/settings.json");
    }
    if let Some(settings) = set_path("AMP_SETTINGS_FILE") {
        options.settings = settings;
    }
    if let Some(data) = set_path("XDG_DATA_HOME") {
        options.secrets = data.join("amp/secrets.json");
    }
    Ok(options)
}

/// All of `sandbox-agent amp-permission`. Amp's question is in its environment and on its standard input.
pub(crate) fn amp_permission() -> ExitCode {
    let query = sa_amp::PermissionQuery {
        tool: set("AGENT_TOOL_NAME").unwrap_or_default(),
        call: set("AGENT_TOOL_USE_ID"),
        thread: set("AMP_THREAD_ID").unwrap_or_default(),
        input: serde_json::Value::Null,
    };
    let socket = std::env::var_os(sa_amp::SOCKET).map(PathBuf::from).unwrap_or_default();
    sa_amp::ask_permission(&socket, query)
}

fn opencode(program: PathBuf) -> sa_opencode::Options {
    let config = set_path("XDG_CONFIG_HOME").unwrap_or_else(|| home().join(".config")).join("opencode");
    let mut options = sa_opencode::Options {
        config_dir: set_path("OPENCODE_CONFIG_DIR").unwrap_or(config),
        // This program is for sandboxes.
        allow_bypass: true,
        ..sa_opencode::Options::new(program, home())
    };
    options.cli.inherited = std::env::vars_os().collect();
    options
}

fn pi(program: PathBuf) -> sa_pi::Options {
    let agent_dir = set_path("PI_CODING_AGENT_DIR");
    let mut options = sa_pi::Options::new(program, agent_dir.unwrap_or_else(|| home().join(".pi/agent")));
    // This program is for sandboxes.
    options.allow_bypass = true;
    options.cli.inherited = std::env::vars_os().collect();
    options
}

/// The text of a variable that is set and not empty.
fn set(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The path in a variable that is set and not empty.
fn set_path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn home() -> PathBuf {
    PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/".into()))
}

/// The vendor's program: the given one, else the installed one, else it is installed now.
fn program(args: AcpArgs) -> Result<PathBuf, Failure> {
    if let Some(program) = args.program {
        return Ok(program);
    }
    let settings = load(args.local)?;
    let agent = settings.catalog.find(&args.agent).map_err(Failure::usage)?;
    runtime()?.block_on(async {
        let (parts, supervisor) = Agents::standalone(&settings)?;
        let installer = parts.launcher.installer();
        if let Some(found) = installer.find(agent, None)? {
            return Ok(found.program);
        }
        // An editor shows standard error, if anything.
        let installed = install_watched(installer, agent, InstallRequest::default(), Format::Text).await?;
        supervisor.shutdown(Duration::ZERO).await;
        Ok(installer.program(&installed.receipt))
    })
}
