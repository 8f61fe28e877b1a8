//! Tests of changes that users apply in the console. A flag permits this.

use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use portolan_rig::{Failure, Kind, Tab, World};
use serde_json::{Value, json};

use super::pages::page_errors;
use super::stage::{Console, INLAND, make_operator, operators, spec, stage};
use crate::approval::crds::create_crd;
use crate::objects::api;
use crate::program::{output, portolan};

#[tokio::test]
async fn preview_is_dry_run_shown_and_applied() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-writes").await? else {
        return Ok(());
    };
    let kubeconfig = world.cluster().kubeconfig();
    let console = Console::of(&kubeconfig, &["--allow-apply", INLAND]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;

    // The console sends a dry run to the cluster. It creates nothing until the user has seen the
    // result.
    tried(&tab, &place, "change=add&operator=buoy&version=0.4.0").await?;
    tab.until_text("spec.packageName").await?;
    assert_eq!(page_errors(&tab, &place).await?, Vec::<String>::new());
    assert_eq!(spec(&world, "buoy").await?, Value::Null);
    applied(&tab).await?;
    let made = json!({"packageName": "buoy", "version": "0.4.0"});
    assert_eq!(own_spec(&world, "buoy").await?, made);

    tried(&tab, &place, "change=upgrade&operator=buoy&version=0.5.0").await?;
    let shown = tab
        .evaluate("document.querySelector('main table tbody').innerText")
        .await?;
    assert_eq!(shown, "spec.version\t0.4.0\t0.5.0");
    applied(&tab).await?;
    let given = json!({"packageName": "buoy", "version": "0.5.0"});
    assert_eq!(own_spec(&world, "buoy").await?, given);

    // The console and the command `create` use the same field manager.
    let mut create = std::process::Command::new(portolan().await?);
    create.args(["create", "crane", "--version", "1.0.0", "--kubeconfig"]);
    let typed = output({
        create.arg(&kubeconfig);
        create
    })
    .await?;
    assert!(typed.status.success(), "{typed:?}");
    assert_eq!(
        managers(&world, "buoy").await?,
        managers(&world, "crane").await?
    );

    // If another client has changed the object since the preview, the console does not overwrite
    // this change.
    tried(&tab, &place, "change=upgrade&operator=crane&version=1.1.0").await?;
    let patch = Patch::Merge(json!({"spec": {"version": "1.0.0 || 1.0.1"}}));
    operators(&world)
        .patch("crane", &PatchParams::default(), &patch)
        .await?;
    tab.click("form[action='/apply'] button").await?;
    tab.until_text("The changes are no longer those of the preview")
        .await?;
    assert_eq!(spec(&world, "crane").await?["version"], "1.0.0 || 1.0.1");
    applied(&tab).await?;
    assert_eq!(spec(&world, "crane").await?["version"], "1.1.0");

    tried(&tab, &place, "change=delete&operator=buoy").await?;
    assert_ne!(spec(&world, "buoy").await?, Value::Null);
    applied(&tab).await?;
    assert_eq!(spec(&world, "buoy").await?, Value::Null);
    Ok(())
}

/// The console of `portolan up` can also apply changes, with the same flag.
#[tokio::test]
async fn console_of_up_writes_only_with_its_flag() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-up").await? else {
        return Ok(());
    };
    create_crd(
        world.client(),
        "operatorpolicies.policy.open-cluster-management.io",
    )
    .await?;
    let kubeconfig = world.cluster().kubeconfig();
    let kubeconfig = format!("--kubeconfig={}", kubeconfig.display());
    let any_port = ["--listen=127.0.0.1:0", "--probes-listen=127.0.0.1:0"];
    let flags = [any_port[0], any_port[1], &kubeconfig, INLAND];
    let console = Console::by("up", &flags).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    tab.visit(&format!("{place}/preview?change=add&operator=buoy"))
        .await?;
    tab.until_text("portolan create buoy").await?;
    let button = "document.querySelector(\"form[action='/apply']\")";
    assert_eq!(tab.evaluate(button).await?, Value::Null);
    drop(console);

    let flags = [
        any_port[0],
        any_port[1],
        &kubeconfig,
        INLAND,
        "--allow-apply",
    ];
    let console = Console::by("up", &flags).await?;
    let place = console.enter(&tab).await?;
    tried(&tab, &place, "change=add&operator=buoy&version=0.4.0").await?;
    assert_eq!(spec(&world, "buoy").await?, Value::Null);
    applied(&tab).await?;
    let made = json!({"packageName": "buoy", "version": "0.4.0"});
    assert_eq!(own_spec(&world, "buoy").await?, made);
    Ok(())
}

#[tokio::test]
async fn console_enables_and_disables_upgrades_of_an_operator() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-updates").await? else {
        return Ok(());
    };
    make_operator(&world, "buoy").await?;
    let namespace = Kind::Namespace.object("portolan", json!({}))?;
    let namespaces = Kind::Namespace.everywhere(world.client());
    namespaces
        .create(&PostParams::default(), &namespace)
        .await?;
    let kubeconfig = world.cluster().kubeconfig();
    let console = Console::of(&kubeconfig, &["--allow-apply", INLAND]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;

    tried(&tab, &place, "change=updates&operator=buoy").await?;
    applied(&tab).await?;
    let on = json!({"operators": {"install": [{"name": "buoy", "version": "latest"}]}});
    assert_eq!(configuration(&world).await?, on);
    tab.visit(&format!("{place}/updates")).await?;
    tab.until_text("version: latest").await?;

    tried(&tab, &place, "change=updates&operator=buoy&version=never").await?;
    applied(&tab).await?;
    let off = json!({"operators": {"install": [{"name": "buoy", "version": "never"}]}});
    assert_eq!(configuration(&world).await?, off);
    // The console rejects an invalid rule itself, without a request to the cluster.
    tab.visit(&format!(
        "{place}/preview?change=updates&operator=buoy&version=newest"
    ))
    .await?;
    tab.until_text("newest").await?;
    let button = tab
        .evaluate("document.querySelector(\"form[action='/apply']\")")
        .await?;
    assert_eq!(button, Value::Null);
    Ok(())
}

/// Without the flag, pages have no button to apply a change. A request with the form is rejected
/// with a message.
#[tokio::test]
async fn console_without_its_flag_writes_nothing() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-reads").await? else {
        return Ok(());
    };
    let reader = world
        .cluster()
        .admit("console-reader", Some("system:masters"))?;
    let console = Console::of(&reader, &[INLAND]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    tab.visit(&format!("{place}/preview?change=add&operator=buoy"))
        .await?;
    tab.until_text("portolan create buoy").await?;
    let button = tab
        .evaluate("document.querySelector(\"form[action='/apply']\")")
        .await?;
    assert_eq!(button, Value::Null);
    let send = "fetch('/apply', {method: 'POST', body: new URLSearchParams({change: 'add', \
         operator: 'buoy', version: '', seen: '', token: document.querySelector('[name=token]').value})})\
         .then(async (it) => `${it.status} ${await it.text()}`)";
    let refused = tab.evaluate(send).await?;
    let refused = refused.as_str().unwrap_or_default();
    assert!(refused.starts_with("403 "), "{refused}");
    assert!(refused.contains("--allow-apply"), "{refused}");
    let audit = world.cluster().audit()?.by("console-reader");
    assert_ne!(audit.records(), [], "it reads");
    assert_eq!(audit.writes().records(), [], "and no more");
    Ok(())
}

/// Opens a preview, and sends its dry run to the cluster.
async fn tried(tab: &Tab, place: &str, query: &str) -> Result<(), Failure> {
    tab.visit(&format!("{place}/preview?{query}")).await?;
    let button = "document.querySelector(\"form[action='/apply'] button\") !== null";
    tab.until("the preview to offer that", button).await?;
    assert_eq!(page_errors(tab, place).await?, Vec::<String>::new());
    tab.click("form[action='/apply'] button").await?;
    tab.until_text("Nothing is written yet.").await
}

/// Applies the change in the open preview.
async fn applied(tab: &Tab) -> Result<(), Failure> {
    tab.click("form[action='/apply'] button").await?;
    tab.until_text("All of it is written.").await
}

/// Returns the fields in the spec of an Operator that a user has set. Omits the defaults of the API
/// server.
async fn own_spec(world: &World, name: &str) -> Result<Value, Failure> {
    let spec = spec(world, name).await?;
    Ok(json!({"packageName": spec["packageName"], "version": spec["version"]}))
}

/// Returns the field managers of an Operator.
async fn managers(world: &World, name: &str) -> Result<Vec<String>, Failure> {
    let operator = operators(world).get(name).await?;
    let managers = operator.metadata.managed_fields.unwrap_or_default();
    let mut managers: Vec<_> = managers.into_iter().filter_map(|it| it.manager).collect();
    managers.dedup();
    Ok(managers)
}

/// Returns the ConfigMap with the configuration of the updater.
async fn configuration(world: &World) -> Result<Value, Failure> {
    let config_maps: Api<DynamicObject> = api(world.client(), ["v1", "ConfigMap", "portolan"]);
    let config_map = config_maps.get("portolan-updater").await?;
    let text = config_map.data["data"]["updater.yaml"].as_str();
    serde_saphyr::from_str(text.unwrap_or_default()).map_err(Failure::read("the configuration"))
}
