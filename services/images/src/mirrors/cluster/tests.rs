use rstest::rstest;

use super::*;
use crate::mirrors::{ImageLocation, places};

const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn list(by: PulledBy, source: &str, mirrors: &[&str]) -> MirrorList {
    MirrorList {
        source: source.to_owned(),
        mirrors: mirrors.iter().map(|&mirror| mirror.to_owned()).collect(),
        by,
        is_source_barred: false,
    }
}

fn digests(source: &str, mirrors: &[&str]) -> MirrorList {
    list(PulledBy::Digest, source, mirrors)
}

fn tags(source: &str, mirrors: &[&str]) -> MirrorList {
    list(PulledBy::Tag, source, mirrors)
}

fn barred(list: MirrorList) -> MirrorList {
    MirrorList {
        is_source_barred: true,
        ..list
    }
}

/// Returns the locations from which an image is requested, by digest or by tag. A forbidden
/// location is marked with `!`.
fn asked(image: &str, flags: &[&str], lists: Vec<MirrorList>) -> Vec<String> {
    let (mirrors, flaws) = ClusterMirrors::of(lists);
    assert_eq!(flaws, [""; 0]);
    let reference = image.parse().expect("an image");
    let flags: Vec<_> = flags
        .iter()
        .map(|flag| flag.parse().expect("a mirror"))
        .collect();
    let places = places(&reference, &flags, &mirrors).into_iter();
    let told = places.map(
        |ImageLocation {
             repository,
             is_barred,
         }| {
            let mark = if is_barred { "!" } else { "" };
            format!("{mark}{repository}")
        },
    );
    told.collect()
}

fn by_digest(lists: Vec<MirrorList>) -> Vec<String> {
    asked(&format!("quay.io/ferry/bundle@{DIGEST}"), &[], lists)
}

fn by_tag(lists: Vec<MirrorList>) -> Vec<String> {
    asked("quay.io/ferry/bundle:v1", &[], lists)
}

#[rstest]
#[case::none(vec![], &["quay.io/ferry/bundle"])]
#[case::a_whole_registry(vec![digests("quay.io", &["m.io/quay"])], &["m.io/quay/ferry/bundle", "quay.io/ferry/bundle"])]
#[case::a_path(vec![digests("quay.io/ferry", &["m.io:5000/f"])], &["m.io:5000/f/bundle", "quay.io/ferry/bundle"])]
#[case::one_repository(vec![digests("quay.io/ferry/bundle", &["m.io/b"])], &["m.io/b", "quay.io/ferry/bundle"])]
#[case::several_in_their_order(
    vec![digests("quay.io", &["b.io", "a.io", "b.io"])],
    &["b.io/ferry/bundle", "a.io/ferry/bundle", "quay.io/ferry/bundle"]
)]
#[case::the_longest_source_alone(
    vec![digests("quay.io", &["short.io"]), digests("quay.io/ferry", &["long.io"]), digests("*.io", &["all.io"])],
    &["long.io/bundle", "quay.io/ferry/bundle"]
)]
#[case::a_name_before_a_domain_of_its_length(
    vec![digests("*.y.io", &["domain.io"]), digests("quay.io", &["name.io"])],
    &["name.io/ferry/bundle", "quay.io/ferry/bundle"]
)]
#[case::a_domain(vec![digests("*.io", &["m.io/all"])], &["m.io/all/ferry/bundle", "quay.io/ferry/bundle"])]
#[case::no_domain_that_it_is_itself(vec![digests("*.quay.io", &["m.io"])], &["quay.io/ferry/bundle"])]
#[case::no_path_that_only_begins_so(vec![digests("quay.io/fer", &["m.io"])], &["quay.io/ferry/bundle"])]
#[case::no_other_port(vec![digests("quay.io:443", &["m.io"])], &["quay.io/ferry/bundle"])]
#[case::no_registry_alone(vec![digests("quay.io/ferry/bundle", &["m.io"])], &["quay.io/ferry/bundle"])]
#[case::no_mirrors(vec![barred(digests("quay.io", &[]))], &["quay.io/ferry/bundle"])]
#[case::itself_in_between(
    vec![digests("quay.io", &["a.io", "quay.io", "b.io"])],
    &["a.io/ferry/bundle", "quay.io/ferry/bundle", "b.io/ferry/bundle"]
)]
#[case::none_for_tags(vec![tags("quay.io", &["m.io"])], &["quay.io/ferry/bundle"])]
#[case::never_the_source(vec![barred(digests("quay.io", &["m.io"]))], &["m.io/ferry/bundle", "!quay.io/ferry/bundle"])]
#[case::never_the_source_as_its_mirror(
    vec![barred(digests("quay.io", &["quay.io", "m.io"]))],
    &["m.io/ferry/bundle", "!quay.io/ferry/bundle"]
)]
#[case::one_list_that_forbids_the_source_is_sufficient(
    vec![barred(digests("quay.io", &["a.io"])), digests("quay.io", &["b.io"])],
    &["a.io/ferry/bundle", "b.io/ferry/bundle", "!quay.io/ferry/bundle"]
)]
#[case::shorter_source_that_is_forbidden_has_no_effect(
    vec![barred(digests("quay.io", &["a.io"])), digests("quay.io/ferry", &["b.io"])],
    &["b.io/bundle", "quay.io/ferry/bundle"]
)]
fn digest_lookup_uses_mirrors_in_order(#[case] lists: Vec<MirrorList>, #[case] expected: &[&str]) {
    assert_eq!(by_digest(lists), expected);
}

#[rstest]
#[case::for_tags(vec![tags("quay.io", &["m.io"])], &["m.io/ferry/bundle", "quay.io/ferry/bundle"])]
#[case::none_for_digests(vec![digests("quay.io", &["m.io"])], &["quay.io/ferry/bundle"])]
#[case::both_of_one_source(
    vec![digests("quay.io", &["digests.io"]), tags("quay.io", &["tags.io"])],
    &["tags.io/ferry/bundle", "quay.io/ferry/bundle"]
)]
#[case::source_forbidden_for_digests_is_forbidden(vec![barred(digests("quay.io", &["m.io"]))], &["!quay.io/ferry/bundle"])]
#[case::the_longest_source_whatever_it_is_for(
    vec![tags("quay.io", &["m.io"]), digests("quay.io/ferry", &["n.io"])],
    &["quay.io/ferry/bundle"]
)]
fn tag_lookup_uses_mirrors_in_order(#[case] lists: Vec<MirrorList>, #[case] expected: &[&str]) {
    assert_eq!(by_tag(lists), expected);
}

#[test]
fn tag_mirrors_are_ignored_for_a_reference_with_digest() {
    let lists = vec![
        digests("quay.io", &["digests.io"]),
        tags("quay.io", &["tags.io"]),
    ];
    let image = format!("quay.io/ferry/bundle:v1@{DIGEST}");
    let expected = ["digests.io/ferry/bundle", "quay.io/ferry/bundle"];
    assert_eq!(asked(&image, &[], lists), expected);
}

#[rstest]
#[case::before_those_of_the_cluster(
    &["quay.io=flag.io"],
    &["flag.io/ferry/bundle", "m.io/ferry/bundle", "!quay.io/ferry/bundle"]
)]
#[case::of_another_registry(&["other.io=flag.io"], &["m.io/ferry/bundle", "!quay.io/ferry/bundle"])]
#[case::of_the_source_itself(&["quay.io=quay.io"], &["quay.io/ferry/bundle", "m.io/ferry/bundle"])]
fn mirrors_of_flags_come_first(#[case] flags: &[&str], #[case] expected: &[&str]) {
    let lists = vec![barred(tags("quay.io", &["m.io"]))];
    assert_eq!(asked("quay.io/ferry/bundle:v1", flags, lists), expected);
}

#[rstest]
#[case::one_after_the_other(["a b", "b c"], "a b c")]
#[case::one_before_the_other(["b c", "a b"], "a b c")]
#[case::one_within_the_other(["a c", "a b c"], "a b c")]
#[case::one_beside_the_other(["b", "a"], "b a")]
#[case::one_against_the_other(["a b", "b a"], "a b")]
fn several_lists_keep_their_orders(#[case] lists: [&str; 2], #[case] expected: &str) {
    let lists = lists.map(|names| {
        let mirrors = names.split(' ').map(|name| format!("{name}.io"));
        MirrorList {
            mirrors: mirrors.collect(),
            ..digests("quay.io", &[])
        }
    });
    let found = by_digest(lists.into());
    let mirrors = found.iter().filter_map(|place| place.split_once(".io/"));
    let names: Vec<_> = mirrors.map(|(name, _)| name).collect();
    assert_eq!(names.join(" "), format!("{expected} quay"));
}

#[rstest]
#[case::a_source(digests("quay.io/Ferry", &["m.io"]), "\"quay.io/Ferry\" is not a source of \
 images: ")]
#[case::a_domain(digests("*.quay.*", &["m.io"]), "\"*.quay.*\" is not a source of images: ")]
#[case::a_path_below_a_domain(digests("*.quay.io/a", &["m.io"]), "\"*.quay.io/a\" is not a source \
 of images: ")]
#[case::a_mirror(digests("quay.io", &["https://m.io"]), "\"https://m.io\" is not a mirror: ")]
fn invalid_mirror_list_is_reported_and_ignored(#[case] list: MirrorList, #[case] flaw: &str) {
    let (mirrors, flaws) = ClusterMirrors::of([list]);
    assert!(flaws[0].starts_with(flaw), "{flaws:?}");
    assert_eq!(flaws.len(), 1);
    let reference = "quay.io/ferry/bundle:v1".parse().expect("an image");
    assert_eq!(mirrors.elsewhere(&reference), Elsewhere::default());
}
