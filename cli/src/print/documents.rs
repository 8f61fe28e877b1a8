//! Writes objects as YAML that all YAML parsers of Kubernetes interpret in the same way.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use serde_saphyr::LitStr;

use crate::failure::Failure;

/// A JSON value, serialized as YAML. A text with several lines is written as a block only if all
/// parsers read the block in the same way. Otherwise the text is quoted.
struct Plain<'v>(&'v Value);

/// Returns the objects as YAML. Each object is one document.
pub(crate) fn documents<'v>(objects: impl Iterator<Item = &'v Value>) -> Result<String, Failure> {
    let mut text = String::new();
    for object in objects {
        text += "---\n";
        text += &document(object)?;
    }
    Ok(text)
}

fn document(object: &Value) -> Result<String, Failure> {
    let options = serde_saphyr::ser_options! {
        prefer_block_scalars: false,
    };
    serde_saphyr::to_string_with_options(&Plain(object), options).map_err(Failure::failed)
}

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Plain(item))?;
                }
                list.end()
            }
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, &Plain(value))?;
                }
                map.end()
            }
            Value::String(text) if is_block(text) => LitStr(text).serialize(serializer),
            other => other.serialize(serializer),
        }
    }
}

/// Returns true if all parsers read the text in the same way if it is written as a block. Parsers
/// differ in two points: blanks at the ends of lines, and the characters that end a line.
fn is_block(text: &str) -> bool {
    let is_plain = |c: char| matches!(c, ' '..='~') || c.is_alphanumeric();
    let is_line = |line: &str| !line.ends_with(' ') && line.chars().all(is_plain);
    let is_rest = |text: &str| !text.ends_with('\n') && text.split('\n').all(is_line);
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && is_rest(text.strip_suffix('\n').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::a_script("set -e\n  echo: x # y\n", "a: |\n  set -e\n    echo: x # y\n")]
    #[case::without_an_end("a\nb", "a: |-\n  a\n  b\n")]
    #[case::with_a_tab_that_begins_a_line("a\n\tb", "a: \"a\\n\\tb\"\n")]
    #[case::with_blanks_at_the_end("a \nb", "a: \"a \\nb\"\n")]
    #[case::with_blanks_at_the_start(" a\nb", "a: \" a\\nb\"\n")]
    #[case::with_two_ends("a\n\n", "a: \"a\\n\\n\"\n")]
    #[case::yaml_1_1_boolean("yes", "a: \"yes\"\n")]
    #[case::yaml_1_1_number("0o17", "a: \"0o17\"\n")]
    fn round_trips_texts(#[case] text: &str, #[case] written: &str) {
        let object = json!({"a": text});
        let yaml = document(&object).expect("YAML");
        assert_eq!(yaml, written);
        let read: Value = serde_saphyr::from_str(&yaml).expect("YAML");
        assert_eq!(read, object);
    }

    /// Folding a long line would remove blanks at the fold.
    #[test]
    fn does_not_fold_long_lines() {
        let long = "word  ".repeat(40);
        let yaml = document(&json!({"a": long})).expect("YAML");
        assert_eq!(yaml, format!("a: \"{long}\"\n"));
    }
}
