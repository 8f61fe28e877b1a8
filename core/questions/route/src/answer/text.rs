//! Formats answers as text. A step is one line, and a blockage is a short tree.

use std::fmt::{self, Display};

use portolan_core_names::text::listed;
use portolan_core_solver::Requirement;

use super::{Cause, Certainty, Hold, Move, Plan, Route, RouteBlockage, RouteStep, Suggestion};
use crate::Overrides;

// === impl Plan ===

/// Formats the steps of all routes, followed by the blockages.
impl Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.routes.iter().filter(|route| {
            !route.steps.is_empty() || !route.is_reached() || !route.only_single.is_empty()
        });
        let shown: Vec<_> = shown.map(ToString::to_string).collect();
        if shown.is_empty() {
            f.write_str("nothing moves")
        } else {
            f.write_str(&shown.join("\n\n"))
        }
    }
}

// === impl Route ===

impl Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = (1..).zip(&self.steps);
        let mut lines: Vec<_> = steps.map(|(at, step)| format!("{at}. {step}")).collect();
        if !self.only_single.is_empty() {
            lines.push(format!(
                "{} may have to change together, but the search only tried to change one operator \
                 at a time",
                listed(&self.only_single)
            ));
        }
        if let Certainty::BudgetSpent { states } = self.certainty {
            lines.push(format!(
                "the search stopped at its limit of {states} states; a better route may exist"
            ));
        }
        let blockages = self.ends.iter().filter_map(|end| end.blockage.as_ref());
        lines.extend(blockages.map(ToString::to_string));
        f.write_str(&lines.join("\n"))
    }
}

// === impl RouteStep ===

/// Formats the step in one line.
impl Display for RouteStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.moves.len() > 1 {
            f.write_str("together: ")?;
        }
        for (at, made) in self.moves.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{made}")?;
        }
        Ok(())
    }
}

// === impl Move ===

impl Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.from {
            Some(from) => write!(f, "{from} -> {}", self.to.name)?,
            None => write!(f, "install {}", self.to.name)?,
        }
        f.write_str(match (self.is_override, self.is_downgrade) {
            (true, true) => " (unsafe: a downgrade without an edge)",
            (true, false) => " (unsafe: an upgrade without an edge)",
            (false, true) => " (a downgrade)",
            (false, false) => "",
        })
    }
}

// === impl RouteBlockage ===

impl Display for RouteBlockage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        let causes = self.causes.iter().map(ToString::to_string);
        let lines: Vec<_> = causes.chain(self.help()).collect();
        for (at, line) in lines.iter().enumerate() {
            let is_last = at + 1 == lines.len();
            let branch = if is_last { "└──" } else { "├──" };
            let below = if is_last { "\n    " } else { "\n│   " };
            write!(f, "\n{branch} {}", line.replace('\n', below))?;
        }
        Ok(())
    }
}

impl RouteBlockage {
    /// Returns the lines of the tree as sentences, for messages that have only one line.
    pub fn sentences(&self) -> Vec<String> {
        let causes = self.causes.iter().flat_map(Cause::sentences);
        let headline = std::iter::once(self.headline());
        headline.chain(causes).chain(self.help()).collect()
    }

    fn headline(&self) -> String {
        let Self { package, wish, .. } = self;
        match &self.furthest {
            Some(furthest) => format!(
                "{package} can only reach {furthest}, but {wish} is \
             required"
            ),
            None => format!("{package} cannot be installed, but {wish} is required"),
        }
    }

    fn help(&self) -> impl Iterator<Item = String> {
        self.suggestions.iter().map(|one| format!("help: {one}"))
    }
}

// === impl Cause ===

impl Cause {
    fn sentences(&self) -> Vec<String> {
        match self {
            Self::NoPath(Some(blockage)) => blockage.sentences(),
            Self::NoSuchVersion
            | Self::OnlyOlder { .. }
            | Self::NoPath(None)
            | Self::Lacking { .. }
            | Self::Held { .. }
            | Self::RequiredBy { .. }
            | Self::Provides { .. }
            | Self::Order { .. }
            | Self::Unknown => vec![self.to_string()],
        }
    }
}

impl Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchVersion => f.write_str("no bundle of its channels has such a version"),
            Self::OnlyOlder { installed } => {
                write!(
                    f,
                    "all such bundles are older than the installed {installed}"
                )
            }
            Self::NoPath(Some(blockage)) => blockage.fmt(f),
            Self::NoPath(None) => {
                f.write_str("no path through its channels leads to such a version")
            }
            Self::Lacking {
                bundle,
                requirement,
            } => write!(
                f,
                "{bundle} requires {requirement}, which no available operator meets"
            ),
            Self::Held {
                bundle,
                requirement,
                by,
                hold,
            } => write!(f, "{bundle} requires {requirement}, but {by} {hold}"),
            Self::RequiredBy {
                bundle,
                requirement,
                by,
            } => write!(
                f,
                "{by} requires {requirement}, which {bundle} does not meet"
            ),
            Self::Provides { bundle, api, by } => {
                write!(f, "{bundle} provides API {api}, and so does {by}")
            }
            Self::Order { by } => {
                write!(
                    f,
                    "no order of upgrades meets all requirements of the operator and of {by}"
                )
            }
            Self::Unknown => f.write_str(
                "the search stopped at its limit before it found the \
                                          cause",
            ),
        }
    }
}

// === impl Hold ===

/// Formats a clause that explains why the other operator keeps its version.
impl Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wished(wish) => write!(f, "is required at {wish}"),
            Self::Stays => f.write_str("does not change"),
            Self::Stops => f.write_str("gets no further"),
        }
    }
}

// === impl Suggestion ===

impl Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Let { package, to } => write!(f, "let {package} go to {to}"),
            Self::Wish { package, to } => write!(f, "require {to} of {package} instead"),
            Self::Add(requirement @ Requirement::Package(_)) => write!(f, "install {requirement}"),
            Self::Add(requirement @ (Requirement::Api(_) | Requirement::Constraint(_))) => {
                write!(f, "install an operator that meets {requirement}")
            }
            Self::Lift { package, overrides } => {
                let fields = overrides.fields().join(" and ");
                write!(f, "let {package} {overrides} (unsafe, {fields})")
            }
        }
    }
}

// === impl Overrides ===

impl Overrides {
    /// Returns the fields of an Operator resource that remove these restrictions.
    fn fields(self) -> Vec<&'static str> {
        let Self {
            ignore_dependencies,
            direct_upgrades,
            downgrades,
            ignore_conflicts,
        } = self;
        let fields = [
            (ignore_dependencies, "spec.dependencies: ignore"),
            (direct_upgrades, "spec.unsafeAllowDirectUpgrades"),
            (downgrades, "spec.unsafeAllowDowngrades"),
            (ignore_conflicts, "spec.unsafeIgnoreConflicts"),
        ];
        let lifted = fields.into_iter().filter(|(holds, _)| *holds);
        lifted.map(|(_, field)| field).collect()
    }
}

/// Formats the removed restrictions as verbs.
impl Display for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ignore_dependencies,
            direct_upgrades,
            downgrades,
            ignore_conflicts,
        } = *self;
        let told = [
            (ignore_dependencies, "ignore its dependencies"),
            (direct_upgrades, "move without an edge"),
            (downgrades, "move to older versions"),
            (ignore_conflicts, "ignore conflicts with other operators"),
        ];
        let told = told.iter().filter(|(holds, _)| *holds);
        let told: Vec<_> = told.map(|(_, verb)| *verb).collect();
        f.write_str(&told.join(" and "))
    }
}
