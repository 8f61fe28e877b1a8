//! Simulates the passes of OLM.

use std::collections::BTreeSet;

use portolan_core_names::{CatalogName, ChannelName, PackageName};

use crate::entries::{Entry, EntryTable};
use crate::failure::blames;
use crate::formula::{Draft, draft};
use crate::solve::{self, GaveUp, Outcome};
use crate::state::State;
use crate::stay::stays;
use crate::{
    Approval, End, Failure, Forecast, Hindrance, Install, Namespace, Origin, Pass, Purpose,
    Silence, Source, Subscription, Unresolvable,
};

/// The maximum number of passes.
const MOST_PASSES: usize = 100;

/// Predicts the actions of OLM in a namespace.
///
/// `sources` contains all known catalogs. Catalogs that are not visible in the namespace are
/// ignored. Catalogs in namespace `global` are visible in all namespaces.
///
/// # Assumptions
///
/// - Every installation succeeds.
/// - OLM executes all plans that need no approval.
/// - OLM deletes replaced operators before the next pass.
/// - Catalogs do not change.
///
/// # Guarantees
///
/// The same input always results in the same forecast. The order of the objects has no effect.
pub fn forecast<'a>(namespace: &'a Namespace, sources: &'a [Source<'a>], global: &str) -> Forecast {
    let ended = |end| Forecast {
        passes: Vec::new(),
        end,
    };
    if namespace.subscriptions.is_empty() {
        return ended(End::Silent(Silence::NoSubscription));
    }
    let [group] = namespace.operator_groups.as_slice() else {
        let found = namespace.operator_groups.len();
        return ended(End::Silent(Silence::OperatorGroups { found }));
    };
    let sees = |name: &CatalogName| match name.namespace() {
        Some(place) if place == namespace.name => true,
        place => place == Some(global) && !group.excludes_global_catalogs,
    };
    let seen = sources.iter().filter(|source| sees(&source.name));
    let mut seen: Vec<_> = seen.collect();
    seen.sort_by(|left, right| left.name.cmp(&right.name));
    Simulation {
        sources: &seen,
        all: sources,
        patience: solve::PATIENCE,
        most: MOST_PASSES,
    }
    .run(State::of(namespace, *group))
}

/// The data of a simulation that does not change between passes.
#[derive(Debug)]
pub(crate) struct Simulation<'w, 'a> {
    pub(crate) sources: &'w [&'a Source<'a>],
    /// The sources, including sources that are not visible in the namespace.
    pub(crate) all: &'a [Source<'a>],
    pub(crate) patience: u64,
    pub(crate) most: usize,
}

/// The result of one pass: bundles to install, or the end of the forecast.
enum Resolution<'a> {
    Next(Vec<(Install, Entry<'a>)>),
    Last(End),
}

// === impl Simulation ===

impl<'a> Simulation<'_, 'a> {
    pub(crate) fn run(&self, mut state: State<'a>) -> Forecast {
        let mut passes: Vec<Pass> = Vec::new();
        let mut fingerprints = vec![state.fingerprint()];
        let end = loop {
            if passes.len() == self.most {
                break End::Endless;
            }
            let installs = match self.step(&state) {
                Resolution::Next(installs) => installs,
                Resolution::Last(end) => break end,
            };
            for (install, entry) in &installs {
                state.install(install, entry);
            }
            let installs = installs.into_iter().map(|(install, _)| install);
            passes.push(Pass {
                installs: installs.collect(),
            });
            let manual = state.subscriptions.iter();
            let manual = manual.filter(|each| each.approval == Approval::Manual);
            let manual: Vec<_> = manual.map(|each| each.name.clone()).collect();
            if !manual.is_empty() {
                break End::AwaitsApproval { manual };
            }
            let fingerprint = state.fingerprint();
            if let Some(from) = fingerprints.iter().position(|known| *known == fingerprint) {
                break End::Circles { from };
            }
            fingerprints.push(fingerprint);
        };
        Forecast { passes, end }
    }

    fn step(&self, state: &State<'a>) -> Resolution<'a> {
        let waiting = state
            .subscriptions
            .iter()
            .filter(|each| state.awaits_plan(each));
        let waiting: Vec<_> = waiting.map(|each| each.name.clone()).collect();
        if waiting.len() == state.subscriptions.len() {
            return Resolution::Last(End::AwaitsPlans {
                subscriptions: waiting,
            });
        }
        let table = EntryTable::of(state, self.sources);
        let draft = match draft(&table, &state.subscriptions, self.broken()) {
            Ok(draft) => draft,
            Err(hindrances) => {
                let refusal = Unresolvable::Errors(hindrances);
                return Resolution::Last(self.failed(refusal, state, &table));
            }
        };
        let chosen = match solve::solve(&draft.formula, self.patience) {
            Err(GaveUp) => {
                let steps = self.patience;
                return Resolution::Last(End::GaveUp { steps });
            }
            Ok(Outcome::Unsatisfiable(reasons)) => {
                let refusal = Unresolvable::Unsatisfiable(reasons);
                return Resolution::Last(self.failed(refusal, state, &table));
            }
            Ok(Outcome::Chosen(chosen)) => chosen,
        };
        let installs = self.installs(&chosen, &draft, &table, state);
        if installs.is_empty() {
            return Resolution::Last(End::Settled(stays(&draft, &table, state, self.patience)));
        }
        Resolution::Next(installs)
    }

    /// Returns an obstacle for each catalog that cannot be read. One such catalog makes the
    /// resolution fail for all Subscriptions of the namespace.
    fn broken(&self) -> Vec<Hindrance> {
        let broken = self.sources.iter().filter_map(|source| {
            let why = source.content.as_ref().err()?.clone();
            let name = source.name.clone();
            Some(Hindrance::Catalog { name, why })
        });
        broken.collect()
    }

    fn failed(&self, refusal: Unresolvable, state: &State<'a>, table: &EntryTable<'a>) -> End {
        let blames = blames(&refusal, state, table, self.all);
        End::Failed(Failure { refusal, blames })
    }

    /// Returns the bundles that OLM installs for a solution. Empty if no Subscription gets a new
    /// bundle, because OLM does not install dependencies alone.
    fn installs(
        &self,
        chosen: &BTreeSet<usize>,
        draft: &Draft,
        table: &EntryTable<'a>,
        state: &State<'a>,
    ) -> Vec<(Install, Entry<'a>)> {
        let bundles = draft.bundles.iter().filter(|(_, var)| chosen.contains(var));
        let mut entries: Vec<_> = bundles.map(|(at, _)| table.entries[*at]).collect();
        entries.sort_by_cached_key(|entry| table.id(entry).to_string());
        let mut is_decided = false;
        let mut installs = Vec::new();
        for entry in entries {
            let Origin::Offered { catalog, channel } = table.id(&entry).origin else {
                continue;
            };
            let Some((package, version)) = entry.package().zip(entry.candidate.version) else {
                continue;
            };
            let followers = state.subscriptions.iter().filter(|each| {
                each.package == *package
                    && each
                        .channel
                        .as_ref()
                        .is_none_or(|wanted| *wanted == channel)
                    && each.catalog == catalog
            });
            let followers: Vec<_> = followers.collect();
            let decides = |each: &&Subscription| each.current_csv.as_ref() != Some(entry.name);
            is_decided |= followers.iter().any(decides);
            let is_done = !followers.is_empty()
                && !followers.iter().any(decides)
                && state.is_there(entry.name);
            if is_done {
                continue;
            }
            let replaced = draft.replaced.get(&entry.at).or(entry.replaces);
            let install = Install {
                bundle: entry.name.clone(),
                version: version.clone(),
                package: package.clone(),
                purpose: purpose(&followers, package, &channel, &catalog),
                channel,
                catalog,
                replaces: replaced.cloned(),
            };
            installs.push((install, entry));
        }
        if is_decided { installs } else { Vec::new() }
    }
}

fn purpose(
    followers: &[&Subscription],
    package: &PackageName,
    channel: &ChannelName,
    catalog: &CatalogName,
) -> Purpose {
    if followers.is_empty() {
        let namespace = catalog.namespace().unwrap_or_default();
        let catalog = catalog.object();
        return Purpose::Needed {
            subscription: format!("{package}-{channel}-{catalog}-{namespace}"),
        };
    }
    let names = followers.iter().map(|each| each.name.clone());
    Purpose::Subscribed(names.collect())
}
