//! The flags of `sandbox-agent credentials`.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What can be done with credentials.
#[derive(Debug, Subcommand)]
pub(crate) enum CredentialsCommand {
    /// List what the agents would find, in the order in which they would use it
    #[command(
        after_help = "Exit codes: 0 found, 1 none found (with --validate also: all refused), 64 bad usage."
    )]
    Extract(ExtractArgs),
    /// Print the variables that hand the credentials to agents elsewhere, for a shell's eval
    #[command(after_help = "Exit codes: 0 printed, 1 nothing to print or no --reveal, 64 bad usage.")]
    ExtractEnv(ExtractEnvArgs),
}

/// Where to look, and for what.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// Only what this agent would find; may be given several times [default: every agent]
    #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(sa_credentials::agents()))]
    pub(crate) agent: Vec<String>,
    /// Only credentials of this provider, such as anthropic
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Look in this home folder instead of one's own, and not at the environment
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print secrets in full
    #[arg(long)]
    pub(crate) reveal: bool,
}

/// The arguments of `credentials extract`.
#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    #[command(flatten)]
    pub(crate) scope: Scope,
    /// Ask each provider whether it accepts the credential
    #[arg(long)]
    pub(crate) validate: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `credentials extract-env`.
#[derive(Debug, Args)]
pub(crate) struct ExtractEnvArgs {
    #[command(flatten)]
    pub(crate) scope: Scope,
    /// Put `export` before each
    #[arg(long)]
    pub(crate) export: bool,
}
