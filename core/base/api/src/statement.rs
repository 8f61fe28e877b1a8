//! A condition of a status, with the time since when it is as it is.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_core_names::text::{cut, one_line};

/// The longest message that a condition has: a little less than API servers take, and enough for long
/// lists of rules that are missing.
const LONGEST_MESSAGE: usize = 32_000;

/// The type, status, reason and message of a condition.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    pub type_: &'a str,
    pub status: &'a str,
    pub reason: &'a str,
    pub message: &'a str,
}

impl Statement<'_> {
    /// The condition that says so. One that had the same status before has it since then.
    pub fn since(self, before: &[Condition], generation: Option<i64>, now: Time) -> Condition {
        let is_same = |old: &&Condition| old.type_ == self.type_ && old.status == self.status;
        let same = before.iter().find(is_same);
        Condition {
            type_: self.type_.to_owned(),
            status: self.status.to_owned(),
            reason: self.reason.to_owned(),
            message: cut(&one_line(self.message), LONGEST_MESSAGE),
            observed_generation: generation,
            last_transition_time: same.map_or(now, |old| old.last_transition_time.clone()),
        }
    }
}
