//! Measures the duration of resolutions in large worlds, and in worlds with many interdependent
//! packages.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use portolan_core_catalog::{self as catalog, Reading};
use portolan_core_graph::Charted;
use portolan_core_solver::{
    CatalogOffer, Freshness, Question, RequestedPackage, Universe, resolve,
};
use portolan_kit::catalog::Catalog;
use portolan_kit::universe::{pigeons, requested_packages, sparse, woven};

fn universe(catalog: &Catalog) -> Universe {
    let reading = Reading::of("catalog", catalog.to_json_lines().as_bytes());
    let packages = catalog::Catalog::of([reading]).packages.into_values();
    let packages = packages.map(|package| Arc::new(Charted::new(package)));
    Universe::of([CatalogOffer {
        name: "shop".parse().expect("the name must parse"),
        priority: 0,
        freshness: Freshness::Serving,
        errors: Vec::new(),
        packages: packages.collect(),
    }])
}

fn question(catalog: &Catalog, count: usize) -> Question {
    let names = requested_packages(catalog, count, 1).into_iter();
    let packages =
        names.map(|name| RequestedPackage::of(name.parse().expect("the name must parse")));
    Question {
        wishes: packages.collect(),
        ..Question::default()
    }
}

fn ask(criterion: &mut Criterion, name: &str, catalog: &Catalog, count: usize) {
    let universe = universe(catalog);
    let question = question(catalog, count);
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| resolve(black_box(&universe), black_box(&question)));
    });
}

fn answers(criterion: &mut Criterion) {
    let large = sparse(150, 20, 1);
    ask(criterion, "3,000 bundles, 10 requirements", &large, 10);
    let larger = sparse(400, 50, 1);
    ask(criterion, "20,000 bundles, 50 requirements", &larger, 50);
    let tangled = woven(500, 1);
    ask(
        criterion,
        "10,000 tangled bundles, 5 requirements",
        &tangled,
        5,
    );
    ask(criterion, "six for five places", &pigeons(5), 6);
}

fn preparation(criterion: &mut Criterion) {
    let catalog = sparse(150, 20, 1);
    criterion.bench_function("a universe of 3,000 bundles", |bencher| {
        bencher.iter(|| universe(black_box(&catalog)));
    });
}

criterion_group!(benches, answers, preparation);
criterion_main!(benches);
