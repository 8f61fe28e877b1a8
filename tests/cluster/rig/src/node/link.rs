//! The pair of network interfaces that connects the network of a rig with a node and the network of
//! its test.

use std::net::Ipv4Addr;

use crate::folder::{FIRST_PORT, PORTS};

/// The first address for pairs. This address range is reserved for network tests, so no real
/// network uses it.
const FIRST: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);

/// The names and addresses of a pair of interfaces. They are unique on the machine, because they
/// are derived from the ports of the rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    first_port: u16,
}

impl Link {
    pub(crate) fn of(first_port: u16) -> Self {
        Self { first_port }
    }

    /// Returns the name of the interface in the network of the test.
    pub(crate) fn outer_name(self) -> String {
        format!("rig{}", self.first_port)
    }

    pub(crate) fn outer(self) -> Ipv4Addr {
        self.address(1)
    }

    /// Returns the address of the interface in the network of the rig. The node, the API server and
    /// the registry use this address.
    pub(crate) fn inner(self) -> Ipv4Addr {
        self.address(2)
    }

    fn address(self, at: u32) -> Ipv4Addr {
        let rig = u32::from(self.first_port.saturating_sub(FIRST_PORT) / PORTS);
        Ipv4Addr::from(u32::from(FIRST) + 4 * rig + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rig_has_four_addresses() {
        let [first, second, last] = [21_000, 21_100, 30_900].map(Link::of);
        assert_eq!(first.outer(), Ipv4Addr::new(198, 18, 0, 1));
        assert_eq!(first.inner(), Ipv4Addr::new(198, 18, 0, 2));
        assert_eq!(second.outer(), Ipv4Addr::new(198, 18, 0, 5));
        assert_eq!(last.inner(), Ipv4Addr::new(198, 18, 1, 142));
    }
}
