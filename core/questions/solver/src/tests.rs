//! Tests questions with a few catalogs, installed operators and requirements. The complete answer
//! is compared as text.

mod conflicts;
mod solutions;

use std::fmt::Write as _;
use std::sync::Arc;

use portolan_core_catalog::{Catalog, Reading, Severity};
use portolan_core_graph::Charted;
use portolan_core_names::{CatalogName, VersionRange};
use portolan_kit::catalog;

use crate::{
    Budget, CatalogOffer, Freshness, Granted, InstalledOperator, Mode, Operator, OperatorChange,
    Optimality, Question, RequestedPackage, Resolution, Solution, Universe, resolve,
};

/// Returns a catalog with this name, priority and content.
fn source(name: &str, priority: i32, freshness: Freshness, text: &str) -> CatalogOffer {
    let reading = Reading::of("text", catalog::catalog(text).to_json_lines().as_bytes());
    offer_of((name, priority, freshness), Catalog::of([reading]))
}

/// Returns a catalog whose content is already parsed.
fn offer_of((name, priority, freshness): (&str, i32, Freshness), catalog: Catalog) -> CatalogOffer {
    let errors = catalog.faults.into_iter();
    let errors = errors.filter(|fault| fault.severity() == Severity::Error);
    let packages = catalog.packages.into_values();
    CatalogOffer {
        errors: errors.collect(),
        name: CatalogName::parse(name).expect("the name must parse"),
        priority,
        freshness,
        packages: packages
            .map(|package| Arc::new(Charted::new(package)))
            .collect(),
    }
}

fn universe(text: &str) -> Universe {
    Universe::of([source("shop", 0, Freshness::Serving, text)])
}

/// Parses a requirement: `package@range channel=name catalog=name`. The channel and the catalog are
/// optional.
fn request(text: &str) -> RequestedPackage {
    let cut = |text: &str, key: &str| {
        let (before, after) = text.split_once(key)?;
        Some((before.to_owned(), after.to_owned()))
    };
    let (text, catalog) = match cut(text, " catalog=") {
        Some((text, catalog)) => (text, Some(catalog.parse().expect("a name"))),
        None => (text.to_owned(), None),
    };
    let (text, channel) = match cut(&text, " channel=") {
        Some((text, channel)) => (text, Some(channel.parse().expect("a name"))),
        None => (text, None),
    };
    let (package, range) = match cut(&text, "@") {
        Some((package, range)) => (package, Some(VersionRange::parse(&range).expect("a range"))),
        None => (text, None),
    };
    RequestedPackage {
        package: package.parse().expect("a name"),
        range,
        channel,
        catalog,
    }
}

fn question(installed: &[&str], requested: &[&str]) -> Question {
    let installed = installed.iter().map(|name| {
        let name = name.parse().expect("a name");
        InstalledOperator::named(name)
    });
    Question {
        wishes: requested.iter().map(|text| request(text)).collect(),
        installed: installed.collect(),
        mode: Mode::Together,
        budget: Budget::default(),
    }
}

fn ask(universe: &Universe, question: &Question) -> String {
    let answer = resolve(universe, question).expect("the answer must be sound");
    match answer {
        Resolution::Solved(solution) => summary(&solution),
        Resolution::Refused(conflict) => {
            assert!(conflict.is_minimal);
            conflict.to_string()
        }
        Resolution::GaveUp { steps } => format!("gave up after {steps}"),
    }
}

/// Formats a solution with one line for each operator.
fn summary(solution: &Solution) -> String {
    assert_eq!(solution.optimality, Optimality::Best);
    let mut text = String::new();
    for operator in &solution.operators {
        line(&mut text, operator);
    }
    for granted in &solution.wishes {
        match granted {
            Granted::By { passed_over, .. } => {
                let better = passed_over.as_ref();
                let better = better.map(|conflict| format!("nothing better:\n{conflict}\n"));
                text.push_str(&better.unwrap_or_default());
            }
            Granted::Refused(conflict) => {
                assert!(conflict.is_minimal);
                writeln!(text, "{conflict}").expect("a text must grow");
            }
            Granted::GaveUp => text.push_str("gave up\n"),
        }
    }
    for lacking in &solution.lacking {
        let name = &lacking.installed.name;
        writeln!(text, "{name} lacks {}", lacking.requirement).expect("a text must grow");
    }
    text.trim_end().to_owned()
}

fn line(text: &mut String, operator: &Operator) {
    let Operator {
        catalog,
        bundle,
        channel,
        change,
        wishes,
        needs,
        ..
    } = operator;
    let change = match change {
        OperatorChange::Install => "install".to_owned(),
        OperatorChange::Move { from, hops } => format!("move in {hops} from {from}"),
        OperatorChange::Stay => "stay".to_owned(),
    };
    write!(text, "{bundle}: {change}").expect("a text must grow");
    if let (Some(catalog), Some(channel)) = (catalog, channel) {
        write!(text, ", {catalog} {channel}").expect("a text must grow");
    }
    if !wishes.is_empty() {
        write!(text, ", wishes {wishes:?}").expect("a text must grow");
    }
    for need in needs {
        write!(text, ", {} by {}", need.requirement, need.by).expect("a text must grow");
    }
    text.push('\n');
}
