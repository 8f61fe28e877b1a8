//! Logs and traces of a process, set up once at its start.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;

use opentelemetry_sdk::trace::SdkTracerProvider;
use thiserror::Error;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::flags::{LogFlags, LogFormat};
use crate::traces;

/// Why logs cannot begin.
#[derive(Debug, Error)]
pub enum StartLogs {
    /// `--log` is no filter.
    #[error("`{filter}` is no log filter; use a level such as `debug`, or `warn,portolan=debug`")]
    ParseFilter {
        /// The filter as given.
        filter: String,
        /// What the parser says.
        source: tracing_subscriber::filter::ParseError,
    },
    /// The OTLP exporter that the environment asks for cannot be built.
    #[error("build the OTLP exporter that the OTEL_* variables ask for")]
    BuildExporter(#[source] opentelemetry_otlp::ExporterBuildError),
    /// Something else in the process has set up logs before.
    #[error("set up logs a second time")]
    Install(#[from] tracing_subscriber::util::TryInitError),
}

/// Keeps traces flowing; what is not sent yet is sent when it is dropped.
#[must_use = "spans that are not sent yet are lost without it"]
#[derive(Debug)]
pub struct Logs {
    traces: Option<SdkTracerProvider>,
}

// === impl Logs ===

impl Logs {
    /// Starts logs, and traces if the standard `OTEL_*` variables ask for them. Needs a running
    /// Tokio runtime, on which the traces are sent.
    pub fn start(flags: &LogFlags, process: &'static str) -> Result<Self, StartLogs> {
        let filter = EnvFilter::try_new(&flags.log).map_err(|source| StartLogs::ParseFilter {
            filter: flags.log.clone(),
            source,
        })?;
        let traces = traces::provider(process).map_err(StartLogs::BuildExporter)?;
        let spans = traces
            .as_ref()
            .map(|provider| traces::layer(provider, process));
        tracing_subscriber::registry()
            .with(spans)
            .with(lines(flags).with_filter(filter))
            .try_init()?;
        std::panic::set_hook(Box::new(log_panic));
        Ok(Self { traces })
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.traces.take().map(|provider| provider.shutdown()) {
            tracing::warn!(%error, "some spans were not sent");
        }
    }
}

type Spanned = tracing_subscriber::layer::Layered<Option<traces::SpanLayer>, Registry>;

fn lines(flags: &LogFlags) -> Box<dyn Layer<Spanned> + Send + Sync> {
    let terminal = std::io::stderr().is_terminal();
    let format = flags.log_format.unwrap_or(match terminal {
        true => LogFormat::Pretty,
        false => LogFormat::Json,
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

/// One line for a panic, wherever it happens; the process goes on if the panic was in a call.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic
        .location()
        .map(ToString::to_string)
        .unwrap_or_default();
    tracing::error!(error = message, place, "panicked");
}
