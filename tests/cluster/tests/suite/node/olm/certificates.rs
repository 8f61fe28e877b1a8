//! Tests an expired certificate of a conversion webhook. OLM does not renew the certificate of a
//! version that is being replaced, so the upgrade would be blocked permanently.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::api::{Patch, PatchParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, World, until, until_field};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use serde_json::json;

use super::catalog::{Channel, publish};
use super::stage::{OLM, change, olm_world, serve, subscribe};
use crate::diagnose::user::{User, fix};
use crate::kubectl::Kubectl;
use crate::node::releases::{GROUP, Release, release};
use crate::node::stage::until_printed;
use crate::objects::{api, make};

const VERSIONS: [Release; 2] = [
    release("1.4.0", &["v1", "v1alpha1"], "none"),
    release("1.5.0", &["v1", "v1alpha1"], "none"),
];
const SECRET: &str = "ferry-service-cert";
const CRD: &str = "ferries.ferries.portolan.dev";
/// The kind in the version that is not stored, so each read calls the conversion webhook.
const OLD_VERSION: &str = "ferries.v1alpha1.ferries.portolan.dev";

/// The certificate expires while olm-operator is stopped. The upgrade then fails, because OLM cannot
/// read the custom resources. The printed commands start olm-operator, renew the certificate, and
/// repeat the InstallPlan.
#[tokio::test]
async fn expired_certificate_of_a_replaced_version_is_renewed_by_printed_commands()
-> Result<(), Failure> {
    let Some(world) = olm_world("expired").await? else {
        return Ok(());
    };
    let catalog = channel(&world, "v1", &VERSIONS[..1]).await?;
    serve(&world, [OLM, "ferries"], &catalog).await?;
    subscribe(&world, world.namespace(), [OLM, "ferries"], "stable").await?;
    let operator = world.operator("ferry");
    operator.until_phase("ferry.v1.4.0", "Succeeded").await?;
    ferry_is_created(&world).await?;
    stop_olm(&world).await?;
    expire(&world).await?;
    let catalog = channel(&world, "v2", &VERSIONS).await?;
    let image = json!({"spec": {"image": catalog}});
    change(&world, (Kind::CatalogSource, OLM, "ferries"), image).await?;

    let never = "OLM does not renew the certificate by itself, because a newer version is replacing ferry.v1.4.0.";
    follow(&world, "Scale Deployment olm/olm-operator", &[never]).await?;
    let renew = "Renew the certificate of ferry.v1.4.0, and make OLM repeat InstallPlan";
    follow(&world, renew, &[never, "At fault: ClusterServiceVersion"]).await?;

    operator.until_phase("ferry.v1.5.0", "Succeeded").await?;
    let kubectl = Kubectl::of(world.cluster());
    kubectl
        .run(&["get", OLD_VERSION, "dover", "-n", world.namespace()])
        .await?;
    until_printed(
        &world,
        &["diagnose", "-n", world.namespace(), "-o", "wide"],
        &["Well"],
    )
    .await?;
    Ok(())
}

/// Waits until `portolan diagnose` prints this change and these texts, and runs the commands of the
/// change.
async fn follow(world: &World, change: &str, texts: &[&str]) -> Result<(), Failure> {
    let texts = [&[change], texts].concat();
    let printed = until_printed(world, &["diagnose", "-n", world.namespace()], &texts).await?;
    let heading = format!("{}/ferry", world.namespace());
    let lines = printed.lines();
    let block: Vec<&str> = lines
        .skip_while(|line| !line.starts_with(&heading))
        .collect();
    let commands = fix(&block, change).unwrap_or_else(|| panic!("no {change:?} in {printed}"));
    User::of(world).await?.types(&commands).await
}

/// Stops olm-operator, which renews certificates.
async fn stop_olm(world: &World) -> Result<(), Failure> {
    let kubectl = Kubectl::of(world.cluster());
    let deployment = "deployment/olm-operator";
    kubectl
        .run(&["scale", deployment, "-n", OLM, "--replicas=0"])
        .await?;
    let pods = [
        "wait",
        "--for=delete",
        "pod",
        "-l",
        "app=olm-operator",
        "-n",
        OLM,
        "--timeout=3m",
    ];
    kubectl.run(&pods).await.map(drop)
}

/// Replaces the certificate of the webhooks by one that expired on 26 November 2026, and makes the
/// API server trust its authority.
async fn expire(world: &World) -> Result<(), Failure> {
    let namespace = world.namespace();
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().expect("a key");
    let authority_pem = authority
        .self_signed(&authority_key)
        .expect("an authority")
        .pem();
    let issuer = Issuer::new(authority, authority_key);
    let names = vec![
        format!("ferry-service.{namespace}.svc"),
        format!("ferry-service.{namespace}"),
    ];
    let mut leaf = CertificateParams::new(names).expect("names");
    leaf.not_before = date_time_ymd(2024, 11, 26);
    leaf.not_after = date_time_ymd(2026, 11, 26);
    let key = KeyPair::generate().expect("a key");
    let certificate = leaf.signed_by(&key, &issuer).expect("a certificate").pem();
    let encoded = |text: &str| STANDARD.encode(text);
    let data = json!({"data": {
        "tls.crt": encoded(&certificate), "tls.key": encoded(&key.serialize_pem()),
        "olmCAKey": encoded(&authority_pem),
    }});
    let params = PatchParams::default();
    let secrets = api(world.client(), ["v1", "Secret", namespace]);
    secrets.patch(SECRET, &params, &Patch::Merge(data)).await?;
    let trust = json!({"spec": {"conversion": {"webhook": {"clientConfig": {
        "caBundle": encoded(&authority_pem),
    }}}}});
    let crds = api(
        world.client(),
        ["apiextensions.k8s.io/v1", "CustomResourceDefinition", ""],
    );
    until_field(&crds, CRD, "/spec/conversion/strategy", "Webhook").await?;
    crds.patch(CRD, &params, &Patch::Merge(trust)).await?;
    let kubectl = Kubectl::of(world.cluster());
    kubectl
        .run(&["delete", "pod", "-l", "app=ferry", "-n", namespace])
        .await?;
    until("the expired certificate", PATIENCE, async || {
        let words = ["get", OLD_VERSION, "-n", namespace];
        Ok(match kubectl.try_run(&words).await? {
            Err(error) if error.contains("expired") => Seen::Yes(()),
            Ok(other) | Err(other) => Seen::NotYet(other),
        })
    })
    .await
}

async fn channel(world: &World, tag: &str, releases: &[Release]) -> Result<String, Failure> {
    let channel = Channel {
        name: "stable",
        releases,
        has_bundles: true,
        change: |_| (),
    };
    publish(world.cluster(), tag, &[channel]).await
}

/// Waits until the webhooks of the operator have accepted a Ferry.
async fn ferry_is_created(world: &World) -> Result<(), Failure> {
    let dover = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "Ferry",
        "metadata": {"name": "dover", "namespace": world.namespace()},
        "spec": {"capacity": {"seats": 12}},
    });
    until("the webhook to admit a Ferry", PATIENCE, async || {
        Ok(match make(world.client(), &dover).await {
            Ok(()) => Seen::Yes(()),
            Err(error) => Seen::NotYet(error.to_string()),
        })
    })
    .await
}
