//! Builds the request for a route: the operators to upgrade, and the other installed operators.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{Version, nearest};
use portolan_proto::resolver::v1::plan_route_request::operator::Wish as Towards;
use portolan_proto::resolver::v1::plan_route_request::{Operator, Stay};
use portolan_proto::resolver::v1::{
    GetGraphResponse, InstalledOperator, PlanRouteRequest, Wish as WireRequirement,
};

use super::OverrideArgs;
use crate::failure::Failure;
use crate::print::words;

/// The maximum number of operators that a resolver accepts.
const MOST_OPERATORS: usize = 100;

/// The requirements and overrides on the command line.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) requirements: Vec<WireRequirement>,
    pub(super) lifted: OverrideArgs,
    pub(super) states: u32,
}

/// Sets the package of each installed operator without a package, if the graph contains its bundle.
pub(super) fn name(installed: &mut [InstalledOperator], graph: &GetGraphResponse) {
    let bundles: BTreeSet<_> = graph.nodes.iter().map(|node| &node.name).collect();
    let nameless = installed.iter_mut().filter(|one| one.package.is_empty());
    for operator in nameless.filter(|one| bundles.contains(&one.name)) {
        operator.package.clone_from(&graph.package);
    }
}

/// Sets the default destination of a requirement without versions. The destination is the head of
/// the channel, or of the default channel, as in `path`. If there is no head, any version is
/// accepted.
pub(super) fn aim(required: &mut WireRequirement, graph: &GetGraphResponse) {
    if !required.range.is_empty() {
        return;
    }
    let followed = match required.channel.as_str() {
        "" => &graph.default_channel,
        channel => channel,
    };
    let heads = graph.heads.iter().filter(|head| head.channel == *followed);
    let versions = heads.filter_map(|head| Version::parse(&head.version).ok());
    if let Some(head) = versions.max() {
        required.range = head.to_string();
    }
}

/// Returns the operators without a requirement, which keep their version.
pub(super) fn staying(request: &PlanRouteRequest) -> Vec<InstalledOperator> {
    let operators = request.operators.iter();
    let staying = operators.filter(|one| matches!(one.wish, Some(Towards::Stay(_))));
    staying.filter_map(|one| one.installed.clone()).collect()
}

// === impl Question ===

impl Question {
    /// Returns an error if a package has several requirements.
    pub(super) fn validate(&self) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        let mut requirements = self.requirements.iter();
        match requirements.find(|it| !seen.insert(&it.package)) {
            Some(twice) => Err(Failure::usage(format!(
                "package {} is required twice; give one requirement for each package",
                twice.package
            ))),
            None => Ok(()),
        }
    }

    /// Returns the catalog in the requirement for a package. Returns an empty text if the
    /// requirement names no catalog.
    pub(super) fn catalog(&self, package: &str) -> &str {
        let required = self.requirements.iter().find(|it| it.package == package);
        required.map_or("", |it| &it.catalog)
    }

    /// Returns true if some installed operators have no requirement.
    pub(super) fn leaves(&self, installed: &[InstalledOperator]) -> bool {
        installed.iter().any(|one| !self.names(&one.package))
    }

    fn names(&self, package: &str) -> bool {
        self.requirements.iter().any(|it| it.package == package)
    }

    /// Returns the request to the resolver. Operators without a requirement keep their version. If
    /// such an operator blocks the route and its package is in the catalogs, the resolver can
    /// suggest its upgrade.
    pub(super) fn request(
        &self,
        installed: Vec<InstalledOperator>,
        offered: &BTreeSet<String>,
    ) -> Result<PlanRouteRequest, Failure> {
        let (named, unnamed): (Vec<_>, Vec<_>) = installed
            .into_iter()
            .partition(|one| self.names(&one.package));
        let mut operators = Vec::new();
        for required in &self.requirements {
            operators.push(self.moving(required, &named)?);
        }
        let mut others = Vec::new();
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for operator in &unnamed {
            *counts.entry(operator.package.clone()).or_default() += 1;
        }
        for operator in unnamed {
            let is_single = counts[&operator.package] == 1;
            let has_room = operators.len() < MOST_OPERATORS;
            if is_single && has_room && offered.contains(&operator.package) {
                operators.push(self.staying(operator));
            } else {
                others.push(operator);
            }
        }
        self.validate_lifted(&operators)?;
        Ok(PlanRouteRequest {
            operators,
            others,
            states: self.states,
        })
    }

    fn moving(
        &self,
        required: &WireRequirement,
        named: &[InstalledOperator],
    ) -> Result<Operator, Failure> {
        let WireRequirement {
            package,
            range,
            channel,
            catalog,
        } = required;
        let installed = named.iter().filter(|one| one.package == *package);
        let installed: Vec<_> = installed.collect();
        if let [one, other, ..] = installed.as_slice() {
            return Err(Failure::usage(format!(
                "package {package} is installed twice: {} and {}; select one with -n or --from {package}=BUNDLE",
                one.name, other.name
            )));
        }
        Ok(Operator {
            catalog: catalog.clone(),
            package: package.clone(),
            channels: (!channel.is_empty())
                .then(|| channel.clone())
                .into_iter()
                .collect(),
            installed: installed.first().map(|one| (*one).clone()),
            wish: (!range.is_empty()).then(|| Towards::Range(range.clone())),
            overrides: self.lifted.of(package),
        })
    }

    fn staying(&self, installed: InstalledOperator) -> Operator {
        Operator {
            package: installed.package.clone(),
            overrides: self.lifted.of(&installed.package),
            wish: Some(Towards::Stay(Stay {})),
            installed: Some(installed),
            ..Operator::default()
        }
    }

    /// Returns an error if an override names a package that is not installed and has no
    /// requirement.
    fn validate_lifted(&self, operators: &[Operator]) -> Result<(), Failure> {
        let known: BTreeSet<_> = operators.iter().map(|one| &one.package).collect();
        for (flag, packages) in self.lifted.each() {
            if let Some(package) = packages.iter().find(|one| !known.contains(one)) {
                let near = words::did_you_mean(nearest(package, known.iter().copied()));
                return Err(Failure::usage(format!(
                    "{flag} {package}: the package is neither required nor installed{near}"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::resolver::v1::Head;
    use rstest::rstest;

    use super::*;

    fn requested(package: &str, channel: &str) -> WireRequirement {
        WireRequirement {
            package: package.to_owned(),
            channel: channel.to_owned(),
            ..WireRequirement::default()
        }
    }

    fn installed(name: &str, package: &str) -> InstalledOperator {
        InstalledOperator {
            name: name.to_owned(),
            package: package.to_owned(),
            ..InstalledOperator::default()
        }
    }

    #[rstest]
    #[case::of_the_default_channel("", "", "1.2.0")]
    #[case::of_the_named_channel("fast", "", "2.0.0")]
    #[case::of_no_channel("stabel", "", "")]
    #[case::versions_stay("fast", "<2.0.0", "<2.0.0")]
    fn request_without_versions_targets_channel_head(
        #[case] channel: &str,
        #[case] range: &str,
        #[case] expected: &str,
    ) {
        let heads = [("fast", "2.0.0"), ("stable", "1.2.0"), ("stable", "1.1.0")];
        let heads = heads.map(|(channel, version)| Head {
            channel: channel.to_owned(),
            name: format!("ferry.v{version}"),
            version: version.to_owned(),
        });
        let graph = GetGraphResponse {
            default_channel: "stable".to_owned(),
            heads: heads.into(),
            ..GetGraphResponse::default()
        };
        let mut request = requested("ferry", channel);
        range.clone_into(&mut request.range);
        aim(&mut request, &graph);
        assert_eq!(request.range, expected);
    }

    /// An operator without a requirement is part of the request if two conditions are met: exactly
    /// one catalog contains its package, and it is installed only once. Other operators are only
    /// listed.
    #[test]
    fn operators_without_a_requirement_keep_their_version() {
        let question = Question {
            requirements: vec![requested("ferry", "")],
            lifted: OverrideArgs::default(),
            states: 1,
        };
        let there = [
            ("crane.v1", "crane"),
            ("ferry.v1", "ferry"),
            ("pilot.v1", "pilot"),
            ("tug.v1", "tug"),
            ("tug.v2", "tug"),
        ];
        let there = there.map(|(name, package)| installed(name, package));
        let offered = ["crane", "ferry", "tug"].map(str::to_owned).into();
        let request = question.request(there.into(), &offered).expect("a request");
        let operators: Vec<_> = request.operators.iter().map(|one| &*one.package).collect();
        assert_eq!(operators, ["ferry", "crane"]);
        assert_eq!(staying(&request), [installed("crane.v1", "crane")]);
        let others: Vec<_> = request.others.iter().map(|one| &*one.name).collect();
        assert_eq!(others, ["pilot.v1", "tug.v1", "tug.v2"]);
    }

    #[test]
    fn rejects_package_that_is_installed_twice() {
        let question = Question {
            requirements: vec![requested("tug", "")],
            lifted: OverrideArgs::default(),
            states: 1,
        };
        let there = vec![installed("tug.v1", "tug"), installed("tug.v2", "tug")];
        let refused = question.request(there, &BTreeSet::new());
        assert_eq!(
            refused.expect_err("it is refused").message(),
            "package tug is installed twice: tug.v1 and tug.v2; select one with -n or --from tug=BUNDLE"
        );
    }
}
