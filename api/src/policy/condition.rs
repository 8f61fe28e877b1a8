//! The words that conditions of Policies and PolicyBindings are made of.

use portolan_core_names::codes;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// Whether it can be read.
    Accepted,
    /// Whether a PolicyBinding names something that is not there, and so has no effect.
    Broken,
}

codes! {
    /// Why a condition is as it is.
    pub enum Reason;

    /// Every field is as it should be.
    Accepted,
    /// A field cannot stay as it is.
    SpecInvalid,
    /// All that it names is there.
    AllFound,
    /// A subject or a Policy that it names is not there.
    ReferenceMissing,
}
