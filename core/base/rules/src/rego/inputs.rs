//! Finds the fields of the input document that a rule reads.

use std::collections::BTreeSet;

use regorus::unstable::Expr;

/// The fields of the input document that a module reads.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    fields: BTreeSet<Vec<String>>,
    /// True if the module replaces its input or a part of it. Then the module may read other
    /// fields.
    pub(crate) is_replaced: bool,
}

// === impl Inputs ===

impl Inputs {
    /// Adds the field that a reference reads, if it is a field of the input document.
    pub(crate) fn add(&mut self, reference: &Expr) {
        let field = field(reference).map(|field| field.parts);
        self.fields.extend(field.filter(|parts| !parts.is_empty()));
    }

    pub(crate) fn known(self) -> BTreeSet<Vec<String>> {
        if self.is_replaced {
            BTreeSet::new()
        } else {
            self.fields
        }
    }
}

/// A field of the input document.
struct Field {
    parts: Vec<String>,
    /// True if the path ends before a part that is known only during evaluation.
    is_cut: bool,
}

/// Returns the field that a reference reads. Returns None if it is not a field of the input
/// document. The recursion depth is the nesting depth of the rule, which was limited before
/// parsing.
fn field(reference: &Expr) -> Option<Field> {
    let (refr, part) = match reference {
        Expr::Var { span, .. } if span.text() == "input" => {
            return Some(Field {
                parts: Vec::new(),
                is_cut: false,
            });
        }
        Expr::RefDot { refr, field, .. } => (refr, Some(field.0.text().to_owned())),
        Expr::RefBrack { refr, index, .. } => match &**index {
            Expr::String { value, .. } => {
                (refr, value.as_string().ok().map(|text| text.to_string()))
            }
            _ => (refr, None),
        },
        _ => return None,
    };
    let mut field = field(refr)?;
    match part.filter(|_| !field.is_cut) {
        Some(part) => field.parts.push(part),
        None => field.is_cut = true,
    }
    Some(field)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::rego::Rule;

    #[rstest]
    #[case::dotted("allow if input.move.to.version == \"1\"", "move.to.version")]
    #[case::quoted("allow if input[\"move\"].to", "move.to")]
    #[case::cut_at_a_variable("allow if { some x in [1]; input.move[x].to }", "move")]
    #[case::in_an_index(
        "allow if { x := {\"a\": true}; x[input.operator.name] }",
        "operator.name"
    )]
    #[case::in_a_function("allow if startswith(input.operator.nam, \"f\")", "operator.nam")]
    #[case::under_not("allow if not input.move.form", "move.form")]
    #[case::two("allow if { input.b; input.a.c }", "a.c b")]
    #[case::the_whole_input("allow if object.get(input, \"a\", true)", "")]
    #[case::of_other_names("allow if { x := {\"a\": true}; x.a }", "")]
    #[case::of_a_replaced_input("allow if { ok with input as {\"a\": true} }\nok if input.a", "")]
    fn inputs_are_the_input_fields_that_a_rule_reads(#[case] text: &str, #[case] expected: &str) {
        let rule = Rule::parse(text).expect("a rule");
        let paths: Vec<_> = rule.inputs().iter().map(|path| path.join(".")).collect();
        assert_eq!(paths.join(" "), expected);
    }
}
