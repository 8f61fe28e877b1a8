//! The operators that exist or that are requested.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::operator::{Dependencies, Intent, LONGEST_NAME, Wanted, name_for};
use portolan_core_names::text::listed;
use portolan_core_names::{Version, VersionRange, nearest};
use portolan_core_operator::{
    Asked, Choice, Goal as Towards, Installation, Offers, Question, Requirements,
};

use crate::input::{Existing, Inputs};
use crate::knowledge::{Knowledge, PackageKey, Stop};
use crate::{RequestedOperator, Target};

/// The operators, by package.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    pub(crate) all: BTreeMap<String, OperatorMember>,
    /// The packages that were requested, in the order of the request.
    pub(crate) named: Vec<String>,
}

/// An operator that exists, is requested, or was added as a requirement.
#[derive(Debug, Clone)]
pub(crate) struct OperatorMember {
    /// The name of the Operator object.
    pub(crate) name: String,
    pub(crate) package: String,
    /// The Operator in the input. None if the Operator is new.
    pub(crate) existing: Option<Existing>,
    /// The version or range that was requested for this operator. None if it was not requested.
    pub(crate) wish: Option<Target>,
    /// The catalog that contains the package. None if unknown.
    pub(crate) catalog: Option<String>,
    pub(crate) goal: Goal,
    /// True if the update graph of the package contains no path to the goal.
    pub(crate) is_cut_off: bool,
    /// The version that the operator has at the end of the common route.
    pub(crate) end: Option<Version>,
    /// The bundles on the route to the goal, in order.
    pub(crate) path: Vec<String>,
    /// The operator that requires this operator. None if this operator was not added as a
    /// requirement.
    pub(crate) added_for: Option<String>,
}

/// The version that an operator should reach.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Goal {
    Stay,
    /// Exactly this version is requested.
    Version(Version),
    /// Any version in this range. Without a range, any version.
    Open(Option<VersionRange>),
}

// === impl Members ===

impl Members {
    /// Returns the operators of the input, together with the requested operators.
    pub(crate) fn of(inputs: &Inputs, wishes: &[RequestedOperator]) -> Result<Self, Stop> {
        let mut members = Self::default();
        for existing in inputs.operators.values() {
            let member = OperatorMember::existing(existing);
            members.all.insert(member.package.clone(), member);
        }
        let mut errors = Vec::new();
        for wish in wishes {
            match members.wish(wish) {
                Ok(package) => members.named.push(package),
                Err(why) => errors.push(why),
            }
        }
        if errors.is_empty() {
            Ok(members)
        } else {
            Err(Stop::Errors(errors))
        }
    }

    fn wish(&mut self, wish: &RequestedOperator) -> Result<String, String> {
        let package = match self.find(&wish.name)? {
            Some(package) => package,
            None => {
                let member = OperatorMember::new(&wish.name)?;
                self.refuse_name(&member)?;
                self.all.insert(wish.name.clone(), member);
                wish.name.clone()
            }
        };
        if let Some(member) = self.all.get_mut(&package) {
            member.wish = Some(wish.target.clone());
        }
        Ok(package)
    }

    /// Returns the package of the Operator with this name, or with this package. Returns None if
    /// there is no such Operator.
    pub(crate) fn find(&self, name: &str) -> Result<Option<String>, String> {
        let mut all = self.all.values();
        let by_name = all.find(|member| member.name == name);
        match (by_name, self.all.get(name)) {
            (Some(one), Some(other)) if one.package != other.package => Err(format!(
                "{name} is ambiguous: Operator {name} is for package {}, and package {name} is \
                 that of Operator {}; write {} or {}",
                one.package, other.name, one.package, other.name
            )),
            (Some(member), _) | (None, Some(member)) => Ok(Some(member.package.clone())),
            (None, None) => Ok(None),
        }
    }

    /// Returns an error if another package already uses the name of the new Operator.
    fn refuse_name(&self, new: &OperatorMember) -> Result<(), String> {
        let mut all = self.all.values();
        match all.find(|member| member.name == new.name && member.package != new.package) {
            Some(other) => Err(format!(
                "package {} would get the Operator {}, but this Operator is for package {}; add \
                 an Operator with another name to the input",
                new.package, new.name, other.package
            )),
            None => Ok(()),
        }
    }

    /// Adds an operator that another operator requires.
    pub(crate) fn add(&mut self, new: OperatorMember) -> Result<(), Stop> {
        self.refuse_name(&new).map_err(Stop::error)?;
        self.all.insert(new.package.clone(), new);
        Ok(())
    }

    /// Selects the catalog of each package.
    pub(crate) fn find_catalogs(
        &mut self,
        inputs: &Inputs,
        knowledge: &Knowledge,
    ) -> Result<(), Stop> {
        let offers = offers(inputs, knowledge)?;
        let mut errors = Vec::new();
        for member in self.all.values_mut() {
            let intent = member.existing.as_ref().map(|existing| &existing.intent);
            match Choice::of(&offers, &member.package, intent) {
                Choice::Catalog(catalog) => member.catalog = Some(catalog),
                // An operator that was neither requested nor added keeps its version. It needs no
                // catalog.
                _ if member.wish.is_none() && member.added_for.is_none() => {}
                Choice::None => {
                    let near = nearest(&member.package, offers.keys());
                    let near = near.map(|near| format!("; did you mean {near}?"));
                    errors.push(format!(
                        "no catalog has package {}{}",
                        member.package,
                        near.unwrap_or_default()
                    ));
                }
                Choice::Ambiguous(why) | Choice::NotSelected(why) | Choice::UnknownChannel(why) => {
                    errors.push(format!("package {}: {why}", member.package));
                }
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Stop::Errors(errors))
        }
    }

    /// Returns the package and the catalog of each operator whose catalog is known.
    pub(crate) fn keys(&self) -> Vec<PackageKey> {
        self.all.values().filter_map(OperatorMember::key).collect()
    }

    /// Returns the requested operators in the order of the request, followed by all other
    /// operators.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &OperatorMember> {
        let named = self
            .named
            .iter()
            .filter_map(|package| self.all.get(package));
        let others = self.all.values();
        named.chain(others.filter(|member| !self.named.contains(&member.package)))
    }

    /// Returns the query for the common route of all operators. `goal` returns the version that an
    /// operator should reach.
    pub(crate) fn question(&self, goal: impl Fn(&OperatorMember) -> Goal) -> Question {
        let mut question = Question::default();
        for member in self.in_order() {
            match member.asked(goal(member)) {
                Some(asked) => question.operators.push(asked),
                None => question.others.extend(member.installation()),
            }
        }
        question
    }
}

/// Returns the catalogs of all packages. The priorities of catalogs in the input replace the known
/// priorities.
pub(crate) fn offers(inputs: &Inputs, knowledge: &Knowledge) -> Result<Offers, Stop> {
    let mut offers = knowledge.offers()?.clone();
    let priorities = inputs.priorities();
    for offer in offers.values_mut().flatten() {
        if let Some(priority) = priorities.get(&offer.catalog) {
            offer.priority = *priority;
        }
    }
    Ok(offers)
}

// === impl OperatorMember ===

impl OperatorMember {
    pub(crate) fn existing(existing: &Existing) -> Self {
        let goal = match (&existing.current, &existing.intent.version) {
            (Some(_), _) => Goal::Stay,
            (None, Wanted::Once) => Goal::Open(None),
            (None, Wanted::Range(range)) => Goal::Open(Some(range.clone())),
        };
        Self {
            name: existing.name.clone(),
            package: existing.intent.package.to_string(),
            existing: Some(existing.clone()),
            wish: None,
            catalog: None,
            goal,
            is_cut_off: false,
            end: None,
            path: Vec::new(),
            added_for: None,
        }
    }

    /// Returns a new operator of this package. Its name is derived from the package.
    ///
    /// # Errors
    ///
    /// Returns an error if the name would be too long.
    pub(crate) fn new(package: &str) -> Result<Self, String> {
        let name = name_for(package);
        if name.len() > LONGEST_NAME {
            return Err(format!(
                "the name of package {package} is too long for an Operator; add an Operator with \
                 a name of at most {LONGEST_NAME} characters to the input"
            ));
        }
        Ok(Self {
            name,
            package: package.to_owned(),
            existing: None,
            wish: None,
            catalog: None,
            goal: Goal::Open(None),
            is_cut_off: false,
            end: None,
            path: Vec::new(),
            added_for: None,
        })
    }

    pub(crate) fn current(&self) -> Option<&Version> {
        self.existing.as_ref()?.current.as_ref()
    }

    /// Returns the requirements of the installed bundle, as listed in the status.
    pub(crate) fn requires(&self) -> Option<&Requirements> {
        self.existing.as_ref()?.requires.as_ref()
    }

    /// Returns the version in `spec.version`. Returns None if it is a range with several versions.
    pub(crate) fn wanted(&self) -> Option<Version> {
        match &self.existing.as_ref()?.intent.version {
            Wanted::Range(range) => range.single(),
            Wanted::Once => None,
        }
    }

    /// Returns the version that the operator has after the request.
    pub(crate) fn last(&self) -> Option<Version> {
        match &self.goal {
            Goal::Version(version) => Some(version.clone()),
            Goal::Stay => self.wanted().or_else(|| self.current().cloned()),
            Goal::Open(_) => self.end.clone(),
        }
    }

    pub(crate) fn key(&self) -> Option<PackageKey> {
        Some(PackageKey {
            catalog: self.catalog.clone()?,
            package: self.package.clone(),
        })
    }

    pub(crate) fn is_explicit(&self) -> bool {
        let existing = self.existing.as_ref();
        self.wish.is_some() || existing.is_some_and(|existing| existing.is_explicit)
    }

    pub(crate) fn channels(&self) -> BTreeSet<String> {
        let intent = self.existing.as_ref().map(|existing| &existing.intent);
        intent.map(Intent::channel_names).unwrap_or_default()
    }

    /// Returns true if the resolver must ignore the operator, because its spec ignores dependencies
    /// or conflicts.
    pub(crate) fn is_unsolved(&self) -> bool {
        self.existing.as_ref().is_some_and(|existing| {
            existing.intent.dependencies == Dependencies::Ignore
                || existing.intent.overrides.ignore_conflicts
        })
    }

    pub(crate) fn allows_downgrades(&self) -> bool {
        let existing = self.existing.as_ref();
        existing.is_some_and(|existing| existing.intent.overrides.downgrades)
    }

    pub(crate) fn allows_leaps(&self) -> bool {
        let existing = self.existing.as_ref();
        existing.is_some_and(|existing| existing.intent.overrides.direct_upgrades)
    }

    /// Returns the range in `spec.version`. Returns None if it contains only one version.
    pub(crate) fn written_range(&self) -> Option<&VersionRange> {
        match &self.existing.as_ref()?.intent.version {
            Wanted::Range(range) if range.single().is_none() => Some(range),
            Wanted::Range(_) | Wanted::Once => None,
        }
    }

    /// Returns true if the operator was added only as a requirement. Its version may then change
    /// for other requirements.
    pub(crate) fn is_pinned_by_nobody(&self) -> bool {
        self.wanted().is_some() && !self.is_explicit()
    }

    /// Returns the installed bundle of the operator. Returns None if nothing is installed.
    pub(crate) fn installation(&self) -> Option<Installation> {
        let version = self.current()?;
        let existing = self.existing.as_ref()?;
        let bundle = match existing.bundle.as_str() {
            "" => format!("{}.v{version}", self.package),
            bundle => bundle.to_owned(),
        };
        Some(Installation {
            package: self.package.clone(),
            bundle,
            version: version.to_string(),
            ..Installation::default()
        })
    }

    fn asked(&self, goal: Goal) -> Option<Asked> {
        let intent = self.existing.as_ref().map(|existing| &existing.intent);
        let overrides = intent.map(|intent| intent.overrides).unwrap_or_default();
        Some(Asked {
            package: self.package.clone(),
            catalog: self.catalog.clone()?,
            channels: self.channels(),
            installed: self.installation(),
            wish: match goal {
                Goal::Stay => Towards::Stay,
                Goal::Version(version) => Towards::Range(version.to_string()),
                Goal::Open(Some(range)) => Towards::Range(range.to_string()),
                Goal::Open(None) => Towards::Any,
            },
            ignore_dependencies: intent
                .is_some_and(|intent| intent.dependencies == Dependencies::Ignore),
            direct_upgrades: overrides.direct_upgrades,
            downgrades: overrides.downgrades,
            ignore_conflicts: overrides.ignore_conflicts,
        })
    }
}

/// Returns the versions as text for messages. The highest version is first, and long lists are
/// shortened.
pub(crate) fn versions_listed<'v>(versions: impl IntoIterator<Item = &'v Version>) -> String {
    let mut versions: Vec<_> = versions.into_iter().collect();
    versions.sort();
    versions.dedup();
    listed(versions.into_iter().rev())
}
