//! Converts Subscriptions to constraints.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::BundleName;

use super::Rule;
use super::draft::Drafting;
use super::providers::in_order;
use crate::entries::{Entry, INSTALLED};
use crate::{Hindrance, Missing, Reason, Subscription};

/// The choices of one Subscription, and its constraint.
#[derive(Debug)]
pub(crate) struct Demand {
    /// The indexes of the entries that the Subscription can select, most preferred first.
    pub(crate) choices: Vec<usize>,
    /// The index of the installed entry. None if no bundle is installed.
    pub(crate) current: Option<usize>,
    /// The index of the clause that requires one of these choices.
    pub(crate) clause: usize,
}

// === impl Drafting ===

impl<'w, 's> Drafting<'w, 's> {
    /// Adds the constraints of a Subscription. Returns None if no entry matches the Subscription,
    /// or if a matching entry is unusable.
    pub(super) fn demand(&mut self, subscription: &Subscription) -> Option<Demand> {
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
        let listed = self.choices(&entries, current)?;
        let ids = listed.iter().chain(&current);
        let ids = ids.map(|at| self.table.id(&self.table.entries[*at]));
        let reason = Reason::SubscriptionRequires {
            subscription: name(),
            choices: ids.collect(),
        };
        let mut seen = BTreeSet::new();
        let choices = listed.into_iter().filter(|at| seen.insert(*at));
        let choices: Vec<_> = choices.collect();
        if let Some(current) = current {
            self.oppose(&choices, current);
        }
        let vars = choices.iter().chain(&current);
        let vars = vars.map(|at| self.var(*at)).collect();
        let clause = self.draft.formula.add(Rule::AnyOf(subject, vars), reason);
        Some(Demand {
            choices,
            current,
            clause,
        })
    }

    fn current(&self, subscription: &Subscription) -> Option<usize> {
        let name = subscription.installed_csv.as_ref()?;
        let mut installed = self.table.entries_of(INSTALLED).iter();
        installed
            .find(|entry| entry.name == name)
            .map(|entry| entry.at)
    }

    /// Returns the entries of the catalog that match the package, channel and starting CSV of a
    /// Subscription.
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
        let at = self.table.of_catalog(catalog);
        let mut entries: Vec<_> = at
            .map(|at| self.table.entries_of(at))
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

    /// Returns the indexes of the entries that the Subscription can select, most preferred first.
    /// Returns None if an entry is unusable.
    ///
    /// A bundle in several matching channels results in one choice for each channel. OLM orders
    /// these choices arbitrarily, but usually as in this function.
    fn choices(&mut self, entries: &[&'w Entry<'s>], current: Option<usize>) -> Option<Vec<usize>> {
        let found = self.matching(entries, current);
        let found = found.map_err(|hindrance| self.hindrances.push(hindrance));
        let mut choices = Vec::new();
        for name in found.ok()? {
            let same = entries.iter().filter(|entry| entry.name == name);
            let mut same: Vec<_> = same.map(|entry| entry.at).collect();
            let complaints = self.hindrances.len();
            self.put(same.clone());
            if self.hindrances.len() > complaints {
                return None;
            }
            same.reverse();
            choices.extend(same);
        }
        Some(choices)
    }

    /// Returns the names of the bundles that the Subscription can install next, channel by channel.
    /// The default channel comes first.
    fn matching(
        &self,
        entries: &[&'w Entry<'s>],
        current: Option<usize>,
    ) -> Result<Vec<&'s BundleName>, Hindrance> {
        let mut channels: BTreeMap<_, Vec<&Entry<'s>>> = BTreeMap::new();
        for entry in entries {
            let key = (!entry.is_default, entry.channel);
            channels.entry(key).or_default().push(entry);
        }
        let current = current.map(|at| &self.table.entries[at]);
        let mut found = Vec::new();
        for channel in channels.values() {
            let ordered = in_order(channel)?.into_iter();
            let following =
                ordered.filter(|entry| current.is_none_or(|current| entry.follows(current)));
            found.extend(following.map(|entry| entry.name));
        }
        Ok(found)
    }

    /// Adds a conflict between each choice and the installed entry, because each choice replaces
    /// the installed entry.
    fn oppose(&mut self, choices: &[usize], current: usize) {
        let entry = &self.table.entries[current];
        let installed = self.table.id(entry);
        let current = self.var(current);
        for at in choices {
            let var = self.var(*at);
            let reason = Reason::Conflict {
                bundle: self.table.id(&self.table.entries[*at]),
                installed: installed.clone(),
            };
            let pair = Rule::AtMostOne(vec![var, current]);
            self.draft.formula.add(pair, reason);
            self.draft.replaced.insert(*at, entry.name.clone());
        }
    }
}
