//! Counts the requests of all processes to the API server.

use std::collections::BTreeSet;

use portolan_rig::{Cluster, Record};

use super::processes::USERS;
use crate::failure::Failure;

/// A position in the list of requests so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(usize);

/// The requests in a period.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// The number of all requests except requests about Leases. Includes watches.
    pub(crate) calls: usize,
    /// The number of requests that are not watches and not about Leases.
    pub(crate) questions: usize,
    /// The number of writes, except writes of Leases.
    pub(crate) writes: usize,
    /// The number of writes of a status. They are also in `writes`.
    pub(crate) statuses: usize,
    /// The number of requests about Leases.
    pub(crate) leases: usize,
    /// The number of opened watches. A watch that is opened again counts again.
    pub(crate) watches: usize,
}

/// Returns the current position in the list of requests.
pub(crate) fn mark(cluster: &Cluster) -> Result<Mark, Failure> {
    Ok(Mark(records(cluster)?.len()))
}

/// Returns the requests since `mark`.
pub(crate) fn since(cluster: &Cluster, mark: Mark) -> Result<Tally, Failure> {
    Ok(Tally::of(&records(cluster)?[mark.0..]))
}

/// Returns the number of different watches so far. A watch that is opened again does not count
/// again.
pub(crate) fn watches(cluster: &Cluster) -> Result<usize, Failure> {
    let records = records(cluster)?;
    let watches = records.iter().filter(|record| record.verb == "watch");
    let places = watches.map(|it| (&it.user, &it.resource, &it.namespace, &it.name));
    Ok(places.collect::<BTreeSet<_>>().len())
}

fn records(cluster: &Cluster) -> Result<Vec<Record>, Failure> {
    let audit = cluster.audit()?;
    let audit = audit.only(|record| USERS.contains(&record.user.as_str()));
    Ok(audit.records().to_vec())
}

// === impl Tally ===

impl Tally {
    fn of(records: &[Record]) -> Self {
        let mut tally = Self::default();
        for record in records {
            let is_write = !matches!(record.verb.as_str(), "get" | "list" | "watch");
            let is_status = record.resource.ends_with("/status");
            match (record.resource.as_str(), record.verb.as_str()) {
                ("leases", _) => tally.leases += 1,
                (_, "watch") => tally.watches += 1,
                _ => tally.questions += 1,
            }
            if record.resource != "leases" {
                tally.calls += 1;
                tally.writes += usize::from(is_write);
                tally.statuses += usize::from(is_write && is_status);
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(verb: &str, resource: &str) -> Record {
        Record {
            user: USERS[0].to_owned(),
            acting_as: String::new(),
            user_agent: String::new(),
            verb: verb.to_owned(),
            resource: resource.to_owned(),
            namespace: String::new(),
            name: String::new(),
            is_dry_run: false,
            code: 200,
        }
    }

    #[test]
    fn leases_and_watches_are_counted_separately() {
        let records = [
            record("update", "leases"),
            record("watch", "subscriptions"),
            record("get", "customresourcedefinitions"),
            record("update", "operatorpolicies/status"),
            record("create", "events"),
        ];
        let tally = Tally::of(&records);
        let Tally {
            calls,
            questions,
            writes,
            statuses,
            leases,
            watches,
        } = tally;
        assert_eq!((calls, questions, writes, statuses), (4, 3, 2, 1));
        assert_eq!((leases, watches), (1, 1));
    }
}
