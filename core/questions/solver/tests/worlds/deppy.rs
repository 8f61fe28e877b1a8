//! Runs the test cases of OLM v1's solver (deppy), converted to requests and packages.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::answer_lines;
use crate::world::World;

const PROHIBITED: &str = r#"{"type":"olm.deprecated","value":{}}"#;

/// A requirement for one of two packages. Installing both packages is also possible.
const B_OR_C: &str = concat!(
    r#"{"type":"olm.constraint","value":{"any":{"constraints":["#,
    r#"{"package":{"packageName":"b","versionRange":">=1.0.0"}},"#,
    r#"{"package":{"packageName":"c","versionRange":">=1.0.0"}}]}}}"#,
);

#[rstest]
#[case::no_request_installs_nothing(World::of("a: 1.0.0"), &[]
)]
#[case::unneeded_package_is_not_installed(World::of("a: 1.0.0\nb: 1.0.0").request("b"), &[
        "install b.v1.0.0 of b 1.0.0 from one/stable for 0",
    ]
)]
#[case::request_is_granted(World::of("a: 1.0.0").request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
    ]
)]
#[case::request_for_prohibited_bundle_is_refused(
    World::of("a: 1.0.0").property("a.v1.0.0", PROHIBITED).request("a"), &[
        "a is requested",
        "└── a.v1.0.0 carries the property olm.deprecated, which prevents the installation",
    ]
)]
#[case::requirement_is_installed_too(
    World::of("a: 1.0.0 requires b >=1.0.0\nb: 1.0.0").request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        r#"  needs package b ">=1.0.0" by b.v1.0.0"#,
        "install b.v1.0.0 of b 1.0.0 from one/stable",
    ]
)]
#[case::transitive_requirement_is_installed_too(
    World::of("a: 1.0.0 requires b >=1.0.0\nb: 1.0.0 requires c >=1.0.0\nc: 1.0.0").request("a"),
    &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        r#"  needs package b ">=1.0.0" by b.v1.0.0"#,
        "install b.v1.0.0 of b 1.0.0 from one/stable",
        r#"  needs package c ">=1.0.0" by c.v1.0.0"#,
        "install c.v1.0.0 of c 1.0.0 from one/stable",
    ]
)]
#[case::two_requirements_are_both_fulfilled(
    World::of("a: 1.0.0 requires b >=1.0.0; 1.0.0 requires c >=1.0.0\nb: 1.0.0\nc: 1.0.0")
        .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        r#"  needs package b ">=1.0.0" by b.v1.0.0"#,
        r#"  needs package c ">=1.0.0" by c.v1.0.0"#,
        "install b.v1.0.0 of b 1.0.0 from one/stable",
        "install c.v1.0.0 of c 1.0.0 from one/stable",
    ]
)]
#[case::first_of_two_providers_is_selected(
    World::of(
        "a: 1.0.0 requires g.test/v1/K\nb: 1.0.0 provides g.test/v1/K
         c: 1.0.0 provides g.test/v1/K",
    )
    .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        "  needs API g.test/v1/K by b.v1.0.0",
        "install b.v1.0.0 of b 1.0.0 from one/stable",
    ]
)]
#[case::only_first_of_two_compatible_providers_is_installed(
    World::of("a: 1.0.0\nb: 1.0.0\nc: 1.0.0").property("a.v1.0.0", B_OR_C).request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        r#"  needs any of (package b ">=1.0.0", package c ">=1.0.0") by b.v1.0.0"#,
        "install b.v1.0.0 of b 1.0.0 from one/stable",
    ]
)]
#[case::with_the_preference_reversed_the_other_is_taken(
    World::of("a: 1.0.0\nb: 1.0.0")
        .shop("two", 5, "a: 1.0.0\nc: 1.0.0")
        .property("a.v1.0.0", B_OR_C)
        .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from two/stable for 0",
        r#"  needs any of (package b ">=1.0.0", package c ">=1.0.0") by c.v1.0.0"#,
        "install c.v1.0.0 of c 1.0.0 from two/stable",
    ]
)]
#[case::two_exclusive_requests_are_refused(
    World::of("a: 1.0.0 provides g.test/v1/K\nb: 1.0.0 provides g.test/v1/K").request("a").request("b"),
    &[
        "these requirements conflict",
        "├── a is requested",
        "│   └── a.v1.0.0 cannot be installed together with another provider of API g.test/v1/K",
        "└── b is requested",
        "    └── b.v1.0.0 cannot be installed together with another provider of API g.test/v1/K",
    ]
)]
#[case::preferences_of_unrequested_package_do_not_count(
    World::of("a: 1.0.0\nb: 1.0.0\nc: 1.0.0\nd: 1.0.0 requires c >=1.0.0")
        .property("a.v1.0.0", B_OR_C)
        .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        r#"  needs any of (package b ">=1.0.0", package c ">=1.0.0") by b.v1.0.0"#,
        "install b.v1.0.0 of b 1.0.0 from one/stable",
    ]
)]
#[case::one_bundle_cannot_satisfy_two_ranges(
    World::of("a: 1.0.0 requires c <2.0.0\nb: 1.0.0 requires c >=2.0.0\nc: 1.0.0 -> 2.0.0")
        .request("a").request("b"), &[
        "these requirements conflict",
        "├── a is requested",
        r#"│   └── a.v1.0.0 requires package c "<2.0.0""#,
        "│       └── c.v1.0.0 cannot be installed together with another bundle of package c",
        "└── b is requested",
        r#"    └── b.v1.0.0 requires package c ">=2.0.0""#,
        "        └── c.v2.0.0 cannot be installed together with another bundle of package c",
    ]
)]
#[case::one_bundle_of_a_package_forces_an_older_bundle_elsewhere(
    World::of(
        "a: 1.0.0 requires c <2.0.0\nb: 1.0.0 -> 2.0.0 requires c >=2.0.0\nc: 1.0.0 -> 2.0.0",
    )
    .request("a").request("b"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        r#"  needs package c "<2.0.0" by c.v1.0.0"#,
        "install b.v1.0.0 of b 1.0.0 from one/stable for 1",
        "install c.v1.0.0 of c 1.0.0 from one/stable",
        "request 1 has nothing better:",
        "these requirements conflict",
        "├── a is requested",
        r#"│   └── a.v1.0.0 requires package c "<2.0.0""#,
        "│       └── c.v1.0.0 cannot be installed together with another bundle of package c",
        "└── b is requested",
        r#"    └── b.v2.0.0 requires package c ">=2.0.0""#,
        "        └── c.v2.0.0 cannot be installed together with another bundle of package c",
    ]
)]
#[case::one_operator_satisfies_two_requirements(
    World::of(
        "a: 1.0.0 requires g.test/v1/K; 1.0.0 requires g.test/v1/L
         b: 1.0.0 provides g.test/v1/K\nc: 1.0.0 provides g.test/v1/L
         d: 1.0.0 provides g.test/v1/K, g.test/v1/L",
    )
    .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        "  needs API g.test/v1/K by d.v1.0.0",
        "  needs API g.test/v1/L by d.v1.0.0",
        "install d.v1.0.0 of d 1.0.0 from one/stable",
    ]
)]
#[case::head_is_preferred_even_with_more_extras(
    World::of(
        "a: 1.0.0 requires g.test/v1/K\nb: 1.0.0 provides g.test/v1/K; 1.0.0 requires c >=1.0.0
         c: 1.0.0 requires d >=1.0.0\nd: 1.0.0\ne: 1.0.0 -> 2.0.0; 1.0.0 provides g.test/v1/K",
    )
    .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        "  needs API g.test/v1/K by b.v1.0.0",
        "install b.v1.0.0 of b 1.0.0 from one/stable",
        r#"  needs package c ">=1.0.0" by c.v1.0.0"#,
        "install c.v1.0.0 of c 1.0.0 from one/stable",
        r#"  needs package d ">=1.0.0" by d.v1.0.0"#,
        "install d.v1.0.0 of d 1.0.0 from one/stable",
    ]
)]
#[case::least_preferred_candidate_is_chosen_if_it_is_the_only_solution(
    World::of(
        "a: 1.0.0 requires g.test/v1/K
         b: 1.0.0 provides g.test/v1/K; 1.0.0 requires gone >=1.0.0
         c: 1.0.0 provides g.test/v1/K\nd: 1.0.0 -> 2.0.0; 1.0.0 provides g.test/v1/K
         d: 1.0.0 deprecated \"weak\"",
    )
    .property("c.v1.0.0", PROHIBITED)
    .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        "  needs API g.test/v1/K by d.v1.0.0",
        "install d.v1.0.0 of d 1.0.0 from one/stable deprecated: weak",
    ]
)]
#[case::each_of_several_requirements_has_its_preference(
    World::of(
        "a: 1.0.0 requires g.test/v1/K; 1.0.0 requires g.test/v1/L
         b: 1.0.0 provides g.test/v1/K\nc: 1.0.0 -> 2.0.0; 1.0.0 provides g.test/v1/K
         d: 1.0.0 -> 2.0.0; 1.0.0 provides g.test/v1/L\ne: 1.0.0 provides g.test/v1/L",
    )
    .request("a"), &[
        "install a.v1.0.0 of a 1.0.0 from one/stable for 0",
        "  needs API g.test/v1/K by b.v1.0.0",
        "  needs API g.test/v1/L by e.v1.0.0",
        "install b.v1.0.0 of b 1.0.0 from one/stable",
        "install e.v1.0.0 of e 1.0.0 from one/stable",
    ]
)]
fn matches_the_examples_of_deppy(#[case] world: World, #[case] expected: &[&str]) {
    assert_same!(answer_lines(&world.answer()), expected);
}
