//! Tests transformations: members of a plan that replace existing objects.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{INSTALLER, config_map, engine, stage};

/// The selected objects are deleted after the replacement exists, by their uid and as the
/// ServiceAccount of the plan. Objects of another plan and objects that are not selected are kept.
#[tokio::test]
async fn transformation_deletes_selected_objects() -> Result<(), Failure> {
    let Some(engine) = engine("pl-transform").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    engine.cluster().allow_foreign_deletes(engine.namespace());
    let namespace = engine.namespace();
    let labelled = |name: &str| {
        let mut map = config_map([namespace, name], "old");
        map["metadata"]["labels"] = json!({"app": "ferry"});
        map
    };
    let other = labelled("of-a-plan");
    engine
        .plan("other", json!([stage("all", std::slice::from_ref(&other))]))
        .await?;
    engine.until_ready("other").await?;
    let old = [labelled("old-1"), labelled("old-2")];
    for map in &old {
        engine.make(map).await?;
    }
    let bystander = config_map([namespace, "bystander"], "1");
    engine.make(&bystander).await?;
    let new = config_map([namespace, "new"], "1");
    let spec = |max: usize| -> Value {
        json!({
            "serviceAccountName": INSTALLER,
            "stages": [stage("all", std::slice::from_ref(&new))],
            "transformations": [{
                "from": [{
                    "apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace,
                    "labelSelector": {"matchLabels": {"app": "ferry"}},
                }],
                "to": [{"apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace, "name": "new"}],
                "max": max,
            }],
        })
    };
    engine.plan_of("few", spec(1)).await?;
    let message = engine
        .until("few", ["Applied", "False", "SelectionTooLarge"])
        .await?;
    assert!(
        message.contains("selects 2 objects, but max is 1"),
        "{message}"
    );
    assert!(engine.object(&old[0]).await?.is_some());
    engine.delete_plan("few").await?;
    engine.until_gone("few").await?;
    engine.delete(&new).await?;

    engine.plan_of("ferry", spec(2)).await?;
    engine.until_ready("ferry").await?;
    for map in &old {
        assert!(engine.object(map).await?.is_none());
    }
    for map in [&bystander, &other, &new] {
        assert!(engine.object(map).await?.is_some(), "{map}");
    }
    let deletes = engine.asked()?.within(namespace).of("configmaps");
    let deletes = deletes.only(|record| record.verb == "delete");
    assert_eq!(deletes.len(), 2);
    let installer = engine.installer();
    assert_eq!(
        deletes.only(|record| record.acting_as == installer).len(),
        2
    );
    let status = engine.status("ferry").await?;
    assert_eq!(status["transformed"][0]["done"], true);
    Ok(())
}
