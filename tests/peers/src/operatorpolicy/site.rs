//! The namespaces and the names of their objects.

/// The package of all operators. The registry of all catalogs contains only this package.
pub(crate) const PACKAGE: &str = "ship";
pub(crate) const CSV: &str = "ship.v1.4.2";
pub(crate) const CHANNEL: &str = "stable";
pub(crate) const CATALOG: &str = "fleet";
pub(crate) const PLAN: &str = "install-ship";
pub(crate) const GROUP: &str = "site-group";
pub(crate) const DEPLOYMENT: &str = "ship-controller-manager";
pub(crate) const POLICY: &str = "pilot";

/// A namespace with one policy, one operator and one catalog. It is identified by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Site(usize);

// === impl Site ===

impl Site {
    pub(crate) fn all(policies: usize) -> impl Iterator<Item = Self> {
        (0..policies).map(Self)
    }

    /// Returns `wanted` namespaces. Their numbers are as far apart as possible.
    pub(crate) fn spread(policies: usize, wanted: usize) -> impl Iterator<Item = Self> {
        let wanted = wanted.min(policies);
        (0..wanted).map(move |at| Self(at * policies / wanted))
    }

    pub(crate) fn namespace(self) -> String {
        format!("site-{:04}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_sites_are_distinct_and_at_most_all() {
        let spread = |wanted| Site::spread(10, wanted).collect::<Vec<_>>();
        assert_eq!(spread(3), [Site(0), Site(3), Site(6)]);
        assert_eq!(spread(99), Site::all(10).collect::<Vec<_>>());
    }
}
