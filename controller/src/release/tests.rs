use rstest::rstest;

use super::*;

fn policy(finalizers: Option<&[&str]>) -> ObjectMeta {
    let finalizers = finalizers.map(|all| all.iter().map(|each| (*each).to_owned()).collect());
    ObjectMeta {
        name: Some("etcd".to_owned()),
        namespace: Some("local-cluster".to_owned()),
        uid: Some("policy-uid".to_owned()),
        resource_version: Some("7".to_owned()),
        finalizers,
        ..ObjectMeta::default()
    }
}

#[rstest]
#[case::if_it_has_none(None, None)]
#[case::if_it_has_only_others(Some(&["a/b"][..]), None)]
#[case::if_it_is_the_only_one(Some(&[FINALIZER][..]), Some("/metadata/finalizers/0"))]
#[case::if_it_is_among_others(Some(&["a/b", FINALIZER, "c/d"][..]), Some("/metadata/finalizers/1"))]
fn only_our_finalizer_is_taken(#[case] finalizers: Option<&[&str]>, #[case] path: Option<&str>) {
    let wanted = path.map(|path| {
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "policy-uid"},
            {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
            {"op": "test", "path": path, "value": FINALIZER},
            {"op": "remove", "path": path},
        ])
    });
    assert_eq!(patch(&policy(finalizers), FINALIZER), wanted);
}

#[rstest]
#[case::gone(404, Trouble::Gone)]
#[case::a_conflict_is_tried_again(409, Trouble::Changed("no".to_owned()))]
#[case::a_patch_that_does_not_fit_is_tried_again(422, Trouble::Changed("no".to_owned()))]
#[case::what_is_forbidden_is_not(403, Trouble::Other("no".to_owned()))]
fn an_answer_means(#[case] code: u16, #[case] wanted: Trouble) {
    let status = Status {
        code,
        message: "no.".to_owned(),
        ..Status::default()
    };
    assert_eq!(trouble(&status), wanted);
}
