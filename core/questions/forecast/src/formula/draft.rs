//! Builds the constraints for a namespace.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::Api;
use portolan_core_names::{BundleName, PackageName};

use super::providers::Providers;
use super::{Demand, Formula, Rule, Var};
use crate::entries::{Entry, EntryTable, INSTALLED};
use crate::words::{self, Words};
use crate::{BundleId, Hindrance, Reason, Subscription};

/// A formula, with the bundles and Subscriptions that its variables stand for.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) formula: Formula,
    /// The variables of all relevant bundles, by the index of the bundle's entry.
    pub(crate) bundles: BTreeMap<usize, Var>,
    /// The installed bundles that would be replaced, by the index of the new bundle's entry.
    pub(crate) replaced: BTreeMap<usize, BundleName>,
    /// The choices of each Subscription, in the order of the Subscriptions. None if no entry
    /// matches the Subscription.
    pub(crate) demands: Vec<Option<Demand>>,
}

/// Collects all constraints of a namespace. Returns only the first group of problems that exists:
/// problems of installed operators, catalogs that cannot be queried, or problems of the other
/// catalogs.
pub(crate) fn draft(
    table: &EntryTable<'_>,
    subscriptions: &[Subscription],
    broken: Vec<Hindrance>,
) -> Result<Draft, Vec<Hindrance>> {
    let mut drafting = Drafting::new(table);
    let installed = table.entries_of(INSTALLED).iter().map(|entry| entry.at);
    drafting.put(installed.collect());
    drafting.stop()?;
    drafting.hindrances = broken;
    drafting.stop()?;
    for subscription in subscriptions {
        let demand = drafting.demand(subscription);
        drafting.draft.demands.push(demand);
    }
    drafting.stop()?;
    drafting.put_invariants();
    Ok(drafting.draft)
}

#[derive(Debug)]
pub(super) struct Drafting<'w, 's> {
    pub(super) table: &'w EntryTable<'s>,
    providers: Providers<'w, 's>,
    /// The entries whose clauses were already added.
    seen: BTreeSet<usize>,
    pub(super) hindrances: Vec<Hindrance>,
    pub(super) draft: Draft,
}

// === impl Drafting ===

impl<'w, 's> Drafting<'w, 's> {
    fn new(table: &'w EntryTable<'s>) -> Self {
        Self {
            table,
            providers: Providers::new(table),
            seen: BTreeSet::new(),
            hindrances: Vec::new(),
            draft: Draft {
                formula: Formula::default(),
                bundles: BTreeMap::new(),
                replaced: BTreeMap::new(),
                demands: Vec::new(),
            },
        }
    }

    fn stop(&mut self) -> Result<(), Vec<Hindrance>> {
        if self.hindrances.is_empty() {
            Ok(())
        } else {
            Err(std::mem::take(&mut self.hindrances))
        }
    }

    pub(super) fn var(&mut self, at: usize) -> Var {
        let formula = &mut self.draft.formula;
        *self
            .draft
            .bundles
            .entry(at)
            .or_insert_with(|| formula.var())
    }

    /// Adds the constraints of bundles, and of all their possible dependencies. Starts with the
    /// last bundle, as OLM does, so that problems have the same order as in OLM.
    pub(super) fn put(&mut self, mut stack: Vec<usize>) {
        while let Some(at) = stack.pop() {
            if !self.seen.insert(at) {
                continue;
            }
            let entry = self.table.entries[at];
            let var = self.var(at);
            self.put_state(&entry, var);
            stack.extend(self.put_requirements(&entry, var));
        }
    }

    fn put_state(&mut self, entry: &Entry<'_>, var: Var) {
        let formula = &mut self.draft.formula;
        if entry.is_unreferenced {
            let csv = entry.name.clone();
            formula.add(Rule::Must(var), Reason::Unreferenced { csv });
        }
        if entry.is_prohibited {
            let bundle = self.table.id(entry);
            formula.add(Rule::Never(var), Reason::Deprecated { bundle });
        }
    }

    /// Adds the requirements of a bundle, and returns the entries that satisfy them. Catalogs list
    /// properties by type, so the order is: constraints, APIs, packages.
    fn put_requirements(&mut self, entry: &Entry<'s>, var: Var) -> Vec<usize> {
        let mut requirements: Vec<_> = entry.requires.each().collect();
        requirements.sort_by_key(|requirement| match requirement {
            portolan_core_catalog::Requirement::Constraint(_) => 0,
            portolan_core_catalog::Requirement::Api(_) => 1,
            portolan_core_catalog::Requirement::Package(_) => 2,
        });
        let unreadable = requirements
            .iter()
            .find_map(|each| words::unreadable(*each));
        if let Some(what) = unreadable {
            let bundle = self.table.id(entry);
            self.hindrances
                .push(Hindrance::Requirement { bundle, what });
            return Vec::new();
        }
        let mut needed = Vec::new();
        for requirement in requirements {
            let providers = match self.providers.of(requirement, entry.catalog) {
                Ok(providers) => providers,
                Err(hindrance) => {
                    self.hindrances.push(hindrance);
                    continue;
                }
            };
            let choices = providers.iter().map(|at| self.var(*at)).collect();
            let reason = Reason::BundleRequires {
                bundle: entry.name.clone(),
                requirement: Words(requirement).to_string(),
            };
            self.draft.formula.add(Rule::AnyOf(var, choices), reason);
            needed.extend(providers);
        }
        needed
    }

    /// Adds the rules that a package has at most one bundle, and that an API has at most one
    /// provider.
    fn put_invariants(&mut self) {
        let mut packages: BTreeMap<&PackageName, Vec<usize>> = BTreeMap::new();
        let mut apis: BTreeMap<&Api, Vec<usize>> = BTreeMap::new();
        for at in self.draft.bundles.keys() {
            let entry = &self.table.entries[*at];
            if let Some(package) = entry.package() {
                packages.entry(package).or_default().push(*at);
            }
            for api in entry.candidate.provides {
                apis.entry(api).or_default().push(*at);
            }
        }
        for (package, places) in packages {
            let package = package.clone();
            self.put_single(places, |bundles| Reason::OnePackage { package, bundles });
        }
        for (api, places) in apis {
            let api = api.clone();
            self.put_single(places, |bundles| Reason::OneProvider { api, bundles });
        }
    }

    fn put_single(&mut self, mut places: Vec<usize>, reason: impl FnOnce(Vec<BundleId>) -> Reason) {
        if places.len() < 2 {
            return;
        }
        let id = |at: &usize| self.table.id(&self.table.entries[*at]);
        places.sort_by_cached_key(|at| id(at).to_string());
        let reason = reason(places.iter().map(id).collect());
        let vars = places.iter().map(|at| self.draft.bundles[at]).collect();
        self.draft.formula.add(Rule::AtMostOne(vars), reason);
    }
}
