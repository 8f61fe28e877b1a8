//! The flags that every process has, each with its environment variable.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};
use jiff::SignedDuration;

/// The address of a gRPC server, and the limits of its calls and connections.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Serving")]
pub struct ServeFlags {
    /// Address that serves gRPC. Port 0 selects a free port.
    #[arg(
        long,
        env = "PORTOLAN_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:50051",
        value_parser = parse_address
    )]
    pub listen: SocketAddr,

    /// The address for probes and metrics.
    #[command(flatten)]
    pub probes: ProbeFlags,

    /// Maximum size of a request. Larger requests are rejected with RESOURCE_EXHAUSTED. All
    /// responses that clients have not read yet may use 32 times this size in total.
    #[arg(
        long,
        env = "PORTOLAN_MAX_MESSAGE_BYTES",
        value_name = "BYTES",
        default_value_t = 4 * 1024 * 1024,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_message_bytes: u32,

    /// Maximum number of concurrent calls, and of concurrent streams. Further calls are rejected
    /// with RESOURCE_EXHAUSTED. One caller (a user, or else an address) may use a quarter of the
    /// calls. Health checks are exempt.
    #[arg(
        long,
        env = "PORTOLAN_MAX_CONCURRENT_CALLS",
        value_name = "CALLS",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_concurrent_calls: u32,

    /// Timeout of unary calls, even if the client sets a longer deadline.
    #[arg(
        long,
        env = "PORTOLAN_CALL_TIMEOUT",
        value_name = "DURATION",
        default_value = "60s",
        value_parser = parse_duration
    )]
    pub call_timeout: Duration,

    /// Maximum number of connections. Further connections are closed immediately.
    #[arg(
        long,
        env = "PORTOLAN_MAX_CONNECTIONS",
        value_name = "CONNECTIONS",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_connections: u32,

    /// Maximum age of a connection, with a jitter of 10 percent. An older connection accepts no new
    /// calls, so the client reconnects, perhaps to another replica. Running calls can finish, and
    /// streams end.
    #[arg(
        long,
        env = "PORTOLAN_MAX_CONNECTION_AGE",
        value_name = "DURATION",
        default_value = "5m",
        value_parser = parse_duration
    )]
    pub max_connection_age: Duration,

    /// Time for running calls to finish after SIGTERM.
    #[arg(
        long,
        env = "PORTOLAN_DRAIN_TIMEOUT",
        value_name = "DURATION",
        default_value = "25s",
        value_parser = parse_duration
    )]
    pub drain_timeout: Duration,
}

/// The address for probes and metrics. All processes have this flag, even processes that serve no
/// gRPC.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Serving")]
pub struct ProbeFlags {
    /// Address that serves /livez, /readyz and /metrics over HTTP. Port 0 selects a free port.
    #[arg(
        long,
        env = "PORTOLAN_PROBES_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8081",
        value_parser = parse_address
    )]
    pub probes_listen: SocketAddr,
}

/// The addresses of a server that API servers call over HTTPS.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Serving")]
pub struct HttpsFlags {
    /// Address that API servers call over HTTPS. Port 0 selects a free port.
    #[arg(
        long,
        env = "PORTOLAN_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8443",
        value_parser = parse_address
    )]
    pub listen: SocketAddr,

    /// The address for probes and metrics.
    #[command(flatten)]
    pub probes: ProbeFlags,
}

/// TLS and authorization of a gRPC server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Security")]
pub struct SecurityFlags {
    /// Folder with tls.crt and tls.key, such as a mounted Secret. Enables TLS. Changed files are
    /// reloaded.
    #[arg(long, env = "PORTOLAN_TLS", value_name = "DIR")]
    pub tls: Option<PathBuf>,

    /// Require the token of a user of the cluster. The user must have permission to get the
    /// resource `upgrades`, `health`, `reviews` or `diagnoses` of the API group portolan.dev.
    #[arg(long, env = "PORTOLAN_AUTHORIZE", value_parser = BoolishValueParser::new())]
    pub authorize: bool,
}

/// The authorities that a client trusts, and the credentials with which it authenticates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Credentials {
    /// PEM file of the certificate authorities for https:// servers. The file is read again for
    /// each connection.
    #[arg(long, env = "PORTOLAN_CA", value_name = "FILE", hide_short_help = true)]
    pub ca: Option<PathBuf>,

    /// File with the bearer token for https:// servers, such as the token of a ServiceAccount. A
    /// changed file is reloaded.
    #[arg(
        long = "token-file",
        env = "PORTOLAN_TOKEN_FILE",
        value_name = "FILE",
        hide_short_help = true
    )]
    pub token: Option<PathBuf>,
}

/// The filter and the format of logs. A process writes its logs to standard error.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Logging")]
pub struct LogFlags {
    /// Log filter: a level (error, warn, info, debug, trace), or levels by target such as
    /// `warn,portolan_resolver=debug`.
    #[arg(
        long,
        env = "PORTOLAN_LOG",
        value_name = "FILTER",
        default_value = "info",
        hide_short_help = true,
        global = true
    )]
    pub log: String,

    /// Format of log lines. Default: pretty on a terminal, and JSON elsewhere.
    #[arg(
        long,
        env = "PORTOLAN_LOG_FORMAT",
        value_name = "FORMAT",
        hide_short_help = true,
        global = true
    )]
    pub log_format: Option<LogFormat>,
}

/// The format of log lines. Both formats have the same fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object per line, for programs.
    Json,
    /// One line of text, for people.
    Pretty,
}

/// Parses an IP address and a port. A host name is refused, because it may have several addresses.
///
/// # Errors
/// Returns an error if the text is not an IP address with a port.
pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("`{text}` is not an IP address with a port, such as 127.0.0.1:50051 or [::]:50051")
    })
}

/// The maximum duration. It is so short that it can be added to any point in time.
const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// Parses a duration such as "30s", "2m" or "1h30m". A plain number is a number of seconds.
///
/// # Errors
/// Returns an error if the text is not a duration, or if the duration is negative or zero.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let refused = || format!("`{text}` is not a duration such as 500ms, 30s or 1h30m");
    let duration = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let parsed: SignedDuration = text.parse().map_err(|_| refused())?;
            Duration::try_from(parsed).map_err(|_| refused())?
        }
    };
    if duration.is_zero() || duration > LONGEST {
        return Err(refused());
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn listen_address_rejects_host_names() {
        for text in ["localhost:50051", ":50051", "127.0.0.1"] {
            let refusal = format!(
                "`{text}` is not an IP address with a port, such as 127.0.0.1:50051 or [::]:50051"
            );
            assert_eq!(parse_address(text), Err(refusal));
        }
    }

    #[test]
    fn zero_limits_are_refused() {
        for flag in [
            "--max-message-bytes",
            "--max-concurrent-calls",
            "--max-connections",
        ] {
            let command = ServeFlags::augment_args(clap::Command::new("serve"));
            let refused = command.try_get_matches_from(["serve", flag, "0"]);
            let kind = refused.map(drop).map_err(|refusal| refusal.kind());
            assert_eq!(kind, Err(ErrorKind::ValueValidation), "{flag}");
        }
    }

    #[test]
    fn parses_durations_with_units_and_as_seconds() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1h 30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration("3s"), Ok(Duration::from_secs(3)));
        assert_eq!(parse_duration("600"), Ok(Duration::from_secs(600)));
    }

    #[test]
    fn invalid_duration_error_shows_examples() {
        for text in [
            "",
            "-5",
            "-5s",
            "0",
            "0s",
            "soon",
            "5000000000",
            "99999999999999999999",
        ] {
            let refusal = format!("`{text}` is not a duration such as 500ms, 30s or 1h30m");
            assert_eq!(parse_duration(text), Err(refusal));
        }
    }
}
