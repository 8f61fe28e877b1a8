//! Whether anything may be written.

use portolan_decide::Hands;
use portolan_world::Key;

/// What is allowed before anything is seen, and what is known of the kind of policies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Nothing is written, for this reason, which is half a sentence.
    pub(crate) read_only: Option<&'static str>,
    /// Policies are ours, whoever else tells about them.
    pub(crate) takes_over: bool,
    /// Where operators go whose policy and catalog leave it open.
    pub(crate) default_namespace: Option<String>,
    /// Only the policies of this namespace are carried out; those of others are known all the
    /// same, as they may mean the same operators.
    pub(crate) only_namespace: Option<String>,
}

/// What the definition of policies has room for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Schema {
    /// Nobody has looked, or there is nothing to look at.
    #[default]
    Unread,
    /// Everything that we write.
    Whole,
    /// Not the design form, nor the statuses that go with it.
    Lacking,
    /// Nobody could look, for this reason.
    Unreadable(String),
}

impl Rules {
    /// Whether anything may be written, with a policy and who besides us writes its status.
    pub(super) fn hands(&self, schema: &Schema, other: Option<(&Key, &str)>) -> Hands {
        if let Some(why) = self.read_only {
            return tied(format!("This controller only looks on, as {why}"));
        }
        if self.takes_over {
            return Hands::Free;
        }
        if let Some((policy, manager)) = other {
            return tied(format!(
                "{manager} writes the status of OperatorPolicy {policy}, so this controller only \
                 looks on; stop {manager}, or run this one with --take-over"
            ));
        }
        match schema {
            Schema::Unread | Schema::Whole => Hands::Free,
            Schema::Lacking => tied(
                "The definition of OperatorPolicy has no spec.allowedCSVs, so it is that of \
                 another controller, and this one only looks on; apply the definition of \
                 Portolan, or run with --take-over",
            ),
            Schema::Unreadable(why) => tied(format!(
                "The definition of OperatorPolicy cannot be read, so this controller only looks \
                 on: {why}"
            )),
        }
    }
}

fn tied(why: impl Into<String>) -> Hands {
    Hands::Tied(why.into())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const READ_ONLY: &str = "This controller only looks on, as it runs with --read-only";
    const OTHER: &str = "config-policy-controller writes the status of OperatorPolicy west/ferry, \
        so this controller only looks on; stop config-policy-controller, or run this one with \
        --take-over";
    const LACKING: &str = "The definition of OperatorPolicy has no spec.allowedCSVs, so it is that \
        of another controller, and this one only looks on; apply the definition of Portolan, or \
        run with --take-over";
    const UNREADABLE: &str = "The definition of OperatorPolicy cannot be read, so this controller \
        only looks on: forbidden";

    fn forbidden() -> Schema {
        Schema::Unreadable("forbidden".to_owned())
    }

    #[rstest]
    #[case::alone([false, false], Schema::Whole, false, None)]
    #[case::before_the_definition_is_read([false, false], Schema::Unread, false, None)]
    #[case::beside_another([false, false], Schema::Whole, true, Some(OTHER))]
    #[case::in_a_foreign_definition([false, false], Schema::Lacking, false, Some(LACKING))]
    #[case::in_an_unknown_definition([false, false], forbidden(), false, Some(UNREADABLE))]
    #[case::taking_over([false, true], Schema::Lacking, true, None)]
    #[case::reading_only([true, true], Schema::Whole, false, Some(READ_ONLY))]
    fn hands_are_tied(
        #[case] flags: [bool; 2],
        #[case] schema: Schema,
        #[case] has_other: bool,
        #[case] why: Option<&str>,
    ) {
        let [is_read_only, takes_over] = flags;
        let rules = Rules {
            read_only: is_read_only.then_some("it runs with --read-only"),
            takes_over,
            ..Rules::default()
        };
        let key = Key::new("west", "ferry");
        let other = has_other.then_some((&key, "config-policy-controller"));
        let expected = why.map_or(Hands::Free, tied);
        assert_eq!(rules.hands(&schema, other), expected);
    }
}
