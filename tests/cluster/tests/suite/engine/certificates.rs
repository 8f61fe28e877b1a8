//! Tests the certificates of webhooks in a plan: which authority issues them, and which objects
//! trust this authority.

use std::collections::BTreeSet;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use portolan_core_bundle::{Certificates, Options, render};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use rcgen::{CertificateParams, Issuer, KeyPair, date_time_ymd};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use serde_json::{Value, json};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::stage::{Engine, INSTALLER, NOT_DRIFTED, manifest, own_engine, stage};
use crate::bundles::{ferry, read};
use crate::kubectl::Kubectl;
use crate::operatorpolicy::fleet;
use crate::process::Running;

const NAMESPACE_ROLE: &str =
    include_str!("../../../../../deploy/overlays/certificates/cluster-role-namespace.yaml");
const SECRET: &str = "ferry-controller-service-cert";
const SERVICE: &str = "ferry-controller-service";

/// Returns the manifests of a bundle that refer to a certificate, in the order in which Portolan
/// renders them.
fn rendered(namespace: &str) -> Vec<Value> {
    let bundle = read("ferry", ferry::files(ferry::with_webhooks()));
    let options = Options {
        certificates: Certificates::Own,
        ..Options::new(namespace)
    };
    let manifests = render(&bundle, &options).expect("manifests");
    let objects = manifests.into_iter().map(|manifest| manifest.object);
    let named = objects.filter(|object| {
        let annotations = &object["metadata"]["annotations"];
        annotations["portolan.dev/inject-ca-from"].is_string()
    });
    named.collect()
}

/// Returns the CA bundles in an object, as PEM.
fn ca_bundles(object: &Value) -> Vec<String> {
    let conversion = &object["spec"]["conversion"]["webhook"]["clientConfig"];
    let webhooks = object["webhooks"].as_array().into_iter().flatten();
    let configs = webhooks.map(|webhook| &webhook["clientConfig"]);
    let configs = configs.chain([conversion, &object["spec"]]);
    configs
        .map(|config| decoded(&config["caBundle"]))
        .filter(|it| !it.is_empty())
        .collect()
}

fn decoded(text: &Value) -> String {
    let bytes = STANDARD.decode(text.as_str().unwrap_or_default());
    String::from_utf8(bytes.expect("base64")).expect("PEM")
}

/// The content of the Secret.
#[derive(Debug, Clone, PartialEq)]
struct Made {
    certificate: String,
    key: String,
    authorities: String,
    authority_key: String,
}

async fn made(engine: &Engine) -> Result<Option<Made>, Failure> {
    secret(engine, SECRET).await
}

async fn secret(engine: &Engine, name: &str) -> Result<Option<Made>, Failure> {
    let secret = manifest("v1", "Secret", [engine.namespace(), name]);
    Ok(engine.object(&secret).await?.map(|secret| {
        let text = |key: &str| decoded(&secret.data["data"][key]);
        Made {
            certificate: text("tls.crt"),
            key: text("tls.key"),
            authorities: text("ca.crt"),
            authority_key: text("ca.key"),
        }
    }))
}

/// Waits until all objects trust the authority in the Secret. Returns the content of the Secret.
async fn trusted(engine: &Engine, objects: &[Value]) -> Result<Made, Failure> {
    until("every caBundle", PATIENCE, async || {
        let Some(made) = made(engine).await? else {
            return Ok(Seen::NotYet("the Secret is missing".to_owned()));
        };
        // A Service also refers to the certificate, but has no caBundle.
        for object in objects.iter().filter(|it| it["kind"] != "Service") {
            let there = engine.object(object).await?;
            let there = there.map(|it| ca_bundles(&it.data)).unwrap_or_default();
            if there != [made.authorities.clone()] {
                return Ok(Seen::NotYet(format!("{}: {there:?}", object["kind"])));
            }
        }
        Ok(Seen::Yes(made))
    })
    .await
}

/// Returns `Ok` if a client that trusts these authorities accepts the certificate for this name.
/// The API server makes the same check for the name of the Service.
async fn is_served(authorities: &str, made: &Made, name: &str) -> Result<(), String> {
    let provider = Arc::new(default_provider());
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(authorities.as_bytes()) {
        let authority = authority.map_err(|error| error.to_string())?;
        roots.add(authority).map_err(|error| error.to_string())?;
    }
    let client = ClientConfig::builder_with_provider(provider.clone());
    let client = client.with_safe_default_protocol_versions();
    let client = client.expect("versions").with_root_certificates(roots);
    let certificates = CertificateDer::pem_slice_iter(made.certificate.as_bytes());
    let certificates = certificates.collect::<Result<_, _>>().expect("PEM");
    let key = PrivateKeyDer::from_pem_slice(made.key.as_bytes()).expect("a key");
    let server = ServerConfig::builder_with_provider(provider);
    let server = server.with_safe_default_protocol_versions();
    let server = server.expect("versions").with_no_client_auth();
    let server = server.with_single_cert(certificates, key);
    let server = server.map_err(|error| error.to_string())?;
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let (near, far) = tokio::io::duplex(1 << 16);
    let client = TlsConnector::from(Arc::new(client.with_no_client_auth()));
    let server = TlsAcceptor::from(Arc::new(server));
    let (asked, _) = tokio::join!(client.connect(name, near), server.accept(far));
    asked.map(drop).map_err(|error| error.to_string())
}

/// Starts a controller that issues certificates. It has only the permissions that the overlay
/// grants.
async fn controller(engine: &Engine) -> Result<Running, Failure> {
    let kubectl = Kubectl::of(engine.cluster());
    for file in [
        "cluster-role",
        "cluster-role-binding",
        "cluster-role-namespace",
    ] {
        let file = format!("deploy/overlays/certificates/{file}.yaml");
        kubectl.run(&["apply", "-f", &file]).await?;
    }
    let user = "system:serviceaccount:portolan:portolan-controller";
    let kubeconfig = engine.cluster().admit(user, None)?;
    let flags = [
        fleet::kubeconfig_flag(&kubeconfig),
        "--no-lease".to_owned(),
        "--certificates".to_owned(),
        format!("--only-namespace={}", engine.namespace()),
    ];
    Ok(fleet::controller(flags).await)
}

/// Runs the command in the comment of the role, which enables a namespace.
async fn open(engine: &Engine) -> Result<(), Failure> {
    let lines = NAMESPACE_ROLE.lines();
    let lines = lines.filter_map(|line| line.strip_prefix("#   "));
    let text = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let text = text.replace("harbor", engine.namespace());
    let words: Vec<_> = text.split_whitespace().skip(1).collect();
    Kubectl::of(engine.cluster()).run(&words).await?;
    Ok(())
}

/// Replaces the certificate in the Secret with another certificate of the same authority that
/// expires tomorrow. Returns its key.
async fn age(engine: &Engine, made: &Made, name: &str) -> Result<String, Failure> {
    let tomorrow = Timestamp::now() + SignedDuration::from_hours(24);
    let tomorrow = tomorrow.to_zoned(jiff::tz::TimeZone::UTC).date();
    let [month, day] = [tomorrow.month(), tomorrow.day()].map(i8::unsigned_abs);
    let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
    params.not_after = date_time_ymd(tomorrow.year().into(), month, day);
    let authority_key = KeyPair::from_pem(&made.authority_key).expect("a key");
    let issuer = Issuer::from_ca_cert_pem(&made.authorities, authority_key);
    let key = KeyPair::generate().expect("a key");
    let old = params.signed_by(&key, &issuer.expect("an authority"));
    let data = json!({
        "tls.crt": STANDARD.encode(old.expect("a certificate").pem()),
        "tls.key": STANDARD.encode(key.serialize_pem()),
    });
    let secret = manifest("v1", "Secret", [engine.namespace(), SECRET]);
    engine.patch(&secret, json!({"data": data})).await?;
    Ok(key.serialize_pem())
}

/// Returns the fields of an object that the certificate issuer owns. Each field is identified by
/// the last part of its path.
async fn owned(engine: &Engine, object: &Value) -> Result<BTreeSet<String>, Failure> {
    let object = engine.object(object).await?.expect("an object");
    let entries = object.metadata.managed_fields.into_iter().flatten();
    let ours = entries.filter(|it| it.manager.as_deref() == Some("certificates.portolan.dev"));
    let fields = ours
        .filter_map(|it| it.fields_v1)
        .map(|it| it.0.to_string());
    let fields: String = fields.collect();
    let names = fields.split("\"f:").skip(1);
    let names = names.filter_map(|rest| rest.split_once('"'));
    Ok(names.map(|(name, _)| name.to_owned()).collect())
}

/// After the Secret is deleted, the controller creates a new authority and a new certificate, and
/// the objects trust the new authority. An APIService that refers to the Secret also trusts it.
async fn is_recreated(engine: &Engine, old: &Made, objects: &[Value]) -> Result<(), Failure> {
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {
            "name": "v1.tides.ferry.example",
            "annotations": {
                "portolan.dev/inject-ca-from": format!("{}/{SECRET}", engine.namespace()),
            },
        },
        "spec": {
            "group": "tides.ferry.example",
            "version": "v1",
            "groupPriorityMinimum": 1000,
            "versionPriority": 10,
            "service": {"namespace": engine.namespace(), "name": "tides"},
        },
    });
    engine.make(&service).await?;
    let secret = manifest("v1", "Secret", [engine.namespace(), SECRET]);
    engine.delete(&secret).await?;
    let all = [objects, &[service]].concat();
    let renewed = trusted(engine, &all).await?;
    assert_ne!(renewed.authority_key, old.authority_key);
    for service in [SERVICE, "tides"] {
        let name = format!("{service}.{}.svc", engine.namespace());
        assert_eq!(
            is_served(&renewed.authorities, &renewed, &name).await,
            Ok(())
        );
    }
    Ok(())
}

/// The controller does not change a Secret that it did not create. If a webhook configuration
/// refers to such a Secret, an event reports this.
async fn leaves_secrets_of_others(engine: &Engine) -> Result<(), Failure> {
    let mut own = manifest("v1", "Secret", [engine.namespace(), "own"]);
    own["stringData"] = json!({"tls.crt": "mine"});
    engine.make(&own).await?;
    let before = engine.object(&own).await?.expect("the Secret");
    engine
        .make(&json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {
                "name": "own",
                "annotations": {
                    "portolan.dev/inject-ca-from": format!("{}/own", engine.namespace()),
                },
            },
            "webhooks": [{
                "name": "own.ferry.example",
                "clientConfig": {"service": {"namespace": engine.namespace(), "name": "own"}},
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
            }],
        }))
        .await?;
    let kubectl = Kubectl::of(engine.cluster());
    until("an event", PATIENCE, async || {
        let about = "--field-selector=involvedObject.kind=Secret,involvedObject.name=own";
        let reasons = "jsonpath={.items[*].reason}";
        let get = [
            "-n",
            engine.namespace(),
            "get",
            "events",
            about,
            "-o",
            reasons,
        ];
        Ok(match &*kubectl.run(&get).await? {
            "SecretNotOurs" => Seen::Yes(()),
            other => Seen::NotYet(other.to_owned()),
        })
    })
    .await?;
    assert_eq!(engine.object(&own).await?, Some(before));
    Ok(())
}

/// A Service gets a certificate even if no other object refers to the Service, so that its Pods can
/// start. A Service cannot use the Secret of another Service, or a Secret that the controller did
/// not create.
async fn service_gets_only_its_own_certificate(engine: &Engine) -> Result<(), Failure> {
    let mut taken = manifest("v1", "Secret", [engine.namespace(), "dock-cert"]);
    taken["stringData"] = json!({"tls.crt": "mine"});
    engine.make(&taken).await?;
    let before = engine.object(&taken).await?.expect("the Secret");
    for (service, secret) in [
        ("berth", "quay-cert"),
        ("dock", "dock-cert"),
        ("crane", "crane-cert"),
    ] {
        let mut object = manifest("v1", "Service", [engine.namespace(), service]);
        let name = format!("{}/{secret}", engine.namespace());
        object["metadata"]["annotations"] = json!({"portolan.dev/inject-ca-from": name});
        object["spec"] = json!({"ports": [{"port": 443}]});
        engine.make(&object).await?;
    }
    let made = until("the Secret of a Service", PATIENCE, async || {
        let made = secret(engine, "crane-cert").await?;
        Ok(made.map_or(Seen::NotYet("missing".to_owned()), Seen::Yes))
    })
    .await?;
    let name = format!("crane.{}.svc", engine.namespace());
    assert_eq!(is_served(&made.authorities, &made, &name).await, Ok(()));
    assert_eq!(secret(engine, "quay-cert").await?, None);
    assert_eq!(engine.object(&taken).await?, Some(before));
    Ok(())
}

/// A plan applies the output of `bundle render --certificates own`. The controller issues
/// certificates after an administrator has enabled the namespace. A renewal does not break the
/// trust, and the plan does not report it as drift.
#[tokio::test]
async fn webhooks_of_a_plan_are_trusted_before_and_after_a_renewal() -> Result<(), Failure> {
    let Some(engine) = own_engine("pl-certificates").await? else {
        return Ok(());
    };
    let objects = rendered(engine.namespace());
    let kinds: Vec<_> = objects.iter().map(|it| it["kind"].as_str()).collect();
    let expected = [
        "CustomResourceDefinition",
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
        "Service",
    ];
    assert_eq!(kinds, expected.map(Some));

    engine.allow_everywhere().await?;
    let _certificates = controller(&engine).await?;
    let spec = json!({
        "serviceAccountName": INSTALLER,
        "lifecycle": {"onDrift": "Seal"},
        "stages": [stage("all", &objects)],
    });
    engine.plan_of("ferry", spec).await?;
    engine.until_ready("ferry").await?;
    assert_eq!(made(&engine).await?, None, "the namespace is not opened");

    open(&engine).await?;
    let first = trusted(&engine, &objects).await?;
    let name = format!("{SERVICE}.{}.svc", engine.namespace());
    for name in [&name, &format!("{name}.cluster.local")] {
        assert_eq!(is_served(&first.authorities, &first, name).await, Ok(()));
    }
    let message = is_served(&first.authorities, &first, "other.default.svc").await;
    assert!(
        message.is_err(),
        "a certificate for any name proves nothing"
    );

    let old = [first.key.clone(), age(&engine, &first, &name).await?];
    let renewed = until("a renewal", PATIENCE, async || {
        let made = made(&engine).await?.expect("a Secret");
        Ok(if old.contains(&made.key) {
            Seen::NotYet(made.certificate)
        } else {
            Seen::Yes(made)
        })
    })
    .await?;
    assert_eq!(renewed.authorities, first.authorities);
    assert_eq!(is_served(&first.authorities, &renewed, &name).await, Ok(()));
    assert_eq!(trusted(&engine, &objects).await?, renewed);

    engine.until("ferry", NOT_DRIFTED).await?;
    let events = engine.events("ferry").await?;
    assert!(!events.contains(&"MembersDrifted".to_owned()), "{events:?}");
    let fields = ["caBundle", "clientConfig", "name", "webhooks"].map(str::to_owned);
    assert_eq!(owned(&engine, &objects[1]).await?, BTreeSet::from(fields));
    let fields = ["caBundle", "clientConfig", "conversion", "spec", "webhook"].map(str::to_owned);
    assert_eq!(owned(&engine, &objects[0]).await?, BTreeSet::from(fields));
    leaves_secrets_of_others(&engine).await?;
    service_gets_only_its_own_certificate(&engine).await?;
    is_recreated(&engine, &renewed, &objects).await
}
