use std::fs;
use std::time::Duration;

use portolan_api::Intent;
use portolan_kit::TempFolder;
use tokio::time::timeout;

use super::*;
use crate::Files;
use crate::projection::Projection;
use crate::settle::Pace;
use crate::store::Stores;

const POLICY: &str = r#"
apiVersion: policy.open-cluster-management.io/v1beta1
kind: OperatorPolicy
metadata: {name: ferry, namespace: west}
spec:
  remediationAction: enforce
  complianceType: musthave
  upgradeApproval: Automatic
  subscription: {name: ferry, namespace: harbor}
  versions: ['{{ fromConfigMap "harbor" "allowed" "ferry" }}']
"#;

/// A Secret with an entry whose key is the name of the Secret. An incorrect lookup could find this
/// entry.
const SECRET: &str = r#"
apiVersion: v1
kind: Secret
metadata: {name: key, namespace: harbor}
data: {token: aHVudGVyMg==}
"#;

fn map(version: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: allowed, namespace: harbor}}\n\
         data: {{ferry: {version}}}\n"
    )
}

struct Folder {
    folder: TempFolder,
    policies: Objects<OperatorPolicy>,
    _world: ResolvedWorld<Files>,
}

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = TempFolder::empty();
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("a file");
        }
        let pace = Pace {
            quiet: Duration::from_millis(40),
            look: Duration::from_secs(3600),
        };
        let world = ResolvedWorld::of(Files::with_pace(&folder, pace));
        Self {
            folder,
            policies: world.objects(),
            _world: world,
        }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).expect("a file");
    }

    async fn until(&mut self, is_wanted: impl Fn(&Result<Intent, Vec<String>>) -> bool) {
        let parsed = |view: &View<OperatorPolicy>| {
            let policy = view.object("west", "ferry")?;
            Some(Intent::parse(policy).map_err(|refused| refused.sentences()))
        };
        let is_so = |view: &View<_>| parsed(view).is_some_and(|it| is_wanted(&it));
        let found = timeout(Duration::from_secs(10), self.policies.until(is_so)).await;
        let now = parsed(&self.policies.now());
        assert!(found.is_ok_and(|it| it.is_ok()), "it is {now:?}");
    }
}

fn allows(intent: &Result<Intent, Vec<String>>, version: &str) -> bool {
    let intent = intent.as_ref().ok();
    intent.is_some_and(|it| format!("{:?}", it.consents).contains(version))
}

#[tokio::test]
async fn policy_follows_its_templates_and_their_inputs() {
    let mut folder = Folder::with(&[("policy.yaml", POLICY), ("map.yaml", &map("ferry.v1.0.0"))]);
    folder.until(|it| allows(it, "ferry.v1.0.0")).await;
    folder.write("map.yaml", &map("ferry.v2.0.0"));
    folder.until(|it| allows(it, "ferry.v2.0.0")).await;
}

#[tokio::test]
async fn missing_template_input_is_reported_and_recovers() {
    let mut folder = Folder::with(&[("policy.yaml", POLICY)]);
    let reported = "ConfigMap harbor/allowed is missing from the files that represent the cluster; \
        add the object to these files";
    let is_told = |it: &Result<Intent, Vec<String>>| {
        let refused = it.as_ref().err();
        refused.is_some_and(|all| matches!(&all[..], [only] if only.ends_with(reported)))
    };
    folder.until(is_told).await;
    folder.write("map.yaml", &map("ferry.v1.0.0"));
    folder.until(|it| allows(it, "ferry.v1.0.0")).await;
}

/// A world in which the lookups of templates never get a response.
#[derive(Clone)]
struct Silent {
    files: Files,
    stores: Arc<Stores>,
}

impl World for Silent {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        self.files.objects_in(area)
    }

    fn dialer(&self) -> Dialer {
        self.files.dialer()
    }
}

impl RawWorld for Silent {
    fn raw(&self, kind: &ApiResource, area: Area) -> RawObjects {
        self.stores.raw(kind, area, |_| ())
    }
}

#[tokio::test]
async fn unanswered_lookup_delays_no_other_policy() {
    let folder = TempFolder::empty();
    let plain = POLICY.replace(
        "name: ferry, namespace: west",
        "name: plain, namespace: west",
    );
    let plain = plain.replace(
        r#"'{{ fromConfigMap "harbor" "allowed" "ferry" }}'"#,
        "a.v1.0.0",
    );
    for (name, text) in [("ferry.yaml", POLICY), ("plain.yaml", &*plain)] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let silent = Silent {
        files: Files::at(&folder),
        stores: Arc::new(Stores::of(Projection::default())),
    };
    let patience = Duration::from_millis(200);
    let mut policies = resolved_within(patience, silent.files.objects(), &silent);
    let both = policies.until(|view| view.objects.len() == 2);
    let view = timeout(Duration::from_secs(10), both)
        .await
        .expect("in time");
    let view = view.expect("the world goes on");
    let parsed = |name: &str| Intent::parse(view.object("west", name).expect("it"));
    assert!(parsed("plain").is_ok());
    let refused = parsed("ferry").expect_err("what it reads is unknown");
    assert_eq!(
        refused.sentences(),
        ["spec cannot be resolved: the objects that its templates read have not been read yet"]
    );
}

const UNSERVED: &str = "one or more API resources are not installed on the API server";
const UNREAD: &str = "unexpected GroupVersion string: v1/namespaces/harbor/secrets?x=";

/// If a template could use another spelling of the kind, the Secret would not be treated as
/// confidential.
#[rstest::rstest]
#[case::in_small_letters("v1", "secret", UNSERVED)]
#[case::in_capitals("v1", "SECRET", UNSERVED)]
#[case::as_a_path("v1", "secrets?x=", UNSERVED)]
#[case::by_a_version("v1/namespaces/harbor/secrets?x=", "ConfigMap", UNREAD)]
#[tokio::test]
async fn secret_is_read_only_by_the_exact_kind_name(
    #[case] version: &str,
    #[case] kind: &str,
    #[case] reported: &str,
) {
    let lookup = format!(r#"{{{{ (lookup "{version}" "{kind}" "harbor" "key").data.token }}}}"#);
    let policy = POLICY.replace(r#"{{ fromConfigMap "harbor" "allowed" "ferry" }}"#, &lookup);
    let mut folder = Folder::with(&[("policy.yaml", &policy), ("secret.yaml", SECRET)]);
    folder
        .until(|it| it.as_ref().is_err_and(|all| all[0].ends_with(reported)))
        .await;
}
