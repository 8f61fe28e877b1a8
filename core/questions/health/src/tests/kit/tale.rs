//! Formats the results of a test scenario as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::World;
use crate::*;

/// A scenario with a printable result.
pub(crate) trait Story {
    /// Formats all facts whose code is not Healthy, one fact for each line.
    fn tale(&self) -> String;
    /// Returns the codes of all facts.
    fn codes(&self) -> BTreeSet<HealthCode>;
}

impl Story for World {
    fn tale(&self) -> String {
        judge(&self.0).iter().map(tale).collect()
    }

    fn codes(&self) -> BTreeSet<HealthCode> {
        judge(&self.0)
            .iter()
            .flat_map(|operator| codes(&operator.facts))
            .collect()
    }
}

impl Story for Registry {
    fn tale(&self) -> String {
        let Catalog {
            subject,
            connection,
            facts,
            verdict,
        } = judge_catalog(self);
        assert_eq!(connection, self.source.connection());
        let mut text = format!("{:?} {subject}\n", verdict.state);
        facts.iter().for_each(|fact| write_fact(fact, 0, &mut text));
        text
    }

    fn codes(&self) -> BTreeSet<HealthCode> {
        codes(&judge_catalog(self).facts)
    }
}

/// Defines test scenarios with their expected results. The macro creates one test for each
/// scenario, and a list of all scenarios. The lines of an expected result may be indented.
macro_rules! stories {
    ($kind:ty; $($name:ident: $story:expr => $tale:literal;)+) => {
        $(#[test]
        fn $name() {
            use $crate::tests::kit::Story;
            let lines = $tale.lines().map(str::trim).filter(|line| !line.is_empty());
            let expected = lines.map(|line| format!("{line}\n")).collect::<String>();
            similar_asserts::assert_eq!($story.tale(), expected);
        })+

        /// Returns all scenarios of this macro call, with their names.
        pub(crate) fn all() -> Vec<(&'static str, $kind)> {
            vec![$((stringify!($name), $story),)+]
        }
    };
}
pub(crate) use stories;

/// Returns the codes of facts, including all facts below them.
pub(crate) fn codes(facts: &[Fact]) -> BTreeSet<HealthCode> {
    let below = facts.iter().flat_map(|fact| codes(&fact.below));
    facts.iter().map(|fact| fact.code).chain(below).collect()
}

/// Formats the Verdict of an operator, and then all facts whose code is not Healthy. A fact below
/// another fact has a dash.
pub(crate) fn tale(operator: &Operator) -> String {
    let mut text = format!("{:?} {}\n", operator.verdict.state, operator.subject);
    operator
        .facts
        .iter()
        .for_each(|fact| write_fact(fact, 0, &mut text));
    text
}

/// Formats a fact.
pub(crate) fn write_fact(fact: &Fact, depth: usize, text: &mut String) {
    let Fact {
        observed,
        state,
        code,
        message,
        detail,
        // The message contains it.
        quote: _,
        is_remark,
        below,
    } = fact;
    if *code != HealthCode::Healthy {
        assert_eq!(*is_remark, *state == State::Yes, "{message}");
        let dashes = "- ".repeat(depth);
        let detail = if detail.is_empty() {
            String::new()
        } else {
            format!(" [{detail}]")
        };
        let object = &observed.object;
        writeln!(
            text,
            "{dashes}{state:?} {} {object}: {message}{detail}",
            code.as_str()
        )
        .unwrap();
    }
    let depth = if *code == HealthCode::Healthy {
        depth
    } else {
        depth + 1
    };
    below.iter().for_each(|fact| write_fact(fact, depth, text));
}
