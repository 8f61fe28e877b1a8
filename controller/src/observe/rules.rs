//! The rules that decide if objects may be written.

use portolan_core_operatorpolicy::WriteMode;
use portolan_world::Key;

use super::policies::{KnownPolicy, StatusWriter};

/// A field that every policy of the established form has.
const PRESENCE: &str = "complianceType";
/// A field of policies in the design form. The CRD of the established controller does not contain
/// it.
const OWN: &str = "allowedCSVs";

/// The rules from flags, which apply before any object is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The reason why no objects are written, as part of a sentence. None if writes are permitted.
    pub(crate) read_only: Option<&'static str>,
    /// True if policies are managed even if another controller also manages them.
    pub(crate) takes_over: bool,
    /// The namespace for operators if neither the policy nor the catalog specifies one.
    pub(crate) default_namespace: Option<String>,
    /// True for a dry run: no objects are written, and each policy gets the status that it would
    /// have.
    pub(crate) is_rehearsed: bool,
    /// If set, only the policies of this namespace are carried out. Other policies are still read,
    /// because they may apply to the same operators.
    pub(crate) only_namespace: Option<String>,
}

/// The fields that the OperatorPolicy CRD supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Schema {
    /// The CRD was not read yet, or does not exist.
    #[default]
    Unread,
    /// All fields that we write.
    Whole,
    /// The CRD does not contain the fields of the design form and of its statuses.
    Lacking,
    /// Cannot be read, for this reason.
    Unreadable(String),
}

// === impl Schema ===

impl Schema {
    /// Returns true if fields of policies may be missing in the CRD.
    pub(super) fn is_lacking(&self) -> bool {
        match self {
            Self::Unread | Self::Whole => false,
            Self::Lacking | Self::Unreadable(_) => true,
        }
    }
}

// === impl Rules ===

impl Rules {
    /// Returns the write mode if another controller writes the status of a policy.
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
    /// Flags have no effect on this. All fields of a policy in the established form are in its CRD.
    /// If the CRD cannot be read, a policy that was read with `allowedCSVs` shows that the served
    /// CRD contains this field.
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
            // The policy may have been read before the CRD was replaced.
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

    /// Returns the write mode for a policy whose status has another writer. Called only if writing
    /// is permitted in general.
    pub(super) fn write_mode_for(&self, policy: &Key, other: Option<&StatusWriter>) -> WriteMode {
        match other {
            Some(writer) if self.read_only.is_none() && !self.takes_over => {
                read_only(after(policy, writer))
            }
            Some(_) | None => WriteMode::ReadWrite,
        }
    }

    /// Returns true if this controller manages the policy.
    pub(super) fn are_for(&self, policy: &Key) -> bool {
        let only = self.only_namespace.as_deref();
        only.is_none_or(|only| only == &*policy.namespace)
    }
}

/// Returns the reason why no objects are written while there is another writer of the status. The
/// fields keep the name of their writer even if this writer no longer exists.
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
    fn writes_are_forbidden(
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
