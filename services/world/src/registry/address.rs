//! The address of a registry.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use thiserror::Error;
use tonic::codegen::http::Uri;

use crate::registry::ServicePort;

/// The host and the port of a registry. Registries do not use TLS.
///
/// Parses the `address` of a CatalogSource: `host:port`, optionally after a gRPC name resolver
/// prefix (`dns:` or `passthrough:`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The host as in a URL. An IPv6 address is in brackets.
    host: String,
    port: u16,
}

/// The error for an invalid address of a registry.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseAddress {
    /// The text is not a host with a port.
    #[error("`{0}` is not the address of a registry, such as catalog.olm.svc:50051")]
    Form(String),
    /// The port is missing. Registries have no default port.
    #[error("`{0}` has no port; add a port, such as `{0}:50051`")]
    Port(String),
    /// The address is an IPv6 address without brackets, so it is ambiguous if the last part is the
    /// port.
    #[error("`{0}` is ambiguous; write an IPv6 address in brackets, such as [::1]:50051")]
    Brackets(String),
    /// The scheme is not supported.
    #[error(
        "`{address}`: `{scheme}` is not supported; write host:port, optionally after grpc://, \
         dns:/// or passthrough:///"
    )]
    Scheme { address: String, scheme: String },
    /// The address requires TLS, which registries do not support.
    #[error("`{0}` requests TLS, which registries do not support; write host:port")]
    Tls(String),
}

/// The prefixes that may precede host and port. Longer prefixes come first.
const PREFIXES: [&str; 5] = [
    "grpc://",
    "dns:///",
    "dns:",
    "passthrough:///",
    "passthrough:",
];

// === impl Address ===

impl Address {
    /// Returns the address as a URL.
    pub fn uri(&self) -> Uri {
        format!("http://{self}")
            .parse()
            .expect("a parsed address must make a URL")
    }

    /// Returns the Service that the address names. The host must have the form
    /// `name.namespace.svc`, with or without a cluster domain. Returns None for other addresses.
    pub fn service(&self) -> Option<ServicePort> {
        let mut parts = self.host.split('.');
        let (service, namespace) = (parts.next()?, parts.next()?);
        (parts.next()? == "svc").then(|| ServicePort {
            namespace: namespace.to_owned(),
            service: service.to_owned(),
            port: self.port,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        write!(f, "{host}:{port}")
    }
}

impl FromStr for Address {
    type Err = ParseAddress;

    fn from_str(text: &str) -> Result<Self, ParseAddress> {
        let own = || text.to_owned();
        let rest = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix));
        let rest = rest.unwrap_or(text);
        if let Some((scheme, _)) = rest.split_once(":/") {
            return Err(match scheme {
                "https" | "grpcs" => ParseAddress::Tls(own()),
                _ => ParseAddress::Scheme {
                    address: own(),
                    scheme: scheme.to_owned(),
                },
            });
        }
        let bare = rest
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if rest.parse::<Ipv6Addr>().is_ok() {
            return Err(ParseAddress::Brackets(own()));
        }
        let Some((host, port)) = rest.rsplit_once(':').filter(|_| bare.is_none()) else {
            return Err(if is_host(rest) {
                ParseAddress::Port(own())
            } else {
                ParseAddress::Form(own())
            });
        };
        match port.parse() {
            Ok(port) if port > 0 && is_host(host) => Ok(Self {
                host: host.to_owned(),
                port,
            }),
            _ if host.parse::<Ipv6Addr>().is_ok() => Err(ParseAddress::Brackets(own())),
            _ => Err(ParseAddress::Form(own())),
        }
    }
}

/// Returns true if the text is a name, an IPv4 address, or an IPv6 address in brackets.
fn is_host(text: &str) -> bool {
    let inside = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match inside {
        Some(inside) => inside.parse::<Ipv6Addr>().is_ok(),
        None => {
            let may = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
            !text.is_empty() && text.len() <= 253 && text.bytes().all(may)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name("catalog.olm.svc:50051", "catalog.olm.svc:50051")]
    #[case::ipv4("127.0.0.1:1", "127.0.0.1:1")]
    #[case::ipv6("[::1]:50051", "[::1]:50051")]
    #[case::grpc("grpc://catalog:50051", "catalog:50051")]
    #[case::dns("dns:///catalog:50051", "catalog:50051")]
    #[case::short_dns("dns:catalog:50051", "catalog:50051")]
    #[case::passthrough("passthrough:///[fd00::2]:50051", "[fd00::2]:50051")]
    fn address_has_a_host_and_a_port(#[case] text: &str, #[case] expected: &str) {
        let address: Address = text.parse().expect("the address must parse");
        assert_eq!(address.to_string(), expected);
        assert_eq!(address.uri().to_string(), format!("http://{expected}/"));
        assert_eq!(expected.parse(), Ok(address));
    }

    #[rstest]
    #[case::short("charts.olm.svc:50051", Some("olm/charts"))]
    #[case::long("charts.olm.svc.cluster.local:50051", Some("olm/charts"))]
    #[case::of_another_domain("charts.olm.example.com:50051", None)]
    #[case::a_name("charts:50051", None)]
    #[case::numbers("10.0.0.1:50051", None)]
    #[case::ipv6("[::1]:50051", None)]
    fn service_is_recognized_by_its_host_name(#[case] text: &str, #[case] expected: Option<&str>) {
        let address: Address = text.parse().expect("the address must parse");
        let service = address.service();
        let port = service.as_ref().map(|service| service.port);
        assert_eq!(port, expected.map(|_| 50051));
        assert_eq!(
            service.map(|service| service.to_string()).as_deref(),
            expected
        );
    }

    #[rstest]
    #[case::nothing(
        "",
        "`` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::no_host(
        ":50051",
        "`:50051` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::no_port(
        "catalog",
        "`catalog` has no port; add a port, such as `catalog:50051`"
    )]
    #[case::no_port_ipv6("[::1]", "`[::1]` has no port; add a port, such as `[::1]:50051`")]
    #[case::port_zero(
        "catalog:0",
        "`catalog:0` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::port_name(
        "catalog:grpc",
        "`catalog:grpc` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::port_too_high(
        "catalog:65536",
        "`catalog:65536` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::user(
        "me@catalog:1",
        "`me@catalog:1` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::path(
        "catalog:1/path",
        "`catalog:1/path` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::blank(
        "cata log:1",
        "`cata log:1` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    #[case::bare_ipv6(
        "::1",
        "`::1` is ambiguous; write an IPv6 address in brackets, such as [::1]:50051"
    )]
    #[case::bare_ipv6_port(
        "fd00::2:1:50051",
        "`fd00::2:1:50051` is ambiguous; write an IPv6 address in brackets, such as [::1]:50051"
    )]
    #[case::https(
        "https://catalog:1",
        "`https://catalog:1` requests TLS, which registries do not support; write host:port"
    )]
    #[case::socket(
        "unix:///run/catalog",
        "`unix:///run/catalog`: `unix` is not supported; write host:port, optionally after \
         grpc://, dns:/// or passthrough:///"
    )]
    #[case::authority(
        "dns://10.0.0.1/catalog:1",
        "`dns://10.0.0.1/catalog:1` is not the address of a registry, such as catalog.olm.svc:50051"
    )]
    fn invalid_address_error_names_the_expected_form(#[case] text: &str, #[case] sentence: &str) {
        let refusal = text
            .parse::<Address>()
            .expect_err("the address must be refused");
        assert_eq!(refusal.to_string(), sentence);
    }
}
