//! Builds questions from a few lines of text.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_graph::Charted;
use portolan_core_names::{PackageName, VersionRange};
use portolan_core_route::{Goal, Operator, Overrides, Plan, Question, plan};
use portolan_core_solver::{InstalledOperator, OperatorFacts};

/// A catalog whose packages are ready for questions.
pub(crate) struct Shop {
    packages: BTreeMap<PackageName, Arc<Charted>>,
}

// === impl Shop ===

impl Shop {
    /// Parses the text of a catalog.
    pub(crate) fn of(text: &str) -> Self {
        let text = portolan_kit::catalog(text).to_json_lines();
        Self::new(Catalog::of([Reading::of("text", text.as_bytes())]))
    }

    pub(crate) fn new(catalog: Catalog) -> Self {
        let packages = catalog.packages.into_iter();
        let packages = packages.map(|(name, one)| (name, Arc::new(Charted::new(one))));
        Self {
            packages: packages.collect(),
        }
    }

    /// Parses a question. Examples of lines are `a 1.0.0 -> 2.0.0`, `a none -> any; downgrades`, `a
    /// 1.0.0 stays`, and `other a 1.0.0` for an operator that another installer manages.
    pub(crate) fn question(&self, lines: &[&str]) -> Question {
        let mut question = Question::default();
        for line in lines {
            match line.strip_prefix("other ") {
                Some(other) => question.others.push(self.other(other)),
                None => question.operators.push(self.operator(line)),
            }
        }
        question
    }

    pub(crate) fn plan(&self, lines: &[&str]) -> Plan {
        plan(&self.question(lines)).expect("the question must be one")
    }

    fn operator(&self, line: &str) -> Operator {
        let (line, flags) = line.split_once("; ").unwrap_or((line, ""));
        let (from, wish) = match (line.strip_suffix(" stays"), line.split_once(" -> ")) {
            (Some(from), _) => (from, Goal::Stay),
            (None, Some((from, "any"))) => (from, Goal::Any),
            (None, Some((from, range))) => (from, wish(range)),
            (None, None) => panic!("{line:?} must have a goal"),
        };
        let (package, version) = from.split_once(' ').expect("a package and a version");
        let installed = (version != "none").then(|| installed(package, version));
        let charted = Arc::clone(&self.packages[package]);
        let mut operator = Operator::new(charted, installed, wish);
        operator.overrides = overrides(flags);
        operator
    }

    fn other(&self, line: &str) -> InstalledOperator {
        let (package, version) = line.split_once(' ').expect("a package and a version");
        let mut other = installed(package, version);
        let bundles = &self.packages[package].package().bundles;
        let bundle = &bundles[&other.name];
        other.version = Some(bundle.version.clone());
        other.facts = Some(Arc::new(OperatorFacts {
            provides: bundle.provides.clone(),
            requires: bundle.requires.clone(),
            properties: Vec::new(),
        }));
        other
    }
}

fn installed(package: &str, version: &str) -> InstalledOperator {
    let name = format!("{package}.v{version}");
    InstalledOperator {
        package: Some(package.parse().expect("a name")),
        version: version.parse().ok(),
        ..InstalledOperator::named(name.parse().expect("a name"))
    }
}

fn wish(range: &str) -> Goal {
    Goal::Range(VersionRange::parse(range).expect("a range"))
}

fn overrides(flags: &str) -> Overrides {
    let mut overrides = Overrides::default();
    for flag in flags.split(", ").filter(|flag| !flag.is_empty()) {
        match flag {
            "ignores dependencies" => overrides.ignore_dependencies = true,
            "direct upgrades" => overrides.direct_upgrades = true,
            "downgrades" => overrides.downgrades = true,
            "ignores conflicts" => overrides.ignore_conflicts = true,
            unknown => panic!("{unknown:?} must be an override"),
        }
    }
    overrides
}
