//! Tests the ownership of fields: it is released, taken over, and replaced.

use std::collections::BTreeSet;

use kube::api::{DynamicObject, Patch, PatchParams};
use portolan_core_operatorpolicy::{Action, PrunedField, StepOutcome};
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::author::{Author, changed, done, for_this, subscription, target, version};
use crate::operatorpolicy::bare::{Bare, bare};

const ESTABLISHED: &str = "config-policy-controller";

async fn hull(bare: &Bare) -> Result<DynamicObject, Failure> {
    Ok(bare.objects(Kind::Subscription).get("hull").await?)
}

/// Returns the field managers of an object and their operations.
fn owners(object: &DynamicObject) -> BTreeSet<(String, String)> {
    let entries = object.metadata.managed_fields.iter().flatten();
    let owners = entries.map(|entry| (entry.manager.clone(), entry.operation.clone()));
    owners
        .map(|(manager, operation)| (manager.unwrap_or_default(), operation.unwrap_or_default()))
        .collect()
}

fn owner(manager: &str, operation: &str) -> (String, String) {
    (manager.to_owned(), operation.to_owned())
}

async fn label(bare: &Bare, by: &str) -> Result<(), Failure> {
    let by = PatchParams {
        field_manager: Some(by.to_owned()),
        ..PatchParams::default()
    };
    let labels = Patch::Merge(json!({"metadata": {"labels": {"theirs": "stays"}}}));
    let objects = bare.objects(Kind::Subscription);
    objects.patch("hull", &by, &labels).await?;
    Ok(())
}

#[tokio::test]
async fn apply_removes_omitted_fields_and_keeps_fields_of_other_managers() -> Result<(), Failure> {
    let Some(bare) = bare("given-up").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let mut manifest = subscription(
        &bare,
        json!({"channel": "stable", "startingCSV": "hull.v1", "config": {"env": []}}),
    );
    manifest["metadata"]["labels"] = json!({"ours": "goes"});
    done(&author.does(Action::Create(manifest)).await);
    let ours = BTreeSet::from([owner("portolan", "Apply"), owner("portolan", "Update")]);
    assert_eq!(owners(&hull(&bare).await?), ours);
    label(&bare, "kubectl").await?;

    let less = subscription(&bare, json!({"channel": "fast"}));
    let applied = for_this(less, &hull(&bare).await?);
    done(&author.does(Action::Apply(applied)).await);
    let there = hull(&bare).await?;
    let spec = json!({
        "name": "hull", "source": "fleet", "sourceNamespace": "olm",
        "channel": "fast", "config": {"env": []},
    });
    assert_eq!(there.data["spec"], spec);
    let labels = there.metadata.labels.unwrap_or_default();
    assert_eq!(json!(labels), json!({"theirs": "stays"}));
    Ok(())
}

#[tokio::test]
async fn takes_over_fields_of_the_established_controller() -> Result<(), Failure> {
    let Some(bare) = bare("taken-over").await? else {
        return Ok(());
    };
    let manifest = subscription(
        &bare,
        json!({"channel": "stable", "startingCSV": "hull.v1"}),
    );
    let body = json!({"spec": manifest["spec"]});
    let theirs = bare
        .create(ESTABLISHED, Kind::Subscription, "hull", body)
        .await?;
    label(&bare, "kubectl").await?;

    let author = Author::of(&bare);
    let old = for_this(manifest.clone(), &theirs);
    changed(&author.does(Action::Apply(old)).await.outcome);

    let now = for_this(manifest, &hull(&bare).await?);
    let applied = author.does(Action::Apply(now)).await;
    done(&applied);
    let there = hull(&bare).await?;
    let expected = BTreeSet::from([owner("portolan", "Apply"), owner("kubectl", "Update")]);
    assert_eq!(owners(&there), expected);
    let pending = applied.pending.expect("it is written");
    assert_eq!(
        Some(version(&pending)),
        there.metadata.resource_version.as_deref()
    );

    let less = for_this(subscription(&bare, json!({"channel": "stable"})), &there);
    done(&author.does(Action::Apply(less)).await);
    let spec = hull(&bare).await?.data["spec"].clone();
    assert_eq!(spec.get("startingCSV"), None, "no other manager owns it");
    Ok(())
}

/// A write that changes nothing does not change the resourceVersion. Behavior 40 in
/// `tests/behaviors.md`.
#[tokio::test]
async fn second_apply_without_changes_writes_nothing() -> Result<(), Failure> {
    let Some(bare) = bare("twice").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let manifest = subscription(&bare, json!({"channel": "stable"}));
    done(&author.does(Action::Create(manifest.clone())).await);
    let before = hull(&bare).await?.metadata.resource_version;
    let there = hull(&bare).await?;
    let again = author.does(Action::Apply(for_this(manifest, &there))).await;
    done(&again);
    assert_eq!(again.pending, None);
    assert_eq!(hull(&bare).await?.metadata.resource_version, before);
    Ok(())
}

#[tokio::test]
async fn applies_fields_only_to_the_observed_object() -> Result<(), Failure> {
    let Some(bare) = bare("seen").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    done(
        &author
            .does(Action::Create(subscription(&bare, json!({}))))
            .await,
    );
    let there = hull(&bare).await?;
    let manifest = for_this(subscription(&bare, json!({"channel": "fast"})), &there);

    let mut other = manifest.clone();
    other["metadata"]["uid"] = json!("8c2a2b3e-0000-0000-0000-000000000000");
    changed(&author.does(Action::Apply(other.clone())).await.outcome);
    let metadata = other["metadata"].as_object_mut().expect("fields");
    metadata.remove("resourceVersion");
    changed(&author.does(Action::Apply(other)).await.outcome);

    let objects = bare.objects(Kind::Subscription);
    objects.delete("hull", &Default::default()).await?;
    changed(&author.does(Action::Apply(manifest)).await.outcome);
    assert!(
        objects.get_opt("hull").await?.is_none(),
        "it is not created again"
    );
    Ok(())
}

#[tokio::test]
async fn steps_share_one_observation_and_a_later_write_conflicts() -> Result<(), Failure> {
    let Some(bare) = bare("steps").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let manifest = subscription(&bare, json!({"config": {"env": [{"name": "a"}]}}));
    done(&author.does(Action::Create(manifest)).await);
    let there = hull(&bare).await?;
    let seen = target("operators.coreos.com/v1alpha1", "Subscription", &there);
    let replace = |value: Option<Value>| Action::Replace {
        object: seen.clone(),
        field: "/spec/config".to_owned(),
        value,
    };
    let apply = for_this(subscription(&bare, json!({"channel": "fast"})), &there);
    let config = json!({"nodeSelector": {"a": "b"}});
    let steps = vec![
        Action::Apply(apply),
        replace(Some(config.clone())),
        replace(None),
        replace(None),
    ];
    let written = author.does_all(steps).await;
    let [first, second, third, fourth] = &written[..] else {
        panic!("all are tried: {written:?}");
    };
    [first, second, third].into_iter().for_each(done);
    changed(&fourth.outcome);
    let spec = hull(&bare).await?.data["spec"].clone();
    assert_eq!(
        (&spec["channel"], spec.get("config")),
        (&json!("fast"), None)
    );

    changed(&author.does(replace(Some(config))).await.outcome);
    Ok(())
}

#[tokio::test]
async fn reports_fields_pruned_by_the_api_server() -> Result<(), Failure> {
    let Some(bare) = bare("dropped").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let config = json!({"env": [], "sails": 2});
    let manifest = subscription(&bare, json!({"channel": "stable", "config": config}));
    let lost = PrunedField {
        kind: "Subscription",
        name: "hull".to_owned(),
        field: "spec.config".to_owned(),
        wrote: config.clone(),
        kept: Some(json!({"env": []})),
    };
    done(&author.does(Action::Create(manifest)).await);
    assert_eq!(author.writer.pruned(&bare.namespace), vec![lost.clone()]);

    let there = hull(&bare).await?;
    let replaced = Action::Replace {
        object: target("operators.coreos.com/v1alpha1", "Subscription", &there),
        field: "/spec/config".to_owned(),
        value: Some(config),
    };
    let outcome = author.does(replaced).await.outcome;
    let why = "the API server does not store spec.config.sails as written";
    assert_eq!(outcome, StepOutcome::Overtaken(why.to_owned()));
    assert_eq!(author.writer.pruned(&bare.namespace), vec![lost]);
    Ok(())
}
