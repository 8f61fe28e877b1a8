//! Sets up logs and traces when a process starts.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::time::Duration;

use opentelemetry_sdk::trace::SdkTracerProvider;
use thiserror::Error;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::flags::{LogFlags, LogFormat};
use crate::traces;

/// The maximum time for sending spans when a process ends. This time delays a user who waits for a
/// command, or an orchestrator that waits for a service.
const FLUSH: Duration = Duration::from_secs(1);

/// The libraries whose warnings or errors this program handles and logs itself. Each library has
/// the level that is still logged. For example, h2 warns about each connection that it closes
/// because of an error of the client.
const HUSHED: [(&str, &str); 3] = [
    ("h2", "h2=error"),
    ("kube_client", "kube_client=off"),
    ("notify", "notify=error"),
];

/// The reason why logging cannot be set up.
#[derive(Debug, Error)]
pub enum StartLogs {
    /// `--log` is not a valid filter.
    #[error("`{0}` is not a log filter; use a level such as `debug`, or `warn,portolan=debug`")]
    ParseFilter(String),
    /// Logging has already been set up.
    #[error("logs are already set up")]
    Install(#[from] tracing_subscriber::util::TryInitError),
}

/// Exports traces. Dropping this value sends the remaining traces.
#[must_use = "spans that are not sent yet are lost without it"]
#[derive(Debug)]
pub struct Logs {
    traces: Option<SdkTracerProvider>,
}

// === impl Logs ===

impl Logs {
    /// Starts logging, and tracing if the standard `OTEL_*` variables enable it. Requires a running
    /// Tokio runtime, which sends the traces. Invalid variables cause only a warning, because they
    /// belong to the environment of the user and do not affect results.
    pub fn start(flags: &LogFlags, process: &'static str) -> Result<Self, StartLogs> {
        let filter = parse_filter(&flags.log)?;
        let (traces, unusable) = match traces::provider(process) {
            Ok(traces) => (traces, None),
            Err(error) => (None, Some(error)),
        };
        let spans = traces
            .as_ref()
            .map(|provider| traces::layer(provider, process));
        tracing_subscriber::registry()
            .with(spans)
            .with(lines(flags).with_filter(filter))
            .try_init()?;
        std::panic::set_hook(Box::new(log_panic));
        if let Some(error) = unusable {
            tracing::warn!(%error, "no traces are sent, because the OTEL_* variables are invalid");
        }
        Ok(Self { traces })
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        let sent = self.traces.take();
        let sent = sent.map(|provider| provider.shutdown_with_timeout(FLUSH));
        if let Some(Err(error)) = sent {
            tracing::warn!(%error, "some spans were not sent");
        }
    }
}

/// Parses a log filter. Rejects a single word that is not a level. As a filter, this word would be
/// the name of a target, so a misspelled level would disable all logs.
fn parse_filter(filter: &str) -> Result<EnvFilter, StartLogs> {
    let refused = || StartLogs::ParseFilter(filter.to_owned());
    let is_word = |part: &str| part.chars().all(char::is_alphanumeric);
    let mut words = filter
        .split(',')
        .map(str::trim)
        .filter(|part| is_word(part));
    if words.all(|word| word.is_empty() || word.parse::<LevelFilter>().is_ok()) {
        EnvFilter::try_new(filter)
            .map(|parsed| hush(parsed, filter))
            .map_err(|_| refused())
    } else {
        Err(refused())
    }
}

/// Hides logs of the libraries in `HUSHED`, unless the filter names these libraries or enables all
/// logs.
fn hush(parsed: EnvFilter, filter: &str) -> EnvFilter {
    let most = parsed.max_level_hint();
    if most.is_none_or(|most| most == LevelFilter::OFF || most > LevelFilter::INFO) {
        return parsed;
    }
    let is_named = |name: &str| filter.split(',').any(|part| part.trim().starts_with(name));
    let hushed = HUSHED.iter().filter(|(name, _)| !is_named(name));
    hushed.fold(parsed, |filter, (_, directive)| {
        filter.add_directive(directive.parse().expect("the directive must parse"))
    })
}

type Spanned = tracing_subscriber::layer::Layered<Option<traces::SpanLayer>, Registry>;

fn lines(flags: &LogFlags) -> Box<dyn Layer<Spanned> + Send + Sync> {
    let terminal = std::io::stderr().is_terminal();
    let format = flags.log_format.unwrap_or(if terminal {
        LogFormat::Pretty
    } else {
        LogFormat::Json
    });
    let lines = fmt::layer().with_writer(std::io::stderr);
    match format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed(),
        LogFormat::Pretty => lines.with_ansi(terminal).boxed(),
    }
}

/// Logs one line for a panic in any thread. The process continues after a panic in a call.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic
        .location()
        .map(ToString::to_string)
        .unwrap_or_default();
    tracing::error!(error = message, place, "panicked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_consists_of_levels_with_and_without_targets() {
        for filter in [
            "info",
            "WARN",
            "off",
            "warn,portolan_resolver=debug",
            "tonic=trace",
            "",
        ] {
            assert!(parse_filter(filter).is_ok(), "{filter}");
        }
    }

    #[test]
    fn libraries_log_only_warnings_unless_the_filter_contains_them() {
        for (filter, expected) in [
            ("info", "kube_client=off,notify=error,h2=error,info"),
            ("off", "off"),
            (
                "info,notify=warn",
                "kube_client=off,notify=warn,h2=error,info",
            ),
            (
                "info,kube_client=warn",
                "kube_client=warn,notify=error,h2=error,info",
            ),
            ("debug", "debug"),
        ] {
            let parsed = parse_filter(filter).expect("the filter must parse");
            assert_eq!(parsed.to_string(), expected, "{filter}");
        }
    }

    #[test]
    fn misspelled_log_level_is_refused() {
        for filter in ["debgu", "warn,verbose", "=!"] {
            let refused = parse_filter(filter).map(drop);
            assert!(
                matches!(refused, Err(StartLogs::ParseFilter(_))),
                "{filter}"
            );
        }
    }
}
