#![allow(clippy::all, clippy::disallowed_methods, missing_docs)]
use portolan_catalog::{Catalog, Reading};
use portolan_graph::Charted;
use portolan_kit::universe::*;
use portolan_resolve::*;
use std::sync::Arc;
use std::time::Instant;
fn uni(c: &portolan_kit::catalog::Catalog) -> Universe {
    let r = Reading::of("t", c.to_json_lines().as_bytes());
    let p = Catalog::of([r]).packages.into_values();
    Universe::of([Source {
        name: "shop".parse().unwrap(),
        priority: 0,
        standing: Standing::Serving,
        packages: p.map(|p| Arc::new(Charted::new(p))).collect(),
    }])
}
fn main() {
    let run = |name: &str, c: portolan_kit::catalog::Catalog, n: usize| {
        let t = Instant::now();
        let u = uni(&c);
        let prep = t.elapsed();
        let mut times = vec![];
        let (mut ok, mut best, mut refused, mut gave, mut ops) = (0, 0, 0, 0, 0);
        let mut worst = (0.0, 0);
        for seed in 0..50 {
            let w = wishes(&c, n, seed);
            let q = Question {
                wishes: w.iter().map(|w| Wish::of(w.parse().unwrap())).collect(),
                ..Default::default()
            };
            let t = Instant::now();
            let a = resolve(&u, &q).unwrap();
            let ms = t.elapsed().as_secs_f64() * 1e3;
            if ms > worst.0 {
                worst = (ms, seed);
            }
            times.push(ms);
            match a {
                Answer::Solved(s) => {
                    ok += 1;
                    ops += s.operators.len();
                    if s.optimality == Optimality::Best {
                        best += 1
                    }
                }
                Answer::Refused(c) => {
                    refused += 1;
                    if !c.is_minimal {
                        gave += 100;
                    }
                }
                Answer::GaveUp { .. } => gave += 1,
            }
        }
        times.sort_by(|a, b| a.total_cmp(b));
        println!(
            "{name} n={n}: prep {prep:?} p50 {:.2} p99 {:.2} ms; solved {ok} best {best} refused {refused} gaveup {gave} ops {} worst {worst:?}",
            times[25],
            times[49],
            ops / ok.max(1)
        );
    };
    for (p, v, n) in [(100, 20, 20), (100, 50, 20), (200, 50, 40), (400, 50, 50)] {
        run(&format!("sparse {p}x{v}"), sparse(p, v, 1), n);
    }
    for p in [100, 500] {
        for n in [1, 5] {
            run(&format!("woven {p}"), woven(p, 1), n);
        }
    }
    for h in [5, 7, 8, 9, 10, 12, 20] {
        let c = pigeons(h);
        let u = uni(&c);
        let q = Question {
            wishes: wishes(&c, h + 1, 1)
                .iter()
                .map(|w| Wish::of(w.parse().unwrap()))
                .collect(),
            ..Default::default()
        };
        let t = Instant::now();
        let a = resolve(&u, &q).unwrap();
        println!(
            "pigeons {h} {:?} {}",
            t.elapsed(),
            match a {
                Answer::Solved(_) => "solved".into(),
                Answer::Refused(c) =>
                    format!("refused minimal {} causes {}", c.is_minimal, c.causes.len()),
                Answer::GaveUp { steps } => format!("gave up {steps}"),
            }
        );
    }
}
