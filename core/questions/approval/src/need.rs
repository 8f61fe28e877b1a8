//! Decides if a bundle satisfies a need of another bundle.

use portolan_core_names::VersionRange;
use portolan_core_olm::{Clause, PackageRequirement, Required, Rule};

use crate::Need;
use crate::identity::KnownBundle;

/// The result of comparing a need with one bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    /// The bundle does not satisfy the need.
    Refused,
    /// The comparison cannot decide if the bundle satisfies the need.
    Open,
    /// The bundle satisfies the need.
    Needed,
}

// === impl Need ===

impl Need {
    /// Converts a requirement to a need. Constraints that cannot be evaluated here become
    /// [`Need::Opaque`].
    pub(crate) fn of(required: Required<'_>) -> Self {
        match required {
            Required::Package(package) => package.into(),
            Required::Api(api) => Self::Api(api.clone()),
            Required::Constraint(constraint) => match constraint.clause() {
                Ok(clause) => clause.into(),
                Err(_) => Self::Opaque(constraint.text().to_owned()),
            },
        }
    }
}

impl From<&PackageRequirement> for Need {
    fn from(required: &PackageRequirement) -> Self {
        let PackageRequirement {
            package,
            text,
            range,
        } = required;
        match range {
            Some(range) => Self::Package(package.clone(), range.clone()),
            None => Self::Opaque(format!("package {package} {text}")),
        }
    }
}

impl From<&Clause> for Need {
    fn from(clause: &Clause) -> Self {
        let needs = |parts: &[Clause]| parts.iter().map(Self::from).collect();
        match &clause.rule {
            Rule::Package(package) => package.into(),
            Rule::Api(api) => Self::Api(api.clone()),
            Rule::All(parts) => Self::All(needs(parts)),
            Rule::Any(parts) => Self::Any(needs(parts)),
            Rule::Not(parts) => Self::Not(needs(parts)),
            Rule::Cel(cel) => Self::Opaque(clause.message.as_deref().unwrap_or(cel.rule()).into()),
        }
    }
}

/// Returns true if this bundle alone satisfies the need.
pub(crate) fn is_for(need: &Need, other: &KnownBundle<'_>) -> bool {
    answer(need, other) == Answer::Needed
}

/// Returns the version range that the needs require of this bundle's package, if the bundle's
/// version is outside of the range. Returns None otherwise.
pub(crate) fn missed<'a>(needs: &'a [Need], other: &KnownBundle<'_>) -> Option<&'a VersionRange> {
    needs.iter().find_map(|need| match need {
        Need::Package(package, range) => {
            (package == other.package && !is_in(range, other)).then_some(range)
        }
        Need::All(parts) | Need::Any(parts) => missed(parts, other),
        Need::Api(_) | Need::Not(_) | Need::Opaque(_) => None,
    })
}

fn answer(need: &Need, other: &KnownBundle<'_>) -> Answer {
    match need {
        Need::Package(package, range) => met(package == other.package && is_in(range, other)),
        Need::Api(api) => met(other.provides().any(|provided| provided == api)),
        Need::All(parts) => match answers(parts, other).min() {
            Some(Answer::Refused) => Answer::Refused,
            Some(Answer::Open | Answer::Needed) | None => {
                answers(parts, other).max().unwrap_or(Answer::Open)
            }
        },
        Need::Any(parts) => answers(parts, other).max().unwrap_or(Answer::Refused),
        Need::Not(parts) => match answers(parts, other).max() {
            Some(Answer::Needed) => Answer::Refused,
            Some(Answer::Open | Answer::Refused) | None => Answer::Open,
        },
        Need::Opaque(_) => Answer::Open,
    }
}

fn answers<'a>(parts: &'a [Need], other: &'a KnownBundle<'_>) -> impl Iterator<Item = Answer> + 'a {
    parts.iter().map(|part| answer(part, other))
}

fn met(is_met: bool) -> Answer {
    if is_met {
        Answer::Needed
    } else {
        Answer::Refused
    }
}

/// Returns true if the version of the other bundle is in the range. Returns false if the bundle has
/// no version.
fn is_in(range: &VersionRange, other: &KnownBundle<'_>) -> bool {
    other
        .version()
        .is_some_and(|version| range.matches(version))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tests::kit::{api, identity, need};
    use portolan_core_olm::{Api, Constraint};
    use rstest::rstest;

    /// Returns a need that cannot be evaluated.
    fn opaque() -> Need {
        Need::Opaque("size(properties) > 1".to_owned())
    }

    /// Returns a need that bundle vault.v1 satisfies, because vault.v1 provides API Vault.
    fn met() -> Need {
        need("api:Vault")
    }

    /// Returns a need that bundle vault.v1 does not satisfy.
    fn unmet() -> Need {
        need("api:Lock")
    }

    #[rstest]
    #[case::for_the_package_in_range_is_met(need("vault@<2.0.0"), Answer::Needed)]
    #[case::for_the_package_out_of_range_is_unmet(need("vault@>=2.0.0"), Answer::Refused)]
    #[case::for_another_package_is_unmet(need("harbor@<2.0.0"), Answer::Refused)]
    #[case::provided_api_is_satisfied(met(), Answer::Needed)]
    #[case::missing_api_is_not_satisfied(unmet(), Answer::Refused)]
    #[case::opaque_need_is_undecided(opaque(), Answer::Open)]
    #[case::with_empty_all_is_undecided(Need::All(vec![]), Answer::Open)]
    #[case::with_all_requires_every_part(Need::All(vec![met(), unmet()]), Answer::Refused)]
    #[case::with_all_ignores_opaque_parts(
        Need::All(vec![met(), opaque()]), Answer::Needed
    )]
    #[case::with_all_of_opaque_parts_is_undecided(Need::All(vec![opaque()]), Answer::Open)]
    #[case::all_with_a_negated_unsatisfied_constraint(
        Need::All(vec![met(), Need::Not(vec![unmet()])]), Answer::Needed
    )]
    #[case::all_with_a_negated_satisfied_constraint(
        Need::All(vec![met(), Need::Not(vec![met()])]), Answer::Refused
    )]
    #[case::with_empty_any_is_unmet(Need::Any(vec![]), Answer::Refused)]
    #[case::any_requires_one_constraint(Need::Any(vec![met(), unmet()]), Answer::Needed)]
    #[case::any_requires_at_least_one_constraint(Need::Any(vec![unmet(), unmet()]), Answer::Refused)]
    #[case::any_of_an_opaque_constraint_is_undecided(
        Need::Any(vec![unmet(), opaque()]), Answer::Open
    )]
    #[case::with_not_is_undecided(Need::Not(vec![unmet()]), Answer::Open)]
    #[case::not_refuses_an_excluded_constraint(Need::Not(vec![unmet(), met()]), Answer::Refused)]
    #[case::not_of_an_opaque_constraint_is_undecided(
        Need::Not(vec![opaque()]), Answer::Open
    )]
    fn evaluates_requirement_against_a_bundle(#[case] need: Need, #[case] expected: Answer) {
        let mut vault = identity("vault.v1");
        vault.provides.insert(api("Vault"));
        let vault = KnownBundle::installed("vault.v1", &vault).unwrap();
        assert_eq!(answer(&need, &vault), expected);
    }

    const ROPE: &str = r#"{"package": {"packageName": "rope", "versionRange": ">=1.0.0"}}"#;
    const BUOY: &str = r#"{"gvk": {"group": "sea.example", "version": "v1", "kind": "Buoy"}}"#;

    fn rope() -> Need {
        need("rope@>=1.0.0")
    }

    fn buoy() -> Need {
        Need::Api(Api {
            group: "sea.example".into(),
            version: "v1".into(),
            kind: "Buoy".into(),
        })
    }

    fn in_words(words: &str) -> Need {
        Need::Opaque(words.to_owned())
    }

    fn parts(word: &str) -> String {
        format!(r#"{{"failureMessage": "no", "{word}": {{"constraints": [{ROPE}, {BUOY}]}}}}"#)
    }

    /// Returns a constraint with this number of nested `not` constraints.
    fn deep(depth: usize) -> String {
        (0..depth).fold(ROPE.to_owned(), |inner, _| {
            format!(r#"{{"not":{{"constraints":[{inner}]}}}}"#)
        })
    }

    fn read(constraint: &str) -> Need {
        let constraint = Arc::new(Constraint::parse(constraint));
        Need::of(Required::Constraint(&constraint))
    }

    #[rstest]
    #[case::a_package(ROPE.to_owned(), rope())]
    #[case::an_api(BUOY.to_owned(), buoy())]
    #[case::all_of_several(parts("all"), Need::All(vec![rope(), buoy()]))]
    #[case::any_of_several(parts("any"), Need::Any(vec![rope(), buoy()]))]
    #[case::none_of_several(parts("not"), Need::Not(vec![rope(), buoy()]))]
    #[case::a_package_in_upper_case(ROPE.to_uppercase().replace("ROPE", "rope"), rope())]
    #[case::a_cel_rule(r#"{"cel": {"rule": "true"}}"#.to_owned(), in_words("true"))]
    #[case::a_cel_rule_with_a_message(
        r#"{"failureMessage": "a sea", "cel": {"rule": "true"}}"#.to_owned(), in_words("a sea")
    )]
    fn constraint_is_parsed(#[case] text: String, #[case] expected: Need) {
        assert_eq!(read(&text), expected);
    }

    #[rstest]
    #[case::is_two(r#"{"cel": {"rule": "true"}, "not": {}}"#.to_owned())]
    #[case::has_an_unknown_key(r#"{"never": {}}"#.to_owned())]
    #[case::is_no_json("{".to_owned())]
    #[case::has_an_invalid_range(ROPE.replace(">=", "v"))]
    #[case::exceeds_the_depth_limit(deep(33))]
    #[case::exceeds_the_depth_limit_of_json(deep(2000))]
    fn unsupported_constraint_is_opaque(#[case] text: String) {
        assert_eq!(read(&text), in_words(&text));
    }

    #[test]
    fn finds_unmet_version_range_in_compound_requirement() {
        let vault = identity("vault.v1");
        let vault = KnownBundle::installed("vault.v1", &vault).unwrap();
        let parts = vec![need("harbor@>=9.0.0"), need("vault@>=2.0.0")];
        let needs = [
            met(),
            Need::Not(parts.clone()),
            Need::All(vec![Need::Any(parts)]),
        ];
        assert_eq!(
            missed(&needs, &vault).map(VersionRange::as_str),
            Some(">=2.0.0")
        );
        assert_eq!(missed(&needs[..2], &vault), None);
    }
}
