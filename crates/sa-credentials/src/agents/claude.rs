//! Claude Code. The order is the one that its requests show (2.1.325): a cloud platform, then the bearer token, the API
//! key, the helper, the login token, the stored login, the key that signing in to the Console made. Settings stand
//! above the environment.

use crate::search::{Search, Unit};
use crate::{Credential, Kind, Origin, Platform, Secret, Variable};
use serde_json::Value;
use std::path::{Path, PathBuf};

const PROVIDER: &str = "anthropic";
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
const API_KEY: &str = "ANTHROPIC_API_KEY";
const OAUTH_TOKEN: &str = "CLAUDE_CODE_OAUTH_TOKEN";
const KEYCHAIN: &str = "Claude Code-credentials";

/// A platform in the provider's place: its name, the switch, its secret, and its other variables.
struct Cloud {
    provider: &'static str,
    switch: &'static str,
    secret: &'static str,
    rest: &'static [&'static str],
}

const CLOUDS: [Cloud; 3] = [
    Cloud {
        provider: "amazon-bedrock",
        switch: "CLAUDE_CODE_USE_BEDROCK",
        secret: "AWS_BEARER_TOKEN_BEDROCK",
        rest: &[
            "AWS_REGION",
            "AWS_PROFILE",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
        ],
    },
    Cloud {
        provider: "google-vertex",
        switch: "CLAUDE_CODE_USE_VERTEX",
        secret: "ANTHROPIC_VERTEX_AUTH_TOKEN",
        rest: &["ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION", "GOOGLE_APPLICATION_CREDENTIALS"],
    },
    Cloud {
        provider: "azure-foundry",
        switch: "CLAUDE_CODE_USE_FOUNDRY",
        secret: "ANTHROPIC_FOUNDRY_API_KEY",
        rest: &["ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_BASE_URL"],
    },
];

pub(super) fn search(search: &mut Search) {
    let folder = search.host.folder(CONFIG_DIR, ".claude");
    let path = folder.join("settings.json");
    let settings = Settings { document: search.object(&path).unwrap_or_default(), path };
    for cloud in &CLOUDS {
        settings.cloud(search, cloud);
    }
    settings.variable(search, "ANTHROPIC_AUTH_TOKEN", Kind::AuthToken);
    settings.variable(search, API_KEY, Kind::ApiKey);
    settings.helper(search);
    settings.variable(search, OAUTH_TOKEN, Kind::OAuth);
    let base_url = settings.lookup(search, "ANTHROPIC_BASE_URL").map(|(url, _)| url);
    login(search, &folder.join(".credentials.json"), base_url.clone());
    // In a custom folder the CLI keeps everything.
    let state = match search.host.variable(CONFIG_DIR) {
        Some(_) => folder.join(".claude.json"),
        None => search.host.home.join(".claude.json"),
    };
    managed_key(search, &state, base_url);
}

/// The user's settings, whose `env` the CLI lays over its own environment.
struct Settings {
    document: Value,
    path: PathBuf,
}

impl Settings {
    fn lookup(&self, search: &mut Search, name: &'static str) -> Option<(String, Origin)> {
        let origin = Origin::File(self.path.clone());
        match self.document.get("env").and_then(|env| env.get(name)) {
            Some(Value::Number(number)) => return Some((number.to_string(), origin)),
            Some(Value::Bool(truth)) => return Some((truth.to_string(), origin)),
            Some(_) => {
                let text = search.text(&self.document, &format!("/env/{name}"), &origin)?;
                return Some((text, origin));
            }
            None => {}
        }
        search.host.variable(name).map(|value| (value.to_owned(), Origin::Variable(name)))
    }

    fn variable(&self, search: &mut Search, name: &'static str, kind: Kind) {
        let Some((secret, origin)) = self.lookup(search, name) else { return };
        let mut credential = Credential::new(PROVIDER, kind, origin).with_secret(secret).handed_as(name);
        credential.base_url = self.lookup(search, "ANTHROPIC_BASE_URL").map(|(url, _)| url);
        search.add(credential);
    }

    fn helper(&self, search: &mut Search) {
        let origin = Origin::File(self.path.clone());
        if search.text(&self.document, "/apiKeyHelper", &origin).is_some() {
            search.add(Credential::new(PROVIDER, Kind::Helper, origin));
        }
    }

    fn cloud(&self, search: &mut Search, cloud: &Cloud) {
        let Some((switch, origin)) = self.lookup(search, cloud.switch) else { return };
        if !matches!(switch.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on") {
            return;
        }
        let mut credential = Credential::new(cloud.provider, Kind::Cloud, origin);
        credential.secret = self.lookup(search, cloud.secret).map(|(secret, _)| Secret::new(secret));
        let names = [cloud.switch, cloud.secret].into_iter().chain(cloud.rest.iter().copied());
        for name in names {
            let value = self.lookup(search, name).map(|(value, _)| Secret::new(value));
            credential.variables.extend(value.map(|value| Variable { name, value }));
        }
        search.add(credential);
    }
}

fn login(search: &mut Search, path: &Path, base_url: Option<String>) {
    let origin = Origin::File(path.to_owned());
    let Some(document) = search.object(path) else {
        if search.host.platform == Platform::MacOs && !path.exists() {
            search.problem(Origin::Keychain(KEYCHAIN), "a login is kept in the keychain, which is not read");
        }
        return;
    };
    let Some(secret) = search.text(&document, "/claudeAiOauth/accessToken", &origin) else { return };
    // Never as an API key: the provider would refuse it.
    let mut credential =
        Credential::new(PROVIDER, Kind::OAuth, origin.clone()).with_secret(secret).handed_as(OAUTH_TOKEN);
    credential.expires_at_ms =
        search.moment(&document, ("/claudeAiOauth/expiresAt", Unit::Milliseconds), &origin);
    credential.renewable = search.text(&document, "/claudeAiOauth/refreshToken", &origin).is_some();
    credential.subscription = search.text(&document, "/claudeAiOauth/subscriptionType", &origin);
    credential.base_url = base_url;
    search.add(credential);
}

fn managed_key(search: &mut Search, path: &Path, base_url: Option<String>) {
    let origin = Origin::File(path.to_owned());
    let Some(document) = search.object(path) else { return };
    let Some(secret) = search.text(&document, "/primaryApiKey", &origin) else { return };
    let mut credential =
        Credential::new(PROVIDER, Kind::ApiKey, origin.clone()).with_secret(secret).handed_as(API_KEY);
    credential.account = search.text(&document, "/oauthAccount/emailAddress", &origin);
    credential.base_url = base_url;
    search.add(credential);
}
