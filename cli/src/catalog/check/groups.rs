//! Faults in the order in which people mend them.

use std::collections::BTreeMap;

use portolan_proto::resolver::v1::{Fault, fault};

/// The faults of each package under its name: packages with errors come first, then those with
/// warnings, and so do the faults of a package.
pub(super) fn groups(faults: &[Fault]) -> Vec<(String, Vec<&Fault>)> {
    let mut found: BTreeMap<(&str, &str), Vec<&Fault>> = BTreeMap::new();
    for fault in faults {
        let subject = (fault.catalog.as_str(), fault.package.as_str());
        found.entry(subject).or_default().push(fault);
    }
    let mut groups: Vec<_> = found.into_iter().collect();
    for (_, faults) in &mut groups {
        faults.sort_by_key(|fault| rank(fault));
    }
    groups.sort_by_key(|(_, faults)| faults.iter().map(|fault| rank(fault)).min());
    let named = groups.into_iter();
    named
        .map(|(subject, faults)| (title(subject), faults))
        .collect()
}

/// The worst first.
fn rank(fault: &Fault) -> u8 {
    match fault.severity() {
        fault::Severity::Error => 0,
        fault::Severity::Unspecified | fault::Severity::Warning => 1,
        fault::Severity::Note => 2,
    }
}

fn title((catalog, package): (&str, &str)) -> String {
    match package {
        "" => format!("catalog {catalog}"),
        package => format!("package {package} of catalog {catalog}"),
    }
}
