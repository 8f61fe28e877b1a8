//! Parses requirements on the command line: `NAME@RANGE`, or `NAME --version RANGE`.

use clap::Args;
use portolan_core_generate::RequestedOperator;
use portolan_core_names::requirement::Target;
use portolan_core_names::{InvalidText, Requirement, Version, VersionRange};
use portolan_proto::resolver::v1::{InstalledOperator, Wish as WireRequirement};

use crate::failure::Failure;

/// The version of the only package of a command line.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct VersionArgs {
    /// Version or range of the package. Same as @RANGE after the name of the package.
    #[arg(long, value_name = "VERSION|RANGE")]
    version: Option<Target>,
}

// === impl VersionArgs ===

impl VersionArgs {
    /// Sets the version of `--version` for the package on the command line. Returns an error if
    /// there are several packages.
    pub(crate) fn add_to<'t>(
        &self,
        targets: impl IntoIterator<Item = &'t mut Target>,
    ) -> Result<(), Failure> {
        let Some(version) = &self.version else {
            return Ok(());
        };
        let mut targets = targets.into_iter();
        match (targets.next(), targets.next()) {
            (Some(target), None) if *target == Target::Latest || target == version => {
                target.clone_from(version);
                Ok(())
            }
            (Some(target), None) => Err(Failure::usage(format!(
                "two versions are given: @{target} and --version {version}; omit one of the two"
            ))),
            (None, _) | (Some(_), Some(_)) => Err(Failure::usage(format!(
                "--version {version} requires exactly one package; use NAME@{version}"
            ))),
        }
    }
}

/// Parses the requirements on a command line. Without quotes, a shell splits one requirement into
/// several arguments. Therefore an argument with a channel or catalog belongs to the requirement
/// before it.
pub(crate) fn parse_all(arguments: &[String]) -> Result<Vec<Requirement>, InvalidText<String>> {
    let mut texts: Vec<String> = Vec::new();
    for argument in arguments {
        match texts.last_mut() {
            Some(text) if Requirement::is_continued_by(argument) => {
                text.push(' ');
                text.push_str(argument);
            }
            _ => texts.push(argument.clone()),
        }
    }
    texts.iter().map(|text| Requirement::parse(text)).collect()
}

/// Converts a requirement to the form of the resolver API. Its range is empty for the latest
/// version, and for a version that is relative to the installed version.
pub(crate) fn to_wire(requirement: &Requirement) -> WireRequirement {
    let Requirement {
        package,
        target,
        channel,
        catalog,
    } = requirement;
    let range = target.range_from(None);
    WireRequirement {
        package: package.to_string(),
        range: range.map(|range| range.to_string()).unwrap_or_default(),
        channel: channel
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        catalog: catalog
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
    }
}

/// Returns the range for a version that is relative to the installed version, such as the latest
/// patch. Returns None if the package is not installed.
pub(crate) fn range_from(
    target: &Target,
    package: &str,
    installed: &[InstalledOperator],
) -> Result<Option<VersionRange>, Failure> {
    let mut installed = installed.iter().filter(|one| one.package == package);
    let Some(installed) = installed.next() else {
        return Ok(None);
    };
    let version = Version::parse(&installed.version).map_err(|_| {
        Failure::usage(format!(
            "{package}@{target}: the version of the installed bundle {} is unknown; use a version range such as {package}@'>=1.2.0 <1.3.0'",
            installed.name
        ))
    })?;
    Ok(target.range_from(Some(&version)))
}

/// Formats a requirement from a response.
pub(crate) fn text(requirement: &WireRequirement) -> String {
    let WireRequirement {
        package,
        range,
        channel,
        catalog,
    } = requirement;
    let given = [("@", range), (" channel=", channel), (" catalog=", catalog)];
    let given = given.iter().filter(|(_, value)| !value.is_empty());
    given.fold(package.clone(), |text, (key, value)| text + key + value)
}

/// Returns the value of spec.version for an Operator: a version or a range. Returns None if the
/// field must stay unset.
pub(crate) fn spec_version(requested: &RequestedOperator) -> Result<Option<VersionRange>, Failure> {
    let RequestedOperator { name, target } = requested;
    match target {
        Target::Latest => Ok(None),
        Target::Range(range) => Ok(Some(range.clone())),
        Target::LatestPatch | Target::LatestMinor => Err(Failure::usage(format!(
            "{requested}: spec.version of an Operator is a version or a range; use {name}@'>=1.2.0 <1.3.0', or `generate {requested}` to find the version"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn texts(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        match parse_all(&arguments) {
            Ok(requirements) => requirements.iter().map(|it| text(&to_wire(it))).collect(),
            Err(refusal) => vec![refusal.to_string()],
        }
    }

    #[test]
    fn joins_words_that_the_shell_split() {
        assert_eq!(
            texts(&[
                "quay@3.9.2",
                "channel=a",
                "rope=1.0.0",
                "catalog=b",
                "channel=c"
            ]),
            ["quay@3.9.2 channel=a", "rope@1.0.0 channel=c catalog=b"]
        );
    }

    #[rstest]
    #[case("latest-patch", Some(">=1.2.3 <1.3.0-0"))]
    #[case("latest-minor", Some(">=1.2.3 <2.0.0-0"))]
    fn keyword_becomes_a_range_from_the_installed_version(
        #[case] keyword: &str,
        #[case] expected: Option<&str>,
    ) {
        let target = Target::parse(keyword).expect("a keyword");
        let ferry = InstalledOperator {
            package: "ferry".to_owned(),
            version: "1.2.3".to_owned(),
            ..InstalledOperator::default()
        };
        let range = |installed: &[InstalledOperator]| {
            let range = range_from(&target, "ferry", installed).ok().flatten();
            range.map(|range| range.to_string())
        };
        assert_eq!(range(&[ferry]).as_deref(), expected);
        assert_eq!(range(&[]), None);
        let nameless = InstalledOperator {
            package: "ferry".to_owned(),
            ..InstalledOperator::default()
        };
        assert!(range_from(&target, "ferry", &[nameless]).is_err());
    }

    #[rstest]
    #[case::no_package(&[], false)]
    #[case::one_package(&["latest"], true)]
    #[case::same_version(&["1.2.0"], true)]
    #[case::other_version(&["1.3.0"], false)]
    #[case::two_packages(&["latest", "latest"], false)]
    fn version_option_belongs_to_the_only_package(
        #[case] targets: &[&str],
        #[case] is_valid: bool,
    ) {
        let target = |text: &str| Target::parse(text).expect("a target");
        let version = VersionArgs {
            version: Some(target("1.2.0")),
        };
        let mut targets: Vec<_> = targets.iter().map(|text| target(text)).collect();
        assert_eq!(version.add_to(&mut targets).is_ok(), is_valid);
        if is_valid {
            assert_eq!(targets, [target("1.2.0")]);
        }
    }
}
