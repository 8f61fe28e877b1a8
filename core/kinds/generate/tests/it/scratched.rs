//! Tests with inputs in which random values were replaced.

use serde_json::{Value, json};

use crate::{done, operator, request, source};

/// A random number generator. The same seed gives the same numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        usize::try_from(self.0).unwrap_or_default() % most
    }
}

/// Collects the JSON pointers of all values inside a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| pointers(value, &format!("{at}/{key}"), found)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(key, value)| pointers(value, &format!("{at}/{key}"), found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Replaces a random value.
fn scratch(value: &mut Value, dice: &mut Dice) {
    let mut all = Vec::new();
    pointers(value, "", &mut all);
    let others = [
        json!(null),
        json!(7),
        json!(-1.5),
        json!(true),
        json!(""),
        json!("1.2.3"),
        json!(">=1.0.0 <0.1.0"),
        json!("\u{202e}"),
        json!([]),
        json!({}),
        json!({"a": {"b": []}}),
        json!(["a", 1]),
        json!("x".repeat(70_000)),
    ];
    let at = &all[dice.below(all.len())];
    if let Some(found) = value.pointer_mut(at) {
        *found = others[dice.below(others.len())].clone();
    }
}

/// Every input gives objects, or errors of one line each. If the output is read again, the result
/// is the same output.
#[test]
fn damaged_object_is_rejected_or_unchanged() {
    let mut dice = Dice(1);
    let mut refused = 0;
    for _ in 0..2_000 {
        let whole = [
            operator("a", "a", "1.0.0"),
            operator("b", "b", "1.0.0"),
            source("x"),
        ];
        let mut objects = whole.to_vec();
        for _ in 0..=dice.below(3) {
            let at = dice.below(objects.len());
            scratch(&mut objects[at], &mut dice);
        }
        let generated = done(&request(objects.clone()));
        let diagnostics = &generated.diagnostics;
        for sentence in diagnostics.errors.iter().chain(&diagnostics.warnings) {
            assert!(!sentence.contains('\n'), "{sentence}");
        }
        if diagnostics.errors.is_empty() {
            let is_kept = |object: &Value| objects.contains(object);
            assert!(generated.objects.iter().all(is_kept), "{objects:?}");
            let again = done(&request(generated.objects.clone()));
            assert_eq!(again.objects, generated.objects);
        } else {
            refused += 1;
            assert!(generated.objects.is_empty());
        }
    }
    assert!((200..1_900).contains(&refused), "{refused} say too little");
}
