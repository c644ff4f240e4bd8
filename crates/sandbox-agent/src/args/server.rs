//! The flags of `sandbox-agent server`. An absent flag stays absent here, so that the configuration file can speak.

use super::{CONFIG_VARIABLE, DATA_DIR_VARIABLE, OWN_AGENTS_VARIABLE, SourceArgs};
use clap::parser::ValueSource::{CommandLine, EnvVariable};
use clap::{ArgMatches, Args, ValueEnum};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

const ADDRESS: &str = "Address";
const ACCESS: &str = "Access";
const AGENTS: &str = "Agents";
const FILES: &str = "Files";
const SESSIONS: &str = "Sessions";
const LIFETIME: &str = "Lifetime";
const LOGS: &str = "Logs";
const TELEMETRY: &str = "Telemetry";

/// The arguments of `server`. They are also written down, for a daemon that is started again.
#[derive(Debug, Default, Clone, Args, Serialize, Deserialize)]
#[serde(default)]
#[command(
    after_help = "A flag overrides its variable, which overrides the configuration file. A list given by flag or variable replaces the \
    file's list; agents are added to it. Examples:\n  \
    sandbox-agent server --port 3000\n  \
    SANDBOX_AGENT_TOKEN=secret sandbox-agent server --host 0.0.0.0\n  \
    sandbox-agent server --agent mine='my-agent --acp'"
)]
pub(crate) struct ServerArgs {
    /// Configuration file (TOML); its keys are these flags' names, plus [limits], [files], [processes], [sessions] and
    /// [agents.<id>]
    #[arg(long, value_name = "FILE", env = CONFIG_VARIABLE)]
    pub(crate) config: Option<PathBuf>,

    /// Name or IP address to listen on [default: 127.0.0.1]
    #[arg(short = 'H', long, env = "SANDBOX_AGENT_HOST", help_heading = ADDRESS)]
    pub(crate) host: Option<String>,

    /// Port to listen on; 0 takes a free one [default: 2468]
    #[arg(short, long, env = "SANDBOX_AGENT_PORT", help_heading = ADDRESS)]
    pub(crate) port: Option<u16>,

    /// Token that clients must send; other users can see it here, so prefer the variable or a file [default:
    /// generated and printed]
    #[arg(short, long, env = "SANDBOX_AGENT_TOKEN", help_heading = ACCESS)]
    pub(crate) token: Option<String>,

    /// File with the token
    #[arg(long, value_name = "FILE", env = "SANDBOX_AGENT_TOKEN_FILE", help_heading = ACCESS)]
    pub(crate) token_file: Option<PathBuf>,

    /// Require no token: everyone who can reach the port can run commands
    #[arg(short, long, env = "SANDBOX_AGENT_NO_TOKEN", help_heading = ACCESS)]
    pub(crate) no_token: Option<bool>,

    /// Host name to accept without a token, in addition to loopback (repeatable)
    #[arg(long, value_name = "HOST", env = "SANDBOX_AGENT_ALLOW_HOST")]
    #[arg(value_delimiter = ',', help_heading = ACCESS)]
    pub(crate) allow_host: Vec<String>,

    /// Web origin that may call the daemon from a browser (repeatable; '*' for any)
    #[arg(short = 'O', long, value_name = "ORIGIN", env = "SANDBOX_AGENT_CORS_ALLOW_ORIGIN")]
    #[arg(value_delimiter = ',', help_heading = ACCESS)]
    pub(crate) cors_allow_origin: Vec<String>,

    /// HTTP method that such origins may use (repeatable) [default: all methods of the API]
    #[arg(short = 'M', long, value_name = "METHOD", env = "SANDBOX_AGENT_CORS_ALLOW_METHOD")]
    #[arg(value_delimiter = ',', help_heading = ACCESS)]
    pub(crate) cors_allow_method: Vec<String>,

    /// Header that such origins may send (repeatable) [default: all headers that the API reads]
    #[arg(short = 'A', long, value_name = "HEADER", env = "SANDBOX_AGENT_CORS_ALLOW_HEADER")]
    #[arg(value_delimiter = ',', help_heading = ACCESS)]
    pub(crate) cors_allow_header: Vec<String>,

    /// Allow such origins to send cookies and other browser credentials
    #[arg(short = 'C', long, env = "SANDBOX_AGENT_CORS_ALLOW_CREDENTIALS", help_heading = ACCESS)]
    pub(crate) cors_allow_credentials: Option<bool>,

    /// Add an agent: any command that speaks ACP (repeatable; one per line in the variable)
    #[arg(long, value_name = "ID=COMMAND LINE", env = OWN_AGENTS_VARIABLE)]
    #[arg(value_delimiter = '\n', help_heading = AGENTS)]
    pub(crate) agent: Vec<String>,

    /// Directory for agents, sessions and settings [default: $XDG_DATA_HOME/sandbox-agent]
    #[arg(long, value_name = "DIR", env = DATA_DIR_VARIABLE, help_heading = AGENTS)]
    pub(crate) data_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sources: SourceArgs,

    /// Do not install agents on first use
    #[arg(long, env = "SANDBOX_AGENT_REQUIRE_PREINSTALL", help_heading = AGENTS)]
    pub(crate) require_preinstall: Option<bool>,

    /// Pass only PATH, HOME, locale, proxy and similar variables to agents
    #[arg(long, env = "SANDBOX_AGENT_CLEAN_ENV", help_heading = AGENTS)]
    pub(crate) clean_env: Option<bool>,

    /// Directory of relative paths in requests [default: the current directory]
    #[arg(long, value_name = "DIR", env = "SANDBOX_AGENT_WORKSPACE", help_heading = FILES)]
    pub(crate) workspace: Option<PathBuf>,

    /// Directory that file requests cannot leave, not even by links [default: none]
    #[arg(long, value_name = "DIR", env = "SANDBOX_AGENT_FS_ROOT", help_heading = FILES)]
    pub(crate) fs_root: Option<PathBuf>,

    /// Keep sessions in memory only; they are lost when the daemon stops
    #[arg(long, env = "SANDBOX_AGENT_NO_STORE", help_heading = SESSIONS)]
    pub(crate) no_store: Option<bool>,

    /// Stop when standard input closes, so that the daemon ends with its parent
    #[arg(long, env = "SANDBOX_AGENT_EXIT_ON_STDIN_CLOSE", help_heading = LIFETIME)]
    pub(crate) exit_on_stdin_close: Option<bool>,

    /// Address of an OpenTelemetry collector, for OTLP over HTTP [default: export nothing]
    #[arg(long, value_name = "URL", env = "SANDBOX_AGENT_OTLP_ENDPOINT", help_heading = TELEMETRY)]
    pub(crate) otlp_endpoint: Option<String>,

    /// Export prompts, answers and the input of tools, too
    #[arg(long, env = "SANDBOX_AGENT_OTLP_CONTENT", help_heading = TELEMETRY)]
    pub(crate) otlp_content: Option<bool>,

    /// Format of the log on standard error [default: text]
    #[arg(long, value_name = "FORMAT", env = "SANDBOX_AGENT_LOG_FORMAT", help_heading = LOGS)]
    pub(crate) log_format: Option<LogFormat>,

    /// Log filter: a level, or target=level pairs separated by commas [default: info]
    #[arg(long, value_name = "FILTER", env = "SANDBOX_AGENT_LOG", help_heading = LOGS)]
    pub(crate) log: Option<String>,
}

/// The forms of the log: lines for people, or one JSON object per line. Their names need no help text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}

impl ServerArgs {
    /// The three ways to say who may talk to the daemon exclude each other, so a flag must win over the variable of
    /// another one: as soon as a flag names one, what variables said is forgotten.
    pub(super) fn let_flags_decide_auth(&mut self, given: &ArgMatches) {
        let from = |id: &str, source| given.value_source(id) == Some(source);
        let opened = from("no_token", CommandLine) && self.no_token == Some(true);
        if !opened && !["token", "token_file"].into_iter().any(|id| from(id, CommandLine)) {
            return;
        }
        self.token.take_if(|_| from("token", EnvVariable));
        self.token_file.take_if(|_| from("token_file", EnvVariable));
        self.no_token.take_if(|_| from("no_token", EnvVariable));
    }
}
