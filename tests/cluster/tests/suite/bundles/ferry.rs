//! A bundle of this test suite, with most features of bundles.

use portolan_core_bundle::{Bundle, Oddities, Options, render};
use portolan_kit::assert_same;
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::server::Answer;
use super::{Files, Stage, read, stage};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!(
            "../../../../../core/base/bundle/tests/it/ferry/",
            $name
        ))
    };
}

/// Returns the files of a bundle that uses most features. The webhooks are at the end of its
/// ClusterServiceVersion.
pub(crate) fn files(csv: String) -> Files {
    let files = [
        (
            "metadata/annotations.yaml",
            file!("annotations.yaml").to_owned(),
        ),
        ("manifests/csv.yaml", csv),
        ("manifests/crd.yaml", file!("crd.yaml").to_owned()),
        ("manifests/extra.yaml", file!("extra.yaml").to_owned()),
    ];
    files
        .map(|(name, text)| (name.to_owned(), text.into_bytes()))
        .into()
}

fn ferry(csv: String) -> Bundle {
    read("ferry", files(csv))
}

/// Returns a ClusterServiceVersion without a webhook, with all install modes.
pub(crate) fn plain() -> String {
    file!("csv.yaml").to_owned()
}

/// Returns a ClusterServiceVersion with webhooks of all three types. One of the types permits only
/// one install mode.
pub(crate) fn with_webhooks() -> String {
    let csv = file!("csv.yaml").replacen("supported: true", "supported: false", 3);
    // OLM v0 requires that webhooks of different types have different names, and that each webhook
    // declares its side effects.
    let mutating = "MutatingAdmissionWebhook\n    generateName: ";
    let webhooks = file!("webhooks.yaml").trim_end();
    let webhooks = webhooks.replace(&format!("{mutating}ships"), &format!("{mutating}defaults"));
    format!("{csv}  webhookdefinitions:\n{webhooks}\n    sideEffects: None\n")
}

#[tokio::test]
async fn server_accepts_our_bundle_in_all_install_modes() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    for csv in [file!("csv.yaml").to_owned(), with_webhooks()] {
        let objects = stage.objects(&ferry(csv));
        let answers = stage.server.answers(&objects).await?;
        for (object, answer) in objects.iter().zip(answers) {
            match answer {
                Answer::Taken(_) => {}
                // cert-manager is not installed.
                Answer::Unknown if object["apiVersion"] == "cert-manager.io/v1" => {}
                no => panic!("{no:?}: {object:#}"),
            }
        }
    }
    is_strict(&stage).await
}

/// Checks that a dry run rejects invalid objects. Otherwise the other checks would prove nothing.
async fn is_strict(stage: &Stage) -> Result<(), Failure> {
    let [home, ..] = &stage.namespaces;
    let map = |more: Value| {
        let mut map = json!({"apiVersion": "v1", "kind": "ConfigMap"});
        map["metadata"] = json!({"name": "cargo", "namespace": &**home});
        for (key, value) in more.as_object().into_iter().flatten() {
            map[key] = value.clone();
        }
        map
    };
    let objects = [
        map(json!({"data": {"hull": "wood"}})),
        map(json!({"data": {"hull": 1}})),
        map(json!({"freight": {"hull": "wood"}})),
    ];
    let lines = lines(&stage.server.answers(&objects).await?);
    let refused = "failed to create typed patch object (HOME/cargo; /v1, Kind=ConfigMap): ";
    let wanted = [
        "taken".to_owned(),
        format!("{refused}.data.hull: expected string, got &value.valueUnstructured{{Value:1}}"),
        format!("{refused}.freight: field not declared in schema"),
    ];
    assert_same!(
        lines,
        wanted.map(|line| line.replace("HOME", home)).to_vec()
    );
    Ok(())
}

/// Portolan corrects some fields when it renders a bundle. The API server would reject the original
/// values.
#[tokio::test]
async fn corrected_fields_would_be_rejected_by_the_server() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    let [home, ..] = &stage.namespaces;
    let bundle = ferry(with_webhooks().replacen("    containerPort: 443\n", "", 1));
    let mut refused = Vec::new();
    for oddities in [Oddities::Mend, Oddities::Keep] {
        let options = Options {
            oddities,
            ..Options::new(&**home)
        };
        let objects = render(&bundle, &options).expect("manifests");
        let objects: Vec<_> = objects
            .into_iter()
            .map(|manifest| manifest.object)
            .collect();
        let mut lines = lines(&stage.server.answers(&objects).await?);
        lines.retain(|answer| answer != "taken");
        refused.push(lines);
    }
    let port = "ValidatingWebhookConfiguration.admissionregistration.k8s.io \"ships.ferry.example\" \
                is invalid: webhooks[0].clientConfig.service.port: Invalid value: 0: port is not \
                valid: must be between 1 and 65535, inclusive";
    assert_same!(refused, [vec![], vec![port.to_owned()]]);
    Ok(())
}

/// Returns the responses, each as one line.
fn lines(answers: &[Answer]) -> Vec<String> {
    let answers = answers.iter().map(|answer| match answer {
        Answer::Taken(_) => "taken".to_owned(),
        Answer::Refused(why) => why.clone(),
        Answer::Unknown => "unknown".to_owned(),
    });
    answers.collect()
}
