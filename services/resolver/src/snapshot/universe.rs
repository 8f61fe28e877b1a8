//! All catalogs together, as wishes are resolved from them.

use portolan_core_names::CatalogName;
use portolan_core_solver::{Source, Standing, Universe};

use super::{Offer, Snapshot, standing};

// === impl Snapshot ===

impl Snapshot {
    /// Everything that is on offer. The first who asks waits until it is prepared, which takes the
    /// longer the more bundles there are.
    pub(crate) fn universe(&self) -> &Universe {
        self.universe
            .get_or_init(|| Universe::of(self.each().map(|(name, offer)| source(name, offer))))
    }
}

fn source(name: &CatalogName, offer: &Offer) -> Source {
    let packages = offer.content().into_iter();
    let packages = packages.flat_map(|content| content.packages().cloned());
    Source {
        name: name.clone(),
        priority: offer.priority,
        standing: standing(&offer.standing),
        packages: packages.collect(),
    }
}

fn standing(standing: &standing::Standing) -> Standing {
    use standing::Standing as Known;
    match standing {
        Known::Pending => Standing::Unread("it has not been read yet".to_owned()),
        Known::Serving { .. } => Standing::Serving,
        Known::Stale { since, why, .. } => Standing::Stale(format!("{why} (since {since})")),
        Known::Failed { since, why } => Standing::Unread(format!("{why} (since {since})")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use portolan_core_catalog::{Catalog, Reading};

    use super::*;
    use crate::snapshot::{Observed, Origin, Trouble};

    fn trouble() -> Trouble {
        Trouble {
            code: "ReadFolder",
            message: "the disk is gone".to_owned(),
        }
    }

    #[test]
    fn a_standing_says_since_when_and_why_as_a_clause() {
        let at = Timestamp::UNIX_EPOCH;
        let pending = standing::Standing::Pending;
        let origin = Origin::folder("demo".into());
        let serving = pending.read(at, Catalog::of::<Reading>([]), origin);
        let clauses = [
            pending.clone(),
            serving.clone(),
            serving.lost(at, trouble()),
            pending.lost(at, trouble()),
        ];
        assert_eq!(
            clauses.map(|known| super::standing(&known)),
            [
                Standing::Unread("it has not been read yet".to_owned()),
                Standing::Serving,
                Standing::Stale("the disk is gone (since 1970-01-01T00:00:00Z)".to_owned()),
                Standing::Unread("the disk is gone (since 1970-01-01T00:00:00Z)".to_owned()),
            ]
        );
    }

    #[test]
    fn it_is_prepared_once_for_a_snapshot_and_its_clones_and_anew_for_the_next() {
        let snapshot = Snapshot::default();
        let first: *const Universe = snapshot.clone().universe();
        assert!(std::ptr::eq(first, snapshot.universe()));
        let offer = Offer {
            observed: Observed::local("Folder", "demo".to_owned()),
            priority: 0,
            standing: standing::Standing::Pending,
        };
        let name = CatalogName::parse("demo").expect("a name");
        let next = snapshot.with(name, offer);
        assert!(!Arc::ptr_eq(&next.universe, &snapshot.universe));
        assert!(next.universe.get().is_none());
    }
}
