//! The query for the upgrade steps of several operators.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_catalog::{Bundle, Property};
use portolan_core_names::{CatalogName, ChannelName, PackageName};
use portolan_core_route::{self as route, Budget, Goal, Operator, Overrides, Plan, Question};
use portolan_core_solver::{InstalledOperator, OperatorFacts};

use super::{Answering, RequestError};
use crate::Snapshot;

/// Plans the upgrade steps of several operators.
#[derive(Debug, Clone)]
pub(crate) struct PlanRoute {
    pub(crate) operators: Vec<RoutedOperator>,
    pub(crate) others: Vec<InstalledOperator>,
    pub(crate) budget: Budget,
}

/// An operator that the route may upgrade. Its package has not been found yet.
#[derive(Debug, Clone)]
pub(crate) struct RoutedOperator {
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    pub(crate) channels: BTreeSet<ChannelName>,
    pub(crate) installed: Option<InstalledOperator>,
    pub(crate) wish: Goal,
    pub(crate) overrides: Overrides,
}

#[derive(Debug)]
pub(crate) struct PlannedRoute<'a> {
    /// The catalogs that contain the packages, by name.
    pub(crate) catalogs: Vec<Answering<'a>>,
    pub(crate) plan: Plan,
}

// === impl PlanRoute ===

impl PlanRoute {
    /// Plans the route with the packages in a Snapshot. A difficult query needs a few seconds.
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<PlannedRoute<'a>, RequestError> {
        let mut catalogs = BTreeMap::new();
        let mut operators = Vec::new();
        for asked in &self.operators {
            let (catalog, operator) = asked.find(snapshot)?;
            catalogs.insert(catalog.name, catalog);
            operators.push(operator);
        }
        let others = self.others.iter();
        let question = Question {
            operators,
            others: others.map(|other| described(snapshot, other)).collect(),
            budget: self.budget,
        };
        Ok(PlannedRoute {
            catalogs: catalogs.into_values().collect(),
            plan: route::plan(&question)?,
        })
    }
}

// === impl RoutedOperator ===

impl RoutedOperator {
    fn find<'a>(&self, snapshot: &'a Snapshot) -> Result<(Answering<'a>, Operator), RequestError> {
        let catalog = snapshot.find(self.catalog.as_ref(), &self.package)?.catalog;
        let charted = &catalog.content.charted()[&self.package];
        let operator = Operator {
            package: Arc::clone(charted),
            installed: self.installed.clone(),
            wish: self.wish.clone(),
            channels: self.channels.clone(),
            overrides: self.overrides,
        };
        Ok((catalog, operator))
    }
}

// === impl RequestError ===

impl From<route::Refused> for RequestError {
    fn from(refused: route::Refused) -> Self {
        match refused {
            route::Refused::Channel(unknown) => Self::UnknownChannel(unknown),
            route::Refused::Twice(_) => Self::Field {
                field: "operators".into(),
                message: refused.to_string(),
            },
        }
    }
}

/// Adds the facts that the query omits. The facts come from the first catalog that contains the
/// bundle.
fn described(snapshot: &Snapshot, other: &InstalledOperator) -> InstalledOperator {
    if other.facts.is_some() {
        return other.clone();
    }
    let charts = snapshot.with_content().flat_map(|one| one.content.charts());
    let named = other.package.as_ref();
    let mut charts = charts.filter(|(package, _)| named.is_none_or(|named| named == *package));
    let found = charts.find_map(|(package, chart)| {
        let bundle = chart.package().bundles.get(&other.name)?;
        Some((package.clone(), Arc::clone(bundle)))
    });
    match found {
        Some((package, bundle)) => InstalledOperator {
            name: other.name.clone(),
            version: Some(bundle.version.clone()),
            package: Some(package),
            facts: Some(Arc::new(facts(&bundle))),
        },
        None => other.clone(),
    }
}

fn facts(bundle: &Bundle) -> OperatorFacts {
    let properties: Vec<Property> = bundle.properties.to_vec();
    OperatorFacts {
        provides: bundle.provides.clone(),
        requires: bundle.requires.clone(),
        properties,
    }
}
