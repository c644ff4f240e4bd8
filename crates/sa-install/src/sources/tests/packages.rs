//! The npm registry: which address, as whom, and what counts as a checksum.

use super::*;
use sa_testkit::mirror::Fault;
use serde_json::json;

const RECIPE: &str = r#"
entry = ["tool"]
[[sources]]
kind = "npm"
package = "@scope/tool"
"#;

/// Returns a mirror that is asked as the registry itself, without being a mirror of anything.
async fn registry(token: &str) -> (Mirror, Resolver) {
    let mirror = Mirror::start().await.unwrap();
    let place = mirror.npm_registry();
    let key = format!("{}:_authToken", place.trim_start_matches("http:"));
    let env = [("npm_config_registry", place.as_str()), (&format!("npm_config_{key}"), token)];
    let env = env.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let npm = Npm::new(NpmConfig::load(&NpmSources { env, ..NpmSources::default() }), None);
    let client =
        Client::new(ClientOptions { first_pause: Duration::from_millis(1), ..ClientOptions::default() });
    let resolver = Resolver { client, npm, ..resolver(&mirror, Platform::LinuxX64) };
    (mirror, resolver)
}

#[tokio::test]
async fn a_registry_is_asked_with_its_credentials_and_for_little() {
    let (mirror, resolver) = registry("s3cret").await;
    mirror.publish_npm("@scope/tool", "1.2.3", &[], &json!({})).unwrap();
    let artifact = ask(&resolver, &agent_with(RECIPE), InstallSource::Npm, None).await.unwrap();
    let asked = &mirror.requests_of("/npm/@scope%2ftool")[0];
    assert_eq!(asked.authorization.as_deref(), Some("Bearer s3cret"));
    assert!(asked.accept.as_ref().unwrap().starts_with("application/vnd.npm.install-v1+json"));
    // A tarball with an address elsewhere is fetched from the registry, as the same user.
    let found = file(&artifact);
    assert_eq!(found.url.as_str(), format!("{}@scope/tool/-/tool-1.2.3.tgz", mirror.npm_registry()));
    assert_eq!(found.headers["authorization"], "Bearer s3cret");
    assert!(!format!("{found:?}").contains("s3cret"));
}

#[tokio::test]
async fn an_address_without_the_packages_name_is_left_alone() {
    let (mirror, resolver) = registry("t").await;
    mirror.publish_npm("@scope/tool", "1.2.3", &[], &json!({})).unwrap();
    let elsewhere = "https://files.example/blobs/123";
    mirror.change_package("@scope/tool", |package| {
        package["versions"]["1.2.3"]["dist"]["tarball"] = elsewhere.into()
    });
    let artifact = ask(&resolver, &agent_with(RECIPE), InstallSource::Npm, None).await.unwrap();
    assert_eq!(file(&artifact).url.as_str(), elsewhere);
    assert!(file(&artifact).headers.is_empty());
}

#[tokio::test]
async fn only_strong_digests_count() {
    let (mirror, resolver) = registry("t").await;
    mirror.publish_npm("@scope/tool", "1.2.3", &[], &json!({})).unwrap();
    let with = async |integrity: serde_json::Value| {
        mirror.change_package("@scope/tool", |package| {
            package["versions"]["1.2.3"]["dist"]["integrity"] = integrity;
            package["versions"]["1.2.3"]["dist"]["shasum"] =
                "da39a3ee5e6b4b0d3255bfef95601890afd80709".into();
        });
        let artifact = ask(&resolver, &agent_with(RECIPE), InstallSource::Npm, None).await.unwrap();
        file(&artifact).digest.clone()
    };
    assert_eq!(with(json!(null)).await, None);
    assert_eq!(with(json!("sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=")).await, None);
    assert_eq!(with(json!("sha512-cut")).await, None);
    let weak = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    assert!(matches!(with(json!(weak)).await, Some(Digest::Sha256(_))));
    let strong =
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";
    assert!(matches!(with(json!(format!("{weak} {strong}?x"))).await, Some(Digest::Sha512(_))));
}

#[tokio::test]
async fn another_package_may_say_what_is_latest() {
    let (mirror, resolver) = registry("t").await;
    for version in ["1.0.0", "2.0.0-nightly"] {
        mirror.publish_npm("@scope/tool-linux-x64", version, &[], &json!({})).unwrap();
    }
    mirror.publish_npm("@scope/tool", "1.0.0", &[], &json!({})).unwrap();
    let agent = agent_with(
        "entry = [\"tool\"]\n[[sources]]\nkind = \"npm\"\npackage = \"@scope/tool-{platform}\"\n\
         latest-of = \"@scope/tool\"\nplatforms = { linux-x64 = \"linux-x64\" }",
    );
    assert_eq!(ask(&resolver, &agent, InstallSource::Npm, None).await.unwrap().version, "1.0.0");
    let named = ask(&resolver, &agent, InstallSource::Npm, Some("2.0.0-nightly")).await.unwrap();
    assert_eq!(named.version, "2.0.0-nightly");
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let (mirror, resolver) = registry("t").await;
    let error = ask(&resolver, &agent_with(RECIPE), InstallSource::Npm, None).await.unwrap_err();
    assert!(error.to_string().contains("has no package '@scope/tool'"), "{error}");
    mirror.fault("/npm/*", Fault::Status(401));
    let error = ask(&resolver, &agent_with(RECIPE), InstallSource::Npm, None).await.unwrap_err();
    assert!(error.to_string().contains("_authToken"), "{error}");
    let unconfigured = Resolver { npm: Npm::new(NpmConfig::default(), None), ..resolver };
    let error = ask(&unconfigured, &agent_with(RECIPE), InstallSource::Npm, None).await.unwrap_err();
    assert!(error.to_string().contains("npm_config_registry"), "{error}");
}

#[tokio::test]
async fn a_tree_is_pinned_to_a_version() {
    let (mirror, resolver) = registry("t").await;
    mirror.publish_npm("pi-acp", "0.0.34", &[], &json!({})).unwrap();
    let artifact = ask(&resolver, &agent("pi"), InstallSource::Npm, None).await.unwrap();
    let Contents::NpmTree(packages) = &artifact.contents else { panic!("{artifact:?}") };
    assert_eq!(packages, &["pi-acp@0.0.34", "@earendil-works/pi-coding-agent"]);
    assert_eq!(artifact.version, "0.0.34");
    let error = ask(&resolver, &agent("pi"), InstallSource::Npm, Some("7.0.0")).await.unwrap_err();
    assert!(matches!(error, SourceError::NoVersion { .. }), "{error:?}");
}
