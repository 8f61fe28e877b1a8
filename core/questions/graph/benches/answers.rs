//! Benchmarks queries about the longest chain of a real channel: hive-operator/alpha of
//! operatorhub, with 199 entries.
//!
//! `PORTOLAN_CATALOGS` is the path of the folder with the real catalogs. If it is not set, the
//! benchmarks use a generated chain of the same length, and their names contain `chain` instead of
//! `hive-operator`.
#![expect(
    clippy::disallowed_methods,
    reason = "a bench finds its catalogs by itself"
)]

use std::fs;
use std::hint::black_box;
use std::io::Read as _;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use flate2::read::MultiGzDecoder;
use portolan_core_catalog::{Catalog, Package, Reading};
use portolan_core_graph::{Destination, Graph, Installed, Query};
use portolan_core_names::{BundleName, ChannelName};
use portolan_kit::real_catalog;

const LENGTH: usize = 199;

fn real() -> Option<Vec<u8>> {
    let path = real_catalog("operatorhub")?.join("hive-operator.jsonl.gz");
    let mut text = Vec::new();
    MultiGzDecoder::new(fs::File::open(path).ok()?)
        .read_to_end(&mut text)
        .ok()?;
    Some(text)
}

fn made_up() -> Vec<u8> {
    let versions: Vec<_> = (0..LENGTH).map(|at| format!("1.{at}.0")).collect();
    let text = format!("a/alpha: {}", versions.join(" -> "));
    portolan_kit::catalog(&text).to_json_lines().into_bytes()
}

fn package() -> (&'static str, Arc<Package>) {
    let (name, text) = match real() {
        Some(text) => ("hive-operator", text),
        None => ("chain", made_up()),
    };
    let catalog = Catalog::of([Reading::of("catalog", &text)]);
    let package = catalog.packages.into_values().next();
    (name, package.expect("the catalog must have a package"))
}

/// Returns the oldest bundle of the channel, which has the longest path to the head.
fn last(graph: &Graph, channel: &ChannelName) -> BundleName {
    let entries = graph.package().channels[channel].entries.values();
    let mut tails = entries.filter(|entry| entry.replaces.is_none() && entry.skips.is_empty());
    tails
        .next()
        .expect("the chain must have an end")
        .name
        .clone()
}

fn answers(criterion: &mut Criterion) {
    let (name, package) = package();
    let mut group = criterion.benchmark_group(name);
    group.bench_function("chart", |bencher| {
        bencher.iter(|| Graph::new(Arc::clone(black_box(&package))));
    });
    let graph = Graph::new(package);
    let alpha = ChannelName::parse("alpha").expect("the name must parse");
    let installed = Installed {
        name: last(&graph, &alpha),
        version: None,
    };
    group.bench_function("list_upgrades", |bencher| {
        bencher.iter(|| graph.list_upgrades(black_box(&installed), Some(&alpha)));
    });
    let mut query = Query::new(installed, Destination::Head);
    query.channel = Some(alpha);
    group.bench_function("find_path", |bencher| {
        bencher.iter(|| graph.find_path(black_box(&query)));
    });
}

criterion_group!(all, answers);
criterion_main!(all);
