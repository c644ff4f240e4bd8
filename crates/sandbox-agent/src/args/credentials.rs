//! The flags of `sandbox-agent credentials`.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Commands for credentials.
#[derive(Debug, Subcommand)]
pub(crate) enum CredentialsCommand {
    /// List credentials in the order in which agents use them
    #[command(
        after_help = "Exit codes: 0 found, 1 none found or, with --validate, all refused, 64 bad usage."
    )]
    Extract {
        #[command(flatten)]
        scope: Scope,
        /// Check each credential with its provider
        #[arg(long)]
        validate: bool,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print credentials as environment variables, for eval in a shell
    #[command(after_help = "Exit codes: 0 printed, 1 nothing to print or no --reveal, 64 bad usage.")]
    ExtractEnv {
        #[command(flatten)]
        scope: Scope,
        /// Print 'export' before each variable
        #[arg(long)]
        export: bool,
    },
}

/// The credentials to look for, and the places to look at.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// Only credentials of this agent (repeatable) [default: all agents]
    #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(sa_credentials::agents()))]
    pub(crate) agent: Vec<String>,
    /// Only credentials of this provider, such as anthropic
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Search this home directory instead of yours, and ignore the environment
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print secrets in full
    #[arg(long)]
    pub(crate) reveal: bool,
}
