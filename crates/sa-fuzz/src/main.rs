//! `sa-fuzz`: searches for inputs that break a fuzz target, for a given time. It needs neither cargo-fuzz nor a nightly
//! toolchain nor a C++ compiler; built through `fuzz/instrument`, it is led by which code an input reaches.

mod adapters;
mod coverage;
mod mutation;
mod search;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use sa_files::testing as files;
use search::Search;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Searches for inputs that break a fuzz target.
#[derive(Parser)]
struct Arguments {
    /// The property to break.
    #[arg(value_enum)]
    target: Target,
    /// Duration of the search.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The folder with a folder of seeds for each target.
    #[arg(long, default_value = "fuzz/seeds")]
    seeds: PathBuf,
    /// The folder for inputs that break the target, in a folder of the target's name.
    #[arg(long, default_value = "fuzz/artifacts")]
    artifacts: PathBuf,
    /// Begins the same search again.
    #[arg(long)]
    start: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Target {
    AgentsFile,
    EventStream,
    IgnoreRules,
    InstallManifest,
    JsonrpcLine,
    NativeLines,
    PathPolicy,
    RelayStream,
    RequestHeaders,
    SessionImport,
    ShellLine,
    SkillFile,
    TarUpload,
    TerminalText,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::AgentsFile => "agents_file",
            Self::EventStream => "event_stream",
            Self::IgnoreRules => "ignore_rules",
            Self::InstallManifest => "install_manifest",
            Self::JsonrpcLine => "jsonrpc_line",
            Self::NativeLines => "native_lines",
            Self::PathPolicy => "path_policy",
            Self::RelayStream => "relay_stream",
            Self::RequestHeaders => "request_headers",
            Self::SessionImport => "session_import",
            Self::ShellLine => "shell_line",
            Self::SkillFile => "skill_file",
            Self::TarUpload => "tar_upload",
            Self::TerminalText => "terminal_text",
        }
    }

    /// Panics when the property does not hold for these bytes.
    fn check(self) -> fn(&[u8]) {
        match self {
            Self::AgentsFile => sa_agents::testing::definitions_can_be_started,
            Self::EventStream => sa_client::testing::event_pieces_do_not_matter,
            Self::IgnoreRules => files::rules_end_in_bounded_steps,
            Self::InstallManifest => sa_install::testing::published_documents_stay_in_bounds,
            Self::JsonrpcLine => sa_jsonrpc::testing::agrees_with_a_full_parse,
            Self::NativeLines => adapters::lines_of_the_cli_harm_nobody,
            Self::PathPolicy => files::nothing_gets_out,
            Self::RelayStream => sa_relay::testing::pieces_do_not_matter,
            Self::RequestHeaders => sa_http::testing::headers_are_read_alike,
            Self::SessionImport => sa_sessions::testing::an_import_is_whole_or_nothing,
            Self::ShellLine => sa_shell::testing::judgments_hold,
            Self::SkillFile => sa_skills::testing::names_are_plain,
            Self::TerminalText => sa_terminal::testing::nothing_steers_the_terminal,
            Self::TarUpload => |data| {
                files::raw_bytes_stay_inside(data);
                files::described_archives_stay_inside(data);
            },
        }
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let name = arguments.target.name();
    let search = Search {
        name,
        check: arguments.target.check(),
        seeds: search::seeds(&arguments.seeds.join(name))?,
        artifacts: arguments.artifacts.join(name),
        start: arguments.start.map_or_else(search::any_start, Ok)?,
        time: Duration::from_secs(arguments.seconds),
    };
    Ok(match search.run()? {
        None => ExitCode::SUCCESS,
        Some(_) => ExitCode::FAILURE,
    })
}
