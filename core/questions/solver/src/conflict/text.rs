//! Formats a Conflict as text. Each cause is one sentence, and the whole conflict is a short tree.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use portolan_core_names::BundleName;

use super::{Attempt, Cause, Conflict, Hiding, Lack};

/// The maximum number of lines of the tree.
const LINES: usize = 40;

/// A line of the tree, with the lines below it.
struct Branch {
    text: String,
    below: Vec<Branch>,
}

// === impl Conflict ===

/// Formats the conflict as a short tree, best attempt first.
impl Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut mentioned = BTreeSet::new();
        let wishes = self.attempts.iter();
        let mut branches: Vec<_> = wishes
            .map(|attempt| self.wish(attempt, &mut mentioned))
            .collect();
        let others = self.causes.iter().enumerate();
        let others = others.filter(|(at, _)| !mentioned.contains(at));
        branches.extend(others.map(|(_, cause)| Branch {
            text: cause.to_string(),
            below: Vec::new(),
        }));
        if !self.is_minimal {
            branches.push(Branch {
                text: "the search stopped at its limit, so some of these causes may be irrelevant"
                    .to_owned(),
                below: Vec::new(),
            });
        }
        let mut lines = Vec::new();
        match branches.as_slice() {
            [only] => {
                lines.push(only.text.clone());
                draw(&only.below, "", &mut lines);
            }
            several => {
                lines.push("these requirements conflict".to_owned());
                draw(several, "", &mut lines);
            }
        }
        let left_out = lines.len().saturating_sub(LINES);
        lines.truncate(LINES);
        f.write_str(&lines.join("\n"))?;
        match left_out {
            0 => Ok(()),
            1 => f.write_str("\nand 1 line more"),
            lines => write!(f, "\nand {lines} lines more"),
        }
    }
}

impl Conflict {
    fn wish(&self, attempt: &Attempt, mentioned: &mut BTreeSet<usize>) -> Branch {
        mentioned.extend(&attempt.causes);
        let causes = attempt.causes.iter().map(|at| self.causes[*at].to_string());
        let causes: Vec<_> = causes.collect();
        let attempts = attempt.attempts.iter();
        Branch {
            text: causes.join("; "),
            below: attempts
                .map(|below| self.attempt(below, mentioned))
                .collect(),
        }
    }

    fn attempt(&self, attempt: &Attempt, mentioned: &mut BTreeSet<usize>) -> Branch {
        mentioned.extend(&attempt.causes);
        let causes = attempt.causes.iter().map(|at| &self.causes[*at]);
        let stays = causes.clone().any(|cause| matches!(cause, Cause::Stays(_)));
        // If an installed operator excludes the bundles, the rule behind this is not printed,
        // because the installed operator is more informative.
        let is_implied =
            |cause: &&Cause| matches!(cause, Cause::OnePackage(_) | Cause::OneProvider(_)) && stays;
        let causes = causes.filter(|cause| !is_implied(cause));
        let causes: Vec<_> = causes
            .map(|cause| cause.against(&attempt.bundles))
            .collect();
        let attempts = attempt.attempts.iter();
        Branch {
            text: format!("{} {}", list(&attempt.bundles), causes.join(", ")),
            below: attempts
                .map(|below| self.attempt(below, mentioned))
                .collect(),
        }
    }
}

fn draw(branches: &[Branch], indent: &str, lines: &mut Vec<String>) {
    for (at, branch) in branches.iter().enumerate() {
        let is_last = at + 1 == branches.len();
        let (elbow, below) = if is_last {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        lines.push(format!("{indent}{elbow}{}", branch.text));
        draw(&branch.below, &format!("{indent}{below}"), lines);
    }
}

/// Formats `a`, `a and b`, or `a and 7 more`.
fn list(bundles: &[BundleName]) -> impl Display + '_ {
    fmt::from_fn(move |f| match bundles {
        [] => Ok(()),
        [only] => write!(f, "{only}"),
        [one, other] => write!(f, "{one} and {other}"),
        [best, others @ ..] => write!(f, "{best} and {} more", others.len()),
    })
}

// === impl Cause ===

/// Formats the cause as one sentence.
impl Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wish {
                wish, lack: None, ..
            } => write!(f, "{wish} is requested"),
            Self::Wish {
                wish,
                lack: Some(lack),
                ..
            } => write!(f, "{wish} is requested, but {lack}"),
            Self::Requires { required, .. } => {
                let bundles = required.iter().flat_map(|required| &required.bundles);
                let bundles: Vec<_> = bundles.cloned().collect();
                write!(f, "{} {}", list(&bundles), self.against(&bundles))
            }
            Self::Stays(installed) => {
                write!(
                    f,
                    "{} is installed and keeps its version, because this operator is not requested",
                    installed.name
                )
            }
            Self::OnePackage(package) => {
                write!(f, "only one bundle of package {package} can be installed")
            }
            Self::OneProvider(api) => write!(f, "only one operator can provide API {api}"),
            Self::Prohibited { bundles, .. } => {
                write!(f, "{} {}", list(bundles), self.against(bundles))
            }
            Self::Unread {
                catalog,
                why,
                is_stale,
            } => {
                let state = if *is_stale {
                    "is stale"
                } else {
                    "cannot be read"
                };
                write!(
                    f,
                    "catalog {catalog} {state} and may have a matching bundle: {why}"
                )
            }
        }
    }
}

impl Cause {
    /// Returns the end of a sentence about some bundles: the reason why the cause excludes them.
    fn against(&self, bundles: &[BundleName]) -> String {
        let verb = |one: &str, several: &str| match bundles.len() {
            1 => one.to_owned(),
            _ => several.to_owned(),
        };
        match self {
            Self::Requires { required, lack, .. } => {
                let requires = verb("requires", "require");
                let of = |bundle| {
                    let mut required = required.iter();
                    required.find(|required| required.bundles.contains(bundle))
                };
                let mut asked = bundles.iter().filter_map(of);
                let first = asked.next().or(required.first());
                let others = if asked.all(|other| Some(other) == first) {
                    ""
                } else {
                    " or other versions of it"
                };
                let first = first.map(|first| first.requirement.to_string());
                let lack = lack.as_ref().map(|lack| format!(", but {lack}"));
                let lack = lack.unwrap_or_default();
                format!("{requires} {}{others}{lack}", first.unwrap_or_default())
            }
            Self::Prohibited { .. } => {
                let carry = verb("carries", "carry");
                format!("{carry} the property olm.deprecated, which prevents the installation")
            }
            Self::OnePackage(package) => {
                format!("cannot be installed together with another bundle of package {package}")
            }
            Self::OneProvider(api) => format!(
                "cannot be installed together with another provider \
             of API {api}"
            ),
            Self::Stays(installed) => {
                let name = &installed.name;
                format!(
                    "cannot be installed together with {name}, which is installed and keeps its \
                     version"
                )
            }
            Self::Wish { .. } | Self::Unread { .. } => self.to_string(),
        }
    }
}

// === impl Lack ===

/// Formats the reason as a clause.
impl Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCatalog => f.write_str("this catalog does not exist"),
            Self::NoPackage { near, hidden_by } => {
                match hidden_by {
                    None => f.write_str("no catalog has such a package")?,
                    Some(Hiding { catalog, error }) => write!(
                        f,
                        "no catalog is known to have such a package; an error may hide it in \
                         catalog {catalog}: {error}"
                    )?,
                }
                match near {
                    None => Ok(()),
                    Some(near) => write!(f, "; did you mean {near}?"),
                }
            }
            Self::Elsewhere { catalog } => {
                write!(f, "catalog {catalog} has the package instead")
            }
            Self::NoChannel => f.write_str("the package has no such channel"),
            Self::NoVersion { newest: None } => f.write_str("there is no such version"),
            Self::NoVersion {
                newest: Some(newest),
            } => write!(f, "there is no such version; the highest is {newest}"),
            Self::OnlyPrereleases { newest } => write!(
                f,
                "only prereleases match, such as {newest}; to use a prerelease, request its exact \
                 version"
            ),
            Self::NoPath { installed } => {
                write!(
                    f,
                    "no upgrade path leads to such a bundle from the installed bundle {installed}"
                )
            }
            Self::NoProvider => f.write_str("no available bundle satisfies this requirement"),
        }
    }
}
