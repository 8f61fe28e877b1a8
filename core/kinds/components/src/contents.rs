//! Decides which bundles the Install of an Operator should contain. The decision uses the responses
//! of the catalogs.
//!
//! A new Install contains the bundle with all its dependencies that are missing in the cluster.
//! Later, all related Operators have a common route. The next content of the Install is the first
//! step of this route. A step contains the moves that must be made together. If another Operator
//! must move too, the controller changes the Install of that Operator at the same time.

mod updates;

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::components::Reason;
use portolan_core_names::text::some;

use crate::fleet::{FleetOperator, OperatorFleet, Resident, ResidentFacts};
use crate::source::{Bundle, Move, Record};

/// The maximum number of names that a sentence lists.
const NAMED: usize = 6;

/// A query to the catalogs about the content of an Install.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// Asks for the information that a catalog has about a bundle.
    Bundle {
        catalog: String,
        /// The package. Empty if the name of the bundle is sufficient.
        package: String,
        name: String,
    },
    /// Asks for the bundles that satisfy a requirement.
    Resolve {
        wish: WantedPackage,
        installed: BTreeSet<Resident>,
    },
    /// Asks for the routes on which all these operators are updated.
    Route {
        operators: Vec<Traveler>,
        others: BTreeSet<Resident>,
    },
}

/// A required package.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedPackage {
    pub catalog: String,
    pub package: String,
    /// The channel. Empty for any channel.
    pub channel: String,
    /// The version range. Empty for any version.
    pub version: String,
}

/// An operator that may move to another bundle on a route.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Traveler {
    pub catalog: String,
    pub package: String,
    /// The channel. Empty for any channel.
    pub channel: String,
    /// The installed bundle. None if the operator is not installed yet.
    pub installed: Option<Resident>,
    pub stays: bool,
}

/// The response to an [`Ask`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentAnswer {
    Bundle(Bundle, ResidentFacts),
    /// The bundles to install, without their images. The requested bundle comes first.
    Resolved(Vec<Bundle>),
    Routes(Vec<UpdateRoute>),
    /// The catalogs contain no such bundle, or no combination of bundles that meets all
    /// requirements. Contains the reason.
    No(String),
    /// No catalog can answer now. Contains the reason.
    Unknown(String),
}

/// The update route of operators that affect each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateRoute {
    /// The packages of all these operators.
    pub packages: BTreeSet<String>,
    /// The bundles to which the operators move together in the first step.
    pub first: Vec<Bundle>,
    /// The packages that cannot reach their target, each with the reason. The boolean is true if
    /// the package could move after missing bundles are installed.
    pub blocked: BTreeMap<String, (String, bool)>,
}

/// The responses that are known so far.
pub type Knowledge = BTreeMap<Ask, ContentAnswer>;

/// The decision about the content of one Install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The bundles that the Install should contain. They may be the bundles that it already
    /// contains.
    Content {
        record: Record,
        /// The reason why the Operator stays at its bundle although an update exists. None
        /// otherwise.
        why: Option<String>,
    },
    Refused(Reason, String),
}

/// The reason why a decision ends early: a query, or an outcome that is already known.
pub(crate) enum Halt {
    Ask(Ask),
    Say(Outcome),
}

/// The Operator to decide about, with the known facts.
struct Case<'f> {
    /// The Operators that are installed from catalogs. The entry of this Operator is up to date.
    fleet: OperatorFleet,
    name: &'f str,
    member: &'f FleetOperator,
    knowledge: &'f Knowledge,
}

/// Returns the content that the Install of an Operator should have. If a response is missing,
/// returns the query.
pub(crate) fn outcome(
    fleet: &OperatorFleet,
    name: &str,
    member: &FleetOperator,
    knowledge: &Knowledge,
) -> Result<Outcome, Ask> {
    let mut fleet = fleet.clone();
    fleet.members.insert(name.to_owned(), member.clone());
    let case = Case {
        fleet,
        name,
        member,
        knowledge,
    };
    match case.outcome() {
        Ok(outcome) | Err(Halt::Say(outcome)) => Ok(outcome),
        Err(Halt::Ask(ask)) => Err(ask),
    }
}

fn refused<T>(reason: Reason, sentence: String) -> Result<T, Halt> {
    Err(Halt::Say(Outcome::Refused(reason, sentence)))
}

// === impl Case ===

impl Case<'_> {
    fn outcome(&self) -> Result<Outcome, Halt> {
        let Some(held) = &self.member.held else {
            return self.begun();
        };
        let Some(record) = &held.record else {
            let sentence = format!(
                "another client changed the content of Install {}; delete the Install, and the \
                 controller creates it again",
                self.name
            );
            return refused(Reason::ContentChanged, sentence);
        };
        if !record
            .bundles
            .first()
            .is_some_and(|first| self.member.fits(first))
        {
            return self.begun();
        }
        self.updated(record, held.is_settled)
    }

    fn answer(&self, ask: Ask) -> Result<&ContentAnswer, Halt> {
        match self.knowledge.get(&ask) {
            None => Err(Halt::Ask(ask)),
            Some(ContentAnswer::Unknown(why)) => refused(Reason::ResolverUnavailable, why.clone()),
            Some(said) => Ok(said),
        }
    }

    fn bundle(&self, catalog: &str, package: &str, name: &str) -> Result<Bundle, Halt> {
        let said = self.answer(Ask::Bundle {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            name: name.to_owned(),
        })?;
        let ContentAnswer::Bundle(bundle, _) = said else {
            return unresolvable(said);
        };
        Ok(bundle.clone())
    }

    /// Returns the content of an Install that does not exist yet, or that must start again with
    /// another bundle.
    fn begun(&self) -> Result<Outcome, Halt> {
        let source = &self.member.source;
        let entrypoint = (!source.entrypoint.is_empty())
            .then(|| self.bundle(&source.catalog, &source.package, &source.entrypoint))
            .transpose()?;
        let entrypoint = entrypoint.unwrap_or_default();
        let package = match source.package.as_str() {
            "" => &entrypoint.package,
            package => package,
        };
        self.free(package)?;
        let ask = Ask::Resolve {
            wish: WantedPackage {
                catalog: source.catalog.clone(),
                package: package.to_owned(),
                channel: source.channel.clone(),
                version: entrypoint.version.clone(),
            },
            installed: self.fleet.residents_beside(self.name),
        };
        let said = self.answer(ask)?;
        let ContentAnswer::Resolved(bundles) = said else {
            return unresolvable(said);
        };
        let is_first = |it: &Bundle| source.entrypoint.is_empty() || it.name == source.entrypoint;
        if !bundles.first().is_some_and(is_first) {
            let sentence = format!(
                "catalog {} has no bundle {} to install first; check that channel {} contains this \
                 bundle",
                source.catalog, source.entrypoint, source.channel
            );
            return refused(Reason::Unresolvable, sentence);
        }
        self.of_catalog(bundles)?;
        self.content(bundles.clone(), BTreeSet::new())
    }

    /// Checks that neither OLM nor another Operator has the package.
    fn free(&self, package: &str) -> Result<(), Halt> {
        if let Some(other) = self.fleet.taker(self.name, package) {
            let sentence = format!(
                "Operator {other} installs package {package}; a cluster can have only one \
                         operator of a package"
            );
            return refused(Reason::PackageTaken, sentence);
        }
        let mut present = self.fleet.present.iter();
        let by = match present.find(|it| it.package == package) {
            Some(it) => format!("ClusterServiceVersion {} exists", it.name),
            None if self.fleet.subscribed.contains(package) => {
                "a Subscription follows it".to_owned()
            }
            None => return Ok(()),
        };
        let sentence = format!("OLM installs package {package}: {by}");
        refused(Reason::InstalledByOLM, sentence)
    }

    /// Checks that all bundles come from the catalog that the spec of the Operator names.
    fn of_catalog(&self, bundles: &[Bundle]) -> Result<(), Halt> {
        let catalog = &self.member.source.catalog;
        let others = bundles.iter().filter(|it| it.catalog != *catalog);
        let others: Vec<_> = others
            .map(|it| format!("{} of catalog {}", it.name, it.catalog))
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let sentence = format!(
            "the operator requires {}; create an Operator for each of these bundles, as a user who \
             can install from that catalog",
            some(NAMED, &others)
        );
        refused(Reason::Unresolvable, sentence)
    }

    /// Returns the content with these bundles. Adds the images that are missing.
    fn content(&self, bundles: Vec<Bundle>, moves: BTreeSet<Move>) -> Result<Outcome, Halt> {
        let mut whole = Vec::new();
        for bundle in bundles {
            if !bundle.image.is_empty() {
                whole.push(bundle);
                continue;
            }
            let told = self.bundle(&bundle.catalog, &bundle.package, &bundle.name)?;
            if told.image.is_empty() {
                let sentence = format!(
                    "catalog {} contains the manifests of {} but no image; an Install requires an \
                     image",
                    bundle.catalog, bundle.name
                );
                return refused(Reason::Unresolvable, sentence);
            }
            whole.push(Bundle {
                channel: bundle.channel,
                ..told
            });
        }
        Ok(Outcome::Content {
            record: Record {
                bundles: whole,
                moves,
            },
            why: None,
        })
    }
}

fn unresolvable<T>(said: &ContentAnswer) -> Result<T, Halt> {
    let why = match said {
        ContentAnswer::No(why) | ContentAnswer::Unknown(why) => why.clone(),
        ContentAnswer::Bundle(..) | ContentAnswer::Resolved(_) | ContentAnswer::Routes(_) => {
            "the answer of the resolver does not match the request".to_owned()
        }
    };
    refused(Reason::Unresolvable, why)
}
