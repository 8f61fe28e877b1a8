//! Benchmarks how fast version ranges are parsed and matched.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use portolan_core_names::{Version, VersionRange};

/// Three real ranges: the most frequent form in catalogs, the simplest form, and the longest range.
const RANGES: [(&str, &str); 3] = [
    ("bound", "<1.4.2"),
    ("between", ">=1.0.0 <1.4.2"),
    (
        "alternatives",
        ">=1.0.0 <1.2.7 || >1.3.0 <1.3.9 !1.3.4 || 1.4.x || >=2.0.0-rc.1",
    ),
];

fn ranges(criterion: &mut Criterion) {
    let version = Version::parse("1.3.5-rc.1+build.7").expect("the version must parse");
    for (name, text) in RANGES {
        criterion.bench_function(&format!("parse/{name}"), |bencher| {
            bencher.iter(|| VersionRange::parse(black_box(text)));
        });
        let range = VersionRange::parse(text).expect("the range must parse");
        criterion.bench_function(&format!("match/{name}"), |bencher| {
            bencher.iter(|| black_box(&range).matches(black_box(&version)));
        });
    }
}

criterion_group!(all, ranges);
criterion_main!(all);
