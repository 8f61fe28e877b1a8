//! Detects rules of Policies that read a field that does not exist.

use portolan_api::policy::{Intent, Policy, unknown_inputs};
use portolan_core_names::text::some;

use crate::command::Target;
use crate::cure::Cure;
use crate::own::OwnKind;
use crate::{Cause, Code, Evidence, Object, State, Step, words};

/// The maximum number of fields in a message.
const NAMED: usize = 5;

/// Returns the cause for rules that read a field that never exists in the input of the rules.
pub(super) fn doubt(policy: &Policy, name: &str) -> Option<Cause> {
    let rule = Intent::parse(policy).ok()?.rule?;
    let unknown = unknown_inputs(&rule);
    if unknown.is_empty() {
        return None;
    }
    let kind = OwnKind::Policy;
    let object = Object::new(kind.as_str(), "", name);
    let message = words::sentence(&format!("The rule is invalid: {}", some(NAMED, &unknown)));
    let target = Target::new(kind.resource(), "", name);
    let look = Step::new(&format!("Show {object}"), target.get());
    let cure = Cure::external(
        "the author of the policy",
        "Correct the field, and test the rule with `portolan policy test` before you apply the \
         Policy.",
    );
    let cause = Cause::new(Code::PolicyInvalid, State::Stuck, object.clone(), &message);
    let evidence = Evidence::at(object, "spec.opaPolicy", rule.as_str());
    Some(cause.cured(cure).shown([evidence]).looked([look]))
}
