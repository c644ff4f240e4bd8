//! The public HTTP contract as types, one file for each resource. What is written here is what OpenAPI, the clients
//! and the CLI reference say; there is no behavior in this crate.
#![warn(missing_docs)]

mod acp;
mod agent_modes;
mod agents;
mod config;
mod files;
mod hidden;
mod installs;
mod meta;
mod problem;
mod processes;
pub mod sessions;
mod tickets;
mod timestamp;
mod usage;

pub use acp::{AcpServer, AcpServerList, AcpServerStatus, AgentExit, Gap, Unparsed};
pub use agent_modes::{AgentModels, AgentModes, ModeCombination, ModeEffect, ModeEnforcer, OfferSource};
pub use agents::{
    AgentCapabilities, AgentChoice, AgentConfigChoice, AgentConfigKind, AgentConfigOption, AgentConfigValue,
    AgentInfo, AgentLaunch, AgentList, AgentPatch, AgentServerState, AgentServerStatus, CredentialInfo,
    CredentialStatus, InstalledVersion,
};
pub use config::{
    McpConfigList, McpLocalServer, McpRemoteServer, McpServerConfig, SkillSource, SkillsConfig,
    SkillsConfigList,
};
pub use files::{
    FsActionResponse, FsChange, FsChangeKind, FsEntry, FsEntryType, FsMatch, FsMoveRequest, FsMoveResponse,
    FsOverflow, FsSearchResponse, FsStat, FsUploadBatchResponse, FsWatchReady, FsWriteResponse,
};
pub use installs::{
    InstallAgent, InstallArtifact, InstallEvent, InstallSource, InstalledAgent, LatestVersion,
    UninstalledAgent,
};
pub use meta::{Health, Info, InfoLinks};
pub use problem::{ErrorCode, Problem};
pub use processes::{
    ProcessConfig, ProcessConfigChange, ProcessCreateRequest, ProcessExit, ProcessInfo, ProcessInputRequest,
    ProcessInputResponse, ProcessListResponse, ProcessLogEncoding, ProcessLogEntry, ProcessLogGap,
    ProcessLogsResponse, ProcessLogsStream, ProcessOwner, ProcessRunRequest, ProcessRunResponse,
    ProcessState, ProcessTerminalSize, TerminalClientFrame, TerminalServerFrame,
};
pub use tickets::{Ticket, TicketRequest};
pub use timestamp::Timestamp;
pub use usage::{UsageFigures, UsageGroup, UsageGrouping, UsageReport};
