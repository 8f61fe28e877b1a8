//! Calls our solver in this process, so that the time contains no gRPC call.

use std::sync::Arc;
use std::time::{Duration, Instant};

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_graph::Charted;
use portolan_core_names::{CatalogName, PackageName};
use portolan_core_solver::{
    CatalogOffer, Freshness, Question, RequestedPackage, Resolution, Universe, resolve,
};

use crate::failure::Failure;

/// A catalog, prepared once for all requests.
#[derive(Debug)]
pub(crate) struct Ours {
    universe: Universe,
}

/// The result of a request, and its time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answered {
    pub(crate) took: Duration,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Granted,
    Refused,
    GaveUp { steps: u32 },
}

// === impl Ours ===

impl Ours {
    pub(crate) fn prepared(catalog: &portolan_kit::Catalog) -> Result<Self, Failure> {
        let text = catalog.to_json_lines();
        let catalog = Catalog::of([Reading::of("catalog.json", text.as_bytes())]);
        if let Some(fault) = catalog.faults.first() {
            return Err(Failure::Expect(format!(
                "a generated catalog has a fault: {fault}"
            )));
        }
        let packages = catalog.packages.into_values();
        let source = CatalogOffer {
            name: parsed("it", CatalogName::parse)?,
            priority: 0,
            freshness: Freshness::Serving,
            errors: Vec::new(),
            packages: packages.map(|it| Arc::new(Charted::new(it))).collect(),
        };
        Ok(Self {
            universe: Universe::of([source]),
        })
    }

    /// Solves a request for packages in any version. All packages must be in the solution. The time
    /// starts when the request is complete.
    pub(crate) fn solve(&self, names: &[String]) -> Result<Answered, Failure> {
        let packages = names.iter().map(|name| parsed(name, PackageName::parse));
        let packages = packages.map(|name| name.map(RequestedPackage::of));
        let question = Question {
            wishes: packages.collect::<Result<_, _>>()?,
            ..Question::default()
        };
        let begun = Instant::now();
        let answer = resolve(&self.universe, &question);
        let took = begun.elapsed();
        let outcome = match answer.map_err(|bug| Failure::Expect(bug.to_string()))? {
            Resolution::Solved(_) => Outcome::Granted,
            Resolution::Refused(_) => Outcome::Refused,
            Resolution::GaveUp { steps } => Outcome::GaveUp { steps },
        };
        Ok(Answered { took, outcome })
    }
}

fn parsed<T, E>(name: &str, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, Failure> {
    parse(name).map_err(|_| Failure::Expect(format!("{name:?} is no name")))
}
