//! Tests of the requirements of real bundles. Each requirement is compared with every bundle.

use portolan_core_catalog::{Bundle, Candidate, Catalog, Requirement};
use portolan_core_names::PackageName;
use portolan_kit::assert_same;
use rstest::rstest;

use crate::real_answers::real;

fn bundles(catalog: &Catalog) -> impl Iterator<Item = (&PackageName, &Bundle)> {
    let packages = catalog.packages.values();
    packages.flat_map(|package| {
        let bundles = package.bundles.values();
        bundles.map(|bundle| (&package.name, bundle.as_ref()))
    })
}

/// Returns the names of the bundles that satisfy a requirement.
fn providers<'c>(catalog: &'c Catalog, requirement: Requirement<'_>) -> Vec<&'c str> {
    let fulfilling = bundles(catalog)
        .filter(|(package, bundle)| requirement.is_met_by(&Candidate::of(package, bundle)));
    fulfilling.map(|(_, bundle)| bundle.name.as_str()).collect()
}

/// Other tools counted two numbers each for packages, APIs and constraints: the bundles that
/// require one, and the requirements that no bundle satisfies.
#[rstest]
#[case::operatorhub("operatorhub", [(151, 84), (121, 18), (1, 0)])]
#[case::community("community-v4.20", [(8, 1), (40, 33), (0, 0)])]
fn counts_unsatisfied_requirements_of_real_catalogs(
    #[case] name: &str,
    #[case] expected: [(usize, usize); 3],
) {
    let Some(catalog) = real::catalog(name) else {
        return;
    };
    let mut counts = [(0, 0); 3];
    for requirement in bundles(&catalog).flat_map(|(_, bundle)| bundle.requires.each()) {
        let count = match requirement {
            Requirement::Package(_) => &mut counts[0],
            Requirement::Api(_) => &mut counts[1],
            Requirement::Constraint(_) => &mut counts[2],
        };
        count.0 += 1;
        count.1 += usize::from(providers(&catalog, requirement).is_empty());
    }
    assert_same!(counts, expected);
}

/// Among the real bundles, only this bundle has a constraint.
#[test]
fn dbaas_operator_accepts_either_of_two_packages() {
    let Some(catalog) = real::catalog("operatorhub") else {
        return;
    };
    let dbaas = &catalog.packages["dbaas-operator"].bundles["dbaas-operator.v0.5.0"];
    let requirements: Vec<_> = dbaas.requires.each().map(|one| one.to_string()).collect();
    assert_same!(
        requirements,
        [
            "package ack-rds-controller \">=0.0.27 <=0.1.3\"",
            "what its author puts as \"Service Binding Operator is required\"",
        ]
    );
    let constraint = &dbaas.requires.constraints[0];
    let rule = &constraint.clause().expect("it must be readable").rule;
    assert_same!(
        rule.to_string(),
        "any of (what its author puts as \"Package rh-service-binding-operator is needed\", what \
         its author puts as \"Package service-binding-operator is needed\")"
    );
    let mut providers = providers(&catalog, Requirement::Constraint(constraint));
    assert_eq!(providers.len(), 11);
    providers.retain(|bundle| !bundle.starts_with("service-binding-operator.v1."));
    assert_same!(providers, [""; 0]);
}
