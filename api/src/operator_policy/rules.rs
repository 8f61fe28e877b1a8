//! What the API server holds against a spec as a whole, in the sentences of the parse.

use serde_json::{Value, json};

use crate::intent::{
    DELETE_GROUPS, DESIGN_KINDS, DESIGN_ONLY, ESTABLISHED_ONLY, ESTABLISHED_REQUIRED, Form,
};
use crate::refusal::{Fault, Refusal};
use crate::words::DESIGN_GROUP_REMOVAL;

/// Tells the forms apart.
const IS_DESIGN: &str = "has(self.allowedCSVs)";

/// The rules, in the Common Expression Language. Each asks whether fields are there or compares one
/// with a word, so that none costs more with the size of a policy.
pub(super) fn rules() -> Vec<Value> {
    let required = ESTABLISHED_REQUIRED.iter().map(|(name, way_out)| {
        let rule = format!("{IS_DESIGN} || has(self.{name})");
        one(&rule, name, Fault::Missing(way_out), "FieldValueRequired")
    });
    let established = ESTABLISHED_ONLY.iter().map(|(name, instead)| {
        let rule = format!("!{IS_DESIGN} || !has(self.{name})");
        other_form(&rule, name, Form::Design, instead)
    });
    let design = DESIGN_ONLY.iter().map(|(name, instead)| {
        let rule = format!("{IS_DESIGN} || !has(self.{name})");
        other_form(&rule, name, Form::Established, instead)
    });
    let kinds = DESIGN_KINDS.iter().map(|(kind, instead)| {
        let name = format!("removalBehavior.{kind}");
        let rule = format!("{IS_DESIGN} || !has(self.removalBehavior) || !has(self.{name})");
        other_form(&rule, &name, Form::Established, instead)
    });
    let rules = required.chain(established).chain(design).chain(kinds);
    rules.chain([deleted_groups()]).collect()
}

fn deleted_groups() -> Value {
    let name = "removalBehavior.operatorGroups";
    let rule = format!(
        "{IS_DESIGN} || !has(self.removalBehavior) || !has(self.{name}) || \
         self.{name} != '{DESIGN_GROUP_REMOVAL}'"
    );
    other_form(&rule, name, Form::Established, DELETE_GROUPS)
}

fn other_form(rule: &str, name: &str, form: Form, instead: &'static str) -> Value {
    let fault = Fault::OtherForm { form, instead };
    one(rule, name, fault, "FieldValueForbidden")
}

fn one(rule: &str, name: &str, fault: Fault, reason: &str) -> Value {
    let field = format!("spec.{name}");
    let message = Refusal { field, fault }.to_string();
    json!({
        "rule": rule,
        "message": message,
        "reason": reason,
        "fieldPath": format!(".{name}"),
    })
}
