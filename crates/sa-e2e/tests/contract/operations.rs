//! The contract and the tests know each other: every operation has a test that uses it as it is meant to be used.

use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Each operation and a test of its success, as `file::test` below `tests/`. A new operation needs a line here.
const TESTED: [(&str, &str); 82] = [
    ("attachProcessTerminal", "processes/terminal.rs::a_terminal_is_typed_on_and_shows_what_is_printed"),
    ("cancelTurn", "sessions/turns.rs::a_turn_is_cancelled"),
    ("closeAcpConnection", "standard/lifetime.rs::delete_ends_the_agent_and_its_streams"),
    ("closeAgentAcpConnection", "standard/lifetime.rs::delete_ends_the_agent_and_its_streams"),
    ("createNewSession", "sessions/creating.rs::the_daemon_chooses_an_id"),
    ("createProcess", "processes/lifecycle.rs::a_process_is_described_from_start_to_end"),
    ("createSession", "sessions/lifecycle.rs::a_session_is_made_and_described"),
    ("deleteAcpServer", "transport/bootstrap.rs::delete_may_be_repeated"),
    (
        "deleteFsEntry",
        "files/changing.rs::removing_takes_links_as_they_are_and_full_directories_only_when_told",
    ),
    ("deleteMcpConfig", "config/entries.rs::mcp_servers_are_kept_read_listed_and_forgotten"),
    ("deleteProcess", "processes/lifecycle.rs::a_process_is_described_from_start_to_end"),
    ("deleteSession", "sessions/lifecycle.rs::a_deleted_session_is_gone"),
    ("deleteSkillsConfig", "config/entries.rs::skills_are_kept_read_listed_and_forgotten"),
    ("downloadFsBatch", "files/archives.rs::a_directory_is_packed_as_tar_reads_it"),
    ("exportSession", "sessions/transfer.rs::a_session_is_taken_from_one_daemon_to_another"),
    ("forkSession", "sessions/lifecycle.rs::a_fork_knows_what_was_said_and_goes_its_own_way"),
    ("getAgent", "agents/listing.rs::an_agent_that_is_built_in_needs_nothing"),
    ("getEvents", "sessions/events.rs::events_come_in_pages"),
    ("getHealth", "transport/listing.rs::the_daemon_says_what_it_is"),
    ("getInfo", "transport/listing.rs::the_daemon_says_what_it_is"),
    ("getLatestAgentVersion", "agents/versions.rs::the_newest_version_is_reported"),
    ("getMcpConfig", "config/entries.rs::mcp_servers_are_kept_read_listed_and_forgotten"),
    ("getMessages", "sessions/transcript.rs::a_transcript_and_the_stream_after_it_are_everything"),
    ("getMetrics", "transport/listing.rs::metrics_count_what_happened"),
    ("getOpenapi", "contract/operations.rs::every_operation_is_tested"),
    ("getProcess", "processes/lifecycle.rs::a_process_is_described_from_start_to_end"),
    ("getProcessConfig", "processes/config.rs::limits_are_shown_and_changed"),
    ("getProcessLogs", "processes/logs.rs::output_is_read_by_stream_and_by_sequence"),
    ("getSession", "sessions/lifecycle.rs::a_session_is_made_and_described"),
    ("getSkillsConfig", "config/entries.rs::skills_are_kept_read_listed_and_forgotten"),
    ("getUsage", "sessions/usage.rs::tokens_and_cost_are_summed_by_session_agent_model_and_day"),
    ("headFsFile", "files/reading.rs::head_says_what_get_would_send"),
    ("importSession", "sessions/transfer.rs::a_session_is_taken_from_one_daemon_to_another"),
    ("installAgent", "agents/installing.rs::an_agent_is_installed_and_then_it_is_there"),
    ("issueTicket", "auth/tickets.rs::a_ticket_opens_one_socket_of_any_kind"),
    ("killProcess", "processes/lifecycle.rs::killing_takes_the_whole_tree_also_those_that_left_the_group"),
    ("listAcpServers", "transport/listing.rs::a_server_is_listed_with_all_that_is_known_of_it"),
    ("listAgentModels", "agents/offers.rs::models_come_with_how_hard_they_think"),
    ("listAgentModes", "agents/offers.rs::modes_are_what_the_agent_says"),
    ("listAgents", "agents/listing.rs::every_agent_is_described_in_one_shape"),
    ("listFsEntries", "files/listing.rs::a_directory_is_listed_with_what_is_in_it"),
    ("listMcpConfigs", "config/entries.rs::mcp_servers_are_kept_read_listed_and_forgotten"),
    ("listProcesses", "processes/lifecycle.rs::processes_are_listed_in_the_order_of_their_creation"),
    ("listSessions", "sessions/listing.rs::lists_are_filtered"),
    ("listSkillsConfigs", "config/entries.rs::skills_are_kept_read_listed_and_forgotten"),
    ("makeFsDirectory", "files/changing.rs::directories_are_made_with_those_above"),
    ("moveFsEntry", "files/changing.rs::files_and_directories_are_moved"),
    ("patchSession", "sessions/settings.rs::title_and_metadata_are_changed_and_kept"),
    (
        "postAcpConnection",
        "standard/streams.rs::initialize_is_answered_in_the_body_everything_else_on_streams",
    ),
    ("postAcpMessage", "transport/verbatim.rs::a_response_is_the_agents_own_bytes"),
    (
        "postAgentAcpConnection",
        "standard/streams.rs::initialize_is_answered_in_the_body_everything_else_on_streams",
    ),
    ("postMessage", "sessions/talking.rs::a_message_is_accepted_and_its_turn_is_reported_from_start_to_end"),
    ("postMessageStream", "sessions/talking.rs::a_message_can_be_answered_with_the_stream_of_its_turn"),
    ("readFsFile", "files/reading.rs::a_file_comes_as_it_is"),
    ("rejectQuestion", "sessions/asking.rs::a_question_may_be_rejected"),
    (
        "reorderQueue",
        "sessions/queueing.rs::messages_that_wait_are_reordered_and_keep_their_order_after_a_crash",
    ),
    ("replyToPermission", "sessions/asking.rs::a_permission_waits_until_a_client_decides"),
    ("replyToQuestion", "sessions/asking.rs::a_question_is_answered_with_labels_or_words"),
    ("resizeProcessTerminal", "processes/terminal.rs::the_size_is_set_at_the_start_by_request_and_by_socket"),
    ("resumeSession", "sessions/queueing.rs::a_restart_holds_the_queue_until_the_session_is_resumed"),
    ("revokeTicket", "auth/tickets.rs::an_event_source_reconnects_with_its_ticket"),
    ("runProcess", "processes/run.rs::a_command_runs_and_its_output_comes_back"),
    ("searchFs", "files/search.rs::names_are_found_as_git_sees_the_directory"),
    (
        "sendProcessInput",
        "processes/input.rs::every_process_takes_input_which_is_base64_unless_it_says_otherwise",
    ),
    ("setMcpConfig", "config/entries.rs::mcp_servers_are_kept_read_listed_and_forgotten"),
    ("setProcessConfig", "processes/config.rs::limits_are_shown_and_changed"),
    ("setSkillsConfig", "config/entries.rs::skills_are_kept_read_listed_and_forgotten"),
    ("statFsEntry", "files/listing.rs::links_are_described_themselves_or_followed"),
    ("stopProcess", "processes/lifecycle.rs::stopping_asks_first_and_reports_the_signal"),
    ("streamAcpConnection", "standard/streams.rs::messages_go_to_the_stream_of_their_session"),
    ("streamAcpMessages", "streams/framing.rs::an_event_is_framed_in_three_lines"),
    (
        "streamAgentAcpConnection",
        "standard/streams.rs::initialize_is_answered_in_the_body_everything_else_on_streams",
    ),
    ("streamAgentInstallation", "agents/installing.rs::the_steps_are_streamed_in_their_order"),
    ("streamEvents", "sessions/events.rs::a_stream_goes_on_where_it_was_cut_off"),
    ("streamProcessLogs", "processes/logs.rs::following_ends_when_the_process_does"),
    ("terminateSession", "sessions/lifecycle.rs::an_ended_session_can_still_be_read"),
    ("uninstallAgent", "agents/versions.rs::one_version_is_removed_or_all_are"),
    ("updateAgent", "agents/versions.rs::the_current_version_is_chosen_among_those_that_are_installed"),
    ("uploadFsBatch", "files/archives.rs::an_archive_is_unpacked_and_merged"),
    ("watchFs", "files/watch.rs::changes_are_reported_wherever_they_are"),
    ("withdrawMessage", "sessions/queueing.rs::one_message_is_withdrawn_and_the_others_stay"),
    ("writeFsFile", "files/writing.rs::a_body_becomes_a_file"),
];

/// Returns every operation of the contract by its id.
fn operations(document: &Value) -> Result<BTreeMap<String, &Value>> {
    let paths = document["paths"].as_object().context("a document without paths")?;
    let methods = paths.values().filter_map(Value::as_object).flatten();
    let operations = methods.filter(|(name, _)| *name != "parameters").map(|(_, operation)| {
        let id = operation["operationId"].as_str().with_context(|| format!("no operationId: {operation}"))?;
        anyhow::Ok((id.to_owned(), operation))
    });
    operations.collect()
}

fn resolve<'a>(document: &'a Value, part: &'a Value) -> Result<&'a Value> {
    let Some(reference) = part["$ref"].as_str() else { return Ok(part) };
    let found = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
    found.with_context(|| format!("{reference} leads nowhere"))
}

#[tokio::test]
async fn every_operation_is_tested() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let reply = daemon.http().get("/v1/openapi.json").send().await?.expect_status(200)?;
    assert_eq!(reply.header("content-type"), "application/json");
    let document = reply.json()?;
    let operations = operations(&document)?;
    let known: Vec<&str> = operations.keys().map(String::as_str).collect();
    assert_eq!(known, TESTED.map(|(id, _)| id), "operations of the contract, and those with a test");
    for (id, test) in TESTED {
        let (file, name) = test.split_once("::").context(test)?;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
        let source = std::fs::read_to_string(&path).with_context(|| format!("{id} is tested in {file}"))?;
        assert!(source.contains(&format!("async fn {name}(")), "{id} has no test {name} in {file}");
    }
    Ok(())
}

#[tokio::test]
async fn the_document_is_compressed_and_has_a_tag() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let get = || daemon.http().get("/v1/openapi.json");
    let plain = get().send().await?.expect_status(200)?;
    assert_eq!(plain.header("content-encoding"), "");
    let compressed = get().header("accept-encoding", "gzip").send().await?.expect_status(200)?;
    assert_eq!(compressed.header("content-encoding"), "gzip");
    assert!(compressed.body.len() * 5 < plain.body.len(), "{} bytes", compressed.body.len());
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&compressed.body[..]).read_to_end(&mut text)?;
    assert_eq!(text, plain.body);
    let tag = plain.header("etag").to_owned();
    assert_eq!(compressed.header("etag"), tag);
    let known = get().header("if-none-match", &format!("\"other\", {tag}")).send().await?;
    assert!(known.expect_status(304)?.body.is_empty());
    get().header("if-none-match", "\"other\"").send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn every_operation_is_described() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let document = daemon.http().get("/v1/openapi.json").send().await?.json()?;
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.")));
    let health = daemon.http().get("/v1/health").send().await?.json()?;
    assert_eq!(document["info"]["version"], health["version"], "of the daemon that serves it");
    for (id, operation) in operations(&document)? {
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{id} has no summary");
        assert!(operation["tags"].as_array().is_some_and(|tags| tags.len() == 1), "{id} has no tag");
        let responses = operation["responses"].as_object().with_context(|| format!("{id} never answers"))?;
        for (status, response) in responses {
            let response = resolve(&document, response)?;
            let text = response["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{status} of {id} is not described");
            // An error is a problem document, here as well.
            if status.starts_with(['4', '5']) {
                let kinds: Vec<_> =
                    response["content"].as_object().into_iter().flatten().map(|(kind, _)| kind).collect();
                assert_eq!(kinds, ["application/problem+json"], "{status} of {id}");
            }
        }
    }
    Ok(())
}
