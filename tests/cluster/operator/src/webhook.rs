//! The webhooks of the operator, as functions from a review to a response.

use serde_json::{Value, json};

pub(crate) const GROUP: &str = "ferries.portolan.dev";
/// The maximum number of seats. The webhook rejects a Ferry with more seats.
const MOST_SEATS: i64 = 500;

/// Returns the seats of a Ferry in any API version: `spec.seats` in v1alpha1, `spec.capacity.seats`
/// in v1.
pub(crate) fn seats(ferry: &Value) -> Option<i64> {
    let places = ["/spec/seats", "/spec/capacity/seats"];
    let mut found = places.iter().filter_map(|place| ferry.pointer(place));
    found.next().and_then(Value::as_i64)
}

/// Returns the response to an AdmissionReview.
pub(crate) fn validate(review: &Value) -> Value {
    let request = &review["request"];
    let seats = seats(&request["object"]).unwrap_or_default();
    let mut response = json!({"uid": request["uid"], "allowed": seats <= MOST_SEATS});
    if seats > MOST_SEATS {
        let message = format!("a ferry has at most {MOST_SEATS} seats, not {seats}");
        response["status"] = json!({"code": 403, "message": message});
    }
    json!({
        "apiVersion": review["apiVersion"], "kind": review["kind"], "response": response,
    })
}

/// Returns the response to a ConversionReview.
pub(crate) fn convert(review: &Value) -> Value {
    let request = &review["request"];
    let wanted = request["desiredAPIVersion"].as_str().unwrap_or_default();
    let objects = request["objects"].as_array().into_iter().flatten();
    let objects: Vec<_> = objects.map(|object| converted(object, wanted)).collect();
    json!({
        "apiVersion": review["apiVersion"], "kind": review["kind"],
        "response": {
            "uid": request["uid"],
            "convertedObjects": objects,
            "result": {"status": "Success"},
        },
    })
}

fn converted(ferry: &Value, wanted: &str) -> Value {
    let mut converted = ferry.clone();
    let seats = seats(ferry);
    converted["apiVersion"] = json!(wanted);
    if let (Some(spec), Some(seats)) = (converted["spec"].as_object_mut(), seats) {
        spec.remove("seats");
        spec.remove("capacity");
        if wanted.ends_with("/v1") {
            spec.insert("capacity".to_owned(), json!({"seats": seats}));
        } else {
            spec.insert("seats".to_owned(), json!(seats));
        }
    }
    converted
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::small(json!({"seats": 500}), true)]
    #[case::large(json!({"seats": 501}), false)]
    #[case::large_in_v1(json!({"capacity": {"seats": 501}}), false)]
    #[case::empty(json!({}), true)]
    fn only_large_ferries_are_rejected(#[case] spec: Value, #[case] is_allowed: bool) {
        let review = json!({"request": {"uid": "u", "object": {"spec": spec}}});
        let answer = validate(&review);
        assert_eq!(answer["response"]["allowed"], is_allowed);
        assert_eq!(answer["response"]["uid"], "u");
    }

    #[test]
    fn ferry_converted_to_the_other_version_and_back_is_unchanged() {
        let api = |version: &str| format!("{GROUP}/{version}");
        let ferry = json!({
            "apiVersion": api("v1alpha1"), "kind": "Ferry",
            "metadata": {"name": "dover"}, "spec": {"seats": 12, "name": "Pride"},
        });
        let there = converted(&ferry, &api("v1"));
        assert_eq!(
            there["spec"],
            json!({"capacity": {"seats": 12}, "name": "Pride"})
        );
        assert_eq!(converted(&there, &api("v1alpha1")), ferry);
    }
}
