//! The deprecations of an installed version.

use portolan_core_names::Version;

use super::OperatorContext;
use super::report::UndatedCondition;
use crate::answer::PackageFacts;

/// Returns the condition for deprecations of the package, the channels in the spec, and the bundle.
/// Returns None if nothing is deprecated.
pub(super) fn deprecated(
    case: OperatorContext<'_>,
    facts: &PackageFacts,
) -> Option<UndatedCondition> {
    let current = case.member.current();
    let bundle = current.map(|hop| hop.facts.installs.bundle.as_str());
    let intent = case.intent;
    let package = intent.package.as_str();
    let deprecations = &facts.deprecations;
    let all = deprecations.of(package, &intent.channel_names(), bundle);
    let (reason, _) = all.first()?;
    let sentences: Vec<_> = all.iter().map(|(_, sentence)| sentence.as_str()).collect();
    Some(UndatedCondition::yes(*reason, sentences.join("; ")))
}

/// Returns the versions whose bundles are deprecated, in the given order.
pub(super) fn among(versions: &[String], facts: &PackageFacts) -> Vec<String> {
    let deprecated = facts.deprecations.bundles.values();
    let deprecated: Vec<_> = deprecated
        .filter_map(|(version, _)| Version::parse(version).ok())
        .collect();
    let is_deprecated =
        |text: &&String| Version::parse(text).is_ok_and(|version| deprecated.contains(&version));
    versions.iter().filter(is_deprecated).cloned().collect()
}
