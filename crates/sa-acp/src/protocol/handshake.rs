//! `initialize`: which version the two sides speak and what the client can do.

use crate::tools::terminal::OUTPUT;
use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{ClientCapabilities, Error};
use serde::Deserialize;

/// The capabilities of the client. Nothing but `initialize` is served before [`Handshake::greet`] succeeded.
#[derive(Debug, Default)]
pub struct Handshake {
    /// The version that the client asked for.
    requested: Option<u64>,
    capabilities: ClientCapabilities,
}

/// Read apart from the schema's type, which refuses version numbers beyond 16 bits instead of negotiating them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hello {
    protocol_version: u64,
    #[serde(default)]
    client_capabilities: Option<ClientCapabilities>,
}

impl Handshake {
    /// Takes the parameters of `initialize` and gives the version to answer with: always 1, the only one spoken here; a
    /// client that cannot speak it closes the connection.
    pub fn greet(&mut self, params: Option<&str>) -> Result<ProtocolVersion, Error> {
        let hello: Hello = crate::protocol::incoming::params(params)?;
        self.requested = Some(hello.protocol_version);
        self.capabilities = hello.client_capabilities.unwrap_or_default();
        Ok(ProtocolVersion::V1)
    }

    /// An error until the client has sent `initialize`.
    pub fn require(&self) -> Result<(), Error> {
        if self.requested.is_some() {
            return Ok(());
        }
        Err(Error::invalid_request().data(serde_json::json!({ "reason": "send initialize first" })))
    }

    pub fn reads_files(&self) -> bool {
        self.capabilities.fs.read_text_file
    }

    pub fn writes_files(&self) -> bool {
        self.capabilities.fs.write_text_file
    }

    pub fn runs_terminals(&self) -> bool {
        self.capabilities.terminal
    }

    pub fn shows_forms(&self) -> bool {
        self.capabilities.elicitation.as_ref().is_some_and(|elicitation| elicitation.form.is_some())
    }

    pub fn opens_urls(&self) -> bool {
        self.capabilities.elicitation.as_ref().is_some_and(|elicitation| elicitation.url.is_some())
    }

    /// Returns whether the client knows configuration options that are on or off.
    pub fn knows_switches(&self) -> bool {
        let session = self.capabilities.session.as_ref();
        session
            .and_then(|session| session.config_options.as_ref())
            .is_some_and(|options| options.boolean.is_some())
    }

    pub fn shows_notices(&self) -> bool {
        self.capabilities.session.as_ref().is_some_and(|session| session.notices.is_some())
    }

    /// Returns whether the client draws terminals from what commands print. ACP has no capability for that; clients that do have
    /// agreed on this name.
    pub fn draws_terminals(&self) -> bool {
        self.capabilities.meta.as_ref().is_some_and(|meta| meta.get(OUTPUT) == Some(&true.into()))
    }

    /// Returns whether the client wants to know of compactions.
    pub fn follows_compaction(&self) -> bool {
        self.capabilities.session.as_ref().is_some_and(|session| session.compaction.is_some())
    }
}
