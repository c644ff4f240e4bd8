//! Precedence of settings, and refusals.

#![allow(clippy::unwrap_used)]

use super::*;
use sa_agents::{Catalog, Launch};
use sa_hub::Limits;
use sa_install::Preinstall;
use sa_store::Synchronous;
use std::os::unix::fs::PermissionsExt;

fn config(text: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    (directory, path)
}

fn load_with(text: &str, args: ServerArgs) -> Result<Settings, SettingsError> {
    let (_directory, path) = config(text);
    Settings::load(ServerArgs { config: Some(path), ..args }, home)
}

fn home(name: &str) -> Option<OsString> {
    (name == "HOME").then(|| "/nonexistent/home".into())
}

fn chain(error: SettingsError) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

#[test]
fn without_any_word_the_daemon_is_local_and_asks_for_a_token_of_its_own() {
    let settings = Settings::load(ServerArgs::default(), home).unwrap();
    assert_eq!((settings.host.as_str(), settings.port), ("127.0.0.1", 2468));
    assert!(matches!(settings.access, Access::Generated(token) if token.len() >= 43));
    assert!(settings.cors.origins.is_empty() && !settings.cors.credentials && !settings.clean_env);
    assert_eq!((settings.log_format, settings.log.as_str()), (LogFormat::Text, "info"));
    assert_eq!(settings.limits.hub, Limits::default());
    let shipped = Catalog::shipped().unwrap();
    assert!(settings.agents.catalog.iter().map(|agent| &agent.id).eq(shipped.iter().map(|agent| &agent.id)));
    assert!(settings.agents.preinstall == Preinstall::Lazy && !settings.agents.allow_unverified);
}

#[test]
fn the_file_fills_in_what_was_not_typed() {
    let text = r#"
        host = "0.0.0.0"
        port = 1000
        no-token = true
        clean-env = true
        cors-allow-origin = ["https://a.example", "https://b.example"]
        allow-host = ["box.example"]
        log-format = "json"
        log = "debug"
        [limits]
        servers = 3
        [agents.mine]
        command = "mine"
        args = ["--acp"]
        [agents.other]
        command = "other"
    "#;
    let args = ServerArgs {
        port: Some(2000),
        clean_env: Some(false),
        cors_allow_origin: vec!["https://c.example".to_owned()],
        agent: vec!["mine=typed --x".to_owned(), String::new()],
        log_format: Some(LogFormat::Text),
        ..ServerArgs::default()
    };
    let settings = load_with(text, args).unwrap();
    assert_eq!((settings.host.as_str(), settings.port), ("0.0.0.0", 2000));
    assert_eq!(settings.access, Access::Open);
    assert!(!settings.clean_env);
    assert_eq!(settings.cors.origins, ["https://c.example"]);
    assert_eq!(settings.allow_hosts, ["box.example"]);
    assert_eq!((settings.log_format, settings.log.as_str()), (LogFormat::Text, "debug"));
    assert_eq!(settings.limits.hub, Limits { servers: 3, ..Limits::default() });
    assert!(settings.agents.catalog.get("other").is_some() && settings.agents.catalog.get("demo").is_some());
    let mine = Launch::Command { program: "typed".to_owned(), args: vec!["--x".to_owned()] };
    assert_eq!(settings.agents.catalog.get("mine").unwrap().launch, mine);
}

#[test]
fn a_word_on_access_that_was_typed_silences_the_file() {
    let token = |text: &str| ServerArgs { token: Some(text.to_owned()), ..ServerArgs::default() };
    assert_eq!(load_with("no-token = true", token("t")).unwrap().access, Access::Given("t".to_owned()));
    let open = ServerArgs { no_token: Some(true), ..ServerArgs::default() };
    assert_eq!(load_with("token = 'f'", open).unwrap().access, Access::Open);
    let closed = ServerArgs { no_token: Some(false), ..ServerArgs::default() };
    assert!(matches!(load_with("no-token = true", closed).unwrap().access, Access::Generated(_)));
}

#[test]
fn two_words_on_access_are_a_conflict() {
    let args = ServerArgs { token: Some("t".to_owned()), no_token: Some(true), ..ServerArgs::default() };
    let error = chain(Settings::load(args, home).unwrap_err());
    assert_eq!(error, "--token and --no-token cannot be used together");
    let error = chain(load_with("token = 'a'\ntoken-file = 'b'", ServerArgs::default()).unwrap_err());
    assert!(error.starts_with("token and token-file cannot be used together"), "{error}");
}

#[test]
fn a_token_file_is_trimmed_and_must_not_be_readable_by_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("token");
    let load = |text: &str, mode| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        Settings::load(ServerArgs { token_file: Some(path.clone()), ..ServerArgs::default() }, home)
    };
    let settings = load("  s3cret-of-some-length\r\n", 0o600).unwrap();
    assert_eq!(settings.access, Access::Given("s3cret-of-some-length".to_owned()));
    assert_eq!(settings.warnings, Vec::<String>::new());
    let settings = load("s3cret-of-some-length", 0o644).unwrap();
    assert!(matches!(&settings.warnings[..], [warning] if warning.contains("every user can read it")));
    let error = chain(load(" \n", 0o600).unwrap_err());
    assert!(error.starts_with("token file /") && error.contains("the token is empty"), "{error}");
    let error = chain(load("a b", 0o600).unwrap_err());
    assert!(error.contains("visible ASCII"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let args = ServerArgs { token_file: Some(path.clone()), ..ServerArgs::default() };
    let error = chain(Settings::load(args, home).unwrap_err());
    assert!(error.starts_with("cannot read the token file /"), "{error}");
}

#[test]
fn a_configuration_file_with_a_token_must_not_be_readable_by_all() {
    let (_directory, path) = config("token = 'a-token-of-some-length'");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o604)).unwrap();
    let settings = Settings::load(ServerArgs { config: Some(path), ..ServerArgs::default() }, home).unwrap();
    assert!(matches!(&settings.warnings[..], [warning] if warning.contains("config.toml holds the token")));
}

#[test]
fn mistakes_name_the_file_and_the_key() {
    let error = chain(load_with("port = 1\nhots = 'x'", ServerArgs::default()).unwrap_err());
    assert!(error.contains("config.toml: line 2: unknown field `hots`"), "{error}");
    let error = chain(load_with("[agents.Mine]\ncommand = 'x'", ServerArgs::default()).unwrap_err());
    assert!(error.contains("'Mine' is not an agent id"), "{error}");
    let missing = ServerArgs { config: Some("/nonexistent/c.toml".into()), ..ServerArgs::default() };
    let error = chain(Settings::load(missing, home).unwrap_err());
    assert!(error.starts_with("cannot read the configuration file /nonexistent/c.toml"), "{error}");
}

#[test]
fn the_file_says_what_events_wait_for() {
    let load = |text: &str| load_with(text, ServerArgs::default());
    let synchronous = |text: &str| load(text).unwrap().sessions.limits.synchronous;
    assert_eq!(synchronous(""), Synchronous::Full);
    assert_eq!(synchronous("[sessions]\nmax = 3"), Synchronous::Full);
    assert_eq!(synchronous("[sessions]\nsynchronous = 'normal'"), Synchronous::Normal);
    let error = chain(load("[sessions]\nsynchronous = 'sometimes'").unwrap_err());
    assert!(error.contains("line 2: ") && error.contains("`full` or `normal`"), "{error}");
}

#[test]
fn built_in_agents_keep_their_state_where_the_user_keeps_data() {
    let directory = |variables: &[(&str, &str)]| {
        let look_up = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let settings = Settings::load(ServerArgs::default(), look_up).unwrap();
        settings.agents.catalog.get("demo").unwrap().env.get("SANDBOX_AGENT_STATE_DIR").cloned()
    };
    let at = |directory: &str| Some(format!("{directory}/sandbox-agent/state/demo"));
    let home = ("HOME", "/home/u");
    assert_eq!(directory(&[home, ("XDG_DATA_HOME", "/d")]), at("/d"));
    assert_eq!(directory(&[home, ("XDG_DATA_HOME", "d")]), at("/home/u/.local/share"));
    assert_eq!(directory(&[home]), at("/home/u/.local/share"));
}

#[test]
fn limits_that_cannot_work_are_refused_and_named() {
    let refused = |text: &str| chain(load_with(text, ServerArgs::default()).unwrap_err());
    assert_eq!(
        refused("[limits]\nheartbeat-ms = 0"),
        "[limits] heartbeat-ms = 0: expected 10 to 31536000000"
    );
    for text in [
        "[limits]\nticket-ms = 9223372036854775807",
        "[limits]\nsilence-ms = 31536000001",
        "[limits]\nwrite-stall-ms = 0",
        "[limits]\nservers = 0",
        "[files]\nchunk-bytes = 0",
        "[files]\nbody-stall-ms = 31536000001",
        "[sessions]\ncall-ms = 0",
        "[sessions]\nmax = 0",
    ] {
        let message = refused(text);
        let (table, rest) = text.split_once('\n').unwrap();
        assert!(message.starts_with(&format!("{table} {rest}: expected ")), "{message}");
    }
    for text in ["[limits]\nsilence-ms = 0", "[sessions]\nidle-ms = 0", "[files]\nfile-bytes = 0"] {
        load_with(text, ServerArgs::default()).unwrap();
    }
}

/// Absurd values would overflow clocks, panic in semaphores, or abort when a buffer is allocated.
#[test]
fn every_limit_has_an_upper_bound() {
    let tables = [
        ("limits", serde_json::to_value(sa_hub::Limits::default()).unwrap()),
        ("limits", serde_json::to_value(sa_http::HttpLimits::default()).unwrap()),
        ("files", serde_json::to_value(sa_files::FilesLimits::default()).unwrap()),
        ("sessions", serde_json::to_value(sa_sessions::SessionLimits::default()).unwrap()),
        ("processes", serde_json::to_value(sa_api::ProcessConfig::default()).unwrap()),
    ];
    let mut checked = 0;
    for (table, values) in tables {
        for (key, _) in values.as_object().unwrap().iter().filter(|(_, value)| value.is_u64()) {
            let key = kebab_case(key);
            for absurd in ["9223372036854775807", "-1"] {
                let text = format!("[{table}]\n{key} = {absurd}");
                let refused = load_with(&text, ServerArgs::default());
                assert!(refused.is_err(), "{text}");
                checked += 1;
            }
        }
    }
    assert!(checked > 2 * 50, "{checked}");
}

fn kebab_case(key: &str) -> String {
    key.chars()
        .flat_map(|sign| sign.is_uppercase().then_some('-').into_iter().chain([sign.to_ascii_lowercase()]))
        .collect()
}

#[test]
fn an_ipv6_host_may_have_brackets() {
    let args = ServerArgs { host: Some("[::1]".to_owned()), ..ServerArgs::default() };
    assert_eq!(Settings::load(args, home).unwrap().host, "::1");
}
