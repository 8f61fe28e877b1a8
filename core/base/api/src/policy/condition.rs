//! The types and reasons of conditions in Policies and PolicyBindings.

use portolan_core_names::codes;

use crate::status::condition_types;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// True if the spec is valid.
    Accepted,
    /// True if an object that the PolicyBinding refers to is missing. The binding has no effect then.
    Broken,
}

codes! {
    /// The reason of a condition.
    pub enum Reason;

    /// Every field is valid.
    Accepted,
    /// A field of the spec is invalid.
    SpecInvalid,
    /// Every referenced object exists.
    AllFound,
    /// A referenced subject or Policy is missing.
    ReferenceMissing,
}

condition_types!(ConditionType, Reason);
