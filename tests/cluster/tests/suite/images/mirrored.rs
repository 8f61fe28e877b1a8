//! Tests images that are pulled from the mirrors of a cluster, by a resolver with the permissions
//! of the manifests, and by a user at a terminal.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use portolan_kit::oci::{Image, layer, push};
use portolan_kit::{Catalog, Proxy, TempFolder, catalog, files};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::bundle_source::Source;
use portolan_rig::{Audit, Binaries, Failure, PATIENCE, Seen, World, until};
use serde_json::{Value, json};

use super::registry::{Registry, Store};
use crate::approval::crds::create_crd_from;
use crate::firstuse::manifests::with;
use crate::objects::make;
use crate::own_cluster;
use crate::permitted::admit;
use crate::program::{output, portolan};
use crate::resolver::serving::Serving;

const RESOLVER: &str = "system:serviceaccount:portolan:portolan-resolver";
const OPENSHIFT: &str = "config.openshift.io/v1";
const KINDS: [(&str, &str, &str); 3] = [
    (OPENSHIFT, "ImageDigestMirrorSet", "imagedigestmirrorsets"),
    (OPENSHIFT, "ImageTagMirrorSet", "imagetagmirrorsets"),
    (
        "operator.openshift.io/v1alpha1",
        "ImageContentSourcePolicy",
        "imagecontentsourcepolicies",
    ),
];
const RENDER: [&str; 5] = ["bundle", "render", "ferry", "ferry.v1.0.0", "-n=default"];
/// The host of a registry that does not exist.
const GONE: &str = "registry.invalid";
/// The host of another registry, to which no catalog refers.
const OTHER: &str = "other.invalid";

/// A cluster with a CatalogSource, a registry that is a mirror, and a source registry behind a
/// proxy that records requests.
struct Port {
    world: World,
    folder: TempFolder,
    mirror: Registry,
    /// The content of the catalog.
    _store: Store,
    source: Proxy,
    /// The images of two bundles. One is in a registry that does not exist, and the other is in the
    /// source registry.
    bundles: [String; 2],
}

#[tokio::test]
async fn missing_images_are_pulled_from_mirrors_of_the_cluster() -> Result<(), Failure> {
    let Some(port) = Port::open().await? else {
        return Ok(());
    };
    let kubeconfig = port.delivered().await?;
    let serving = Serving::under([
        kubeconfig,
        "--pull-catalogs".to_owned(),
        port.listed("--registries"),
        port.listed("--plain-http"),
    ]);
    let serving = serving.await;
    port.missing_kinds_are_requested_once(&serving).await?;

    for (version, kind, plural) in KINDS {
        define(&port.world, (version, kind, plural), "Cluster").await?;
    }
    let mirrors = [port.mirrored("quay")];
    port.write("ImageTagMirrorSet", "tags", GONE, &mirrors)
        .await?;
    serving.serves(&port.catalog()).await;

    port.tags_are_no_digests(&serving).await?;
    port.write("ImageDigestMirrorSet", "digests", GONE, &mirrors)
        .await?;
    port.until_rendered(&serving, "ferry.v1.0.0", &port.bundles[0])
        .await?;

    port.never_contacts_the_source(&serving).await?;
    port.terminal_user_gets_mirrors_or_an_error().await?;
    let asked = port.asked()?;
    let forbidden = asked.clone().only(|record| record.code == 403);
    assert!(forbidden.is_empty(), "{:#?}", forbidden.records());
    Ok(())
}

// === impl Port ===

impl Port {
    async fn open() -> Result<Option<Self>, Failure> {
        let Some(cluster) = own_cluster().await? else {
            return Ok(None);
        };
        let world = World::on(cluster, "mirrored").await?;
        let store = Store::empty();
        let mirror = store.serve("").await?;
        let source = Proxy::before(mirror.url().as_str()).await;
        let mut shop = catalog("ferry: 1.0.0 -> 1.1.0").installable().by_image();
        let hosts = [GONE.to_owned(), format!("{}/quay", host(&source))];
        let mut bundles = Vec::new();
        for (image, host) in images(&shop).into_iter().zip(hosts) {
            push(mirror.host(), "quay/ferry/bundle", "v1", &image).await;
            bundles.push(format!("{host}/ferry/bundle@{}", image.digest()));
        }
        let named = shop.packages.iter_mut().flat_map(|it| &mut it.bundles);
        for (bundle, image) in named.zip(&bundles) {
            bundle.image.clone_from(image);
        }
        push(mirror.host(), "quay/ferry/catalog", "v1", &image_of(&shop)).await;

        let sources = (
            "operators.coreos.com/v1alpha1",
            "CatalogSource",
            "catalogsources",
        );
        define(&world, sources, "Namespaced").await?;
        let shop = json!({
            "apiVersion": sources.0,
            "kind": sources.1,
            "metadata": {"name": "shop", "namespace": world.namespace()},
            "spec": {"sourceType": "grpc", "image": format!("{GONE}/ferry/catalog:v1")},
        });
        make(world.client(), &shop).await?;
        Ok(Some(Self {
            world,
            folder: TempFolder::empty(),
            mirror,
            _store: store,
            source,
            bundles: bundles.try_into().expect("two bundles"),
        }))
    }

    /// Returns the kubeconfig of a resolver that has only the permissions of the base manifests.
    async fn delivered(&self) -> Result<String, Failure> {
        let file = self.folder.join("base.yaml");
        let base = with(&[]).await?;
        fs::write(&file, base).map_err(Failure::touch("write manifests"))?;
        let mut kubectl = Binaries::ready()?.command("kubectl");
        let admin = self.world.cluster().kubeconfig();
        kubectl.arg("--kubeconfig").arg(admin);
        kubectl.args(["apply", "--server-side", "-f"]).arg(&file);
        let typed = output(kubectl).await?;
        let complaint = String::from_utf8_lossy(&typed.stderr);
        assert!(typed.status.success(), "{complaint}");
        let kubeconfig = self.world.cluster().admit(RESOLVER, None)?;
        Ok(format!("--kubeconfig={}", kubeconfig.display()))
    }

    /// Returns a flag with the permitted registries. It need not contain the registry that does not
    /// exist.
    fn listed(&self, flag: &str) -> String {
        format!("{flag}={},{}", self.mirror.host(), host(&self.source))
    }

    fn mirrored(&self, path: &str) -> String {
        format!("{}/{path}", self.mirror.host())
    }

    fn catalog(&self) -> String {
        format!("{}/shop", self.world.namespace())
    }

    fn asked(&self) -> Result<Audit, Failure> {
        Ok(self.world.cluster().audit()?.by(RESOLVER))
    }

    /// Creates a mirror set for one source, with these mirrors.
    async fn write(
        &self,
        kind: &str,
        name: &str,
        source: &str,
        mirrors: &[String],
    ) -> Result<(), Failure> {
        let field = match kind {
            "ImageTagMirrorSet" => "imageTagMirrors",
            _ => "imageDigestMirrors",
        };
        let spec = json!({field: [{"source": source, "mirrors": mirrors}]});
        self.apply(kind, name, spec).await
    }

    async fn apply(&self, kind: &str, name: &str, spec: Value) -> Result<(), Failure> {
        let named = KINDS.into_iter().find(|(_, known, _)| *known == kind);
        let api = resource(named.expect("a kind of mirrors"));
        let sets: Api<DynamicObject> = Api::all_with(self.world.client().clone(), &api);
        let set = json!({
            "apiVersion": api.api_version,
            "kind": kind,
            "metadata": {"name": name},
            "spec": spec,
        });
        let params = PatchParams::apply("story").force();
        sets.patch(name, &params, &Patch::Apply(set)).await?;
        Ok(())
    }

    /// If the cluster does not have the kinds of mirror sets, the resolver requests each kind only
    /// once.
    async fn missing_kinds_are_requested_once(&self, serving: &Serving) -> Result<(), Failure> {
        let mut watcher = serving.watch().await;
        let is_reported = |why: &str| {
            let why = why.to_owned();
            move |catalog: &pb::Catalog| catalog.reasons.iter().any(|it| it.message.contains(&why))
        };
        let unlisted = format!("{GONE} is not an allowed registry");
        watcher.until(&self.catalog(), is_reported(&unlisted)).await;
        let mut expected = KINDS.map(|(.., plural)| format!("list {plural} 404"));
        expected.sort_unstable();
        until("the kinds to be asked for", PATIENCE, async || {
            let asked = self.asked()?.only(is_of_mirrors);
            let asked = asked.records().iter();
            let asked = asked.map(|it| format!("{} {} {}", it.verb, it.resource, it.code));
            let mut asked: Vec<_> = asked.collect();
            asked.sort_unstable();
            Ok(if asked.len() < expected.len() {
                Seen::NotYet(format!("{asked:?}"))
            } else {
                assert_eq!(asked, expected);
                Seen::Yes(())
            })
        })
        .await
    }

    /// Mirrors for tags are not used for images with a digest.
    async fn tags_are_no_digests(&self, serving: &Serving) -> Result<(), Failure> {
        let refused = render(serving, "ferry.v1.0.0")
            .await
            .expect_err("no mirror");
        let end = format!("{GONE} is not an allowed registry");
        assert!(refused.ends_with(&end), "{refused}");
        Ok(())
    }

    /// Waits until a bundle is rendered from its image.
    async fn until_rendered(
        &self,
        serving: &Serving,
        bundle: &str,
        image: &str,
    ) -> Result<(), Failure> {
        until(format!("{bundle} to be rendered"), PATIENCE, async || {
            Ok(match render(serving, bundle).await {
                Ok(rendered) => {
                    assert_eq!(rendered, Source::Image(image.to_owned()));
                    Seen::Yes(())
                }
                Err(why) => Seen::NotYet(why),
            })
        })
        .await
    }

    /// The source is available, and has images that its mirrors lack. Nevertheless, it must not be
    /// contacted.
    async fn never_contacts_the_source(&self, serving: &Serving) -> Result<(), Failure> {
        let source = host(&self.source);
        let spec = |policy: &str| {
            let mirrors = [self.mirrored("nowhere")];
            let of = |source: &str| json!({"source": source, "mirrors": mirrors, "mirrorSourcePolicy": policy});
            json!({"imageDigestMirrors": [of(&source), of(OTHER)]})
        };
        self.apply("ImageDigestMirrorSet", "never", spec("NeverContactSource"))
            .await?;
        let alone = |source: &str| {
            format!(
                "{source} is not contacted, because the cluster allows its images only from \
                 mirrors (NeverContactSource)"
            )
        };
        // The resolver reads the mirror set after a short time. Its other source does not exist.
        let other = self.bundles[1].replace(&source, OTHER);
        until("the other source to be skipped", PATIENCE, async || {
            let why = render_image(serving, &other).await;
            let is_skipped = matches!(&why, Err(why) if why.ends_with(&alone(OTHER)));
            Ok(if is_skipped {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{why:?}"))
            })
        })
        .await?;
        let requests = self.source.requests();
        assert_eq!(requests, [], "no request before the mirrors are known");
        let why = render(serving, "ferry.v1.1.0").await;
        let why = why.expect_err("an image without a mirror");
        assert!(why.ends_with(&alone(&source)), "{why}");
        assert_eq!(self.source.requests(), []);
        self.apply(
            "ImageDigestMirrorSet",
            "never",
            spec("AllowContactingSource"),
        )
        .await?;
        self.until_rendered(serving, "ferry.v1.1.0", &self.bundles[1])
            .await?;
        assert_ne!(self.source.requests(), []);
        Ok(())
    }

    /// An administrator may read the mirror sets. A user without this permission gets an error
    /// about them.
    async fn terminal_user_gets_mirrors_or_an_error(&self) -> Result<(), Failure> {
        let admin = self.world.cluster().kubeconfig();
        let (code, message) = self.typed(&RENDER, Some(&admin)).await?;
        assert_eq!(code, Some(0), "{message}");
        assert!(message.contains("kind: Deployment"), "{message}");
        self.is_applied(&message).await?;
        let sources = [("operators.coreos.com", &["catalogsources"][..])];
        let tenant = admit(
            self.world.cluster(),
            self.world.client(),
            "tenant",
            &sources,
        );
        let (code, message) = self.typed(&RENDER, Some(&tenant.await?)).await?;
        assert_eq!(code, Some(3), "{message}");
        let begin = "the mirrors of the cluster are unknown: ImageDigestMirrorSets: forbidden: ";
        assert!(message.contains(begin), "{message}");

        // A dump reads the catalog in the same way, and causes no further requests.
        let dump = self.folder.join("dump").display().to_string();
        let (code, message) = self.typed(&["dump", &dump], Some(&admin)).await?;
        assert_eq!(code, Some(0), "{message}");
        let world = format!("--world={dump}");
        let asked = ["path", "ferry", "--from=ferry.v1.0.0", &world];
        let (code, message) = self.typed(&asked, None).await?;
        assert_eq!(code, Some(0), "{message}");
        assert!(message.contains("ferry.v1.1.0"), "{message}");
        Ok(())
    }

    /// kubectl can apply the rendered manifests without changes.
    async fn is_applied(&self, rendered: &str) -> Result<(), Failure> {
        let file = self.folder.join("rendered.yaml");
        fs::write(&file, rendered).map_err(Failure::touch("write manifests"))?;
        let printed = File::open(&file).map_err(Failure::touch("open manifests"))?;
        let mut kubectl = Binaries::ready()?.command("kubectl");
        let admin = self.world.cluster().kubeconfig();
        kubectl.arg("--kubeconfig").arg(admin);
        kubectl.args(["apply", "--server-side", "-f", "-"]);
        kubectl.stdin(printed);
        let typed = output(kubectl).await?;
        let message = [typed.stdout, typed.stderr].concat();
        let message = String::from_utf8_lossy(&message);
        assert!(typed.status.success(), "{message}");
        assert!(
            message.contains("deployment.apps/ferry serverside-applied"),
            "{message}"
        );
        Ok(())
    }

    /// Returns the output of the program, with or without access to the cluster.
    async fn typed(
        &self,
        words: &[&str],
        kubeconfig: Option<&Path>,
    ) -> Result<(Option<i32>, String), Failure> {
        let mut command = Command::new(portolan().await?);
        command.args(words);
        if let Some(kubeconfig) = kubeconfig {
            command.arg("--kubeconfig").arg(kubeconfig);
        }
        command.args([self.listed("--registries"), self.listed("--plain-http")]);
        let typed = output(command).await?;
        let message = [typed.stdout, typed.stderr].concat();
        let message = String::from_utf8_lossy(&message).into_owned();
        Ok((typed.status.code(), message))
    }
}

fn is_of_mirrors(record: &portolan_rig::Record) -> bool {
    KINDS.iter().any(|(.., plural)| record.resource == *plural)
}

fn host(proxy: &Proxy) -> String {
    proxy.url().replace("http://", "")
}

/// Returns the registry from which a bundle was read, or the reason why the bundle cannot be
/// rendered.
async fn render(serving: &Serving, bundle: &str) -> Result<Source, String> {
    let asked = pb::RenderBundleRequest {
        package: "ferry".to_owned(),
        bundle: bundle.to_owned(),
        ..Default::default()
    };
    rendered(serving, asked).await
}

/// Does the same as `render`, for an image that is in no catalog.
async fn render_image(serving: &Serving, image: &str) -> Result<Source, String> {
    let asked = pb::RenderBundleRequest {
        image: image.to_owned(),
        ..Default::default()
    };
    rendered(serving, asked).await
}

async fn rendered(serving: &Serving, asked: pb::RenderBundleRequest) -> Result<Source, String> {
    let mut client = serving.client();
    let rendered = client
        .render_bundle(asked)
        .await
        .map_err(|status| status.message().to_owned())?;
    let source = rendered.into_inner().source.and_then(|it| it.source);
    source.ok_or_else(|| "the source is missing".to_owned())
}

/// Returns the images of all bundles in a catalog.
fn images(shop: &Catalog) -> Vec<Image> {
    let folder = shop.images();
    let bundles = shop.packages.iter().flat_map(|package| &package.bundles);
    let images = bundles.map(|bundle| {
        Image::of_layers(vec![layer_of(&folder.join(&bundle.image), "")], &json!({}))
    });
    images.collect()
}

fn image_of(shop: &Catalog) -> Image {
    let labels = json!({"operators.operatorframework.io.index.configs.v1": "/configs"});
    Image::of_layers(vec![layer_of(&shop.temp(), "configs/")], &labels)
}

/// Returns a layer that contains the files of a folder.
fn layer_of(folder: &Path, within: &str) -> Vec<u8> {
    let texts = files(folder).into_iter().map(|(path, bytes)| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (format!("{within}{path}"), text)
    });
    let texts: Vec<_> = texts.collect();
    let texts = texts.iter().map(|(path, text)| (&path[..], &text[..]));
    layer(&texts.collect::<Vec<_>>())
}

fn resource((version, kind, plural): (&str, &str, &str)) -> ApiResource {
    let (group, version) = version.split_once('/').expect("a group and a version");
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
}

/// Creates a CRD without a schema.
async fn define(world: &World, named: (&str, &str, &str), scope: &str) -> Result<(), Failure> {
    let ApiResource {
        group,
        version,
        kind,
        plural,
        ..
    } = resource(named);
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{
                "name": version,
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                }},
            }],
        },
    });
    let crd = serde_json::from_value(crd).map_err(Failure::read("a CRD"))?;
    create_crd_from(world.client(), &crd).await
}
