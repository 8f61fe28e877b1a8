//! What a bundle needs besides itself.

use portolan_core_approval::{Api, Need};
use portolan_core_names::{PackageName, VersionRange};
use serde::Deserialize;

/// The value of an `olm.constraint`. It is one of these; what has a key of no meaning is none.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Constraint {
    failure_message: Option<String>,
    package: Option<Package>,
    gvk: Option<Gvk>,
    all: Option<Parts>,
    any: Option<Parts>,
    not: Option<Parts>,
    cel: Option<Cel>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Package {
    package_name: String,
    version_range: String,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Gvk {
    group: String,
    version: String,
    kind: String,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Parts {
    constraints: Vec<Constraint>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Cel {
    rule: String,
}

/// A package in a range; what is no name or no range cannot be judged.
pub(super) fn package(name: &str, range: &str) -> Need {
    match (PackageName::parse(name), VersionRange::parse(range)) {
        (Ok(package), Ok(range)) => Need::Package(package, range),
        (_, _) => Need::Opaque(format!("package {name} {range}")),
    }
}

/// A constraint, from its JSON. One that cannot be read makes nothing needed.
pub(super) fn constraint(text: &str) -> Need {
    let read = serde_json::from_str::<Constraint>(text);
    read.map_or_else(|_| Need::Opaque(text.to_owned()), Need::from)
}

impl From<Constraint> for Need {
    fn from(constraint: Constraint) -> Self {
        let Constraint {
            failure_message,
            package: of_package,
            gvk,
            all,
            any,
            not,
            cel,
        } = constraint;
        let needs = [
            of_package.map(|it| package(&it.package_name, &it.version_range)),
            gvk.map(Self::from),
            all.map(|parts| Self::All(parts.needs())),
            any.map(|parts| Self::Any(parts.needs())),
            not.map(|parts| Self::Not(parts.needs())),
            cel.map(|cel| Self::Opaque(failure_message.clone().unwrap_or(cel.rule))),
        ];
        let mut needs = needs.into_iter().flatten();
        match (needs.next(), needs.next()) {
            (Some(only), None) => only,
            (_, _) => Self::Opaque(failure_message.unwrap_or_default()),
        }
    }
}

impl From<Gvk> for Need {
    fn from(gvk: Gvk) -> Self {
        let Gvk {
            group,
            version,
            kind,
        } = gvk;
        Self::Api(Api {
            group,
            version,
            kind,
        })
    }
}

impl Parts {
    fn needs(self) -> Vec<Need> {
        self.constraints.into_iter().map(Need::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn rope() -> Need {
        package("rope", ">=1.0.0")
    }

    fn buoy() -> Need {
        Need::Api(Api {
            group: "sea.example".into(),
            version: "v1".into(),
            kind: "Buoy".into(),
        })
    }

    fn opaque(words: &str) -> Need {
        Need::Opaque(words.to_owned())
    }

    const ROPE: &str = r#"{"package": {"packageName": "rope", "versionRange": ">=1.0.0"}}"#;
    const BUOY: &str = r#"{"gvk": {"group": "sea.example", "version": "v1", "kind": "Buoy"}}"#;

    fn parts(word: &str) -> String {
        format!(r#"{{"failureMessage": "no", "{word}": {{"constraints": [{ROPE}, {BUOY}]}}}}"#)
    }

    #[rstest]
    #[case::a_package(ROPE.to_owned(), rope())]
    #[case::an_api(BUOY.to_owned(), buoy())]
    #[case::all_of_several(parts("all"), Need::All(vec![rope(), buoy()]))]
    #[case::any_of_several(parts("any"), Need::Any(vec![rope(), buoy()]))]
    #[case::none_of_several(parts("not"), Need::Not(vec![rope(), buoy()]))]
    #[case::a_rule_in_its_words(r#"{"cel": {"rule": "true"}}"#.to_owned(), opaque("true"))]
    #[case::a_rule_in_words_of_its_author(
        r#"{"failureMessage": "a sea", "cel": {"rule": "true"}}"#.to_owned(), opaque("a sea")
    )]
    #[case::one_that_is_two(
        format!("{}, {}", ROPE.trim_end_matches("}}").to_owned() + "}", &BUOY[1..]), opaque("")
    )]
    #[case::one_with_an_odd_key(r#"{"never": {}}"#.to_owned(), opaque(r#"{"never": {}}"#))]
    #[case::no_json("{".to_owned(), opaque("{"))]
    fn a_constraint_is_read_as(#[case] text: String, #[case] expected: Need) {
        assert_eq!(constraint(&text), expected);
    }

    #[rstest]
    #[case::no_range("rope", "v1", "package rope v1")]
    #[case::no_name("", ">=1.0.0", "package  >=1.0.0")]
    fn a_package_that_cannot_be_judged_makes_nothing_needed(
        #[case] name: &str,
        #[case] range: &str,
        #[case] words: &str,
    ) {
        assert_eq!(package(name, range), opaque(words));
    }

    #[test]
    fn a_constraint_as_deep_as_nobody_writes_them_is_not_read() {
        let deep = (0..2000).fold(ROPE.to_owned(), |inner, _| {
            format!(r#"{{"not": {{"constraints": [{inner}]}}}}"#)
        });
        assert_eq!(constraint(&deep), opaque(&deep));
    }
}
