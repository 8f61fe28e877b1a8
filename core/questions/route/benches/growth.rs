//! Measures how the duration of a search grows with the number of operators and versions.
//!
//! | world | relations between the operators                                                 |
//! |-------|---------------------------------------------------------------------------------|
//! | apart | none: the operators do not depend on each other                                 |
//! | tiers | each requires its predecessor, at most one version apart, so they move in turns |
//! | twins | two operators require each other's version, so each step has two moves          |

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use portolan_core_catalog::{Catalog, Reading};
use portolan_core_graph::Charted;
use portolan_core_route::{Goal, Operator, Question, plan};
use portolan_core_solver::InstalledOperator;

/// A function that returns the requirement of a bundle. Its arguments are the indexes of the
/// operator and of the version.
type Requires = fn(usize, usize) -> String;

fn apart(_: usize, _: usize) -> String {
    String::new()
}

fn tiers(operator: usize, minor: usize) -> String {
    match operator.checked_sub(1) {
        Some(before) => {
            let least = minor.saturating_sub(1);
            format!(" requires o{before} >=1.{least}.0 <=1.{}.0", minor + 1)
        }
        None => String::new(),
    }
}

fn twins(operator: usize, minor: usize) -> String {
    format!(" requires o{} =1.{minor}.0", operator ^ 1)
}

fn question(operators: usize, versions: usize, requires: Requires) -> Question {
    let mut text = String::new();
    for operator in 0..operators {
        for minor in 0..versions {
            let _ = write!(text, "o{operator}: 1.{minor}.0");
            if minor > 0 {
                let _ = write!(text, " replaces 1.{}.0", minor - 1);
            }
            let _ = writeln!(
                text,
                "\no{operator}: 1.{minor}.0{}",
                requires(operator, minor)
            );
        }
    }
    let text = portolan_kit::catalog(&text).to_json_lines();
    let catalog = Catalog::of([Reading::of("catalog", text.as_bytes())]);
    let operators = (0..operators).map(|operator| {
        let package = catalog.packages[format!("o{operator}").as_str()].clone();
        let installed = format!("o{operator}.v1.0.0").parse().expect("a name");
        let installed = InstalledOperator::named(installed);
        Operator::new(Arc::new(Charted::new(package)), Some(installed), Goal::Any)
    });
    Question {
        operators: operators.collect(),
        ..Question::default()
    }
}

fn grow(criterion: &mut Criterion, (name, requires): (&str, Requires), sizes: &[(usize, usize)]) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    for (operators, versions) in sizes {
        let question = question(*operators, *versions, requires);
        let answer = plan(&question).expect("the question must be one");
        assert!(answer.is_reached(), "{answer}");
        let id = BenchmarkId::from_parameter(format!("{operators}x{versions}"));
        group.bench_function(id, |bencher| bencher.iter(|| plan(black_box(&question))));
    }
}

fn growth(criterion: &mut Criterion) {
    let wide = [(1, 50), (10, 50), (40, 50), (10, 10), (10, 200)];
    grow(criterion, ("apart", apart), &wide);
    let coupled = [
        (2, 10),
        (4, 10),
        (8, 10),
        (16, 10),
        (40, 10),
        (2, 50),
        (2, 200),
        (8, 50),
    ];
    grow(criterion, ("tiers", tiers), &coupled);
    let pairs = [(2, 10), (8, 10), (40, 10), (2, 50), (2, 200)];
    grow(criterion, ("twins", twins), &pairs);
}

criterion_group!(benches, growth);
criterion_main!(benches);
