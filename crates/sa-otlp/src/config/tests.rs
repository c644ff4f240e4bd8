//! The standard variables: their meaning, and values that are refused.

#![allow(clippy::unwrap_used)]
use super::*;

fn read(endpoint: Option<&str>, variables: &[(&str, &str)]) -> Result<Option<Config>, ConfigError> {
    let find =
        |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Config::read(&Flags { endpoint, with_content: false }, find)
}

fn url(target: Option<&Target>) -> Option<&str> {
    target.map(|target| target.url.as_str())
}

#[test]
fn without_an_endpoint_or_disabled_nothing_is_exported() {
    assert!(read(None, &[("OTEL_SERVICE_NAME", "x")]).unwrap().is_none());
    assert!(read(Some("http://a:1"), &[("OTEL_SDK_DISABLED", "TRUE")]).unwrap().is_none());
    assert!(read(None, &[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]).unwrap().is_none());
}

#[test]
fn signals_have_the_common_endpoint_or_their_own() {
    let config = read(
        None,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector/base/"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://traces/own"),
            ("OTEL_LOGS_EXPORTER", "none"),
        ],
    );
    let config = config.unwrap().unwrap();
    assert_eq!(url(config.traces.as_ref()), Some("http://traces/own"));
    assert_eq!(url(config.metrics.as_ref()), Some("https://collector/base/v1/metrics"));
    assert_eq!(url(config.logs.as_ref()), None);
    let flag = read(Some("http://flag:4318"), &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://variable")]);
    assert_eq!(url(flag.unwrap().unwrap().logs.as_ref()), Some("http://flag:4318/v1/logs"));
}

#[test]
fn the_resource_is_what_operators_say() {
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a"),
        ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,team=a%20b, region = x"),
        ("OTEL_SERVICE_NAME", "mine"),
    ];
    let resource = read(None, &variables).unwrap().unwrap().resource;
    let find = |key: &str| {
        resource.iter().filter(|(name, _)| name == key).map(|(_, v)| v.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((find("service.name"), find("team"), find("region")), (vec!["mine"], vec!["a b"], vec!["x"]));
    assert_eq!(find("service.version").len(), 1);
}

#[test]
fn headers_of_a_signal_replace_the_common_ones_and_are_never_shown() {
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hidden,x-a=1"),
        ("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "x-b=2"),
    ];
    let config = read(None, &variables).unwrap().unwrap();
    let traces = config.traces.as_ref().unwrap();
    assert_eq!(
        (traces.headers["authorization"].to_str().unwrap(), traces.headers.len()),
        ("Bearer hidden", 2)
    );
    assert_eq!(config.logs.as_ref().unwrap().headers.len(), 1);
    assert!(!format!("{config:?}").contains("hidden"));
}

#[test]
fn values_that_cannot_be_used_are_refused_by_name() {
    for (name, value, expected) in [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "gzip or none"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", "milliseconds"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "no pair", "name=value"),
        ("OTEL_TRACES_EXPORTER", "jaeger", "otlp or none"),
        ("OTEL_TRACES_SAMPLER", "some", "always_on"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "0", "a number from 1"),
        ("OTEL_SDK_DISABLED", "yes", "true or false"),
        ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "collector:4318", "an address such as"),
        ("OTEL_RESOURCE_ATTRIBUTES", "x", "key=value"),
    ] {
        let error = read(Some("http://a"), &[(name, value)]).unwrap_err().to_string();
        assert!(error.starts_with(name) && error.contains(expected), "{error}");
    }
}
