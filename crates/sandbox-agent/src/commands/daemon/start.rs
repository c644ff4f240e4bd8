//! `sandbox-agent daemon start`.

use super::launch::Launch;
use super::settled;
use crate::args::{DATA_DIR_VARIABLE, ServerArgs};
use crate::commands::render::{Table, print_text};
use crate::failure::Failure;
use crate::local_daemon::{DaemonFolder, Record};
use crate::settings::{Access, Settings, data_dir_of_command};

pub(super) fn run(args: ServerArgs) -> Result<(), Failure> {
    if args.exit_on_stdin_close == Some(true) {
        return Err(Failure::usage(
            "--exit-on-stdin-close is for 'sandbox-agent server': a daemon in the background has no standard input",
        ));
    }
    let settings = Settings::load(args.clone(), |name| std::env::var_os(name))?;
    let data_dir = settings.agents.data_dir.clone();
    let place = DaemonFolder::of(&data_dir);
    place.create()?;
    let turn = place.operate()?;
    if let Some(record) = settled(&place, &turn)? {
        return already_running(&record);
    }
    let started = Launch::new(args, &settings)?.start(&place, std::env::vars_os().collect());
    let record = match started {
        Ok(record) => record,
        Err(failure) => {
            // The daemon of a start that was killed may have come first.
            return match settled(&place, &turn)? {
                Some(record) => already_running(&record),
                None => Err(failure),
            };
        }
    };
    print_text(&format!("sandbox-agent {} runs in the background (pid {})", record.version, record.pid))?;
    // A token that was given is not printed: output ends up in logs.
    let shown = match &settings.access {
        Access::Generated(token) => Some(token.as_str()),
        Access::Given(_) | Access::Open => None,
    };
    print_where(&record, shown)?;
    print_text("\nTry 'sandbox-agent api agents list'; stop it with 'sandbox-agent daemon stop'.")?;
    let usual = data_dir_of_command(None, |name| std::env::var_os(name)).ok().flatten();
    if usual.as_ref() != Some(&data_dir) {
        print_text(&format!("Commands find it after: export {DATA_DIR_VARIABLE}={}", data_dir.display()))?;
    }
    Ok(())
}

fn already_running(record: &Record) -> Result<(), Failure> {
    print_text(&format!("the daemon is already running (pid {})", record.pid))?;
    print_where(record, None)
}

/// Prints where the daemon is; with its token, if that may be shown.
pub(super) fn print_where(record: &Record, token: Option<&str>) -> Result<(), Failure> {
    print_text("")?;
    let endpoint = record.endpoint();
    let fragment = token.map(|token| format!("#token={token}")).unwrap_or_default();
    let mut rows =
        vec![("  address", endpoint.clone()), ("  inspector", format!("{endpoint}/ui/{fragment}"))];
    rows.extend(record.token_file.as_ref().map(|path| ("  token", format!("in {}", path.display()))));
    rows.extend(record.log_file().map(|path| ("  log", path.display().to_string())));
    Ok(Table::of_pairs(rows).print()?)
}
