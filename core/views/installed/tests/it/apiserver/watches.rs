//! Tests of watches, frame by frame.

use portolan_core_installed::apiserver::{
    Form, Frames, IncludeObject, Question, Readable, Request, Status,
};
use portolan_core_installed::{COLUMNS, EventType, Piece, Resource, Revision};
use rstest::rstest;
use serde_json::{Value, json};

use crate::apiserver::world::{HARBOR, csv, harbor, original};

fn frame(pieces: &[Piece]) -> Value {
    let text: String = pieces.iter().map(Piece::as_str).collect();
    assert!(text.ends_with("}\n") && text.lines().count() == 1, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

/// Changes the operator, and returns the frames of a watch of the namespace `harbor`.
fn changed(form: Form) -> Vec<Value> {
    let mut index = harbor();
    let failed = original(Resource::ClusterServiceVersions, &csv("Failed"));
    let batch = index.put(failed, &Revision::from(20));
    let mut frames = Frames::new(form);
    let seen = batch.in_namespace("harbor").into_iter();
    let seen = seen.filter_map(|event| event.for_watch(|_| true));
    let mut all: Vec<_> = seen
        .map(|(event, installed)| frame(&frames.event(event, &installed, &Readable::None)))
        .collect();
    let bookmark = frames.bookmark(&batch.version, false);
    all.push(serde_json::from_str(&bookmark).expect("JSON"));
    all
}

const VERSION: &str = "clusterserviceversions:20,namespaces:5,operatorgroups:6,operators:0,resourcemanifests:0,subscriptions:7";

#[test]
fn change_contains_the_object() {
    let [change, bookmark] = &changed(Form::Whole)[..] else {
        panic!("a change and a bookmark");
    };
    assert_eq!(change["type"], "MODIFIED");
    assert_eq!(change["object"]["kind"], "Installed");
    let phase = "/object/status/clusterServiceVersion/status/phase";
    assert_eq!(change.pointer(phase), Some(&json!("Failed")));
    let expected = json!({"type": "BOOKMARK", "object": {
        "kind": "Installed", "apiVersion": "packages.operators.coreos.com/v2alpha1",
        "metadata": {"resourceVersion": VERSION},
    }});
    assert_eq!(*bookmark, expected);
}

#[test]
fn only_the_first_table_of_a_watch_has_columns() {
    let frames = changed(Form::Table(IncludeObject::Metadata));
    let columns: Vec<_> = frames
        .iter()
        .map(|it| &it["object"]["columnDefinitions"])
        .collect();
    assert_eq!(columns, [&json!(COLUMNS), &json!([])]);
    for frame in &frames {
        assert_eq!(frame["object"]["kind"], "Table");
        let rows = frame["object"]["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["object"]["kind"], "PartialObjectMetadata");
    }
    let version = frames[1].pointer("/object/rows/0/object/metadata/resourceVersion");
    assert_eq!(version, Some(&json!(VERSION)));
}

#[test]
fn bookmark_marks_the_end_of_existing_objects() {
    let index = harbor();
    let mut frames = Frames::new(Form::Whole);
    let first = index.snapshot().get("harbor", "ferry.v1.0.0").expect("one");
    let added = frame(&frames.event(EventType::Added, first, &Readable::None));
    assert_eq!(added["type"], "ADDED");
    let end = frames.bookmark(index.snapshot().version(), true);
    let end: Value = serde_json::from_str(&end).expect("JSON");
    let annotations = &end["object"]["metadata"]["annotations"];
    assert_eq!(*annotations, json!({"k8s.io/initial-events-end": "true"}));
}

#[test]
fn error_frame_contains_a_status() {
    let error = Frames::error(&Status::expired("too old"));
    let error: Value = serde_json::from_str(&error).expect("JSON");
    assert_eq!(error["type"], "ERROR");
    assert_eq!(error["object"]["code"], 410);
    assert_eq!(error["object"]["reason"], "Expired");
}

/// With both parameters, the watch begins with existing objects, and a bookmark marks their end.
#[rstest]
#[case::from_now_on("", (true, false))]
#[case::from_any_time("resourceVersion=0", (true, false))]
#[case::from_a_version("resourceVersion=namespaces%3A1", (false, false))]
#[case::initial_events(
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
    (true, true)
)]
#[case::without_bookmarks("sendInitialEvents=true&resourceVersionMatch=NotOlderThan", (true, false))]
#[case::no_initial_events(
    "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
    (false, false)
)]
fn watch_starts_as_requested(#[case] query: &str, #[case] expected: (bool, bool)) {
    let query = format!("watch=true&{query}");
    let request = Request::parse("GET", HARBOR, &query).expect("a request");
    let Ok(Question::Watch { options, .. }) = Question::of(&request, []) else {
        panic!("expected a watch");
    };
    let begins = (options.with_those_there, options.tells_those_there);
    assert_eq!(begins, expected);
}
