//! Faults in the order in which people mend them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use portolan_proto::resolver::v1::{Fault, fault};

/// The faults of each package under its name: packages with errors come first, and so do the
/// errors of a package.
pub(super) fn groups(faults: &[Fault]) -> Vec<(String, Vec<&Fault>)> {
    let mut found: BTreeMap<(&str, &str), Vec<&Fault>> = BTreeMap::new();
    for fault in faults {
        let subject = (fault.catalog.as_str(), fault.package.as_str());
        found.entry(subject).or_default().push(fault);
    }
    let mut groups: Vec<_> = found.into_iter().collect();
    for (_, faults) in &mut groups {
        faults.sort_by_key(|fault| Reverse(is_error(fault)));
    }
    groups.sort_by_key(|(_, faults)| Reverse(faults.iter().any(|fault| is_error(fault))));
    let named = groups.into_iter();
    named
        .map(|(subject, faults)| (title(subject), faults))
        .collect()
}

fn is_error(fault: &Fault) -> bool {
    fault.severity() == fault::Severity::Error
}

fn title((catalog, package): (&str, &str)) -> String {
    match package {
        "" => format!("catalog {catalog}"),
        package => format!("package {package} of catalog {catalog}"),
    }
}
