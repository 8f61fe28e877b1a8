//! Explains requested versions to which OLM v1 cannot upgrade directly.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use portolan_core_names::Version;
use portolan_core_names::text::listed;
use portolan_core_olm::UpgradeConstraint;
use serde_json::json;

use super::meaning::{Case, Meaning, OWNER, channels, patch_of_catalog};
use super::steps::{Steps, WiderRange};
use crate::cure::Cure;
use crate::{Code, Confidence, Procedure, Step};

const ONE_STEP: &str = "OLM v1 makes one upgrade at a time, to a version that the catalog permits after the installed one.";
/// The reason why the cause is uncertain if the content of the catalogs was not read.
const UNREAD: &str = "OLM v1 reports that it finds no such bundle. The content of the catalogs was not \
                      read.";
const CONTENT: &str = "The content of the catalog shows this cause.";

impl Case<'_> {
    /// Interprets the message that no requested version is a direct upgrade of the installed
    /// bundle.
    pub(super) fn unreachable(
        &self,
        installed: &str,
        catalogs_have: &str,
        limits: &str,
    ) -> Meaning {
        let Some(steps) = self.steps() else {
            let means = format!(
                "{ONE_STEP} {catalogs_have} no direct upgrade from {installed} with {limits}."
            );
            let action = "Find the next version in the upgrade path of the package, and set \
                          spec.source.catalog.version to a range that admits it.";
            let cure = Cure::advised(OWNER, action, self.wider());
            return self.blocked(&means, cure, Confidence::likely(UNREAD));
        };
        let cure = Cure::advised(OWNER, &self.action(&steps), self.choices(&steps));
        let means = format!("{ONE_STEP} {}", self.explained(&steps));
        let meaning = self.blocked(&means, cure, Confidence::proved(CONTENT));
        Meaning {
            later: self.check(&steps).into_iter().collect(),
            ..meaning
        }
    }

    /// Returns the check that OLM v1 has made all upgrades of the first choice.
    fn check(&self, steps: &Steps<'_>) -> Option<Procedure> {
        let wider = steps.wider.as_ref();
        let last = wider.and_then(|wider| wider.upgrades.last())?;
        let comment = format!("Wait until {} has version {last}", self.object);
        let wait = self
            .target()
            .wait(".status.install.bundle.version", &last.to_string());
        let title = "After the change of spec.source.catalog.version, check that OLM v1 makes all upgrades.";
        Some(Procedure::of(title, vec![Step::new(&comment, wait)], ""))
    }

    fn blocked(&self, means: &str, cure: Cure, confidence: Confidence) -> Meaning {
        let meaning = Meaning::of(Code::NoUpgradePath, self.object.clone(), means, cure);
        let meaning = meaning
            .until("spec.source.catalog.version includes the next version of the upgrade path");
        Meaning {
            confidence: Some(confidence),
            ..meaning.looked([self.versions()])
        }
    }

    /// Returns the upgrades in the most useful catalog. A catalog with a path to a requested
    /// version is better than one without. Among equal catalogs, the highest priority decides.
    fn steps(&self) -> Option<Steps<'_>> {
        let of_package = self.facts.packages.iter();
        let of_package =
            of_package.filter(|it| it.package.package().name.as_str() == self.package());
        let mut all: Vec<_> = of_package
            .filter_map(|served| {
                let named = |name: &str| name == served.catalog;
                let mut used = self.used();
                let catalog = used.find(|it| it.metadata.name.as_deref().is_some_and(named))?;
                Some((catalog.spec.priority, Steps::of(self.extension, served)?))
            })
            .collect();
        all.sort_by_key(|(priority, steps)| {
            let name = steps.catalog.to_owned();
            (Reverse(steps.worth()), Reverse(*priority), name)
        });
        all.into_iter().map(|(_, steps)| steps).next()
    }

    /// Describes the permitted direct upgrades and the shortest path to a requested version.
    fn explained(&self, steps: &Steps<'_>) -> String {
        let package = &self.extension.spec.source.catalog;
        let (from, requested) = (self.installed_version(), &package.version);
        let place = match package.channels.as_slice() {
            [] => format!("ClusterCatalog {}", steps.catalog),
            names => format!("{} of ClusterCatalog {}", channels(names), steps.catalog),
        };
        let successors = match steps.successors.as_slice() {
            [] => return format!("In {place}, no bundle upgrades {from}.{}", beyond(steps)),
            [only] => format!(
                "From {from}, {place} permits only {only}, which version \"{requested}\" excludes."
            ),
            several => format!(
                "From {from}, {place} permits only {}. Version \"{requested}\" excludes all of them.",
                listed(several)
            ),
        };
        if steps.way.is_empty() {
            return format!(
                "{successors} No chain of upgrades leads to a requested version.{}",
                beyond(steps)
            );
        }
        let way = arrows(from, &steps.way);
        format!("{successors} The shortest way to a requested version is {way}.")
    }

    fn action(&self, steps: &Steps<'_>) -> String {
        match (steps.way.first(), steps.way_of_all_channels.first()) {
            (Some(next), _) => format!("Allow {next} in spec.source.catalog.version."),
            (None, Some(_)) => {
                "Use the channel with this upgrade in spec.source.catalog.channels.".to_owned()
            }
            (None, None) => {
                "Request a version that the catalog permits. Or ask the publisher of the \
                             catalog for an upgrade path."
                    .to_owned()
            }
        }
    }

    /// Returns the changes with which OLM v1 can reach a requested version. Changes that the
    /// catalog supports are first.
    fn choices(&self, steps: &Steps<'_>) -> Vec<Procedure> {
        let wider = steps.wider.as_ref().map(|wider| self.admit(wider));
        let is_elsewhere = steps.way.is_empty() && !steps.way_of_all_channels.is_empty();
        let channels = self.all_channels().filter(|_| is_elsewhere);
        let jump = steps.newest.as_ref().map(|newest| self.jump(newest));
        wider.into_iter().chain(channels).chain(jump).collect()
    }

    fn admit(&self, wider: &WiderRange) -> Procedure {
        let WiderRange {
            range,
            is_complete,
            upgrades,
        } = wider;
        let object = &self.object;
        let title = format!(
            "Set spec.source.catalog.version of {object} to \"{range}\". OLM v1 then upgrades by itself: {}.",
            arrows(self.installed_version(), upgrades)
        );
        let patch = patch_of_catalog(&json!({"version": range}));
        let again = if *is_complete {
            ""
        } else {
            " After this upgrade, set the version to the requested range again."
        };
        let risk = format!(
            "OLM v1 does not wait until a version works before it installs the next one.{again}"
        );
        Procedure::command(&title, self.target().merge(&patch), &risk)
    }

    /// Returns the command that lets OLM v1 upgrade directly to a version, without an upgrade path
    /// in the catalog.
    fn jump(&self, newest: &Version) -> Procedure {
        let title = format!(
            "Only if the publisher says that this is safe: let OLM v1 go from {} directly to {newest}.",
            self.installed_version()
        );
        let policy = UpgradeConstraint::SelfCertified;
        let patch = patch_of_catalog(&json!({"upgradeConstraintPolicy": policy.as_str()}));
        let risk = "The catalog does not support this upgrade: skipped versions may contain necessary \
                    migrations. OLM v1 then also permits downgrades. Set CatalogProvided again after \
                    the upgrade.";
        Procedure::command(&title, self.target().merge(&patch), risk)
    }

    /// Returns the installed version. If the version is unknown, returns the name of the installed
    /// bundle.
    fn installed_version(&self) -> &str {
        let install = self.extension.status.install.as_ref();
        let version = install.map_or("", |it| &it.bundle.version);
        if version.is_empty() {
            self.installed
        } else {
            version
        }
    }
}

/// Returns a sentence about the path that needs other channels of the package. Empty if no such
/// path exists.
fn beyond(steps: &Steps<'_>) -> String {
    match steps.way_of_all_channels.as_slice() {
        [] => String::new(),
        way => format!(
            " With all channels of the package, the shortest way leads to {}.",
            listed(way)
        ),
    }
}

fn arrows(from: &str, way: &[Version]) -> String {
    let way = way.iter().map(|version| format!(" -> {version}"));
    format!("{from}{}", way.collect::<String>())
}
