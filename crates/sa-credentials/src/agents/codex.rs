//! Codex. Its order (0.166): `CODEX_API_KEY`, `CODEX_ACCESS_TOKEN`, then `auth.json` as its `auth_mode` says. It
//! ignores `OPENAI_API_KEY`, which is offered last.

use crate::search::{Search, Unit};
use crate::{Credential, Kind, Origin};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;

const PROVIDER: &str = "openai";
const API_KEY: &str = "CODEX_API_KEY";

pub(super) fn search(search: &mut Search) {
    search.add_variable(PROVIDER, Kind::ApiKey, API_KEY);
    search.add_variable(PROVIDER, Kind::AuthToken, "CODEX_ACCESS_TOKEN");
    file(search);
    search.add_variable(PROVIDER, Kind::ApiKey, "OPENAI_API_KEY");
}

fn file(search: &mut Search) {
    let path = search.host.folder("CODEX_HOME", ".codex").join("auth.json");
    let Some(document) = search.object(&path) else { return };
    let origin = Origin::File(path);
    let key = search.text(&document, "/OPENAI_API_KEY", &origin).map(|secret| {
        Credential::new(PROVIDER, Kind::ApiKey, origin.clone()).with_secret(secret).handed_as(API_KEY)
    });
    let login = login(search, &document, &origin);
    let mode = search.text(&document, "/auth_mode", &origin);
    // Without a mode the key wins.
    let login_first = mode.is_some_and(|mode| mode.starts_with("chatgpt"));
    let both = if login_first { [login, key] } else { [key, login] };
    if both.iter().all(Option::is_none) {
        return search.problem(origin, "holds neither an API key nor a login");
    }
    both.into_iter().flatten().for_each(|credential| search.add(credential));
}

/// Returns the login with a ChatGPT account. No variable takes it: `CODEX_ACCESS_TOKEN` refuses such tokens.
fn login(search: &mut Search, document: &Value, origin: &Origin) -> Option<Credential> {
    let secret = search.text(document, "/tokens/access_token", origin)?;
    let mut credential = Credential::new(PROVIDER, Kind::OAuth, origin.clone());
    let access = claims(&secret);
    let identity = search.text(document, "/tokens/id_token", origin).map_or(Value::Null, |it| claims(&it));
    credential.expires_at_ms = search.moment(&access, ("/exp", Unit::Seconds), origin);
    credential.renewable = search.text(document, "/tokens/refresh_token", origin).is_some();
    credential.account = search
        .text(&identity, "/email", origin)
        .or_else(|| search.text(document, "/tokens/account_id", origin));
    let plan = "/https:~1~1api.openai.com~1auth/chatgpt_plan_type";
    credential.subscription = [&identity, &access].into_iter().find_map(|it| search.text(it, plan, origin));
    Some(credential.with_secret(secret))
}

/// Returns the claims of a JSON web token, without checking its signature.
fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap_or_default();
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(payload).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
