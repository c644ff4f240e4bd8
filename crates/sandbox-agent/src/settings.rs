//! The daemon's settings: flags, variables and configuration file made into one consistent whole, before anything
//! is started.

mod agents;
mod bounds;
mod data_dir;
mod file;
mod limits;
mod token;

pub(crate) use agents::AgentSettings;
pub(crate) use file::ConfigError;
pub(crate) use token::TokenError;

use crate::args::{CONFIG_VARIABLE, DATA_DIR_VARIABLE, LocalArgs, LogFormat, ServerArgs};
use file::ConfigFile;
use limits::LimitsTable;
use sa_agents::{CatalogError, DefinitionError};
use sa_api::ProcessConfig;
use sa_files::FilesOptions;
use sa_http::{BadCors, CorsOptions};
use sa_processes::BadConfig;
use sa_sessions::SessionLimits;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 2468;
const DEFAULT_LOG: &str = "info";

/// Everything that the daemon is built from.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) access: Access,
    pub(crate) cors: CorsOptions,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) agents: AgentSettings,
    pub(crate) limits: LimitsTable,
    pub(crate) files: FilesOptions,
    pub(crate) processes: ProcessConfig,
    pub(crate) sessions: SessionSettings,
    pub(crate) clean_env: bool,
    pub(crate) lifetime: Lifetime,
    pub(crate) log_format: LogFormat,
    pub(crate) log: String,
    /// The exporter of traces, metrics and logs.
    pub(crate) telemetry: Option<sa_otlp::Config>,
    /// To be logged as soon as there is a log.
    pub(crate) warnings: Vec<String>,
}

/// The time that the daemon runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// Until a signal ends it.
    UntilSignal,
    /// Until a signal ends it or standard input closes.
    UntilStdinCloses,
}

/// The ways in which sessions are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionSettings {
    pub(crate) limits: SessionLimits,
    /// True if sessions outlive the daemon.
    pub(crate) kept: bool,
}

/// The clients that may talk to the daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Access {
    /// Clients with the token that the user chose.
    Given(String),
    /// Clients with the token that was generated for this run.
    Generated(String),
    /// Every client that reaches the port.
    Open,
}

impl Access {
    /// Returns the token, if one is needed.
    pub(crate) fn token(&self) -> Option<&str> {
        match self {
            Self::Given(token) | Self::Generated(token) => Some(token),
            Self::Open => None,
        }
    }
}

/// The reason the arguments make no sense together.
#[derive(Debug, Error)]
pub(crate) enum SettingsError {
    #[error("cannot read the configuration file {}", .0.display())]
    UnreadableConfig(PathBuf, #[source] io::Error),
    #[error("configuration file {}", .0.display())]
    Config(PathBuf, #[source] ConfigError),
    #[error("{0} cannot be used together")]
    AccessConflict(String),
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("bad agent")]
    Agent(#[from] DefinitionError),
    #[error("invalid catalog")]
    Catalog(#[from] CatalogError),
    #[error("--{name} '{text}': {reason}")]
    Address { name: &'static str, text: String, reason: String },
    #[error("--{name} {}: {reason}", .path.display())]
    Directory { name: &'static str, path: PathBuf, reason: String },
    #[error("the host is empty; check --host, SANDBOX_AGENT_HOST and the configuration file")]
    NoHost,
    #[error("no data directory: neither XDG_DATA_HOME nor HOME is set; pass --data-dir")]
    NoDataDir,
    #[error("cannot use the data directory {}", .0.display())]
    DataDir(PathBuf, #[source] io::Error),
    #[error(
        "the data directory {} belongs to user {}, who could run code as this user: chown it, or pass another --data-dir",
        .0.display(), .1
    )]
    ForeignDataDir(PathBuf, u32),
    #[error(
        "every user can write to the data directory {} and run code as this user: run chmod o-w on it, or pass another \
         --data-dir",
        .0.display()
    )]
    SharedDataDir(PathBuf),
    #[error("[{table}] {key} = {number}: expected {least} to {most}")]
    Limit { table: &'static str, key: String, number: u64, least: u64, most: u64 },
    #[error("bad limits in [processes]")]
    Processes(#[from] BadConfig),
    #[error("bad CORS settings")]
    Cors(#[from] BadCors),
    #[error(transparent)]
    Telemetry(#[from] sa_otlp::ConfigError),
}

impl Settings {
    /// Reads the files that the arguments name and decides. `variable` looks the environment up.
    pub(crate) fn load(
        args: ServerArgs,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SettingsError> {
        let mut warnings = Vec::new();
        let mut file = ConfigFile::read(args.config.as_deref(), &mut warnings)?;
        let access = access(&args, &file, &mut warnings)?;
        let local = LocalArgs { config: None, data_dir: args.data_dir, sources: args.sources };
        let agents =
            AgentSettings::decide(local, args.require_preinstall, &args.agent, &mut file, &variable)?;
        let endpoint = args.otlp_endpoint.or(file.otlp_endpoint).filter(|endpoint| !endpoint.is_empty());
        let with_content = args.otlp_content.or(file.otlp_content).unwrap_or(false);
        let text = |name: &str| variable(name)?.into_string().ok();
        let flags = sa_otlp::Flags { endpoint: endpoint.as_deref(), with_content };
        let telemetry = sa_otlp::Config::read(&flags, text)?;
        let cors = CorsOptions {
            origins: first_given(args.cors_allow_origin, file.cors_allow_origin),
            methods: first_given(args.cors_allow_method, file.cors_allow_method),
            headers: first_given(args.cors_allow_header, file.cors_allow_header),
            credentials: args.cors_allow_credentials.or(file.cors_allow_credentials).unwrap_or(false),
        };
        cors.check()?;
        bounds::check_processes(&file.processes)?;
        bounds::check("limits", &file.limits.hub)?;
        bounds::check("limits", &file.limits.http)?;
        bounds::check("files", &file.files)?;
        bounds::check("sessions", &file.sessions)?;
        let host = args.host.or(file.host).map_or_else(|| DEFAULT_HOST.to_owned(), without_brackets);
        if host.is_empty() {
            return Err(SettingsError::NoHost);
        }
        Ok(Self {
            host,
            port: args.port.or(file.port).unwrap_or(DEFAULT_PORT),
            access,
            cors,
            allow_hosts: first_given(args.allow_host, file.allow_host),
            agents,
            limits: file.limits,
            files: FilesOptions {
                workspace: directory("workspace", args.workspace.or(file.workspace))?,
                root: directory("fs-root", args.fs_root.or(file.fs_root))?,
                by_steps: false,
                limits: file.files,
            },
            processes: file.processes,
            sessions: SessionSettings {
                limits: file.sessions,
                kept: !args.no_store.or(file.no_store).unwrap_or(false),
            },
            clean_env: args.clean_env.or(file.clean_env).unwrap_or(false),
            // Not in the file: the program that starts the daemon decides what its standard input is.
            lifetime: match args.exit_on_stdin_close {
                Some(true) => Lifetime::UntilStdinCloses,
                Some(false) | None => Lifetime::UntilSignal,
            },
            log_format: args.log_format.or(file.log_format).unwrap_or_default(),
            log: args.log.or(file.log).unwrap_or_else(|| DEFAULT_LOG.to_owned()),
            telemetry,
            warnings,
        })
    }
}

/// Refuses a directory that is not there.
fn directory(name: &'static str, path: Option<PathBuf>) -> Result<Option<PathBuf>, SettingsError> {
    let Some(path) = path else { return Ok(None) };
    let reason = match std::fs::metadata(&path) {
        Ok(about) if about.is_dir() => return Ok(Some(path)),
        Ok(_) => "it is not a directory".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => "there is no such directory".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(SettingsError::Directory { name, path, reason })
}

/// Returns the data directory that a command works with: the given one, or by the variables and the configuration file that
/// they name. None if nothing says where it is.
pub(crate) fn data_dir_of_command(
    given: Option<PathBuf>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<PathBuf>, SettingsError> {
    let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| !path.as_os_str().is_empty());
    match data_dir_of(path(CONFIG_VARIABLE).as_deref(), given.or_else(|| path(DATA_DIR_VARIABLE)), variable) {
        Err(SettingsError::NoDataDir) => Ok(None),
        found => found.map(Some),
    }
}

/// Returns the data directory of the daemon with that configuration file.
pub(crate) fn data_dir_of(
    config: Option<&Path>,
    given: Option<PathBuf>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, SettingsError> {
    let given = match given {
        Some(given) => Some(given),
        None => ConfigFile::read(config, &mut Vec::new())?.data_dir,
    };
    data_dir::resolve(given, variable)
}

/// Returns the data directory that was given, or the user's own.
pub(crate) fn data_dir(given: Option<PathBuf>) -> Result<PathBuf, SettingsError> {
    data_dir::resolve(given, |name| std::env::var_os(name))
}

impl Settings {
    /// Settings of a daemon that one command starts for itself: on a free port of loopback, with a token that nobody else
    /// knows.
    pub(crate) fn private(
        mut args: ServerArgs,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SettingsError> {
        (args.token, args.token_file, args.no_token) = (None, None, None);
        (args.host, args.port) = (Some(DEFAULT_HOST.to_owned()), Some(0));
        let mut settings = Self::load(args, variable)?;
        settings.access = Access::Generated(token::generate()?);
        settings.cors = CorsOptions::default();
        Ok(settings)
    }
}

/// One layer's word on who may connect; the layers are asked in turn and the first that says anything decides.
struct AccessWords<'a> {
    names: [&'a str; 3],
    token: Option<&'a String>,
    token_file: Option<&'a PathBuf>,
    no_token: bool,
}

fn access(args: &ServerArgs, file: &ConfigFile, warnings: &mut Vec<String>) -> Result<Access, SettingsError> {
    let flags = AccessWords {
        names: ["--token", "--token-file", "--no-token"],
        token: args.token.as_ref(),
        token_file: args.token_file.as_ref(),
        no_token: args.no_token == Some(true),
    };
    let keys = AccessWords {
        names: ["token", "token-file", "no-token"],
        token: file.token.as_ref(),
        token_file: file.token_file.as_ref(),
        no_token: args.no_token.or(file.no_token) == Some(true),
    };
    for words in [flags, keys] {
        if let Some(access) = words.access(warnings)? {
            return Ok(access);
        }
    }
    Ok(Access::Generated(token::generate()?))
}

impl AccessWords<'_> {
    fn access(self, warnings: &mut Vec<String>) -> Result<Option<Access>, SettingsError> {
        let token = match (self.token, self.token_file, self.no_token) {
            (None, None, false) => return Ok(None),
            (None, None, true) => return Ok(Some(Access::Open)),
            (Some(token), None, false) => token::check(token.clone())?,
            (None, Some(path), false) => {
                warnings.extend(token::exposure(path));
                token::read(path)?
            }
            (token, token_file, no_token) => {
                let said = [token.is_some(), token_file.is_some(), no_token];
                let named = self.names.into_iter().zip(said).filter_map(|(name, said)| said.then_some(name));
                let names = named.collect::<Vec<_>>().join(" and ");
                return Err(SettingsError::AccessConflict(names));
            }
        };
        warnings.extend(token::weakness(&token));
        Ok(Some(Access::Given(token)))
    }
}

/// Accepts an IPv6 address as URLs spell it, `[::1]`.
fn without_brackets(host: String) -> String {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.to_owned(),
        None => host,
    }
}

/// A list that a flag or variable gives replaces the file's, so that the file's can also be narrowed.
fn first_given(typed: Vec<String>, in_file: Vec<String>) -> Vec<String> {
    let mut list = if typed.is_empty() { in_file } else { typed };
    // An empty variable is a list of one empty text.
    list.retain(|text| !text.is_empty());
    list
}

#[cfg(test)]
mod tests;
