//! Stores the common routes of all Operators, and finds the Operators that need a new decision.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::answer::{Answer, CommonRoute};
use crate::fleet::Fleet;
use crate::offer::Offers;
use crate::touched::Change;

/// The routes of all Operators of a Fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The number of the survey. It increases with each survey.
    pub number: u64,
    pub fleet: Arc<Fleet>,
    pub offers: Answer<Arc<Offers>>,
    pub routes: Answer<Arc<Vec<CommonRoute>>>,
}

/// The error if an Operator has changed since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Superseded;

/// The shared input of a decision about an Operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    pub fleet: Arc<Fleet>,
    /// The survey. None if the decision needed no route.
    pub survey: Option<Survey>,
}

/// The current Fleet, and the routes that the last decision about each Operator was based on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    fleet: Arc<Fleet>,
    /// The number and routes of the newest Survey.
    newest: Option<Routes>,
    /// The routes by name of the Operator. An Operator whose decision needed no route has no entry.
    read: BTreeMap<String, Routes>,
}

/// The routes of a Survey, and the number of the Survey.
type Routes = (u64, Answer<Arc<Vec<CommonRoute>>>);

/// The routes of each survey result, by package. Results are compared by address, so that each
/// result is indexed once for all Operators.
#[derive(Default)]
struct RouteIndex<'r>(BTreeMap<usize, BTreeMap<&'r str, &'r CommonRoute>>);

// === impl Survey ===

impl Survey {
    fn routes(&self) -> Routes {
        (self.number, self.routes.clone())
    }
}

// === impl Ledger ===

impl Ledger {
    pub fn fleet(&self) -> &Arc<Fleet> {
        &self.fleet
    }

    /// Returns true if at least one decision depends on a Survey.
    pub fn has_readers(&self) -> bool {
        !self.read.is_empty()
    }

    /// Replaces the Fleet. Returns the names of the Operators whose decisions the change affects,
    /// including deleted Operators.
    pub fn see(&mut self, fleet: Fleet) -> BTreeSet<String> {
        let change = Change::of(&self.fleet, &fleet);
        if change.is_nothing() {
            return BTreeSet::new();
        }
        let mut index = RouteIndex::default();
        let names = self.fleet.members.keys().chain(fleet.members.keys());
        let touched = names.filter(|name| {
            let read = self.read.get(*name);
            let route = read.and_then(|(_, read)| index.route(&self.fleet, name, read));
            change.touches(name, route)
        });
        let touched = touched.cloned().collect();
        self.read.retain(|name, _| fleet.members.contains_key(name));
        self.fleet = Arc::new(fleet);
        touched
    }

    /// Replaces the newest routes with the routes of a Survey. Returns the Operators whose route
    /// differs from the route of their last decision. Ignores a Survey that is older than the
    /// newest Survey.
    pub fn learn(&mut self, survey: &Survey) -> BTreeSet<String> {
        if self
            .newest
            .as_ref()
            .is_some_and(|(number, _)| *number > survey.number)
        {
            return BTreeSet::new();
        }
        let mut index = RouteIndex::default();
        let read = self.read.iter().filter(|(_, read)| read.0 <= survey.number);
        let read = read
            .filter(|(name, read)| index.is_other(&survey.fleet, name, [&read.1, &survey.routes]));
        let touched: BTreeSet<_> = read.map(|(name, _)| name.clone()).collect();
        for (name, read) in &mut self.read {
            if read.0 <= survey.number && !touched.contains(name) {
                // The route of the Operator is unchanged. Its entry now refers to the new Survey,
                // so that the routes are not stored twice.
                *read = survey.routes();
            }
        }
        self.newest = Some(survey.routes());
        touched
    }

    /// Records the input of a decision. Returns true if the input has changed in the meantime, so
    /// that the decision must be made again.
    pub fn decided(&mut self, name: &str, basis: &Basis) -> bool {
        let read = basis.survey.as_ref().map(Survey::routes);
        match read {
            Some(read) => drop(self.read.insert(name.to_owned(), read)),
            None => drop(self.read.remove(name)),
        }
        let mut index = RouteIndex::default();
        if !Arc::ptr_eq(&self.fleet, &basis.fleet) {
            let change = Change::of(&basis.fleet, &self.fleet);
            let read = self.read.get(name);
            let route = read.and_then(|(_, read)| index.route(&basis.fleet, name, read));
            if change.touches(name, route) {
                return true;
            }
        }
        match (&self.newest, self.read.get(name)) {
            (Some((newest, routes)), Some((number, read))) if newest > number => {
                index.is_other(&self.fleet, name, [read, routes])
            }
            _ => false,
        }
    }
}

// === impl RouteIndex ===

impl<'r> RouteIndex<'r> {
    /// Returns the route of an Operator in a survey result.
    fn route(
        &mut self,
        fleet: &Fleet,
        name: &str,
        routes: &'r Answer<Arc<Vec<CommonRoute>>>,
    ) -> Option<&'r CommonRoute> {
        let package = fleet.members.get(name)?.package()?;
        match routes {
            Answer::Known(routes) => self.of(routes, package),
            Answer::Refused(_) | Answer::Unavailable(_) => None,
        }
    }

    fn of(&mut self, routes: &'r Arc<Vec<CommonRoute>>, package: &str) -> Option<&'r CommonRoute> {
        let address = Arc::as_ptr(routes).addr();
        let by_package = self.0.entry(address).or_insert_with(|| {
            // If several routes contain a package, only the first of them is used.
            let routes = routes.iter().rev();
            let ends = routes.flat_map(|route| route.ends.iter().map(move |end| (route, end)));
            ends.map(|(route, end)| (&*end.package, route)).collect()
        });
        by_package.get(package).copied()
    }

    /// Returns true if the route of an Operator differs between two survey results.
    fn is_other(
        &mut self,
        fleet: &Fleet,
        name: &str,
        answers: [&'r Answer<Arc<Vec<CommonRoute>>>; 2],
    ) -> bool {
        let package = fleet.members.get(name).and_then(|it| it.package());
        match (answers, package) {
            ([Answer::Known(one), Answer::Known(other)], Some(package)) => {
                !Arc::ptr_eq(one, other) && self.of(one, package) != self.of(other, package)
            }
            ([one, other], _) => one != other,
        }
    }
}
