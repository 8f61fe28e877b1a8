//! Tests real catalogs. Each channel is tested alone, from its oldest bundle to its head. Groups
//! of operators that depend on each other are also tested.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use portolan_core_catalog::{Api, Bundle, Catalog, Package, Reading};
use portolan_core_graph::{Charted, Destination, Installed, PathAnswer, Query, heads};
use portolan_core_names::{BundleName, ChannelName, PackageName};
use portolan_core_route::{Certainty, Goal, Operator, Plan, Question, plan};
use portolan_core_solver::InstalledOperator;
use portolan_kit::{assert_same, real_catalog};
use rstest::rstest;

use crate::dice::Dice;
use crate::reference::Reference;

#[expect(
    clippy::disallowed_methods,
    reason = "a test finds its catalogs by itself"
)]
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder must be readable");
    let paths = entries.map(|entry| entry.expect("the folder must be readable").path());
    let mut files: Vec<_> = paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    files.sort();
    files
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test finds its catalogs by itself"
)]
fn reading(path: &Path) -> Reading {
    let mut bytes = std::fs::read(path).expect("the file must be readable");
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut plain = Vec::new();
        let mut decoder = MultiGzDecoder::new(bytes.as_slice());
        decoder
            .read_to_end(&mut plain)
            .expect("the file must be whole");
        bytes = plain;
    }
    Reading::of(&path.to_string_lossy(), &bytes)
}

/// The packages of a catalog, ready for questions.
pub(crate) type Packages = BTreeMap<PackageName, Arc<Charted>>;

pub(crate) fn packages(name: &str) -> Option<Packages> {
    let folder = real_catalog(name)?;
    let catalog = Catalog::of(files(&folder).iter().map(|path| reading(path)));
    let packages = catalog.packages.into_iter();
    let packages = packages.map(|(name, package)| (name, Arc::new(Charted::new(package))));
    Some(packages.collect())
}

fn bundle<'p>(package: &'p Package, name: &BundleName) -> Option<&'p Bundle> {
    package.bundles.get(name).map(|bundle| &**bundle)
}

/// Returns the oldest entry of a channel that has a bundle.
fn tail<'p>(package: &'p Package, channel: &ChannelName) -> Option<&'p Bundle> {
    let entries = package.channels[channel].entries.keys();
    let entries = entries.filter_map(|name| bundle(package, name));
    entries.min_by_key(|bundle| (&bundle.version, &bundle.name))
}

fn head<'p>(package: &'p Package, channel: &ChannelName) -> Option<&'p Bundle> {
    let heads = heads(&package.channels[channel]);
    let heads = heads.filter_map(|name| bundle(package, name));
    heads.max_by_key(|bundle| (&bundle.version, &bundle.name))
}

fn installed(package: &Package, bundle: &Bundle) -> InstalledOperator {
    InstalledOperator {
        package: Some(package.name.clone()),
        ..InstalledOperator::named(bundle.name.clone())
    }
}

/// The number of channels with each result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    reached: usize,
    /// The total number of hops to all reached goals.
    hops: usize,
    /// The number of channels in which neither the graph nor the route has a path.
    blocked: usize,
    /// The number of channels whose route is blocked by requirements, because the channel is tested
    /// without other operators.
    lacking: usize,
    /// The number of channels in which the graph's path contains a version that is newer than the
    /// goal.
    past_the_pin: usize,
}

#[rstest]
#[case::of_openshift("community-v4.20", Counts { reached: 84, hops: 692, blocked: 0, lacking: 2, past_the_pin: 1 })]
#[case::of_operatorhub("operatorhub", Counts { reached: 606, hops: 6519, blocked: 48, lacking: 16, past_the_pin: 0 })]
fn route_of_each_single_channel_equals_its_graph_path(
    #[case] name: &str,
    #[case] expected: Counts,
) {
    let Some(packages) = packages(name) else {
        return;
    };
    let mut counts = Counts::default();
    for charted in packages.values() {
        for channel in charted.package().channels.keys() {
            alone(charted, channel, &mut counts);
        }
    }
    assert_same!(counts, expected);
}

fn alone(charted: &Arc<Charted>, channel: &ChannelName, counts: &mut Counts) {
    let package = charted.package();
    let (Some(tail), Some(head)) = (tail(package, channel), head(package, channel)) else {
        return;
    };
    let range = head
        .version
        .to_string()
        .parse()
        .expect("a version is a range");
    let from = installed(package, tail);
    let mut operator = Operator::new(Arc::clone(charted), Some(from), Goal::Range(range));
    operator.channels = BTreeSet::from([channel.clone()]);
    let mut question = Question::default();
    question.operators.push(operator);
    let with_needs = plan(&question).expect("the question must be one");
    question.operators[0].overrides.ignore_dependencies = true;
    let route = plan(&question).expect("the question must be one");
    let start = Installed {
        name: tail.name.clone(),
        version: None,
    };
    let query = Query {
        channel: Some(channel.clone()),
        ..Query::new(start, Destination::Version(head.version.clone()))
    };
    let hops = match charted.graph().find_path(&query) {
        Ok(PathAnswer::Reached(path)) => path.hops,
        Ok(PathAnswer::AlreadyThere(_)) => Vec::new(),
        Ok(PathAnswer::Blocked(_)) => {
            assert!(!route.is_reached(), "{route}");
            counts.blocked += 1;
            return;
        }
        Err(unknown) => panic!("{unknown}"),
    };
    let mut versions = hops.iter().filter_map(|hop| hop.to.version.as_ref());
    if versions.any(|version| *version > head.version) {
        counts.past_the_pin += 1;
        return;
    }
    assert!(route.is_reached(), "{route}");
    let steps = &route.routes[0].steps;
    assert_eq!(steps.len(), hops.len(), "{route}");
    let deprecated = |is: &mut dyn Iterator<Item = bool>| is.filter(|is| *is).count();
    assert_eq!(
        deprecated(
            &mut steps
                .iter()
                .map(|step| step.moves[0].to.deprecation.is_some())
        ),
        deprecated(&mut hops.iter().map(|hop| hop.to.deprecation.is_some())),
        "{route}"
    );
    counts.reached += 1;
    counts.hops += hops.len();
    counts.lacking += usize::from(!with_needs.is_reached());
}

/// The packages of a catalog, with the dependencies between them.
struct Market<'p> {
    packages: &'p Packages,
    /// The packages that have a bundle with requirements.
    dependents: Vec<&'p PackageName>,
    providers: BTreeMap<&'p Api, BTreeSet<&'p PackageName>>,
}

// === impl Market ===

impl<'p> Market<'p> {
    fn of(packages: &'p Packages) -> Self {
        let mut providers: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        let mut dependents = Vec::new();
        for (name, charted) in packages {
            let bundles = || charted.package().bundles.values();
            for api in bundles().flat_map(|bundle| &bundle.provides) {
                providers.entry(api).or_default().insert(name);
            }
            if bundles().any(|bundle| bundle.requires.each().next().is_some()) {
                dependents.push(name);
            }
        }
        Self {
            packages,
            dependents,
            providers,
        }
    }

    /// Returns the packages that any bundle of a package may require.
    fn required(&self, name: &PackageName) -> BTreeSet<&'p PackageName> {
        let mut required = BTreeSet::new();
        for bundle in self.packages[name].package().bundles.values() {
            let packages = bundle.requires.packages.iter();
            let packages = packages.map(|required| &required.package);
            required.extend(packages.filter_map(|name| Some(self.packages.get_key_value(name)?.0)));
            let apis = bundle.requires.apis.iter();
            let providers = apis.filter_map(|api| self.providers.get(api)?.first());
            required.extend(providers.copied());
        }
        required
    }

    /// Returns a question with some dependent operators, with all operators that they may require,
    /// and with some unrelated operators. At most about forty operators are related. Each operator
    /// is not installed or at its oldest bundle, and its goal is its best version.
    fn group(&self, dice: &mut Dice) -> Question {
        let mut names = BTreeSet::new();
        let mut border: Vec<_> = (0..=dice.roll(8))
            .map(|_| dice.pick(&self.dependents))
            .collect();
        while let Some(name) = border.pop() {
            if names.len() < 40 && names.insert(name) {
                border.extend(self.required(name));
            }
        }
        let all: Vec<_> = self.packages.keys().collect();
        names.extend((0..dice.roll(10)).map(|_| dice.pick(&all)));
        let operators = names.into_iter().map(|name| self.operator(name, dice));
        Question {
            operators: operators.collect(),
            ..Question::default()
        }
    }

    fn operator(&self, name: &PackageName, dice: &mut Dice) -> Operator {
        let charted = &self.packages[name];
        let package = charted.package();
        let channels: Vec<_> = package.channels.keys().collect();
        let channel = dice.pick(&channels);
        let is_new = dice.is_in(30);
        let tail = tail(package, channel).filter(|_| !is_new);
        let from = tail.map(|bundle| installed(package, bundle));
        Operator::new(Arc::clone(charted), from, Goal::Any)
    }
}

/// The number of groups with each result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Groups {
    reached: usize,
    blocked: usize,
    operators: usize,
    steps: usize,
    /// The number of steps that have several moves.
    together: usize,
    /// The largest number of operators in one route.
    largest: usize,
    budget_spent: usize,
    only_single: usize,
}

#[rstest]
#[case::of_openshift("community-v4.20", 1, Groups { reached: 155, blocked: 45, operators: 1371, steps: 8023, together: 0, largest: 2, budget_spent: 0, only_single: 0 })]
#[case::of_operatorhub("operatorhub", 2, Groups { reached: 146, blocked: 54, operators: 2477, steps: 20788, together: 6, largest: 6, budget_spent: 0, only_single: 0 })]
fn routes_of_dependent_operator_groups_are_valid(
    #[case] name: &str,
    #[case] seed: u64,
    #[case] expected: Groups,
) {
    let Some(packages) = packages(name) else {
        return;
    };
    let market = Market::of(&packages);
    let mut groups = Groups::default();
    for number in 0..200 {
        let question = market.group(&mut Dice::of(seed * 1_000 + number));
        let plan = plan(&question).expect("the question must be one");
        is_sound(&question, &plan);
        groups.add(&question, &plan);
    }
    assert_same!(groups, expected);
}

/// Checks that each prefix of each route is valid, regardless of the progress of the other routes.
fn is_sound(question: &Question, plan: &Plan) {
    let reference = Reference::standing(question);
    let packages = question.operators.iter();
    let packages = packages.map(|operator| &operator.package.package().name);
    let places: BTreeMap<_, _> = packages.zip(0..).collect();
    let mut state = reference.start().clone();
    let longest = plan.routes.iter().map(|route| route.steps.len()).max();
    for at in 0..longest.unwrap_or_default() {
        for route in &plan.routes {
            let Some(step) = route.steps.get(at) else {
                continue;
            };
            for made in &step.moves {
                let place: usize = places[&made.package];
                assert_eq!(state[place], made.from, "{plan}");
                state[place] = Some(made.to.name.clone());
            }
            assert!(reference.is_sound(&state), "after {step}:\n{plan}");
        }
    }
}

// === impl Groups ===

impl Groups {
    fn add(&mut self, question: &Question, plan: &Plan) {
        self.operators += question.operators.len();
        self.reached += usize::from(plan.is_reached());
        self.blocked += usize::from(!plan.is_reached());
        for route in &plan.routes {
            self.steps += route.steps.len();
            let several = route.steps.iter().filter(|step| step.moves.len() > 1);
            self.together += several.count();
            self.largest = self.largest.max(route.ends.len());
            self.budget_spent += usize::from(route.certainty != Certainty::Best);
            self.only_single += usize::from(!route.only_single.is_empty());
        }
    }
}
