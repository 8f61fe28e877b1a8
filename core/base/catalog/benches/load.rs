//! Measures how long it takes to parse a catalog that is in memory, on one core.
//!
//! `PORTOLAN_CATALOGS` is the path of a folder with real catalogs, and the bench parses
//! community-v4.20. Without this variable, the bench parses a small catalog, and its name shows
//! that.
#![expect(
    clippy::disallowed_methods,
    reason = "a bench finds its catalogs by itself"
)]

use std::fs;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use portolan_core_catalog::{Catalog, Reading};
use portolan_kit::{catalog, real_catalog};

const REAL: &str = "community-v4.20";

type Files = Vec<(String, Vec<u8>)>;

fn real() -> Option<Files> {
    let packages = fs::read_dir(real_catalog(REAL)?).ok()?;
    let files = packages.map(|package| {
        let path = package.ok()?.path().join("catalog.yaml");
        Some((path.display().to_string(), fs::read(&path).ok()?))
    });
    files.collect()
}

/// Returns the same catalog as JSON lines, because YAML has a different parser.
fn as_json(files: &Files) -> Files {
    let lines = |text: &[u8]| {
        let text = std::str::from_utf8(text).expect("a catalog must be text");
        let documents: Vec<serde_json::Value> =
            serde_saphyr::from_multiple(text).expect("a catalog must be YAML");
        let lines = documents.iter().map(|document| format!("{document}\n"));
        lines.collect::<String>().into_bytes()
    };
    let files = files.iter();
    files
        .map(|(name, text)| (name.clone(), lines(text)))
        .collect()
}

fn load(criterion: &mut Criterion) {
    let small = catalog("a: 1.0.0 -> 1.1.0 -> 1.2.0; b: 1.0.0 requires a >=1.0.0").installable();
    let (name, yaml) = match real() {
        Some(files) => (REAL, files),
        None => (
            "small",
            vec![("a".to_owned(), small.to_yaml().into_bytes())],
        ),
    };
    let json = as_json(&yaml);
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20);
    for (format, files) in [("yaml", &yaml), ("json", &json)] {
        let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        let read = || {
            files
                .iter()
                .map(|(file, bytes)| Reading::of(file, black_box(bytes)))
        };
        group.bench_function(format!("read/{format}"), |bencher| {
            bencher.iter(|| read().collect::<Vec<_>>());
        });
        let readings: Vec<_> = read().collect();
        group.bench_function(format!("assemble/{format}"), |bencher| {
            bencher.iter(|| Catalog::of(black_box(&readings)));
        });
    }
}

criterion_group!(all, load);
criterion_main!(all);
