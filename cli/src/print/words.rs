//! Converts values of the gRPC APIs to text for users.

use std::fmt::Display;

use portolan_core_names::nearest;
use portolan_core_names::text::some;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::resolver::v1::{Deprecation, Fault, catalog, edge, fault};

use super::{Detail, Page, Span};

/// The text for an empty value.
pub(crate) const NONE: &str = "-";

/// The message for an answer that this version of the program cannot decode.
pub(crate) const UNKNOWN_ANSWER: &str = "The server sent an answer that this version of the program does not support; update the program.";

/// The fields of requests whose names occur in messages of the resolver.
const TOLD: [&str; 1] = ["installed_version"];

/// The maximum number of existing objects that a message about a missing object names.
const EXISTING: usize = 5;

/// The maximum number of printed names in a list. There is no limit if the user requests all names.
const AT_A_GLANCE: usize = 3;

/// Returns the command-line flag that sets a field of a request.
pub(crate) fn flag(field: &str) -> String {
    format!("--{}", field.replace('_', "-"))
}

/// A message of the resolver: the user must name the channel whose head is the destination.
const SAY_WHOSE_HEAD: &str = "say whose head";

/// Rewrites a message of a service for the command line: replaces fields of the request with flags.
pub(crate) fn with_flags(sentence: &str) -> String {
    let sentence = TOLD.iter().fold(sentence.to_owned(), |sentence, field| {
        sentence.replace(field, &flag(field))
    });
    sentence.replace(SAY_WHOSE_HEAD, &format!("{SAY_WHOSE_HEAD} with --channel"))
}

/// The command that prints a Blockage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    Path,
    /// The command `upgrades`. It has only some of the flags of `path`.
    Upgrades,
    /// The command `graph`, which has none of the flags of `path`.
    Graph,
}

/// A suggestion in a Blockage.
struct Help {
    /// The text of the suggestion, as the resolver writes it.
    said: &'static str,
    /// The flags that carry out the suggestion.
    flags: &'static str,
    /// True if only the command `path` has these flags.
    is_of_path: bool,
}

const HELP: [Help; 6] = [
    Help {
        said: "a path exists if all channels are used",
        flags: "--all-channels (without --channel)",
        is_of_path: false,
    },
    Help {
        said: "a path exists if OLM installs each version on the path and skips no version",
        flags: "--walk catalog",
        is_of_path: true,
    },
    Help {
        said: "allow a downgrade (unsafe)",
        flags: "--allow-downgrade",
        is_of_path: true,
    },
    Help {
        said: "allow an upgrade without an edge in the update graph (unsafe)",
        flags: "--allow-unconnected",
        is_of_path: true,
    },
    Help {
        said: "allow a downgrade without an edge in the update graph (unsafe)",
        flags: "--allow-downgrade --allow-unconnected",
        is_of_path: true,
    },
    Help {
        said: "a skip range may contain this version",
        flags: "--installed-version VERSION",
        is_of_path: false,
    },
];

/// Rewrites the text of a Blockage for the command line. Appends flags to the suggestions at its
/// end.
pub(crate) fn with_flags_of_help(blockage: &str, asking: Asking) -> String {
    let lines = with_flags(blockage);
    let lines = lines.lines().map(|line| {
        let is_meant =
            |help: &&Help| line.contains("help: ") && (line.ends_with(&format!(" {}", help.said)));
        match (HELP.iter().find(is_meant), asking) {
            (Some(help), Asking::Upgrades) if help.is_of_path => {
                format!("{line}: path {}", help.flags)
            }
            (Some(help), Asking::Graph) => format!("{line}: path {}", help.flags),
            (Some(help), Asking::Path | Asking::Upgrades) => format!("{line}: {}", help.flags),
            (None, _) => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Joins names to a list. The list contains all names, or the first names and the number of the
/// other names.
pub(crate) fn names<T: AsRef<str>>(names: &[T], detail: Detail) -> String {
    let shown = match detail {
        // If only one name were omitted, the number of omitted names would need the same space.
        Detail::Usual if names.len() > AT_A_GLANCE + 1 => AT_A_GLANCE,
        Detail::Usual | Detail::Whole => names.len(),
    };
    let shown_names: Vec<&str> = names[..shown].iter().map(AsRef::as_ref).collect();
    let mut text = shown_names.join(", ");
    if shown < names.len() {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    or_none(&text).to_owned()
}

pub(crate) fn or_none(text: &str) -> &str {
    match text {
        "" => NONE,
        text => text,
    }
}

/// Returns the end of a sentence about a namespace, such as " in namespace harbor". Returns an
/// empty text for all namespaces.
pub(crate) fn within(namespace: &str) -> String {
    match namespace {
        "" => String::new(),
        namespace => format!(" in namespace {namespace}"),
    }
}

/// Returns the end of a message with a suggestion of a similar name. Returns an empty text if there
/// is no similar name.
pub(crate) fn did_you_mean(near: Option<impl Display>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

/// Returns the end of a message about an object that does not exist: a similar name, or the names of
/// some existing objects. `kinds` is the plural of the kind. `known` has the namespace and the name
/// of each object.
pub(crate) fn near_or_existing(name: &str, kinds: &str, known: &[(String, String)]) -> String {
    let names: Vec<_> = known.iter().map(|(_, name)| name).collect();
    let near = nearest(name, names.iter().copied());
    let near = known.iter().find(|(_, name)| Some(name) == near);
    match (near, known) {
        (Some((namespace, name)), _) => did_you_mean(Some(located(namespace, name))),
        (None, []) => format!("; there are no {kinds}"),
        (None, known) => {
            let known = known
                .iter()
                .map(|(namespace, name)| located(namespace, name));
            format!("; existing {kinds}: {}", some(EXISTING, known))
        }
    }
}

/// Returns a name, with its namespace if it has one.
pub(crate) fn located(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}

/// Returns the kind and the name of an object, with its namespace if it has one.
pub(crate) fn object(object: &ObjectRef) -> String {
    format!(
        "{} {}",
        object.kind,
        located(&object.namespace, &object.name)
    )
}

/// Returns a number with the singular or plural of a word, such as "1 hop" or "2 hops".
pub(crate) fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        many => format!("{many} {one}s"),
    }
}

pub(crate) fn via(edges: impl Iterator<Item = edge::Kind>) -> String {
    let names: Vec<_> = edges.map(edge_name).collect();
    or_none(&names.join(", ")).to_owned()
}

fn edge_name(edge: edge::Kind) -> &'static str {
    match edge {
        edge::Kind::Unspecified => "another way",
        edge::Kind::Replaces => "replaces",
        edge::Kind::Skips => "skips",
        edge::Kind::SkipRange => "skip range",
    }
}

pub(crate) fn state(state: catalog::State) -> Span {
    match state {
        catalog::State::Unspecified => Span::warning("unknown"),
        catalog::State::Pending => Span::warning("pending"),
        catalog::State::Serving => Span::good("serving"),
        catalog::State::Stale => Span::warning("stale"),
        catalog::State::Failed => Span::error("failed"),
    }
}

pub(crate) fn severity(severity: fault::Severity) -> Span {
    match severity {
        fault::Severity::Error => Span::error("error"),
        fault::Severity::Unspecified | fault::Severity::Warning => Span::warning("warning"),
        fault::Severity::Note => Span::plain("note"),
    }
}

/// Joins the notes whose condition is true.
pub(crate) fn notes<const N: usize>(notes: [(bool, &str); N]) -> String {
    let notes = notes.iter().filter(|(holds, _)| *holds);
    notes.map(|(_, note)| *note).collect::<Vec<_>>().join(", ")
}

/// Returns a version, with its release if the release is not empty.
pub(crate) fn version(version: &str, release: &str) -> String {
    match release {
        "" => version.to_owned(),
        release => format!("{version} release {release}"),
    }
}

/// Adds a list of the deprecated objects to the page.
pub(crate) fn list_deprecations(page: &mut Page, deprecations: &[Deprecation]) {
    page.lines(deprecations.iter().map(|deprecation| {
        let object = deprecation.object.clone().unwrap_or_default();
        let subject = format!("{} {}", object.kind.to_lowercase(), object.name);
        let what = Span::warning(format!("{subject} is deprecated:"));
        [what, deprecation.message.trim().into()]
    }));
}

/// Returns true if a fault may hide requested objects. Such a fault belongs to no package, for
/// example an unreadable document.
pub(crate) fn may_hide(faults: &[Fault]) -> bool {
    let mut faults = faults.iter();
    faults.any(|fault| fault.severity() == fault::Severity::Error && fault.package.is_empty())
}

/// Adds a list of the faults of the catalog, as the last section of the page.
pub(crate) fn list_faults<'a>(page: &mut Page, faults: impl IntoIterator<Item = &'a Fault>) {
    page.lines(faults.into_iter().map(|fault| {
        let code = format!("{}:", fault.code);
        let code = match fault.severity() {
            fault::Severity::Error => Span::error(code),
            fault::Severity::Unspecified | fault::Severity::Warning => Span::warning(code),
            fault::Severity::Note => Span::plain(code),
        };
        [code, Span::plain(&fault.message)]
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_about_a_missing_object_names_a_similar_object_or_existing_objects() {
        let known = |names: &[&str]| -> Vec<(String, String)> {
            let names = names.iter();
            names
                .map(|name| ("harbor".to_owned(), (*name).to_owned()))
                .collect()
        };
        let hint = |names: &[&str]| near_or_existing("fery", "Subscriptions", &known(names));
        assert_eq!(hint(&["buoy", "ferry"]), "; did you mean harbor/ferry?");
        assert_eq!(
            hint(&["a", "b", "c", "d", "e", "f"]),
            "; existing Subscriptions: harbor/a, harbor/b, harbor/c, harbor/d, harbor/e and 1 more"
        );
        assert_eq!(hint(&[]), "; there are no Subscriptions");
    }
}
