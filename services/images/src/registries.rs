//! The permitted registries. Many users can name images: authors of catalogs, and all users who may
//! write objects. The owner of a registry can name redirects and token servers. None of them may
//! cause connections to hosts that only this process can reach.

use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use crate::reference::Host;

/// The hosts that may be contacted. The hosts of redirects and of token servers must also be
/// permitted. Empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registries {
    is_any: bool,
    listed: Vec<Listed>,
}

/// A permitted registry, or all registries below a domain, such as `*.quay.io`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Listed {
    One(Host),
    Below(Host),
}

/// The reason why a host is not contacted. The message is the end of a sentence that begins with
/// the host name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAsked {
    /// The host is not one of the permitted registries.
    Unlisted,
    /// A redirect leads to an unencrypted connection.
    Plain,
    /// The cluster permits images of this registry only from mirrors.
    Barred,
    /// The address belongs to this machine or to its local network.
    Near(IpAddr),
}

// === impl Registries ===

impl Registries {
    /// Permits every registry, for interactive use. Hosts on this machine must still be listed.
    pub fn any() -> Self {
        Self {
            is_any: true,
            listed: Vec::new(),
        }
    }

    /// Adds registries, such as `quay.io`, `localhost:5000` or `*.quay.io`.
    ///
    /// # Errors
    ///
    /// Returns a sentence about the first invalid registry.
    pub fn and<'t>(mut self, texts: impl IntoIterator<Item = &'t str>) -> Result<Self, String> {
        for text in texts {
            self.listed.push(text.parse()?);
        }
        Ok(self)
    }

    pub(crate) fn asks(&self, host: &Host) -> Result<(), NotAsked> {
        if self.is_any || self.listed.iter().any(|listed| listed.has(host)) {
            Ok(())
        } else {
            Err(NotAsked::Unlisted)
        }
    }

    /// Checks if a permitted host may be contacted at this address. The address is the host itself,
    /// or was found by resolving its name.
    pub(crate) fn connects(&self, host: &Host, address: IpAddr) -> Result<(), NotAsked> {
        let is_named = self.listed.contains(&Listed::One(host.clone()));
        if is_named || !is_near(address) {
            Ok(())
        } else {
            Err(NotAsked::Near(address))
        }
    }
}

impl Listed {
    fn has(&self, host: &Host) -> bool {
        match self {
            Self::One(one) => one == host,
            Self::Below(domain) => host.is_below(domain),
        }
    }
}

impl FromStr for Listed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("*.") {
            None => text.parse().map(Self::One),
            Some(domain) => domain.parse().map(Self::Below),
        }
    }
}

/// Returns true for loopback addresses, link-local addresses, and the unspecified address, which
/// leads to loopback. Also checks IPv4 addresses that are embedded in IPv6 addresses.
fn is_near(address: IpAddr) -> bool {
    let of_four = |four: Ipv4Addr| {
        four.is_loopback() || four.is_link_local() || four.octets()[0] == 0 || four.is_broadcast()
    };
    match address {
        IpAddr::V4(four) => of_four(four),
        IpAddr::V6(six) => {
            let embedded = match six.segments() {
                // A gateway translates the embedded IPv4 address (RFC 6052), or a tunnel leads to
                // it (RFC 3056).
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
                    Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
                }
                _ => six.to_ipv4(),
            };
            six.is_loopback()
                || six.is_unspecified()
                || six.is_unicast_link_local()
                || embedded.is_some_and(of_four)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn host(text: &str) -> Host {
        text.parse().expect("a host")
    }

    #[rstest]
    #[case::no_registry_by_default(&[], "quay.io", Err(NotAsked::Unlisted))]
    #[case::listed_registries(&["quay.io"], "quay.io", Ok(()))]
    #[case::by_the_same_port(&["r.io:5000"], "r.io:5000", Ok(()))]
    #[case::at_no_other_port(&["r.io"], "r.io:5000", Err(NotAsked::Unlisted))]
    #[case::not_below(&["quay.io"], "cdn.quay.io", Err(NotAsked::Unlisted))]
    #[case::below_a_domain(&["*.quay.io"], "cdn.quay.io", Ok(()))]
    #[case::deep_below(&["*.quay.io"], "a.b.quay.io", Ok(()))]
    #[case::not_the_domain(&["*.quay.io"], "quay.io", Err(NotAsked::Unlisted))]
    #[case::nothing_that_only_ends_so(&["*.quay.io"], "evilquay.io", Err(NotAsked::Unlisted))]
    #[case::docker_by_each_name(&["docker.io"], "registry-1.docker.io", Ok(()))]
    fn only_permitted_registries_are_contacted(
        #[case] listed: &[&str],
        #[case] asked: &str,
        #[case] expected: Result<(), NotAsked>,
    ) {
        let registries = Registries::default().and(listed.iter().copied());
        assert_eq!(registries.expect("a list").asks(&host(asked)), expected);
    }

    #[rstest]
    #[case::public_address("192.0.2.1", true)]
    #[case::private_address("10.1.2.3", true)]
    #[case::public_ipv6_address("2001:db8::1", true)]
    #[case::loopback("127.0.0.1", false)]
    #[case::all_of_loopback("127.9.9.9", false)]
    #[case::unspecified("0.0.0.0", false)]
    #[case::metadata_address_of_clouds("169.254.169.254", false)]
    #[case::loopback_of_six("::1", false)]
    #[case::unspecified_of_six("::", false)]
    #[case::link_local_of_six("fe80::1", false)]
    #[case::loopback_within_six("::ffff:127.0.0.1", false)]
    #[case::link_local_within_six("::ffff:169.254.169.254", false)]
    #[case::an_old_form_within_six("::127.0.0.1", false)]
    #[case::public_ipv4_address_in_ipv6("::ffff:192.0.2.1", true)]
    #[case::translated("64:ff9b::a9fe:a9fe", false)]
    #[case::tunneled("2002:7f00:1::1", false)]
    fn local_addresses_require_a_registry_listed_by_name(
        #[case] address: &str,
        #[case] expected: bool,
    ) {
        let address: IpAddr = address.parse().expect("an address");
        let registries = Registries::any()
            .and(["listed.io:5000", "*.io"])
            .expect("a list");
        let may = |name: &str| registries.connects(&host(name), address);
        let refused = Err(NotAsked::Near(address));
        assert_eq!(
            may("other.io"),
            if expected { Ok(()) } else { refused.clone() }
        );
        assert_eq!(may("listed.io"), if expected { Ok(()) } else { refused });
        assert_eq!(may("listed.io:5000"), Ok(()));
    }
}
