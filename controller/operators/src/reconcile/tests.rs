use portolan_api::operator::{Operator, Status};
use serde_json::{Value, json};

use jiff::Timestamp;

use super::news::news;

/// Returns the events for a change of the available versions. Each event has its reason and its
/// message.
fn events(before: Value, after: Value) -> Vec<(String, String)> {
    let operator = Operator::new("ferry", json!({"packageName": "ferry"}).into());
    let [before, after] = [before, after].map(|available| -> Status {
        let versions = json!({"versions": {"installed": "1.0.0", "available": available}});
        serde_json::from_value(versions).expect("a status")
    });
    let news = news(&operator, &before, &after, Timestamp::UNIX_EPOCH);
    let told = news.into_iter().map(|news| (news.reason, news.message));
    told.collect()
}

#[test]
fn changed_available_versions_cause_one_event() {
    let event = (
        "UpgradeAvailable".to_owned(),
        "the catalog has higher versions: 1.2.0, 1.1.0".to_owned(),
    );
    assert_eq!(events(json!(["1.1.0"]), json!(["1.2.0", "1.1.0"])), [event]);
    assert_eq!(events(json!(["1.1.0"]), json!(["1.1.0"])), []);
    assert_eq!(events(json!(["1.1.0"]), json!([])), []);
}
