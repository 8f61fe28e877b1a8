//! Parses a namespace from a short text with one object per line:
//!
//! ```text
//! sub etcd: etcd.v1 > etcd.v2              a Subscription: installed bundle > next bundle
//! sub mine of etcd auto: - > etcd.v1       with another name; approves automatically
//! has etcd.v1 needs vault@>=1.0.0          an installed bundle, with its identity
//! plan a 3: etcd.v2 over etcd.v1; vault.v1 generated
//! plan b 4 Complete approved: vault.v2 needs api:Lock provides api:Vault
//! policy p/etcd: etcd allows etcd.v1 etcd.v2 with updates dependencies
//! policy p/vault: vault in ? informs       with an unknown namespace
//! unseen the Subscriptions
//! ```
//!
//! A line that begins with a semicolon continues the previous line.
//!
//! Only in this module, the name of a bundle determines its identity: `etcd.v2.1` is etcd in
//! version 2.1.0.

use portolan_core_names::{Consent, PackageName, Version, VersionRange};
use portolan_core_olm::Api;

use crate::*;

mod tale;

pub(crate) use tale::*;

/// The name of the namespace in all test scenarios.
pub(crate) const HOME: &str = "demo";

/// A namespace under construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct World(pub(crate) Namespace);

/// Parses the namespace from a text.
pub(crate) fn world(text: &str) -> World {
    let mut all = Namespace {
        name: HOME.to_owned(),
        ..Namespace::default()
    };
    let text = text
        .lines()
        .map(str::trim)
        .collect::<Vec<_>>()
        .join("\n")
        .replace("\n;", ";");
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (kind, rest) = line.split_once(' ').unwrap();
        match kind {
            "sub" => all.subscriptions.push(subscription(rest)),
            "has" => all.installed.push(installed(rest)),
            "plan" => all.plans.push(plan(rest)),
            "policy" => all.policies.push(policy(rest)),
            "unseen" => all.unseen.push(rest.to_owned()),
            other => panic!("nothing is called {other}"),
        }
    }
    World(all)
}

// === impl World ===

impl World {
    pub(crate) fn namespace(mut self, change: impl FnOnce(&mut Namespace)) -> Self {
        change(&mut self.0);
        self
    }

    /// Changes the last plan.
    pub(crate) fn plan(self, change: impl FnOnce(&mut Plan)) -> Self {
        self.namespace(|all| change(all.plans.last_mut().unwrap()))
    }

    /// Changes a bundle of the last plan.
    pub(crate) fn bundle(self, name: &str, change: impl FnOnce(&mut Bundle)) -> Self {
        self.plan(|plan| {
            change(
                plan.bundles
                    .iter_mut()
                    .find(|bundle| bundle.name == name)
                    .unwrap(),
            );
        })
    }

    /// Adds another description of a bundle to the last plan.
    pub(crate) fn also(self, name: &str, change: impl FnOnce(&mut Bundle)) -> Self {
        self.plan(|plan| {
            let described = plan.bundles.iter().find(|bundle| bundle.name == name);
            let mut more = described.cloned().unwrap_or_else(|| bundle(name));
            change(&mut more);
            plan.bundles.push(more);
        })
    }

    /// Sets the needs of a bundle of the last plan.
    pub(crate) fn needs(self, name: &str, needs: Vec<Need>) -> Self {
        self.bundle(name, |bundle| identity_of(bundle).needs = needs)
    }
}

/// Returns the identity of the bundle.
pub(crate) fn identity_of(bundle: &mut Bundle) -> &mut BundleIdentity {
    bundle.identity.as_mut().unwrap().as_mut().unwrap()
}

pub(crate) fn package(name: &str) -> PackageName {
    PackageName::parse(name).unwrap()
}

/// Returns the package and version in the name of a bundle.
pub(crate) fn identity(name: &str) -> BundleIdentity {
    let (package, version) = name.rsplit_once(".v").unwrap_or((name, "1"));
    let (package, version) = match name.find(".v") {
        Some(at) => (&name[..at], &name[at + 2..]),
        None => (package, version),
    };
    let dots = version.matches('.').count();
    let version = format!("{version}{}", [".0.0", ".0", ""][dots.min(2)]);
    BundleIdentity {
        package: self::package(package),
        version: Some(Version::parse(&version).unwrap()),
        provides: Default::default(),
        needs: Vec::new(),
    }
}

/// Returns a bundle with this name and an identity from the image lookup.
pub(crate) fn bundle(name: &str) -> Bundle {
    Bundle {
        name: name.to_owned(),
        source: Source::Lookup,
        replaces: String::new(),
        catalog: String::new(),
        identity: Some(Ok(identity(name))),
        is_pending: false,
    }
}

pub(crate) fn step(bundle: &str, kind: &str, name: &str) -> Step {
    let (bundle, kind, name) = (bundle.to_owned(), kind.to_owned(), name.to_owned());
    Step {
        bundle,
        kind,
        name,
        package: None,
    }
}

/// Returns the step that creates a Subscription for a bundle. OLM generates such a Subscription for
/// a bundle that only other bundles need.
pub(crate) fn generated(name: &str, of: &str) -> Step {
    let package = Some(package(of));
    Step {
        package,
        ..step(name, "Subscription", &format!("{of}-stable-ports-olm"))
    }
}

pub(crate) fn api(kind: &str) -> Api {
    Api {
        group: "demo.example".into(),
        version: "v1".into(),
        kind: kind.into(),
    }
}

/// Parses a need, for example `vault@>=1.0.0` or `api:Vault`.
pub(crate) fn need(text: &str) -> Need {
    match (text.strip_prefix("api:"), text.split_once('@')) {
        (Some(kind), _) => Need::Api(api(kind)),
        (None, Some((name, range))) => {
            Need::Package(package(name), VersionRange::parse(range).unwrap())
        }
        (None, None) => panic!("{text} is no need"),
    }
}

fn subscription(text: &str) -> Subscription {
    let (head, csvs) = text.split_once(": ").unwrap();
    let (installed, current) = csvs.split_once(" > ").unwrap();
    let head: Vec<&str> = head.split(' ').collect();
    let of = head
        .iter()
        .position(|word| *word == "of")
        .map_or(0, |of| of + 1);
    let csv = |name: &str| {
        if name == "-" {
            String::new()
        } else {
            name.to_owned()
        }
    };
    Subscription {
        name: head[0].to_owned(),
        package: PackageName::parse(head[of]).ok(),
        is_manual: !head.contains(&"auto"),
        current: csv(current),
        installed: csv(installed),
    }
}

fn installed(text: &str) -> Installed {
    let mut all = Plan::default();
    brought(text, &mut all);
    let identity = all.bundles.pop().and_then(|bundle| bundle.identity);
    Installed {
        name: all.csvs.remove(0),
        identity: identity.map(Result::unwrap),
    }
}

fn plan(text: &str) -> Plan {
    let (head, bundles) = text.split_once(": ").unwrap();
    let head: Vec<&str> = head.split(' ').collect();
    let phases = ["Planning", "Installing", "Complete", "Failed"];
    let phase = head
        .iter()
        .find(|word| phases.contains(word))
        .unwrap_or(&"RequiresApproval");
    let mut plan = Plan {
        name: head[0].to_owned(),
        generation: head[1].parse().ok(),
        phase: (*phase).to_owned(),
        is_approved: head.contains(&"approved"),
        is_manual: !head.contains(&"auto"),
        ..Plan::default()
    };
    for text in bundles.split("; ") {
        brought(text, &mut plan);
    }
    plan
}

/// Parses one bundle of a plan with its properties.
fn brought(text: &str, plan: &mut Plan) {
    let mut words = text.split(' ');
    let name = words.next().unwrap();
    plan.csvs.push(name.to_owned());
    plan.steps.push(step(name, "ClusterServiceVersion", name));
    let mut described = bundle(name);
    let mut is_described = true;
    while let Some(word) = words.next() {
        let mut next = || words.next().unwrap();
        match word {
            "over" => described.replaces = next().to_owned(),
            "from" => described.catalog = next().to_owned(),
            "needs" => identity_of(&mut described).needs.push(need(next())),
            "provides" => {
                let kind = next().strip_prefix("api:").unwrap();
                identity_of(&mut described).provides.insert(api(kind));
            }
            "by" => {
                described.source = [Source::Lookup, Source::Step][usize::from(next() == "step")]
            }
            "pending" => described.is_pending = true,
            "generated" => {
                let package = identity(name).package;
                plan.steps.push(generated(name, package.as_str()));
            }
            "unidentified" => is_described = false,
            other => panic!("a bundle is not {other}"),
        }
    }
    if is_described {
        plan.bundles.push(described);
    }
}

/// Parses the id of a policy, for example `p/etcd`. The id has no uid, and generation 1.
pub(crate) fn policy_id(text: &str) -> PolicyId {
    let (namespace, name) = text.split_once('/').unwrap();
    let (namespace, name) = (namespace.to_owned(), name.to_owned());
    PolicyId {
        namespace,
        name,
        uid: None,
        generation: 1,
    }
}

pub(crate) fn policy(text: &str) -> Standing {
    let (id, rest) = text.split_once(": ").unwrap();
    let (of, mut says) = rest.split_once(' ').unwrap();
    let mut namespace = Some(HOME.to_owned());
    if let Some(place) = says.strip_prefix("in ") {
        let (place, rest) = place.split_once(' ').unwrap();
        namespace = (place != "?").then(|| place.to_owned());
        says = rest;
    }
    let says = self::parse_says(says);
    Standing {
        id: policy_id(id),
        package: package(of),
        namespace,
        cluster: Default::default(),
        says,
    }
}

fn parse_says(text: &str) -> Says {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let withheld = match verb {
        "allows" => return Says::Allows(allows(rest)),
        "informs" => Withheld::Inform,
        "forbids" => Withheld::MustNotHave,
        "leaves" => Withheld::Leaving,
        "invalid" => Withheld::Invalid(rest.split("; ").map(str::to_owned).collect()),
        "overlaps" => Withheld::Overlaps(Overlap::of(rest.split(' ').map(policy_id))),
        other => panic!("no policy {other}"),
    };
    Says::Withholds(withheld)
}

/// Parses consents that are separated by commas. Spaces do not separate consents, because ranges
/// contain spaces.
fn allows(text: &str) -> Allows {
    let (consents, with) = text.split_once(" with ").unwrap_or((text, ""));
    let consents = consents.split(", ").filter(|text| *text != "nothing");
    Allows {
        consents: consents.map(|text| Consent::parse(text).unwrap()).collect(),
        field: "spec.versions",
        catalog: with
            .split(' ')
            .find_map(|word| Some(word.strip_prefix("from:")?.to_owned())),
        updates: with.contains("updates"),
        dependencies: with.contains("dependencies"),
    }
}
