//! Formats the reviews of a scenario as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::World;
use crate::*;

/// The maximum length of a line. A longer line contains only a single long word.
const WIDTH: usize = 88;

// === impl World ===

impl World {
    /// Formats the reviews of all plans. A reason against a bundle appears only below the bundle.
    pub(crate) fn tale(&self) -> String {
        review(&self.0).iter().map(tale).collect()
    }

    /// Returns the codes of all reasons and remarks.
    pub(crate) fn codes(&self) -> BTreeSet<ApprovalCode> {
        let reviews = review(&self.0).into_iter();
        let reasons = reviews.flat_map(|one| [one.verdict.reasons, one.remarks].concat());
        reasons.map(|reason| reason.code).collect()
    }
}

/// Defines test scenarios with their expected results. The macro creates one test for each
/// scenario, and a list of all scenarios. The lines of an expected result may be indented.
macro_rules! stories {
    ($($(#[doc = $doc:literal])* $name:ident: $story:expr => $tale:literal;)+) => {
        $($(#[doc = $doc])*
        #[test]
        fn $name() {
            let lines = $tale.lines().map(str::trim).filter(|line| !line.is_empty());
            let expected = lines.map(|line| format!("{line}\n")).collect::<String>();
            similar_asserts::assert_eq!($story.tale(), expected);
        })+

        /// Returns all scenarios of this macro call, with their names.
        pub(crate) fn all() -> Vec<(&'static str, $crate::tests::kit::World)> {
            vec![$((stringify!($name), $story),)+]
        }
    };
}
pub(crate) use stories;

fn tale(review: &Review) -> String {
    let Review {
        plan,
        uid,
        resource_version,
        phase,
        is_approved,
        is_manual,
        waits,
        verdict,
        bundles,
        policies,
        remarks,
    } = review;
    let marks = [
        (phase != "RequiresApproval").then_some(phase.as_str()),
        is_approved.then_some("approved"),
        (!is_manual).then_some("auto"),
        waits.then_some("waits"),
        uid.as_deref(),
        resource_version.as_deref(),
    ];
    let marks: Vec<&str> = marks.into_iter().flatten().collect();
    let mut text = format!("{:?} {plan} [{}]\n", verdict.state, marks.join(" "));
    let is_told = |reason: &&Reason| {
        !bundles
            .iter()
            .any(|bundle| bundle.verdict.reasons.contains(reason))
    };
    let own: Vec<&Reason> = verdict.reasons.iter().filter(is_told).collect();
    own.into_iter()
        .for_each(|reason| write_reason("!", reason, &mut text));
    bundles
        .iter()
        .for_each(|bundle| write_bundle(bundle, &mut text));
    let names: Vec<String> = policies.iter().map(|policy| id(&policy.id)).collect();
    writeln!(text, "policies {names:?}").unwrap();
    remarks
        .iter()
        .for_each(|remark| write_reason("remark", remark, &mut text));
    text
}

fn write_reason(mark: &str, reason: &Reason, text: &mut String) {
    let Reason {
        state,
        code,
        object: (kind, namespace, name),
        message,
    } = reason;
    let place = if namespace.is_empty() {
        name.clone()
    } else {
        format!("{namespace}/{name}")
    };
    let (code, place) = (code.as_str(), place.escape_debug());
    wrap(
        &format!("{mark} {state:?} {code} {kind} {place}: {message}"),
        text,
    );
}

fn write_bundle(bundle: &BundleReview, text: &mut String) {
    let BundleReview {
        name,
        package,
        version,
        replaces,
        installed: _,
        catalog,
        source,
        subscription,
        verdict,
        allowances,
        fixes,
    } = bundle;
    let package = package.as_ref().map_or("?", |package| package.as_str());
    let version = version.as_ref().map_or("?".to_owned(), ToString::to_string);
    write!(text, "- {:?} {name} = {package} {version}", verdict.state).unwrap();
    let source = source
        .map(|source| format!("{source:?}"))
        .unwrap_or_default();
    let facts = [
        ("by", &source),
        ("over", replaces),
        ("from", catalog),
        ("sub", subscription),
    ];
    for (word, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
        write!(text, " {word} {}", fact.escape_debug()).unwrap();
    }
    text.push('\n');
    verdict
        .reasons
        .iter()
        .for_each(|reason| write_reason("!", reason, text));
    for Allowance {
        policy,
        consent,
        needed_by,
    } in allowances
    {
        let chain: String = needed_by.iter().map(|name| format!(" > {name}")).collect();
        writeln!(text, "+ {} {consent}{chain}", id(policy)).unwrap();
    }
    for Fix {
        policy,
        field,
        is_list: _,
        value,
        message,
    } in fixes
    {
        let place = policy
            .as_ref()
            .map(|(namespace, name)| format!("{namespace}/{name}"));
        let place = place.unwrap_or("new".to_owned());
        let place = place.escape_debug();
        wrap(&format!("~ {place} {field} {value:?}: {message}"), text);
    }
}

/// Wraps lines, and marks continuation lines with a bar.
fn wrap(line: &str, text: &mut String) {
    let mut width = 0;
    for word in line.split(' ') {
        let long = word.chars().count() + 1;
        if width > 0 && width + long > WIDTH {
            text.push_str("\n|");
            width = 1;
        }
        text.push_str(if width > 0 { " " } else { "" });
        text.push_str(word);
        width += long;
    }
    text.push('\n');
}

fn id(policy: &PolicyId) -> String {
    format!("{}/{}", policy.namespace, policy.name)
        .escape_debug()
        .to_string()
}
