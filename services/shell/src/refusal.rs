//! The errors of invalid requests, in the form that all services use. Also checks object names in
//! requests.

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// The maximum length of an object name in Kubernetes.
const LONGEST: usize = 253;

/// Returns INVALID_ARGUMENT for an invalid field value. `violation` describes the problem of the
/// field, and `message` describes the problem of the request.
pub fn invalid(field: &str, violation: &str, message: String) -> Status {
    let details = ErrorDetails::with_bad_request_violation(field, violation);
    Status::with_error_details(Code::InvalidArgument, message, details)
}

/// Returns NOT_FOUND, for a request that names an object that does not exist.
pub fn not_found(kind: &str, name: &str, message: String) -> Status {
    let details = ErrorDetails::with_resource_info(kind, name, "", message.clone());
    Status::with_error_details(Code::NotFound, message, details)
}

/// Validates the name of an object in a request and returns it. Checks only the rules that keep
/// messages readable, and not all rules of Kubernetes.
///
/// # Errors
/// Returns the reason as a sentence if the text is not a name.
pub fn object_name(name: &str) -> Result<&str, String> {
    if name.is_empty() {
        return Err("the name is empty; set a name".to_owned());
    }
    if name.len() > LONGEST {
        let length = name.len();
        return Err(format!(
            "it has {length} characters; the maximum is {LONGEST}"
        ));
    }
    let is_odd = |each: &char| !each.is_ascii_graphic() || *each == '/';
    match name.chars().find(is_odd) {
        Some('/') => Err(format!(
            "{name:?} is not a name; use the field `namespace` for the namespace"
        )),
        Some(odd) => Err(format!(
            "{name:?} is not a valid name, because it contains {odd:?}"
        )),
        None => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_validated_like_in_kubernetes() {
        let longest = "a".repeat(253);
        let longer = "a".repeat(254);
        let cases = [
            ("ferry.v1.0.0", Ok("ferry.v1.0.0")),
            (&longest, Ok(longest.as_str())),
            ("", Err("the name is empty; set a name")),
            (&longer, Err("it has 254 characters; the maximum is 253")),
            (
                "olm/ferry",
                Err("\"olm/ferry\" is not a name; use the field `namespace` for the namespace"),
            ),
            (
                "a b",
                Err("\"a b\" is not a valid name, because it contains ' '"),
            ),
            (
                "a\u{e9}",
                Err("\"a\u{e9}\" is not a valid name, because it contains '\u{e9}'"),
            ),
        ];
        for (name, expected) in cases {
            let taken = object_name(name);
            assert_eq!(taken, expected.map_err(str::to_owned), "{name:?}");
        }
    }

    #[test]
    fn refusals_have_error_details() {
        let invalid = invalid("name", "it is empty", "name: it is empty".to_owned());
        let details = invalid
            .get_details_bad_request()
            .map(|it| it.field_violations);
        let details = details.unwrap_or_default();
        let told: Vec<_> = details
            .iter()
            .map(|it| (&*it.field, &*it.description))
            .collect();
        assert_eq!(told, [("name", "it is empty")]);
        assert_eq!(
            (invalid.code(), invalid.message()),
            (Code::InvalidArgument, "name: it is empty")
        );
        let missing = not_found("Operator", "x", "there is no operator x".to_owned());
        let details = missing.get_details_resource_info();
        let told = details.map(|it| (it.resource_type, it.resource_name));
        assert_eq!(told, Some(("Operator".to_owned(), "x".to_owned())));
        assert_eq!(
            (missing.code(), missing.message()),
            (Code::NotFound, "there is no operator x")
        );
    }
}
