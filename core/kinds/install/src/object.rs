//! Functions that read objects in JSON.

use portolan_api::plan::MOST_FINALIZERS;
use portolan_core_names::text::{cut, listed};
use serde_json::Value;

/// The maximum length of a finalizer: a subdomain, a slash and a name.
const LONGEST_FINALIZER: usize = 253 + 1 + 63;

/// Returns the text at a JSON pointer. Empty if there is no text.
pub(crate) fn text<'v>(json: &'v Value, pointer: &str) -> &'v str {
    let text = json.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default()
}

/// Returns the items of the list at a JSON pointer. Empty if there is no list.
pub(crate) fn items<'v>(json: &'v Value, pointer: &str) -> &'v [Value] {
    let list = json.pointer(pointer).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// Returns true if an object has a deletion timestamp.
pub(crate) fn is_terminating(object: &Value) -> bool {
    !text(object, "/metadata/deletionTimestamp").is_empty()
}

/// Returns the end of a sentence with the finalizers of an object that is being deleted. It starts
/// with `link`. Empty if the object has no finalizers.
pub(crate) fn held_by(object: &Value, link: &str) -> String {
    match listed(finalizers(object)).as_str() {
        "" => String::new(),
        finalizers => format!("{link}held by {finalizers}"),
    }
}

/// Returns the finalizers that delay the deletion of an object. A status limits their number. Empty
/// if the object is not being deleted.
pub(crate) fn holding(object: &Value) -> Vec<String> {
    let finalizers = finalizers(object).filter(|_| is_terminating(object));
    let finalizers = finalizers.map(|name| cut(name, LONGEST_FINALIZER));
    finalizers.take(MOST_FINALIZERS).collect()
}

fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    let finalizers = items(object, "/metadata/finalizers").iter();
    finalizers.filter_map(Value::as_str)
}

/// Returns true if the JSON pointer `pointer` equals `of`, or points to a value inside of it.
pub(crate) fn is_within(pointer: &str, of: &str) -> bool {
    let rest = pointer.strip_prefix(of);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Converts a JSON pointer to a path, such as `.spec.containers[0].image`.
pub(crate) fn path(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1);
    let steps = steps.map(|step| match step.parse::<usize>() {
        Ok(at) => format!("[{at}]"),
        Err(_) => format!(".{}", step.replace("~1", "/").replace("~0", "~")),
    });
    steps.collect()
}
