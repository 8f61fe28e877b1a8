//! Tests that each object that a template looks up is listed.

use serde_json::json;

use super::cluster::Cluster;
use crate::fault::TemplateFault;
use crate::objects::{Answer, Lookup, Objects};
use crate::resolve::{Outcome, ResolveRefusal, resolve};

struct Always(Answer);

impl Objects for Always {
    fn answer(&self, _: &Lookup) -> Answer {
        self.0.clone()
    }
}

fn config_map(name: &str) -> Lookup {
    Lookup {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        namespace: "harbor".to_owned(),
        name: name.to_owned(),
    }
}

#[test]
fn lookups_list_missing_objects() {
    let document = json!([
        r#"{{ if lookup "v1" "ConfigMap" "harbor" "a" }}{{ fromConfigMap "harbor" "b" "k" }}{{ end }}"#,
        r#"{{ (lookup "v1" "ConfigMap" "harbor" "c").data }}"#
    ]);
    let resolution = resolve(&document, &Cluster(Vec::new()), 0);
    let lookups: Vec<_> = resolution.lookups.into_iter().collect();
    assert_eq!(lookups, [config_map("a"), config_map("c")]);
}

#[test]
fn unread_object_ends_the_evaluation() {
    let document = json!([
        r#"{{ fromConfigMap "harbor" "a" "k" }}"#,
        r#"{{ fromConfigMap "harbor" "b" "k" }}"#
    ]);
    let resolution = resolve(&document, &Always(Answer::Unread), 0);
    assert_eq!(resolution.outcome, Outcome::Unread);
    assert_eq!(
        resolution.lookups.into_iter().collect::<Vec<_>>(),
        [config_map("a")]
    );
}

#[test]
fn template_that_reads_too_many_objects_fails() {
    let read = |count: usize| {
        let text = r#"{{ range until N }}{{ (lookup "v1" "ConfigMap" "harbor" (printf "m%d" .)).data }}{{ end }}"#;
        let document = json!({"a": text.replace('N', &count.to_string())});
        resolve(&document, &Cluster(Vec::new()), 0)
    };
    assert!(matches!(read(50).outcome, Outcome::Resolved(_)));
    let resolution = read(51);
    assert_eq!(resolution.lookups.len(), 50);
    let Outcome::Refused(ResolveRefusal::Fault(TemplateFault { message, .. })) = resolution.outcome
    else {
        panic!("the template must be rejected");
    };
    assert!(
        message.ends_with("it reads more than 50 objects or lists of them"),
        "{message}"
    );
}

#[test]
fn reports_forbidden_object_with_its_position() {
    let document = json!({"a": r#"{{ fromConfigMap "harbor" "a" "k" }}"#});
    let answer = Answer::NotAllowed("no Role allows it".to_owned());
    let outcome = resolve(&document, &Always(answer), 0).outcome;
    let Outcome::Refused(ResolveRefusal::Fault(TemplateFault {
        message, column, ..
    })) = outcome
    else {
        panic!("{outcome:?}");
    };
    assert_eq!(message, "error calling fromConfigMap: no Role allows it");
    assert_eq!(column, Some(7));
}

#[test]
fn rejects_templates_of_the_hub() {
    let document = json!({"a": "{{hub .ManagedClusterName hub}}"});
    let outcome = resolve(&document, &Cluster(Vec::new()), 0).outcome;
    assert_eq!(outcome, Outcome::Refused(ResolveRefusal::OfHub));
    let message = "it has a hub template, {{hub … hub}}, which only the hub cluster can resolve";
    assert_eq!(ResolveRefusal::OfHub.to_string(), message);
}
