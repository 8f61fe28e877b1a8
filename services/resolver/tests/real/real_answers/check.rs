//! Tests of the findings in the real catalogs.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::{Catalog, Need, Severity, Unmet};
use portolan_core_graph::{Finding, findings};
use portolan_core_names::CatalogName;
use portolan_kit::assert_same;
use rstest::rstest;

use crate::real_answers::real;

fn all_findings(catalog: &Catalog) -> Vec<Finding> {
    let name = CatalogName::parse("real").expect("the name must parse");
    findings([(&name, catalog)])
}

#[test]
fn published_catalog_has_only_the_known_warnings() {
    let Some(catalog) = real::catalog("community-v4.20") else {
        return;
    };
    let found = all_findings(&catalog);
    let of_severity = |severity| {
        let found = found
            .iter()
            .filter(move |finding| finding.severity() == severity);
        found.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_same!(of_severity(Severity::Error), Vec::<String>::new());
    assert_same!(
        of_severity(Severity::Warning),
        [
            "package aws-neuron-operator, channel Fast has an upgrade from \
             aws-neuron-operator.v0.1.2 to aws-neuron-operator.v0.0.5, which is a lower version",
            "package aws-neuron-operator, channel Stable has an upgrade from \
             aws-neuron-operator.v0.1.2 to aws-neuron-operator.v0.0.5, which is a lower version",
            "package opendatahub-operator, channel fast has an entry opendatahub-operator.v2.10.0 \
             whose skip range covers no older entry: >=1.0.0 <2.10.0",
            "package sailoperator, channel 1.31-nightly has an entry \
             sailoperator.v1.31.0-nightly-2026-08-10 whose skip range covers no older entry: \
             >=1.0.0 <1.31.0-nightly-2026-08-10",
            "package sailoperator, channel stable-1.26 has an entry sailoperator.v1.26.0 whose \
             skip range covers no older entry: >=1.0.0 <1.26.0",
            "package sailoperator, channel stable-1.27 has an entry sailoperator.v1.27.0 whose \
             skip range covers no older entry: >=1.0.0 <1.27.0",
            "package sailoperator, channel stable-1.28 has an entry sailoperator.v1.28.0 whose \
             skip range covers no older entry: >=1.0.0 <1.28.0",
            "package sailoperator, channel stable-1.29 has an entry sailoperator.v1.29.0 whose \
             skip range covers no older entry: >=1.0.0 <1.29.0",
            "package sailoperator, channel stable-1.30 has an entry sailoperator.v1.30.0 whose \
             skip range covers no older entry: >=1.0.0 <1.30.0",
            "package slurm-operator, channel release-1.0 has an upgrade from slurm-operator.v1.0.1 \
             to slurm-operator.v1.0.1-1, which is a lower version",
            "package slurm-operator, channel release-1.0 has the head slurm-operator.v1.0.1-1, \
             although slurm-operator.v1.0.1 is a higher version",
            "package alloydb-omni-operator requires package cert-manager, which does not exist: \
             alloydb-omni-operator.v1.3.0",
            "package alloydb-omni-operator requires API cert-manager.io/v1/Certificate, which no \
             bundle provides: alloydb-omni-operator.v1.8.0 and 10 more",
            "package alloydb-omni-operator requires API cert-manager.io/v1/ClusterIssuer, which \
             no bundle provides: alloydb-omni-operator.v1.8.0 and 10 more",
            "package alloydb-omni-operator requires API cert-manager.io/v1/Issuer, which no \
             bundle provides: alloydb-omni-operator.v1.8.0 and 10 more",
        ]
    );
    let forks = found
        .iter()
        .filter(|finding| finding.severity() == Severity::Note);
    let forks: Vec<_> = forks
        .map(|finding| (finding.code(), finding.package()))
        .collect();
    assert_same!(forks, [("Fork", Some("dell-csm-operator")); 3]);
}

/// Returns the number of findings by severity and code.
fn counts(found: &[Finding]) -> BTreeMap<(Severity, &'static str), usize> {
    let mut counts = BTreeMap::new();
    for finding in found {
        *counts
            .entry((finding.severity(), finding.code()))
            .or_default() += 1;
    }
    counts
}

/// Other tools counted the findings in the catalogs, and the requirements in the bundles.
#[rstest]
#[case::operatorhub("operatorhub", &[
    ((Severity::Error, "Doubtful"), 15),
    ((Severity::Error, "Refused"), 31),
    ((Severity::Error, "SeveralHeads"), 61),
    ((Severity::Error, "Stranded"), 19),
    ((Severity::Warning, "IdleRange"), 97),
    ((Severity::Warning, "UnmetApi"), 5),
    ((Severity::Warning, "UnmetPackage"), 4),
    ((Severity::Warning, "WideRange"), 29),
    ((Severity::Note, "Fork"), 21),
])]
#[case::operatorhub_csv_edges("operatorhub-csv-edges", &[
    ((Severity::Error, "Doubtful"), 15),
    ((Severity::Error, "Refused"), 31),
    ((Severity::Error, "SeveralHeads"), 260),
    ((Severity::Error, "Stranded"), 17),
    ((Severity::Warning, "IdleRange"), 97),
    ((Severity::Warning, "UnmetApi"), 5),
    ((Severity::Warning, "UnmetPackage"), 4),
    ((Severity::Warning, "WideRange"), 29),
    ((Severity::Note, "Fork"), 31),
])]
fn real_catalogs_have_the_known_findings(
    #[case] name: &str,
    #[case] expected: &[((Severity, &'static str), usize)],
) {
    let Some(catalog) = real::catalog(name) else {
        return;
    };
    let found = all_findings(&catalog);
    assert_same!(
        counts(&found),
        BTreeMap::from_iter(expected.iter().copied())
    );
    assert_same!(requirements(&found), (84, 18, 0));
    assert_same!(
        unreadable_ranges(&found),
        [
            ("dynatrace-operator", 1),
            ("percona-postgresql-operator", 12),
            ("percona-server-mongodb-operator", 7),
            ("percona-xtradb-cluster-operator", 11),
        ]
    );
}

/// Returns how many bundles have an unsatisfied requirement for a package, an API or a constraint.
fn requirements(found: &[Finding]) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for finding in found {
        if let Finding::Requirement(Unmet { need, bundles, .. }) = finding {
            let count = match need {
                Need::Package(_) | Need::Version { .. } => &mut counts.0,
                Need::Api(_) => &mut counts.1,
                Need::Constraint(_) => &mut counts.2,
            };
            *count += bundles.len();
        }
    }
    counts
}

/// Returns the packages with invalid ranges, and the number of these ranges.
fn unreadable_ranges(found: &[Finding]) -> Vec<(&str, usize)> {
    let is_range = |finding: &&Finding| finding.to_string().contains("is not a version range");
    let mut ranges: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for finding in found.iter().filter(is_range) {
        let package = finding.package().expect("the package must be known");
        ranges
            .entry(package)
            .or_default()
            .insert(finding.to_string());
    }
    ranges
        .into_iter()
        .map(|(package, lines)| (package, lines.len()))
        .collect()
}
