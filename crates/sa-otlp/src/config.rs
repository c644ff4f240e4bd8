//! The configuration: `--otlp-endpoint` and the standard `OTEL_*` variables.

use crate::encode::Resource;
use crate::sampler::Sampler;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The reason why telemetry cannot be exported as it is configured. The text names the variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    pub(crate) fn certificate(path: &Path, why: &str) -> Self {
        Self(format!("OTEL_EXPORTER_OTLP_CERTIFICATE {}: {why}", path.display()))
    }

    pub(crate) fn client(why: &str) -> Self {
        Self(format!("cannot prepare the export of telemetry: {why}"))
    }
}

/// The daemon's own flags.
#[derive(Debug, Clone, Default)]
pub struct Flags<'a> {
    /// `--otlp-endpoint`: the collector for all signals.
    pub endpoint: Option<&'a str>,
    /// `--otlp-content`: prompts, answers and the arguments of tools are exported, too.
    pub with_content: bool,
}

/// The destinations of telemetry, and its extent.
#[derive(Debug, Clone)]
pub struct Config {
    pub(crate) resource: Resource,
    pub(crate) traces: Option<Target>,
    pub(crate) metrics: Option<Target>,
    pub(crate) logs: Option<Target>,
    pub(crate) sampler: Sampler,
    pub(crate) spans: Batching,
    pub(crate) records: Batching,
    pub(crate) metrics_every: Duration,
    /// True if prompts, answers and the arguments of tools are exported, too.
    pub with_content: bool,
}

/// A collector's address for one signal.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) timeout: Duration,
    pub(crate) compressed: bool,
    pub(crate) certificate: Option<PathBuf>,
}

/// The queue of a signal and its delay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batching {
    pub(crate) queue: usize,
    pub(crate) batch: usize,
    pub(crate) delay: Duration,
}

impl Config {
    /// Reads the configuration. None if nothing says where telemetry should go, or the SDK is disabled. Variables that are empty are
    /// unset, as the specification wants.
    ///
    /// # Errors
    ///
    /// A value that cannot be used.
    pub fn read(
        flags: &Flags<'_>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ConfigError> {
        let lookup =
            |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|v| !v.is_empty());
        let environment = Environment { lookup: &lookup, endpoint: flags.endpoint };
        if environment.flag("OTEL_SDK_DISABLED")? == Some(true) {
            return Ok(None);
        }
        let traces = environment.target("TRACES", "v1/traces")?;
        let metrics = environment.target("METRICS", "v1/metrics")?;
        let logs = environment.target("LOGS", "v1/logs")?;
        if traces.is_none() && metrics.is_none() && logs.is_none() {
            return Ok(None);
        }
        let sampler = match lookup("OTEL_TRACES_SAMPLER") {
            None => Sampler::default(),
            Some(name) => {
                Sampler::parse(&name, lookup("OTEL_TRACES_SAMPLER_ARG").as_deref()).map_err(ConfigError)?
            }
        };
        let capture = environment.flag("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")?;
        Ok(Some(Self {
            resource: environment.resource()?,
            traces,
            metrics,
            logs,
            sampler,
            spans: environment.batching("BSP", 5000)?,
            records: environment.batching("BLRP", 1000)?,
            metrics_every: environment.milliseconds("OTEL_METRIC_EXPORT_INTERVAL", 60_000)?,
            with_content: flags.with_content || capture == Some(true),
        }))
    }
}

struct Environment<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
    endpoint: Option<&'a str>,
}

impl Environment<'_> {
    /// Returns the variable of a signal, or else the one for all, with its name.
    fn of_signal(&self, signal: &str, name: &str) -> Option<(String, String)> {
        let own = format!("OTEL_EXPORTER_OTLP_{signal}_{name}");
        let common = format!("OTEL_EXPORTER_OTLP_{name}");
        [own, common].into_iter().find_map(|name| Some(((self.lookup)(&name)?, name)))
    }

    fn target(&self, signal: &str, path: &str) -> Result<Option<Target>, ConfigError> {
        let exporter = format!("OTEL_{signal}_EXPORTER");
        match (self.lookup)(&exporter).as_deref() {
            None | Some("otlp") => {}
            Some("none") => return Ok(None),
            Some(other) => return Err(wrong(&exporter, other, "otlp or none")),
        }
        let own = format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT");
        let url = match ((self.lookup)(&own), self.endpoint) {
            (Some(url), _) => address(&own, &url)?,
            (None, Some(base)) => below("--otlp-endpoint", base, path)?,
            (None, None) => match (self.lookup)("OTEL_EXPORTER_OTLP_ENDPOINT") {
                Some(base) => below("OTEL_EXPORTER_OTLP_ENDPOINT", &base, path)?,
                None => return Ok(None),
            },
        };
        if let Some((protocol, name)) = self.of_signal(signal, "PROTOCOL")
            && protocol != "http/protobuf"
        {
            let expected = "http/protobuf, usually on port 4318; or set OTEL_SDK_DISABLED=true";
            return Err(wrong(&name, &protocol, expected));
        }
        let headers = match self.of_signal(signal, "HEADERS") {
            Some((headers, name)) => read_headers(&name, &headers)?,
            None => HeaderMap::new(),
        };
        let timeout = match self.of_signal(signal, "TIMEOUT") {
            Some((text, name)) => read_milliseconds(&name, &text)?,
            None => Duration::from_secs(10),
        };
        let compressed = match self.of_signal(signal, "COMPRESSION") {
            None => false,
            Some((text, name)) => match text.as_str() {
                "none" => false,
                "gzip" => true,
                _ => return Err(wrong(&name, &text, "gzip or none")),
            },
        };
        let certificate = self.of_signal(signal, "CERTIFICATE").map(|(path, _)| path.into());
        Ok(Some(Target { url, headers, timeout, compressed, certificate }))
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, ConfigError> {
        match (self.lookup)(name).map(|value| value.to_lowercase()).as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(wrong(name, other, "true or false")),
        }
    }

    fn number(&self, name: &str, default: usize) -> Result<usize, ConfigError> {
        let Some(text) = (self.lookup)(name) else { return Ok(default) };
        let number = text.parse().ok().filter(|number| (1..=1 << 20).contains(number));
        number.ok_or_else(|| wrong(name, &text, "a number from 1 to 1048576"))
    }

    fn milliseconds(&self, name: &str, default: u64) -> Result<Duration, ConfigError> {
        let text = (self.lookup)(name).unwrap_or_else(|| default.to_string());
        read_milliseconds(name, &text)
    }

    fn batching(&self, prefix: &str, delay: u64) -> Result<Batching, ConfigError> {
        let queue = self.number(&format!("OTEL_{prefix}_MAX_QUEUE_SIZE"), 2048)?;
        let batch = self.number(&format!("OTEL_{prefix}_MAX_EXPORT_BATCH_SIZE"), 512)?.min(queue);
        let delay = self.milliseconds(&format!("OTEL_{prefix}_SCHEDULE_DELAY"), delay)?;
        Ok(Batching { queue, batch, delay })
    }

    fn resource(&self) -> Result<Resource, ConfigError> {
        let name = "OTEL_RESOURCE_ATTRIBUTES";
        let mut resource = Resource::new();
        for pair in (self.lookup)(name).unwrap_or_default().split(',').filter(|pair| !pair.trim().is_empty())
        {
            let (key, value) =
                pair.split_once('=').ok_or_else(|| wrong(name, pair, "key=value, separated by commas"))?;
            resource.push((decoded(key), decoded(value)));
        }
        if let Some(service) = (self.lookup)("OTEL_SERVICE_NAME") {
            resource.retain(|(key, _)| key != "service.name");
            resource.push(("service.name".to_owned(), service));
        }
        let own = [
            ("service.name", "sandbox-agent".to_owned()),
            ("service.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("service.instance.id", uuid::Uuid::new_v4().to_string()),
            ("process.pid", std::process::id().to_string()),
            ("telemetry.sdk.name", "sandbox-agent".to_owned()),
            ("telemetry.sdk.language", "rust".to_owned()),
            ("telemetry.sdk.version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        for (key, value) in own {
            if !resource.iter().any(|(known, _)| known == key) {
                resource.push((key.to_owned(), value));
            }
        }
        Ok(resource)
    }
}

fn wrong(name: &str, value: &str, expected: &str) -> ConfigError {
    ConfigError(format!("{name} '{value}': expected {expected}"))
}

fn address(name: &str, text: &str) -> Result<Url, ConfigError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    // An address may carry a password, so it is not repeated.
    url.ok_or_else(|| ConfigError(format!("{name}: expected an address such as http://127.0.0.1:4318")))
}

fn below(name: &str, base: &str, path: &str) -> Result<Url, ConfigError> {
    let mut url = address(name, base)?;
    let joined = format!("{}/{path}", url.path().trim_end_matches('/'));
    url.set_path(&joined);
    Ok(url)
}

fn read_milliseconds(name: &str, text: &str) -> Result<Duration, ConfigError> {
    let number = text.parse().ok().filter(|number| (1..=3_600_000).contains(number));
    number.map(Duration::from_millis).ok_or_else(|| wrong(name, text, "milliseconds from 1 to 3600000"))
}

fn read_headers(name: &str, text: &str) -> Result<HeaderMap, ConfigError> {
    // Values are credentials, so they are not repeated.
    let refused = || ConfigError(format!("{name}: expected name=value, separated by commas"));
    let mut headers = HeaderMap::new();
    for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
        let (key, value) = pair.split_once('=').ok_or_else(refused)?;
        let key = HeaderName::from_bytes(key.trim().as_bytes()).map_err(|_| refused())?;
        let mut value = HeaderValue::from_str(&decoded(value)).map_err(|_| refused())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// Resolves escapes such as `%20`.
fn decoded(text: &str) -> String {
    percent_decode_str(text.trim()).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests;
