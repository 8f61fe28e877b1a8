use crate::tests::kit::*;
use crate::*;

fn names(names: &[&str]) -> std::collections::BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn lists_all_objects_that_operators_name() {
    let World(all) = world()
        .lacks(
            "CustomResourceDefinition",
            "quays.demo.example",
            "NotPresent",
        )
        .lacks("APIService", "v1.quays.example", "NotPresent")
        .lacks("ServiceAccount", "deckhand", "NotPresent")
        .csv(|csv| {
            csv.spec.custom_resources.required = vec![api("tides.demo.example")];
            csv.spec.served.owned = vec![served_api("v1.charts.example")];
            csv.spec.served.required = vec![served_api("v1.winds.example")];
        });
    let mentioned = Mentioned {
        crds: names(&[
            "ferries.demo.example",
            "quays.demo.example",
            "tides.demo.example",
        ]),
        served: names(&["v1.charts.example", "v1.quays.example", "v1.winds.example"]),
        catalogs: [("olm".to_owned(), "ports".to_owned())].into(),
    };
    assert_eq!(
        Mentioned::by(&all.csvs.objects, &all.subscriptions.objects),
        mentioned
    );
}

#[test]
fn inspects_objects_below_failing_named_deployments() {
    let World(all) = world()
        .csv(|csv| {
            for name in ["down", "gone"] {
                csv.spec.install.spec.deployments.push(wanted(name, None));
            }
        })
        .namespace(|all| {
            for name in ["down", "unnamed"] {
                let mut one = deployment(name, "ferry.v1");
                one.status.available_replicas = 0;
                all.deployments.objects.push(one);
            }
        });
    let down = Object::new(Kind::Deployment, HOME, "down");
    assert_eq!(
        failing(&all.csvs.objects, &all.deployments.objects),
        [down].into()
    );
}
