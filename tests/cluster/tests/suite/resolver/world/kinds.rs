//! Tests kinds that are missing, that are forbidden, or that need several pages.

use kube::api::{DeleteParams, PostParams};
use kube::core::{Expression, ObjectMeta, Selector};
use portolan_core_olm::{CatalogSource, ClusterCatalog};
use portolan_rig::{Failure, Kind};
use portolan_world::{self as observed, Reads, State, Trouble, View, World as _};
use serde::Deserialize;
use serde_json::json;

use super::{
    CRD, cluster_catalog, cluster_catalogs, define_cluster_catalogs, observe, patient, until,
};
use crate::objects::{api_of, make};
use crate::{detour, own_cluster, world};

#[tokio::test]
async fn kind_is_served_and_removed_with_its_crd() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let client = cluster.client()?;
    let observed = observe(&client);
    let mut catalogs = observed.objects::<ClusterCatalog>();
    until(&mut catalogs, |view| view.state == State::NotServed).await;

    define_cluster_catalogs(&client).await?;
    let _written = cluster_catalogs(&client);
    make(&client, &cluster_catalog("shop", 7)).await?;
    make(&client, &cluster_catalog("odd", "high")).await?;
    let view = until(&mut catalogs, |view| view.objects.len() == 2).await;
    assert_eq!(view.state, State::Synced);
    let priorities = view.objects.values().map(|catalog| catalog.spec.priority);
    assert_eq!(priorities.collect::<Vec<_>>(), [0, 7], "odd, shop");
    let faults: Vec<_> = view.faults.iter().map(ToString::to_string).collect();
    let odd = r#"odd: spec.priority: invalid type: string "high", expected i32"#;
    assert_eq!(faults, [odd]);

    let crds = Kind::CustomResourceDefinition.everywhere(&client);
    crds.delete(CRD, &DeleteParams::default()).await?;
    let view = until(&mut catalogs, |view| view.state == State::NotServed).await;
    assert_eq!((view.objects.len(), view.faults.len()), (0, 0));
    Ok(())
}

#[tokio::test]
async fn forbidden_list_returns_message_of_the_server() -> Result<(), Failure> {
    let Some(world) = world("stranger").await? else {
        return Ok(());
    };
    let user = format!("stranger-of-{}", world.namespace());
    world.cluster().admit(&user, None)?;
    let client = patient(world.cluster(), &user)?;
    let observed = observe(&client);
    let mut sources = observed.objects::<CatalogSource>();
    let view = until(&mut sources, |view| view.state != State::Pending).await;
    let State::Unknown { trouble, .. } = view.state else {
        panic!("a stranger must not see anything: {view:?}");
    };
    let sentence = format!(
        "catalogsources.operators.coreos.com is forbidden: User \"{user}\" cannot list resource \
         \"catalogsources\" in API group \"operators.coreos.com\" at the cluster scope"
    );
    assert_eq!(trouble, Trouble::Forbidden(sentence));

    let group = "rbac.authorization.k8s.io";
    let binding = json!({
        "apiVersion": format!("{group}/v1"),
        "kind": "ClusterRoleBinding",
        "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    });
    make(world.client(), &binding).await?;
    until(&mut sources, |view| view.state == State::Synced).await;
    let bindings = api_of(world.client(), &binding);
    bindings.delete(&user, &DeleteParams::default()).await?;
    Ok(())
}

/// A kind that only this test observes: ConfigMaps with a label, two per page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
struct Leaf {
    metadata: ObjectMeta,
}

impl kube::Resource for Leaf {
    type DynamicType = ();
    type Scope = kube::core::NamespaceResourceScope;

    fn kind((): &()) -> std::borrow::Cow<'_, str> {
        "ConfigMap".into()
    }

    fn group((): &()) -> std::borrow::Cow<'_, str> {
        "".into()
    }

    fn version((): &()) -> std::borrow::Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> std::borrow::Cow<'_, str> {
        "configmaps".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

portolan_core_olm::from_json!(Leaf);
portolan_world::watchable!(Leaf);

impl observed::Kind for Leaf {
    const PAGE: u32 = 2;

    fn selector() -> Selector {
        Expression::Exists("leaf".into()).into()
    }
}

#[tokio::test]
async fn list_is_paged_and_limited_to_the_selector() -> Result<(), Failure> {
    let Some(world) = world("pages").await? else {
        return Ok(());
    };
    let written = Kind::ConfigMap.within(world.client(), world.namespace());
    for number in 0..6 {
        let labels = if number == 0 {
            json!({})
        } else {
            json!({"leaf": ""})
        };
        let mut leaf = Kind::ConfigMap.object(&format!("leaf-{number}"), json!({}))?;
        leaf.metadata.labels = serde_json::from_value(labels).ok();
        leaf.metadata.annotations = Some([("not".into(), "kept".into())].into());
        written.create(&PostParams::default(), &leaf).await?;
    }
    let proxy = detour::proxy(world.cluster()).await?;
    let client = detour::client(&proxy, std::time::Duration::from_secs(30))?;
    // Declares that the test reads no metadata. Without this, the world would keep the whole
    // objects.
    let observed = observe(&client).reading(&[Reads::of::<Leaf>()]);
    let mut leaves = observed.objects::<Leaf>();

    let view = until(&mut leaves, |view| view.state == State::Synced).await;
    let names: Vec<_> = view.objects.keys().map(|key| &*key.name).collect();
    assert_eq!(names, ["leaf-1", "leaf-2", "leaf-3", "leaf-4", "leaf-5"]);
    assert_eq!(proxy.count("GET /api/v1/configmaps?limit=2"), 3);
    let is_pruned =
        |leaf: &Leaf| leaf.metadata.annotations.is_none() && leaf.metadata.managed_fields.is_none();
    assert!(
        view.objects.values().all(|leaf| is_pruned(leaf)),
        "{view:?}"
    );

    let taken_off = json!({"metadata": {"labels": {"leaf": null}}});
    super::patch(&written, "leaf-3", taken_off).await?;
    let is_less = |view: &View<Leaf>| view.objects.len() == 4;
    until(&mut leaves, is_less).await;
    Ok(())
}
