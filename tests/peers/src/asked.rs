//! Counts the requests that one user sends to the API server.

use std::collections::BTreeMap;

use portolan_rig::{Audit, Cluster};

use crate::failure::Failure;

/// The number of requests until a point in time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until(usize);

/// The requests in a period.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The number of opened watches. A watch that is opened again counts again.
    pub(crate) watches: usize,
    /// The number of all other requests.
    pub(crate) others: usize,
    /// The number of requests about each resource, including watches.
    resources: BTreeMap<String, usize>,
}

pub(crate) fn until_now(cluster: &Cluster, user: &str) -> Result<Until, Failure> {
    Ok(Until(audit(cluster, user)?.len()))
}

/// Returns the requests of the user since `until`.
pub(crate) fn since(cluster: &Cluster, user: &str, until: Until) -> Result<Asked, Failure> {
    let audit = audit(cluster, user)?;
    let records = &audit.records()[until.0..];
    let mut resources = BTreeMap::new();
    for record in records {
        *resources.entry(record.resource.clone()).or_default() += 1;
    }
    let watches = records
        .iter()
        .filter(|record| record.verb == "watch")
        .count();
    Ok(Asked {
        watches,
        others: records.len() - watches,
        resources,
    })
}

fn audit(cluster: &Cluster, user: &str) -> Result<Audit, Failure> {
    Ok(cluster.audit()?.by(user))
}

// === impl Asked ===

impl Asked {
    /// Returns the number of requests about a resource, such as `pods`.
    pub(crate) fn of(&self, resource: &str) -> usize {
        self.resources.get(resource).copied().unwrap_or_default()
    }

    pub(crate) fn all(&self) -> usize {
        self.watches + self.others
    }
}
