//! The flags that override rules for an operator. The rules come from the author of the operator,
//! or from other operators.

use clap::Args;
use portolan_proto::resolver::v1::Overrides;

/// The flags that override rules of the search, each for one package.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Unsafe overrides for a package")]
pub(super) struct OverrideArgs {
    /// Allow upgrades without an edge in the update graph. The author of the operator does not
    /// support such upgrades.
    #[arg(long, value_name = "PACKAGE", hide_short_help = true)]
    allow_unconnected: Vec<String>,

    /// Allow versions that are older than the installed version.
    #[arg(long, value_name = "PACKAGE", hide_short_help = true)]
    allow_downgrade: Vec<String>,

    /// Ignore the dependencies of this package.
    #[arg(long, value_name = "PACKAGE", hide_short_help = true)]
    ignore_dependencies: Vec<String>,

    /// Allow this package to provide APIs that another operator also provides.
    #[arg(long, value_name = "PACKAGE", hide_short_help = true)]
    ignore_conflicts: Vec<String>,
}

/// Returns the flags that override these rules for a package.
pub(super) fn flags(package: &str, overrides: Overrides) -> String {
    let Overrides {
        ignore_dependencies,
        direct_upgrades,
        downgrades,
        ignore_conflicts,
    } = overrides;
    let flags = [
        (direct_upgrades, UNCONNECTED),
        (downgrades, DOWNGRADE),
        (ignore_dependencies, DEPENDENCIES),
        (ignore_conflicts, CONFLICTS),
    ];
    let flags = flags.iter().filter(|(holds, _)| *holds);
    let flags: Vec<_> = flags.map(|(_, flag)| format!("{flag} {package}")).collect();
    flags.join(" ")
}

const UNCONNECTED: &str = "--allow-unconnected";
const DOWNGRADE: &str = "--allow-downgrade";
const DEPENDENCIES: &str = "--ignore-dependencies";
const CONFLICTS: &str = "--ignore-conflicts";

// === impl OverrideArgs ===

impl OverrideArgs {
    /// Returns the overrides for a package. Returns None if no flag names the package.
    pub(super) fn of(&self, package: &str) -> Option<Overrides> {
        let [unconnected, downgrade, dependencies, conflicts] = self
            .each()
            .map(|(_, packages)| packages.iter().any(|one| one == package));
        let overrides = Overrides {
            ignore_dependencies: dependencies,
            direct_upgrades: unconnected,
            downgrades: downgrade,
            ignore_conflicts: conflicts,
        };
        (overrides != Overrides::default()).then_some(overrides)
    }

    /// Returns each flag with its packages.
    pub(super) fn each(&self) -> [(&'static str, &[String]); 4] {
        let Self {
            allow_unconnected,
            allow_downgrade,
            ignore_dependencies,
            ignore_conflicts,
        } = self;
        [
            (UNCONNECTED, allow_unconnected),
            (DOWNGRADE, allow_downgrade),
            (DEPENDENCIES, ignore_dependencies),
            (CONFLICTS, ignore_conflicts),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn override_flags_apply_only_to_their_package() {
        let ferry = vec!["ferry".to_owned()];
        let lifted = OverrideArgs {
            allow_downgrade: ferry.clone(),
            ignore_conflicts: ferry,
            ..OverrideArgs::default()
        };
        let overrides = lifted.of("ferry").expect("overrides");
        let text = flags("ferry", overrides);
        assert_eq!(text, "--allow-downgrade ferry --ignore-conflicts ferry");
        assert_eq!(lifted.of("rope"), None);
    }
}
