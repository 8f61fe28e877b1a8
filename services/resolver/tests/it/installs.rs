//! Tests with the objects that bundles install. The bundles come from a catalog, a folder or a
//! registry.

use std::fs;
use std::path::Path;

use portolan_images::{Asker, ImageFlags};
use portolan_kit::{TempFolder, catalog, oci};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::bundle_source::Source;
use portolan_proto::resolver::v1::install_options::Certificates;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::Resolver;
use portolan_resolver::bundles::BundleFlags;
use portolan_resolver::source::{self, SourceAccess};
use portolan_shell::client::{self, Connection};
use tonic::{Code, Status};

const ANNOTATIONS: &str = "annotations: {operators.operatorframework.io.bundle.package.v1: a}\n";

fn csv(version: &str, verbs: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {{name: a.v{version}}}
spec:
  version: {version}
  installModes:
  - {{type: AllNamespaces, supported: true}}
  install:
    strategy: deployment
    spec:
      clusterPermissions:
      - serviceAccountName: a
        rules:
        - {{apiGroups: [''], resources: [pods], verbs: [{verbs}]}}
      deployments:
      - name: a
        spec:
          selector: {{matchLabels: {{app: a}}}}
          template:
            metadata: {{labels: {{app: a}}}}
            spec:
              serviceAccountName: a
              containers: [{{name: a, image: 'registry.example/a:{version}'}}]
"
    )
}

/// Writes a bundle of package `a` into a folder of bundles.
fn write(bundles: &Path, version: &str, csv: &str) {
    let folder = bundles.join("a").join(version);
    for (name, text) in [
        ("manifests/csv.yaml", csv),
        ("metadata/annotations.yaml", ANNOTATIONS),
    ] {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }
}

/// Starts a resolver with a catalog and these flags.
async fn resolver(text: &str, flags: &BundleFlags) -> (TempFolder, ResolverClient<Connection>) {
    let folder = catalog(text).temp();
    let resolver = over(&folder, flags).await;
    (folder, resolver)
}

async fn over(folder: &Path, flags: &BundleFlags) -> ResolverClient<Connection> {
    pulling(folder, flags, &ImageFlags::default()).await
}

async fn pulling(
    folder: &Path,
    flags: &BundleFlags,
    images: &ImageFlags,
) -> ResolverClient<Connection> {
    let flag = format!("demo={}", folder.display());
    let given = [flag.parse().expect("the flag must parse")];
    let snapshot = source::read(&given, &SourceAccess::default()).await;
    let resolver = Resolver::over(snapshot.expect("the folder must be readable"));
    let bundles = flags
        .open(images, Asker::Server)
        .expect("the flags must be of use");
    ResolverClient::new(client::local(resolver.with_bundles(bundles).into_service()))
}

async fn rendered(
    resolver: &mut ResolverClient<Connection>,
    options: pb::InstallOptions,
) -> Result<pb::RenderBundleResponse, Status> {
    let asked = resolver.render_bundle(pb::RenderBundleRequest {
        package: "a".to_owned(),
        bundle: "a.v1.0.0".to_owned(),
        options: Some(options),
        ..Default::default()
    });
    asked.await.map(tonic::Response::into_inner)
}

/// Renders the bundle of an image. The image does not have to be in a catalog.
async fn of_image(
    resolver: &mut ResolverClient<Connection>,
    image: &str,
) -> Result<pb::RenderBundleResponse, Status> {
    let asked = resolver.render_bundle(pb::RenderBundleRequest {
        image: image.to_owned(),
        ..Default::default()
    });
    asked.await.map(tonic::Response::into_inner)
}

/// Returns the kinds and namespaces of the rendered objects.
fn kinds(answer: &pb::RenderBundleResponse) -> Vec<String> {
    let objects = answer.manifests.iter().map(|manifest| {
        let object: serde_json::Value =
            serde_json::from_str(&manifest.object).expect("an object is JSON");
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        text(&object["kind"]) + " " + &text(&object["metadata"]["namespace"])
    });
    objects.collect()
}

#[tokio::test]
async fn catalog_with_manifests_needs_no_other_source() {
    let folder = catalog("a: 1.0.0").installable().temp();
    let mut resolver = over(&folder, &BundleFlags::default()).await;
    let options = pb::InstallOptions {
        namespace: "harbor".to_owned(),
        ..Default::default()
    };
    let answer = rendered(&mut resolver, options).await.expect("an answer");
    let source = answer.source.clone().expect("a source");
    assert_eq!(source.source, Some(Source::Catalog("demo".to_owned())));
    let kinds = kinds(&answer);
    assert!(kinds.contains(&"Deployment harbor".to_owned()), "{kinds:?}");
    assert!(
        kinds.contains(&"CustomResourceDefinition -".to_owned()),
        "{kinds:?}"
    );
}

/// A request without options does not have to name an install mode that the bundle supports.
#[tokio::test]
async fn bundle_without_options_is_rendered_in_a_supported_mode() {
    let folder = TempFolder::empty();
    let own = csv("1.0.0", "get").replace("AllNamespaces", "OwnNamespace");
    write(&folder, "1.0.0", &own);
    let flags = BundleFlags {
        bundles: Some(folder.to_path_buf()),
    };
    let (_catalog, mut resolver) = resolver("a: 1.0.0", &flags).await;
    let asked = |options| pb::RenderBundleRequest {
        package: "a".to_owned(),
        bundle: "a.v1.0.0".to_owned(),
        options,
        ..Default::default()
    };
    let answer = resolver.render_bundle(asked(None)).await;
    let answer = answer.expect("an answer").into_inner();
    let kinds = kinds(&answer);
    assert!(kinds.contains(&"Deployment a".to_owned()), "{kinds:?}");
    let options = Some(pb::InstallOptions::default());
    let answer = resolver.render_bundle(asked(options)).await;
    let answer = answer.expect("an answer").into_inner();
    assert!(answer.manifests.is_empty() && !answer.faults.is_empty());
}

#[tokio::test]
async fn config_applies_to_every_deployment() {
    let folder = catalog("a: 1.0.0").installable().temp();
    let mut resolver = over(&folder, &BundleFlags::default()).await;
    let with = |config: &str| pb::InstallOptions {
        config: config.to_owned(),
        ..Default::default()
    };
    let tolerating = with(r#"{"tolerations": [{"operator": "Exists"}]}"#);
    let answer = rendered(&mut resolver, tolerating)
        .await
        .expect("an answer");
    let deployments = answer.manifests.iter().map(|manifest| &manifest.object);
    let mut deployments = deployments.filter(|object| object.contains("Deployment"));
    let deployment = deployments.next().expect("a Deployment");
    assert!(
        deployment.contains(r#""tolerations":[{"operator":"Exists"}]"#),
        "{deployment}"
    );
    for (config, said) in [
        ("{", "options.config: EOF while parsing"),
        ("[]", "options.config: a config is an object"),
        (r#"{"envs": []}"#, "options.config: "),
    ] {
        let refused = rendered(&mut resolver, with(config)).await;
        let refused = refused.expect_err("a refusal");
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().starts_with(said), "{refused}");
    }
}

#[tokio::test]
async fn missing_manifests_error_names_the_flags_that_help() {
    let (_catalog, mut resolver) = resolver("a: 1.0.0", &BundleFlags::default()).await;
    let refused = rendered(&mut resolver, Default::default()).await;
    let refused = refused.expect_err("nothing can be read");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    for part in [
        "--bundles",
        "--registries",
        "a.v1.0.0",
        "catalog demo has no manifests of it",
    ] {
        assert!(refused.message().contains(part), "{refused}");
    }
}

#[tokio::test]
async fn folder_of_bundles_takes_precedence() {
    let folder = TempFolder::empty();
    write(&folder, "1.0.0", &csv("1.0.0", "get"));
    let flags = BundleFlags {
        bundles: Some(folder.to_path_buf()),
    };
    let (_catalog, mut resolver) = resolver("a: 1.0.0", &flags).await;
    let options = pb::InstallOptions {
        like_olm_v1: true,
        ..Default::default()
    };
    let answer = rendered(&mut resolver, options).await.expect("an answer");
    let source = answer.source.expect("a source").source;
    let path = folder.join("a/1.0.0").display().to_string();
    assert_eq!(source, Some(Source::Path(path)));
    let all = kinds(
        &rendered(&mut resolver, Default::default())
            .await
            .expect("an answer"),
    );
    // If the bundle suggests no namespace, the namespace has the name of the package.
    assert!(all.contains(&"Deployment a".to_owned()), "{all:?}");
}

#[tokio::test]
async fn render_reports_all_faults_and_no_manifests() {
    let folder = TempFolder::empty();
    let webhook = "  webhookdefinitions:
  - {type: ValidatingAdmissionWebhook, generateName: w.a.test, deploymentName: a, admissionReviewVersions: [v1], sideEffects: None, containerPort: 443}
";
    write(&folder, "1.0.0", &(csv("1.0.0", "get") + webhook));
    let flags = BundleFlags {
        bundles: Some(folder.to_path_buf()),
    };
    let (_catalog, mut resolver) = resolver("a: 1.0.0", &flags).await;
    let options = pb::InstallOptions {
        watch_namespaces: vec!["quay".to_owned()],
        certificates: Certificates::None.into(),
        ..Default::default()
    };
    let answer = rendered(&mut resolver, options).await.expect("an answer");
    assert_eq!(answer.manifests, []);
    assert!(answer.faults.len() >= 2, "{:?}", answer.faults);
    fs::write(folder.join("a/1.0.0/manifests/csv.yaml"), "kind: [\n").expect("a file");
    let answer = rendered(&mut resolver, Default::default())
        .await
        .expect("an answer");
    let fault = answer.faults.first().expect("a fault");
    assert_eq!(
        (fault.code.as_str(), fault.file.as_str()),
        ("Syntax", "manifests/csv.yaml")
    );
}

/// A user may have exchanged the folder or image of a bundle for another by mistake.
#[tokio::test]
async fn files_of_another_bundle_are_not_rendered() {
    let folder = TempFolder::empty();
    write(&folder, "1.0.0", &csv("1.2.0", "get"));
    let flags = BundleFlags {
        bundles: Some(folder.to_path_buf()),
    };
    let (_catalog, mut resolver) = resolver("a: 1.0.0", &flags).await;
    let answer = rendered(&mut resolver, Default::default())
        .await
        .expect("an answer");
    assert_eq!(answer.manifests, []);
    let fault = answer.faults.first().expect("a fault");
    assert!(fault.message.contains("a.v1.2.0"), "{fault:?}");
}

#[tokio::test]
async fn image_is_pulled_only_if_registries_are_allowed() {
    let registry = oci::Registry::start().await;
    let csv = csv("1.0.0", "get");
    let files = [
        ("manifests/csv.yaml", csv.as_str()),
        ("metadata/annotations.yaml", ANNOTATIONS),
    ];
    let image = oci::Image::of(&[&files]);
    registry.serve("ferries/a", "v1", &image);
    let mut shop = catalog("a: 1.0.0");
    for package in &mut shop.packages {
        for bundle in &mut package.bundles {
            bundle.image = format!("{}/ferries/a:v1", registry.host());
        }
    }
    let folder = shop.temp();
    let mut unknowing = over(&folder, &BundleFlags::default()).await;
    let refused = rendered(&mut unknowing, Default::default());
    assert_eq!(
        refused.await.expect_err("pulls are not allowed").code(),
        Code::FailedPrecondition
    );
    assert_eq!(registry.asked().len(), 0);
    let host = registry.host();
    let flags = ImageFlags {
        registries: vec![host.clone()],
        plain_http: vec![host.parse().expect("a host")],
        ..Default::default()
    };
    let mut resolver = pulling(&folder, &BundleFlags::default(), &flags).await;
    let answer = rendered(&mut resolver, Default::default())
        .await
        .expect("an answer");
    let source = answer.source.expect("a source").source;
    let digest = image.digest();
    let pinned = format!("{host}/ferries/a@{digest}");
    assert_eq!(source, Some(Source::Image(pinned.clone())));
    assert_ne!(answer.manifests, []);

    // An image can be read without any catalog.
    let mut alone = pulling(&catalog("b: 1.0.0").temp(), &BundleFlags::default(), &flags).await;
    for named in [format!("{host}/ferries/a:v1"), pinned.clone()] {
        let of_image = of_image(&mut alone, &named).await.expect("an answer");
        assert_eq!(of_image.catalogs, []);
        let source = of_image.source.expect("a source").source;
        assert_eq!(source, Some(Source::Image(pinned.clone())));
        assert_eq!(of_image.manifests, answer.manifests);
    }
    for (named, code) in [
        (format!("{host}/ferries/a:v2"), Code::FailedPrecondition),
        (
            pinned.replace(&digest, &oci::digest(b"")),
            Code::FailedPrecondition,
        ),
        (
            "elsewhere.example/a:v1".to_owned(),
            Code::FailedPrecondition,
        ),
        ("http://a".to_owned(), Code::InvalidArgument),
    ] {
        let refused = of_image(&mut alone, &named).await.expect_err(&named);
        assert_eq!(refused.code(), code, "{refused}");
    }
    let both = pb::RenderBundleRequest {
        package: "a".to_owned(),
        image: pinned,
        ..Default::default()
    };
    let refused = alone.render_bundle(both).await.expect_err("a refusal");
    assert_eq!(refused.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn diff_bundles_lists_added_permissions() {
    let folder = TempFolder::empty();
    write(&folder, "1.0.0", &csv("1.0.0", "get"));
    write(&folder, "1.1.0", &csv("1.1.0", "get, delete"));
    let flags = BundleFlags {
        bundles: Some(folder.to_path_buf()),
    };
    let (_catalog, mut resolver) = resolver("a: 1.0.0 -> 1.1.0", &flags).await;
    let asked = resolver.diff_bundles(pb::DiffBundlesRequest {
        package: "a".to_owned(),
        from: "a.v1.0.0".to_owned(),
        to: "a.v1.1.0".to_owned(),
        ..Default::default()
    });
    let answer = asked.await.expect("an answer").into_inner();
    let [grown] = answer.grown.as_slice() else {
        panic!("one permission must grow: {:?}", answer.grown);
    };
    assert_eq!(
        (grown.verbs.as_slice(), grown.resources.as_slice()),
        (
            ["delete".to_owned()].as_slice(),
            ["pods".to_owned()].as_slice()
        )
    );
    assert_eq!(answer.images_added, ["registry.example/a:1.1.0"]);
    assert_eq!(answer.images_removed, ["registry.example/a:1.0.0"]);
    assert_eq!(
        (answer.from_faults, answer.to_faults),
        (Vec::new(), Vec::new())
    );
}

/// Writes an image into an OCI layout under a name.
fn laid(layout: &Path, image: &oci::Image, name: &str) {
    let blobs = layout.join("blobs/sha256");
    fs::create_dir_all(&blobs).expect("a folder");
    let manifest = (image.digest(), image.manifest.clone());
    for (digest, bytes) in image.blobs.clone().into_iter().chain([manifest]) {
        fs::write(blobs.join(digest.trim_start_matches("sha256:")), bytes).expect("a blob");
    }
    let entry = serde_json::json!({
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "digest": image.digest(),
        "size": image.manifest.len(),
        "annotations": {"org.opencontainers.image.ref.name": name},
    });
    let index = serde_json::json!({"schemaVersion": 2, "manifests": [entry]});
    fs::write(layout.join("index.json"), index.to_string()).expect("an index");
    let mark = r#"{"imageLayoutVersion": "1.0.0"}"#;
    fs::write(layout.join("oci-layout"), mark).expect("a mark");
}

#[tokio::test]
async fn oci_layout_finds_images_by_name_and_digest() {
    let csv = csv("1.0.0", "get");
    let image = oci::Image::of(&[&[
        ("manifests/csv.yaml", &csv[..]),
        ("metadata/annotations.yaml", ANNOTATIONS),
    ]]);
    let layout = TempFolder::empty();
    laid(&layout, &image, "quay.test/ferries/a:v1");
    let flags = BundleFlags {
        bundles: Some(layout.to_path_buf()),
    };
    let by_digest = format!("quay.test/ferries/a@{}", image.digest());
    for name in ["quay.test/ferries/a:v1", &by_digest] {
        let folder = named(name).temp();
        let answer = rendered(&mut over(&folder, &flags).await, Default::default()).await;
        let answer = answer.expect("an answer");
        let source = answer.source.expect("a source").source;
        assert_eq!(source, Some(Source::Image(by_digest.clone())));
        assert_ne!(answer.manifests, []);
    }
    let other = named("quay.test/ferries/a:v2").temp();
    let refused = rendered(&mut over(&other, &flags).await, Default::default()).await;
    let refused = refused.expect_err("another image");
    assert!(
        refused
            .message()
            .contains("has neither its image nor a/1.0.0"),
        "{refused}"
    );

    // Content that does not match its digest is rejected.
    let (digest, _) = image.blobs.first_key_value().expect("a blob");
    let blob = layout
        .join("blobs/sha256")
        .join(digest.trim_start_matches("sha256:"));
    fs::write(&blob, "another").expect("a blob");
    let folder = named(&by_digest).temp();
    let refused = rendered(&mut over(&folder, &flags).await, Default::default()).await;
    let refused = refused.expect_err("a broken blob");
    assert!(
        refused.message().contains("has another digest"),
        "{refused}"
    );
}

/// Returns a catalog with one bundle, whose image has this name.
fn named(image: &str) -> portolan_kit::catalog::Catalog {
    let mut shop = catalog("a: 1.0.0");
    for package in &mut shop.packages {
        for bundle in &mut package.bundles {
            bundle.image = image.to_owned();
        }
    }
    shop
}
