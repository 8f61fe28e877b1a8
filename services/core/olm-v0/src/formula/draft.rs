//! The formula of a namespace.

use std::collections::{BTreeMap, BTreeSet};

use portolan_catalog::Api;
use portolan_names::{BundleName, PackageName};

use super::providers::{Providers, in_order};
use super::{Formula, Rule, Var};
use crate::shelf::{Entry, INSTALLED, Shelves};
use crate::words::{self, Words};
use crate::{BundleId, Hindrance, Missing, Reason, Subscription};

/// A formula, and what its variables are about.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) formula: Formula,
    /// The variable of each bundle that matters, by its place on the shelves.
    pub(crate) bundles: BTreeMap<usize, Var>,
    /// What is installed and would be replaced by a bundle, by the place of the bundle.
    pub(crate) replaced: BTreeMap<usize, BundleName>,
    /// What each Subscription wants, in their order; None where it names what is not there.
    pub(crate) wishes: Vec<Option<Wish>>,
}

/// What a Subscription wants.
#[derive(Debug)]
pub(crate) struct Wish {
    /// What it can go to, by place, the most preferred first.
    pub(crate) choices: Vec<usize>,
    /// What is installed for it, by place.
    pub(crate) current: Option<usize>,
    /// The clause that says so.
    pub(crate) clause: usize,
}

/// Writes down all that must hold. Catalogs that cannot be asked come before whatever is wrong with
/// those that can, and after what is wrong with installed operators.
pub(crate) fn draft(
    shelves: &Shelves<'_>,
    subscriptions: &[Subscription],
    broken: Vec<Hindrance>,
) -> Result<Draft, Vec<Hindrance>> {
    let mut drafting = Drafting::new(shelves);
    let installed = shelves.on(INSTALLED).iter().map(|entry| entry.at);
    drafting.put(installed.collect());
    drafting.stop()?;
    drafting.hindrances = broken;
    drafting.stop()?;
    for subscription in subscriptions {
        let wish = drafting.wish(subscription);
        drafting.draft.wishes.push(wish);
    }
    drafting.stop()?;
    drafting.put_invariants();
    Ok(drafting.draft)
}

#[derive(Debug)]
struct Drafting<'w, 's> {
    shelves: &'w Shelves<'s>,
    providers: Providers<'w, 's>,
    /// The bundles whose clauses stand already.
    seen: BTreeSet<usize>,
    hindrances: Vec<Hindrance>,
    draft: Draft,
}

// === impl Drafting ===

impl<'w, 's> Drafting<'w, 's> {
    fn new(shelves: &'w Shelves<'s>) -> Self {
        Self {
            shelves,
            providers: Providers::new(shelves),
            seen: BTreeSet::new(),
            hindrances: Vec::new(),
            draft: Draft {
                formula: Formula::default(),
                bundles: BTreeMap::new(),
                replaced: BTreeMap::new(),
                wishes: Vec::new(),
            },
        }
    }

    fn stop(&mut self) -> Result<(), Vec<Hindrance>> {
        match self.hindrances.is_empty() {
            true => Ok(()),
            false => Err(std::mem::take(&mut self.hindrances)),
        }
    }

    fn var(&mut self, at: usize) -> Var {
        let formula = &mut self.draft.formula;
        *self
            .draft
            .bundles
            .entry(at)
            .or_insert_with(|| formula.var())
    }

    /// Writes down what holds of bundles and of all that they could need. The last is taken first,
    /// as OLM does, so that its complaints come in the same order.
    fn put(&mut self, mut stack: Vec<usize>) {
        while let Some(at) = stack.pop() {
            if !self.seen.insert(at) {
                continue;
            }
            let entry = self.shelves.entries[at];
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
            let bundle = self.shelves.id(entry);
            formula.add(Rule::Never(var), Reason::Deprecated { bundle });
        }
    }

    /// Catalogs list properties by type, so constraints come first, then APIs, then packages.
    fn put_requirements(&mut self, entry: &Entry<'s>, var: Var) -> Vec<usize> {
        let mut requirements: Vec<_> = entry.requires.each().collect();
        requirements.sort_by_key(|requirement| match requirement {
            portolan_catalog::Requirement::Constraint(_) => 0,
            portolan_catalog::Requirement::Api(_) => 1,
            portolan_catalog::Requirement::Package(_) => 2,
        });
        let unreadable = requirements
            .iter()
            .find_map(|each| words::unreadable(*each));
        if let Some(what) = unreadable {
            let bundle = self.shelves.id(entry);
            self.hindrances
                .push(Hindrance::Requirement { bundle, what });
            return Vec::new();
        }
        let mut needed = Vec::new();
        for requirement in requirements {
            let providers = match self.providers.of(requirement, entry.shelf) {
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

    fn wish(&mut self, subscription: &Subscription) -> Option<Wish> {
        let subject = self.draft.formula.var();
        let name = || subscription.name.clone();
        let exists = Reason::SubscriptionExists {
            subscription: name(),
        };
        self.draft.formula.add(Rule::Must(subject), exists);
        let current = self.current(subscription);
        let entries = match self.candidates(subscription, current) {
            Ok(entries) => entries,
            Err(missing) => {
                let reason = Reason::NothingFound {
                    subscription: name(),
                    missing,
                };
                self.draft.formula.add(Rule::Never(subject), reason);
                return None;
            }
        };
        let choices = self.choices(&entries, current)?;
        let ids = choices.iter().chain(&current);
        let ids = ids.map(|at| self.shelves.id(&self.shelves.entries[*at]));
        let reason = Reason::SubscriptionRequires {
            subscription: name(),
            choices: ids.collect(),
        };
        let vars: Vec<_> = choices
            .iter()
            .chain(&current)
            .map(|at| self.var(*at))
            .collect();
        let clause = self.draft.formula.add(Rule::AnyOf(subject, vars), reason);
        Some(Wish {
            choices,
            current,
            clause,
        })
    }

    fn current(&self, subscription: &Subscription) -> Option<usize> {
        let name = subscription.installed_csv.as_ref()?;
        let mut installed = self.shelves.on(INSTALLED).iter();
        installed
            .find(|entry| entry.name == name)
            .map(|entry| entry.at)
    }

    /// The entries that a Subscription speaks of.
    fn candidates(
        &self,
        subscription: &Subscription,
        current: Option<usize>,
    ) -> Result<Vec<&'w Entry<'s>>, Missing> {
        let Subscription {
            package,
            channel,
            catalog,
            starting_csv,
            ..
        } = subscription;
        let shelf = self.shelves.of_catalog(catalog);
        let mut entries: Vec<_> = shelf
            .map(|at| self.shelves.on(at))
            .unwrap_or_default()
            .iter()
            .collect();
        if entries.is_empty() {
            return Err(Missing::Catalog(catalog.clone()));
        }
        entries.retain(|entry| entry.package() == Some(package));
        if entries.is_empty() {
            return Err(Missing::Package(package.clone()));
        }
        if let Some(channel) = channel {
            entries.retain(|entry| entry.channel == Some(channel));
            if entries.is_empty() {
                return Err(Missing::Channel {
                    package: package.clone(),
                    channel: channel.clone(),
                });
            }
        }
        if let (None, Some(start)) = (current, starting_csv) {
            entries.retain(|entry| entry.name == start);
            if entries.is_empty() {
                return Err(Missing::Start {
                    package: package.clone(),
                    channel: channel.clone(),
                    start: start.clone(),
                });
            }
        }
        Ok(entries)
    }

    /// What the Subscription can go to, in order; None if a channel cannot be put in order.
    ///
    /// A bundle that stands in several channels is a choice in each of them as soon as it is one
    /// in some. OLM puts them in any order; here the one that it was found in comes first.
    fn choices(&mut self, entries: &[&'w Entry<'s>], current: Option<usize>) -> Option<Vec<usize>> {
        let mut channels: BTreeMap<_, Vec<&Entry<'s>>> = BTreeMap::new();
        for entry in entries {
            channels
                .entry((!entry.is_default, entry.channel))
                .or_default()
                .push(entry);
        }
        let current = current.map(|at| self.shelves.entries[at]);
        let mut choices: Vec<usize> = Vec::new();
        for channel in channels.values() {
            let ordered = match in_order(channel) {
                Ok(ordered) => ordered,
                Err(hindrance) => {
                    self.hindrances.push(hindrance);
                    return None;
                }
            };
            let follows =
                |entry: &&&Entry<'_>| current.is_none_or(|current| entry.follows(&current));
            for entry in ordered.iter().filter(follows) {
                let others = channels.values().flatten();
                let others = others.filter(|other| other.name == entry.name);
                let same = std::iter::once(entry.at).chain(others.map(|other| other.at));
                for at in same {
                    if !choices.contains(&at) {
                        choices.push(at);
                    }
                }
            }
        }
        self.put(choices.clone());
        if let Some(current) = current {
            self.oppose(&choices, &current);
        }
        Some(choices)
    }

    /// What is installed goes when one of the choices comes.
    fn oppose(&mut self, choices: &[usize], current: &Entry<'_>) {
        let installed = self.shelves.id(current);
        let current_var = self.var(current.at);
        for at in choices {
            let var = self.var(*at);
            let reason = Reason::Conflict {
                bundle: self.shelves.id(&self.shelves.entries[*at]),
                installed: installed.clone(),
            };
            let pair = Rule::AtMostOne(vec![var, current_var]);
            self.draft.formula.add(pair, reason);
            self.draft.replaced.insert(*at, current.name.clone());
        }
    }

    /// One bundle of a package, one provider of an API.
    fn put_invariants(&mut self) {
        let mut packages: BTreeMap<&PackageName, Vec<usize>> = BTreeMap::new();
        let mut apis: BTreeMap<&Api, Vec<usize>> = BTreeMap::new();
        for at in self.draft.bundles.keys() {
            let entry = &self.shelves.entries[*at];
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
        let id = |at: &usize| self.shelves.id(&self.shelves.entries[*at]);
        places.sort_by_cached_key(|at| id(at).to_string());
        let reason = reason(places.iter().map(id).collect());
        let vars = places.iter().map(|at| self.draft.bundles[at]).collect();
        self.draft.formula.add(Rule::AtMostOne(vars), reason);
    }
}
