//! How a daemon was started, and with it how it makes itself known.

use super::log::keep_log_small;
use super::place::DaemonFolder;
use super::record::{Record, Standing};
use super::registration::{Registration, write_private};
use crate::failure::Failure;
use crate::settings::{Access, Lifetime, Settings};
use sa_api::Timestamp;
use sa_supervisor::ProcessIdentity;
use std::net::SocketAddr;

/// The part that a daemon plays on its machine.
#[derive(Debug)]
pub(crate) enum Role {
    /// `sandbox-agent server`, until a signal: makes itself known if it can.
    Foreground(DaemonFolder),
    /// `sandbox-agent daemon start`: has its data directory already.
    Background(DaemonFolder, Registration),
    /// Ends with the program that started it, so no other program should rely on it.
    Private,
}

impl Role {
    pub(crate) fn foreground(settings: &Settings) -> Self {
        match settings.lifetime {
            Lifetime::UntilSignal => Self::Foreground(DaemonFolder::of(&settings.agents.data_dir)),
            Lifetime::UntilStdinCloses => Self::Private,
        }
    }

    /// Makes the daemon known that listens at `address`.
    pub(crate) fn register(
        self,
        address: SocketAddr,
        access: &Access,
    ) -> Result<Option<Registration>, Failure> {
        match self {
            Self::Background(place, claim) => {
                let token_file = (*access != Access::Open).then(|| place.token());
                let standing = Standing::Background { log_file: place.log() };
                claim.publish(&record(address, token_file, standing))?;
                tokio::spawn(keep_log_small(place.log()));
                Ok(Some(claim))
            }
            Self::Foreground(place) => Ok(register_foreground(&place, address, access)),
            Self::Private => Ok(None),
        }
    }
}

/// A daemon works as well if nobody finds it: the data directory may be read-only, or another daemon's.
fn register_foreground(place: &DaemonFolder, address: SocketAddr, access: &Access) -> Option<Registration> {
    let registered = || -> Result<Option<Registration>, Failure> {
        let Some(claim) = Registration::claim(place)? else { return Ok(None) };
        let token_file = match access {
            Access::Generated(token) => {
                write_private(&place.token(), token.as_bytes())?;
                Some(place.token())
            }
            // A token that was given is the user's to keep.
            Access::Given(_) | Access::Open => None,
        };
        claim.publish(&record(address, token_file, Standing::Foreground))?;
        Ok(Some(claim))
    };
    registered().unwrap_or_else(|failure| {
        tracing::debug!("commands on this machine do not find this daemon by themselves: {failure:?}");
        None
    })
}

fn record(address: SocketAddr, token_file: Option<std::path::PathBuf>, standing: Standing) -> Record {
    let ProcessIdentity { pid, started, boot } = ProcessIdentity::current();
    Record {
        pid,
        started_ticks: started,
        boot_id: boot,
        started_at_ms: Timestamp::now().as_millis(),
        address,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        token_file,
        standing,
    }
}
