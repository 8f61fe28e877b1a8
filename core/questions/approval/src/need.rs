//! The needs of a bundle, matched against another bundle.

use portolan_core_names::VersionRange;
use portolan_core_olm::{Clause, PackageRequirement, Required, Rule};

use crate::Need;
use crate::identity::KnownBundle;

/// The result of matching a need against one bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    /// The bundle does not meet the need.
    Refused,
    /// Undecided.
    Open,
    /// The bundle meets the need.
    Needed,
}

// === impl Need ===

impl Need {
    /// Converts a requirement to a need, as far as it can be evaluated here.
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

/// Returns true if this bundle alone meets the need.
pub(crate) fn is_for(need: &Need, other: &KnownBundle<'_>) -> bool {
    answer(need, other) == Answer::Needed
}

/// Returns the required version range of this bundle's package, if the bundle is outside of it.
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

/// Returns true if the version of the other bundle is in the range. A bundle without a version is
/// in no range.
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

    /// Returns a part that cannot be evaluated.
    fn opaque() -> Need {
        Need::Opaque("size(properties) > 1".to_owned())
    }

    /// Returns a part that vault.v1, which provides Vault, meets.
    fn met() -> Need {
        need("api:Vault")
    }

    /// Returns a part that vault.v1 does not meet.
    fn unmet() -> Need {
        need("api:Lock")
    }

    #[rstest]
    #[case::of_the_package_in_a_range_is_needed(need("vault@<2.0.0"), Answer::Needed)]
    #[case::of_the_package_in_another_range_is_not(need("vault@>=2.0.0"), Answer::Refused)]
    #[case::of_another_package_is_not(need("harbor@<2.0.0"), Answer::Refused)]
    #[case::of_an_api_that_it_has_is_needed(met(), Answer::Needed)]
    #[case::of_an_api_that_it_has_not_is_not(unmet(), Answer::Refused)]
    #[case::that_cannot_be_judged_says_nothing(opaque(), Answer::Open)]
    #[case::of_all_of_nothing_says_nothing(Need::All(vec![]), Answer::Open)]
    #[case::of_all_wants_all(Need::All(vec![met(), unmet()]), Answer::Refused)]
    #[case::of_all_leaves_to_olm_what_it_cannot_judge(
        Need::All(vec![met(), opaque()]), Answer::Needed
    )]
    #[case::of_all_that_cannot_be_judged_says_nothing(Need::All(vec![opaque()]), Answer::Open)]
    #[case::of_all_but_something_it_is_not(
        Need::All(vec![met(), Need::Not(vec![unmet()])]), Answer::Needed
    )]
    #[case::of_all_but_something_it_is(
        Need::All(vec![met(), Need::Not(vec![met()])]), Answer::Refused
    )]
    #[case::of_any_of_nothing_is_not(Need::Any(vec![]), Answer::Refused)]
    #[case::of_any_wants_one(Need::Any(vec![met(), unmet()]), Answer::Needed)]
    #[case::of_any_wants_at_least_one(Need::Any(vec![unmet(), unmet()]), Answer::Refused)]
    #[case::of_any_that_cannot_be_judged_says_nothing(
        Need::Any(vec![unmet(), opaque()]), Answer::Open
    )]
    #[case::of_none_makes_nothing_needed(Need::Not(vec![unmet()]), Answer::Open)]
    #[case::of_none_refuses_what_it_excludes(Need::Not(vec![unmet(), met()]), Answer::Refused)]
    #[case::of_none_of_what_cannot_be_judged_says_nothing(
        Need::Not(vec![opaque()]), Answer::Open
    )]
    fn a_need(#[case] need: Need, #[case] expected: Answer) {
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

    /// Returns a constraint with this depth.
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
    #[case::a_package_in_other_letters(ROPE.to_uppercase().replace("ROPE", "rope"), rope())]
    #[case::a_rule_in_its_words(r#"{"cel": {"rule": "true"}}"#.to_owned(), in_words("true"))]
    #[case::a_rule_in_words_of_its_author(
        r#"{"failureMessage": "a sea", "cel": {"rule": "true"}}"#.to_owned(), in_words("a sea")
    )]
    fn a_constraint_is_read_as(#[case] text: String, #[case] expected: Need) {
        assert_eq!(read(&text), expected);
    }

    #[rstest]
    #[case::is_two(r#"{"cel": {"rule": "true"}, "not": {}}"#.to_owned())]
    #[case::has_an_odd_key(r#"{"never": {}}"#.to_owned())]
    #[case::is_no_json("{".to_owned())]
    #[case::is_of_no_range(ROPE.replace(">=", "v"))]
    #[case::is_deeper_than_anybody_writes_them(deep(33))]
    #[case::is_deeper_than_json_may_be(deep(2000))]
    fn a_constraint_makes_nothing_needed_that(#[case] text: String) {
        assert_eq!(read(&text), in_words(&text));
    }

    #[test]
    fn a_missed_range_is_found_in_the_parts_of_a_need() {
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
