//! The codes of what approval says.

use portolan_core_names::codes;

codes! {
    /// Why an InstallPlan may not be approved, for programs, in the order of reasons.
    pub enum ApprovalCode;

    /// Something that bears on it is not seen, or not as it is now.
    Unseen,
    /// OLM has not written yet what it brings.
    NotWritten,
    /// It is carried out, or given up: there is nothing to approve any more.
    Finished,
    /// A newer plan or a Subscription names another bundle of the same package.
    Superseded,
    /// Its Subscription does not name it yet.
    NotCurrent,
    /// A step belongs to none of the bundles.
    StrayStep,
    /// Nothing tells which package a bundle is of.
    UnknownPackage,
    /// No policy is about the package, and nothing that is allowed needs it.
    NoPolicy,
    /// What needs it does not allow dependencies.
    DependencyNotAllowed,
    /// It is needed, but not in this version.
    DependencyOutOfRange,
    /// The policy allows other bundles.
    NotAllowed,
    /// The policy wants it from another catalog.
    OtherCatalog,
    /// The policy allows no updates.
    UpdatesNotAllowed,
    /// The policy only informs.
    PolicyInforms,
    /// The policy says that the operator must not be there.
    PolicyForbids,
    /// The policy is not valid.
    PolicyInvalid,
    /// Policies overlap.
    PolicyOverlaps,
    /// The policy is being deleted.
    PolicyLeaving,
    /// It is not known yet which namespace a policy works on.
    PolicyUnresolved,
    /// The Subscription of the policy is not there yet, and OLM would make a second one.
    SubscriptionAwaited,
    /// A remark: Subscriptions that approve by themselves wait because of others.
    ForcedManual,
}
