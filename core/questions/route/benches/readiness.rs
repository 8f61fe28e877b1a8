//! Measures the readiness check of a large cluster: 1,000 Subscriptions, each with a channel of 80
//! bundles.
//!
//! | world      | content of the new catalog                                   |
//! |------------|--------------------------------------------------------------|
//! | ready      | the same as the old catalog                                  |
//! | update     | only the old heads, so each operator must be updated first   |

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use portolan_core_catalog::{Catalog, Reading};
use portolan_core_graph::{Charted, Installed};
use portolan_core_route::readiness::{
    Contents, Installer, Limit, Minor, Offer, Question, Stage, Subject, judge,
};

const SUBSCRIPTIONS: usize = 1000;

/// The number of packages. It is lower than the number of Subscriptions, so several Subscriptions
/// share a package.
const PACKAGES: usize = 300;

const BUNDLES: usize = 80;

fn offers(first: usize) -> Vec<Offer> {
    let mut text = String::new();
    for package in 0..PACKAGES {
        let versions: Vec<_> = (first..BUNDLES)
            .map(|minor| format!("1.{minor}.0"))
            .collect();
        let _ = writeln!(text, "p{package}: {}", versions.join(" -> "));
    }
    let text = portolan_kit::catalog(&text).to_json_lines();
    let catalog = Catalog::of([Reading::of("catalog", text.as_bytes())]);
    let offers = catalog.packages.into_values().map(|package| Offer {
        package: Some(Arc::new(Charted::new(package))),
        gap: None,
    });
    offers.collect()
}

fn question(first: usize) -> Question {
    let stages = [(4, 21), (4, 22)].map(|(major, minor)| {
        Stage::of_openshift(Minor::new(major, minor)).expect("a known release")
    });
    let (old, new) = (offers(0), offers(first));
    let operators = (0..SUBSCRIPTIONS).map(|number| {
        let at = number % PACKAGES;
        let package = old[at].package.as_ref().expect("a package");
        let name = format!("{}.v1.{}.0", package.package().name, number % (BUNDLES - 1));
        Subject {
            installer: Installer::OlmV0,
            namespace: format!("n{}", number % 100),
            installed: Some(Installed {
                name: name.parse().expect("a name"),
                version: None,
            }),
            is_followed: true,
            channels: BTreeSet::from(["stable".parse().expect("a name")]),
            allowed: None,
            limit: Some(Ok(Limit::None)),
            contents: Contents::new(),
            restraints: Vec::new(),
            requests: Vec::new(),
            offers: vec![old[at].clone(), new[at].clone()],
        }
    });
    Question {
        stages: stages.to_vec(),
        operators: operators.collect(),
    }
}

fn readiness(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("readiness");
    group.sample_size(10);
    for (name, first) in [("ready", 0), ("update", BUNDLES - 1)] {
        let question = question(first);
        group.bench_function(name, |bencher| bencher.iter(|| judge(black_box(&question))));
    }
    group.finish();
}

criterion_group!(benches, readiness);
criterion_main!(benches);
