//! The rules that decide if the controller may write objects.

use portolan_core_operatorpolicy::WriteMode;
use portolan_world::Key;

use super::policies::{KnownPolicy, StatusWriter};

/// A field that every policy in the established form has.
const PRESENCE: &str = "complianceType";
/// A field that only policies in the design form have. The CRD of the established controller lacks
/// this field.
const OWN: &str = "allowedCSVs";

/// The rules that flags define.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The reason why no objects may be written, as a part of a sentence. None if flags permit
    /// writes.
    pub(crate) read_only: Option<&'static str>,
    /// True if policies are enforced even if another controller writes their statuses.
    pub(crate) takes_over: bool,
    /// The namespace for operators if neither the policy nor the catalog specifies one.
    pub(crate) default_namespace: Option<String>,
    /// True for a dry run. Then no objects are written, and each policy gets the status that it
    /// would have.
    pub(crate) is_rehearsed: bool,
    /// The only namespace whose policies are enforced. None for all namespaces. Other policies are
    /// still read, because they may apply to the same operators.
    pub(crate) only_namespace: Option<String>,
}

/// The fields that the OperatorPolicy CRD in the cluster supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Schema {
    /// The CRD has not been read yet, or does not exist.
    #[default]
    Unread,
    /// The CRD has all fields that Portolan writes.
    Whole,
    /// The CRD lacks the fields of policies in the design form, and the fields of their statuses.
    Lacking,
    /// The CRD cannot be read, for this reason.
    Unreadable(String),
}

// === impl Schema ===

impl Schema {
    /// Returns true if the CRD may lack fields of policies.
    pub(super) fn is_lacking(&self) -> bool {
        match self {
            Self::Unread | Self::Whole => false,
            Self::Lacking | Self::Unreadable(_) => true,
        }
    }
}

// === impl Rules ===

impl Rules {
    /// Returns the write mode for all policies. `other` is a policy whose status another controller
    /// writes.
    pub(super) fn write_mode(
        &self,
        schema: &Schema,
        other: Option<(&Key, &StatusWriter)>,
    ) -> WriteMode {
        if let Some(why) = self.read_only {
            return read_only(format!("This controller is read-only, because {why}"));
        }
        if self.takes_over {
            return WriteMode::ReadWrite;
        }
        if let Some((policy, writer)) = other {
            return read_only(beside(policy, writer));
        }
        match schema {
            Schema::Unread | Schema::Whole => WriteMode::ReadWrite,
            Schema::Lacking => read_only(
                "The OperatorPolicy CRD on this cluster lacks spec.allowedCSVs, so this controller \
                 is read-only; apply the CRD of Portolan, or run with --take-over",
            ),
            Schema::Unreadable(why) => read_only(format!(
                "The OperatorPolicy CRD cannot be read, so this controller is read-only: {why}"
            )),
        }
    }

    /// Returns read-only if a write to the policy itself would permanently remove fields from it.
    /// Flags such as `--take-over` do not change this result. The established CRD has all fields of
    /// a policy in the established form. If the CRD cannot be read but the policy was read with
    /// `allowedCSVs`, the served CRD has this field.
    pub(super) fn lossy(&self, schema: &Schema, policy: &KnownPolicy) -> Option<WriteMode> {
        if self.read_only.is_some() {
            return None;
        }
        if let Some(lost) = &policy.lost {
            return Some(read_only(format!(
                "The API server returns this policy without {lost}, which the policy had before \
                 the OperatorPolicy CRD was replaced. A write would permanently drop {lost}, so \
                 the policy is not reconciled; apply the CRD of Portolan"
            )));
        }
        let spec = policy.seen.spec.written();
        if !self.takes_over || !spec[PRESENCE].is_null() {
            return None;
        }
        match schema {
            Schema::Unread | Schema::Whole => None,
            // A policy without `allowedCSVs` is also read-only, because it may have been read after
            // the field was lost.
            Schema::Lacking => Some(read_only(
                "The OperatorPolicy CRD on this cluster lacks spec.allowedCSVs. A write would \
                 permanently drop this field from this policy, so the policy is not reconciled; \
                 apply the CRD of Portolan",
            )),
            Schema::Unreadable(why) => spec[OWN].is_null().then(|| {
                read_only(format!(
                    "The OperatorPolicy CRD on this cluster cannot be read. A write may \
                     permanently drop spec.{OWN} from this policy, so the policy is not \
                     reconciled: {why}"
                ))
            }),
        }
    }

    /// Returns the write mode for one policy, if writes are permitted in general. `other` is
    /// another client that has written the status of the policy.
    pub(super) fn write_mode_for(&self, policy: &Key, other: Option<&StatusWriter>) -> WriteMode {
        match other {
            Some(writer) if self.read_only.is_none() && !self.takes_over => {
                read_only(after(policy, writer))
            }
            Some(_) | None => WriteMode::ReadWrite,
        }
    }

    /// Returns true if this controller may manage the policy, according to the namespace of the
    /// policy.
    pub(super) fn are_for(&self, policy: &Key) -> bool {
        let only = self.only_namespace.as_deref();
        only.is_none_or(|only| only == &*policy.namespace)
    }
}

/// Returns the reason why no objects are written while another controller writes the status of a
/// policy. The managed fields contain the name of this controller even if it was deleted.
fn beside(policy: &Key, writer: &StatusWriter) -> String {
    let StatusWriter { manager, .. } = writer;
    format!(
        "{}, so this controller is read-only; stop {manager} if it still runs, and then run this \
         controller with --take-over",
        wrote(policy, writer)
    )
}

/// Returns the reason why no objects are written for a policy after an unknown client has written
/// its status.
fn after(policy: &Key, writer: &StatusWriter) -> String {
    let Key { namespace, name } = policy;
    let StatusWriter { manager, .. } = writer;
    format!(
        "{}, so this policy is not reconciled; if {manager} no longer writes, continue with: \
         kubectl patch operatorpolicies.policy.open-cluster-management.io {name} -n {namespace} \
         --type=merge -p '{{\"metadata\":{{\"managedFields\":[{{}}]}}}}'",
        wrote(policy, writer)
    )
}

fn wrote(policy: &Key, StatusWriter { manager, last }: &StatusWriter) -> String {
    let last = match last {
        Some(last) => format!(", the last time at {last:.0}"),
        None => String::new(),
    };
    format!("{manager} wrote the status of OperatorPolicy {policy}{last}")
}

fn read_only(why: impl Into<String>) -> WriteMode {
    WriteMode::ReadOnly(why.into())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const READ_ONLY: &str = "This controller is read-only, because it runs with --read-only";
    const OTHER: &str = "config-policy-controller wrote the status of OperatorPolicy west/ferry, \
        the last time at 2026-01-01T12:00:00Z, so this controller is read-only; stop \
        config-policy-controller if it still runs, and then run this controller with --take-over";
    const LACKING: &str = "The OperatorPolicy CRD on this cluster lacks spec.allowedCSVs, so this \
        controller is read-only; apply the CRD of Portolan, or run with --take-over";
    const UNREADABLE: &str = "The OperatorPolicy CRD cannot be read, so this controller is \
        read-only: forbidden";

    const ONCE: &str = "config-policy-controller wrote the status of OperatorPolicy west/ferry, \
        the last time at 2026-01-01T12:00:00Z, so this policy is not reconciled; if config-policy-controller no longer writes, continue with: kubectl patch \
        operatorpolicies.policy.open-cluster-management.io ferry -n west --type=merge \
        -p '{\"metadata\":{\"managedFields\":[{}]}}'";

    fn forbidden() -> Schema {
        Schema::Unreadable("forbidden".to_owned())
    }

    #[rstest]
    #[case::alone([false, false], Schema::Whole, false, None)]
    #[case::before_the_definition_is_read([false, false], Schema::Unread, false, None)]
    #[case::beside_another([false, false], Schema::Whole, true, Some(OTHER))]
    #[case::crd_of_another_controller([false, false], Schema::Lacking, false, Some(LACKING))]
    #[case::unknown_crd([false, false], forbidden(), false, Some(UNREADABLE))]
    #[case::taking_over([false, true], Schema::Lacking, true, None)]
    #[case::reading_only([true, true], Schema::Whole, false, Some(READ_ONLY))]
    fn write_mode_follows_flags_and_other_controllers(
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
        let writer = StatusWriter {
            manager: "config-policy-controller".to_owned(),
            last: "2026-01-01T12:00:00Z".parse().ok(),
        };
        let other = has_other.then_some((&key, &writer));
        let expected = why.map_or(WriteMode::ReadWrite, read_only);
        assert_eq!(rules.write_mode(&schema, other), expected);
        let is_alone = has_other && !is_read_only && !takes_over;
        let expected = if is_alone {
            read_only(ONCE)
        } else {
            WriteMode::ReadWrite
        };
        assert_eq!(
            rules.write_mode_for(&key, has_other.then_some(&writer)),
            expected
        );
    }
}
