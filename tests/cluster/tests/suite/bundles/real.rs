//! Tests with real bundles. Some objects that OLM v1 renders are rejected by the API server.
//! Portolan warns about these objects.

use std::collections::BTreeMap;
use std::path::Path;

use portolan_core_bundle::{Bundle, Code, validate};
use portolan_kit::{assert_same, files, real_bundles};
use portolan_rig::Failure;

use super::server::Answer;
use super::{read, stage};

/// Rejected objects: the bundle, the kind, the number of objects, and the code of the warning about
/// them.
type Refused = (&'static str, &'static str, usize, Code);

const CRD: &str = "CustomResourceDefinition";

/// The objects of all real bundles that the API server rejects. Their kinds are not served since
/// Kubernetes 1.22, or they have no apiVersion.
const REFUSED: [Refused; 22] = [
    ("3scale-community-operator/0.3.0", CRD, 8, Code::NotServed),
    ("3scale-community-operator/0.4.0", CRD, 8, Code::NotServed),
    ("3scale-community-operator/0.5.1", CRD, 8, Code::NotServed),
    ("3scale-community-operator/0.6.0", CRD, 6, Code::NotServed),
    ("apicast-community-operator/0.4.0", CRD, 1, Code::NotServed),
    ("azure-service-operator/0.37.0", CRD, 41, Code::NotServed),
    (
        "azure-service-operator/1.0.24492",
        "Service",
        1,
        Code::NoApiVersion,
    ),
    (
        "azure-service-operator/1.0.27207",
        "Service",
        1,
        Code::NoApiVersion,
    ),
    (
        "cluster-aas-operator/0.0.6",
        "ClusterRole",
        1,
        Code::NoApiVersion,
    ),
    (
        "cluster-aas-operator/0.1.0",
        "ClusterRole",
        2,
        Code::NoApiVersion,
    ),
    (
        "cluster-aas-operator/0.1.1",
        "ClusterRole",
        2,
        Code::NoApiVersion,
    ),
    ("dell-csi-operator/1.3.0", CRD, 6, Code::NotServed),
    (
        "ember-csi-community-operator/0.0.1",
        CRD,
        1,
        Code::NotServed,
    ),
    (
        "ember-csi-community-operator/0.9.0",
        CRD,
        1,
        Code::NotServed,
    ),
    (
        "ember-csi-community-operator/0.9.1",
        CRD,
        1,
        Code::NotServed,
    ),
    ("grafana-operator/3.10.3", CRD, 3, Code::NotServed),
    ("keda/1.5.0", CRD, 3, Code::NotServed),
    (
        "multicluster-operators-subscription/0.2.5",
        CRD,
        6,
        Code::NotServed,
    ),
    (
        "multicluster-operators-subscription/0.2.6",
        CRD,
        6,
        Code::NotServed,
    ),
    (
        "opentelemetry-operator/0.17.1",
        "ClusterRole",
        1,
        Code::NotServed,
    ),
    ("opentelemetry-operator/0.17.1", CRD, 1, Code::NotServed),
    ("snapscheduler/1.1.1", CRD, 1, Code::NotServed),
];

/// A part of the API server's error, and the code of the warning that predicts this error.
const PREDICTED: [(&str, Code); 2] = [
    (
        "the server could not find the requested resource",
        Code::NotServed,
    ),
    ("invalid object type: /, Kind=", Code::NoApiVersion),
];

/// Custom resources that a dry run cannot check, because the cluster does not have their CRDs. Each
/// row contains the kind and the number of objects.
const SET_ASIDE: [(&str, usize); 7] = [
    ("Certificate.cert-manager.io", 41),
    ("Issuer.cert-manager.io", 41),
    ("PrometheusRule.monitoring.coreos.com", 4),
    ("Role.iam.services.k8s.aws", 2),
    ("Secret.ecr.mobb.redhat.com", 4),
    ("Service.ecs.services.k8s.aws", 1),
    ("ServiceMonitor.monitoring.coreos.com", 5),
];

#[tokio::test]
async fn server_accepts_manifests_of_real_bundles() -> Result<(), Failure> {
    let paths = real_bundles();
    if paths.is_empty() {
        return Ok(());
    }
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    let mut refused: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    let mut aside: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        let (name, bundle) = bundle(&path);
        let objects = stage.objects(&bundle);
        let again = stage.objects(&self::bundle(&path).1);
        assert!(
            objects == again,
            "{name} must be rendered to the same again"
        );
        let answers = stage.server.answers(&objects).await?;
        for (object, answer) in objects.iter().zip(answers) {
            let kind = object["kind"].as_str().expect("a kind");
            match answer {
                Answer::Taken(_) => {}
                Answer::Unknown => {
                    let version = object["apiVersion"].as_str().unwrap_or_default();
                    let group = version.split('/').next().unwrap_or_default();
                    *aside.entry(format!("{kind}.{group}")).or_default() += 1;
                }
                Answer::Refused(why) => {
                    let why = predicted(&bundle, why);
                    let of = (name.clone(), kind.to_owned(), why);
                    *refused.entry(of).or_default() += 1;
                }
            }
        }
    }
    let known = REFUSED.map(|(bundle, kind, count, code)| {
        let of = (bundle.to_owned(), kind.to_owned(), code.as_str().to_owned());
        (of, count)
    });
    assert_same!(refused, BTreeMap::from(known));
    let known = SET_ASIDE.map(|(kind, count)| (kind.to_owned(), count));
    assert_same!(aside, BTreeMap::from(known));
    Ok(())
}

/// Returns the code of the warning about an object that the API server rejects. If there is no
/// warning, returns the message of the API server.
fn predicted(bundle: &Bundle, why: String) -> String {
    let code = PREDICTED.iter().find(|(says, _)| why.contains(says));
    let warnings = bundle.warnings().iter().cloned().chain(validate(bundle));
    let mut codes = warnings.map(|warning| warning.code);
    match code {
        Some((_, code)) if codes.any(|warned| warned == *code) => code.as_str().to_owned(),
        _ => why,
    }
}

/// Returns a real bundle and its name, such as `keda/2.0.0`.
fn bundle(path: &Path) -> (String, Bundle) {
    let version = path.file_name().unwrap_or_default().to_string_lossy();
    let package = path.parent().and_then(Path::file_name);
    let package = package.unwrap_or_default().to_string_lossy();
    let name = format!("{package}/{version}");
    let bundle = read(&name, files(path));
    (name, bundle)
}
