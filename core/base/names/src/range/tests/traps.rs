//! Texts that have a surprising meaning in the original library.

use super::*;

#[rstest]
#[case::empty(
    "",
    "\"\" is not a version range: at column 1, it is empty; for every version write \">=0.0.0\""
)]
#[case::blank(
    " ",
    "\" \" is not a version range: at column 1, it is empty; for every version write \">=0.0.0\""
)]
fn empty_range_is_rejected(#[case] text: &str, #[case] sentence: &str) {
    assert_eq!(VersionRange::parse(text).unwrap_err().to_string(), sentence);
}

#[rstest]
#[case("x", 1, "\"x\" is not a wildcard; every version is \">=0.0.0\"")]
#[case("*", 1, "\"*\" is not a wildcard; every version is \">=0.0.0\"")]
#[case("1.X", 1, "\"1.X\" is not a wildcard; write a small x")]
#[case("1.*", 1, "\"1.*\" is not a wildcard; write a small x")]
#[case("1.2.X", 1, "\"1.2.X\" is not a wildcard; write a small x")]
#[case(
    "x.x.x",
    1,
    "\"x.x.x\" is not a wildcard; an x can only be last, as in \"1.x\" or \"1.2.x\""
)]
#[case(
    "x.1.2",
    1,
    "\"x.1.2\" is not a wildcard; an x can only be last, as in \"1.x\" or \"1.2.x\""
)]
#[case(
    ">=1.x.2",
    3,
    "\"1.x.2\" is not a wildcard; an x can only be last, as in \"1.x\" or \"1.2.x\""
)]
#[case(
    "1.2.3.x",
    1,
    "\"1.2.3.x\" is not a wildcard; an x can only be last, as in \"1.x\" or \"1.2.x\""
)]
#[case(
    "1.2.x.x",
    1,
    "\"1.2.x.x\" is not a wildcard; an x can only be last, as in \"1.x\" or \"1.2.x\""
)]
#[case(
    ">=1.x.x.x",
    3,
    "\"1.x.x.x\" is not a wildcard; an x can only be last, as in \"1.x\" or \"1.2.x\""
)]
#[case(
    ">=1.2.x-rc",
    3,
    "\"1.2.x-rc\" is not a wildcard; a version with an x cannot have a prerelease or build \
     metadata; write 0 instead of x"
)]
#[case(
    ">9223372036854775807.x",
    2,
    "\"9223372036854775807\" is not a wildcard; the maximum of OLM is 9223372036854775807"
)]
#[case("1.xx", 3, "\"x\" is not a digit")]
#[case(
    "fo.ob.ar.x",
    1,
    "\"fo.ob.ar.x\" is not a wildcard; an x can only be last, as in \"1.x\" or \"1.2.x\""
)]
fn rejects_misplaced_wildcards(#[case] text: &str, #[case] column: usize, #[case] flaw: &str) {
    assert_rejected(text, column, flaw);
}

#[rstest]
#[case("1", 1, "a version has three numbers, as in \"1.2.0\"; found 1")]
#[case("1.2", 1, "a version has three numbers, as in \"1.2.0\"; found 2")]
#[case("1.0", 1, "a version has three numbers, as in \"1.2.0\"; found 2")]
#[case("foox", 1, "\"f\" is not a digit")]
#[case("1.2.3.4", 1, "a version has three numbers, as in \"1.2.0\"; found 4")]
#[case("v1.2.3", 1, "a version starts with a digit; write \"1.2.3\"")]
#[case(">=v1.2.3", 3, "a version starts with a digit; write \"1.2.3\"")]
#[case(">=1.0.0 <v2.x", 10, "a version starts with a digit; write \"2.x\"")]
#[case("01.2.3", 1, "\"01\" has a leading zero; write \"1\"")]
#[case(">1.00.1", 4, "\"00\" has a leading zero; write \"0\"")]
#[case(
    "18446744073709551616.0.0",
    1,
    "\"18446744073709551616\" is greater than 18446744073709551615, the maximum"
)]
#[case("string", 1, "\"s\" is not a digit")]
#[case("a 1.2.3", 1, "\"a\" is not a digit")]
#[case("5 1.2.3", 1, "a version has three numbers, as in \"1.2.0\"; found 1")]
#[case("1.2.3 >", 7, "no version follows \">\"")]
#[case("> = || 1.2.3", 1, "no version follows \">=\"")]
#[case(
    ">1.2.3 || 5 || <1.0.0",
    11,
    "a version has three numbers, as in \"1.2.0\"; found 1"
)]
#[case("é >=1.0.0", 1, "\"é\" is not a digit")]
fn rejects_incomplete_versions(#[case] text: &str, #[case] column: usize, #[case] flaw: &str) {
    assert_rejected(text, column, flaw);
}

#[rstest]
#[case(
    ">>1.2.3",
    1,
    "\">>\" is not an operator; the operators are = != > >= < <="
)]
#[case(
    "===1.2.3",
    1,
    "\"===\" is not an operator; the operators are = != > >= < <="
)]
#[case(
    "!==1.2.3",
    1,
    "\"!==\" is not an operator; the operators are = != > >= < <="
)]
#[case("=>1.x", 1, "\"=>\" is not an operator; write \">=\"")]
#[case("=>1.2.3", 1, "\"=>\" is not an operator; write \">=\"")]
#[case("1.0.0 =<1.2.3", 7, "\"=<\" is not an operator; write \"<=\"")]
#[case("<>1.2.3", 1, "\"<>\" is not an operator; write \"!=\"")]
#[case(
    "~1.2.3",
    1,
    "\"~\" is not an operator; write both ends, as in \">=1.2.0 <2.0.0\""
)]
#[case(
    "^1.2.3",
    1,
    "\"^\" is not an operator; write both ends, as in \">=1.2.0 <2.0.0\""
)]
#[case(
    "! 1.2.3",
    1,
    "\"!\" is not an operator; OLM ignores it if it is alone; write \"!=\""
)]
#[case(
    ">=1.0.0 ! =1.2.3",
    9,
    "\"!\" is not an operator; OLM ignores it if it is alone; write \"!=\""
)]
fn rejects_unsupported_comparison_operators(
    #[case] text: &str,
    #[case] column: usize,
    #[case] flaw: &str,
) {
    assert_rejected(text, column, flaw);
}

#[rstest]
#[case(
    "1.2.3 - 1.3.0",
    7,
    "\"-\" cannot join versions here; write both ends, as in \">=1.2.0 <=1.3.0\""
)]
#[case(
    "1.2.3 | 1.2.4",
    7,
    "\"|\" cannot join versions here; put a space on both sides of \"||\""
)]
#[case(
    "1.2.3||1.2.4",
    6,
    "\"||\" cannot join versions here; put a space on both sides of it"
)]
#[case(
    "1.2.3 ||1.2.4",
    7,
    "\"||\" cannot join versions here; put a space on both sides of it"
)]
#[case(
    "1.2.3|| 1.2.4",
    6,
    "\"||\" cannot join versions here; put a space on both sides of it"
)]
#[case(">1.2.3, <2.0.0", 7, "\",\" cannot join versions here; write a blank")]
#[case(">1.2.3,<2.0.0", 7, "\",\" cannot join versions here; write a blank")]
#[case(
    ">=1.0.0<2.0.0",
    8,
    "\"<\" cannot join versions here; put a space before it"
)]
#[case(
    "1.2.3 || || 1.2.4",
    10,
    "an alternative is missing; \"||\" must be between two of them"
)]
#[case(
    "|| 1.2.3",
    1,
    "an alternative is missing; \"||\" must be between two of them"
)]
#[case(
    "1.2.3 ||",
    9,
    "an alternative is missing; \"||\" must be between two of them"
)]
fn rejects_separators_of_other_languages(
    #[case] text: &str,
    #[case] column: usize,
    #[case] flaw: &str,
) {
    assert_rejected(text, column, flaw);
}

fn assert_rejected(text: &str, column: usize, flaw: &str) {
    let refusal = VersionRange::parse(text).unwrap_err();
    assert_eq!(
        (refusal.column(), refusal.flaw().to_string()),
        (column, flaw.to_owned())
    );
}

#[rstest]
#[case(
    "1.x.x",
    ">=1.0.0 <1.1.0",
    "\"1.x.x\" means \">=1.0.0 <1.1.0\"; to match the major version, write \"1.x\""
)]
#[case(
    "<=1.x.x",
    "<1.1.0",
    "\"<=1.x.x\" means \"<1.1.0\"; to match the major version, write \"<=1.x\""
)]
#[case(
    ">1.x.x",
    ">=1.1.0",
    "\">1.x.x\" means \">=1.1.0\"; to match the major version, write \">1.x\""
)]
#[case(
    "!=1.5.x",
    "<0.0.0-0",
    "\"!=1.5.x\" matches nothing; for all other versions write \"<1.5.0 || >=1.6.0\""
)]
#[case(
    "!1.x",
    "<0.0.0-0",
    "\"!1.x\" matches nothing; for all other versions write \"<1.0.0 || >=2.0.0\""
)]
#[case(
    ">=1.0.0 !=1.5.x",
    "<0.0.0-0",
    "\"!=1.5.x\" matches nothing; for all other versions write \"<1.5.0 || >=1.6.0\""
)]
#[case(
    "1.2.3-next.1",
    ">=1.2.3-next.1 <1.2.3-next.1.0",
    "OLM misreads \"1.2.3-next.1\": it treats the \"x\" as a wildcard"
)]
#[case(
    "1.2.3-x",
    ">=1.2.3-x <1.2.3-x.0",
    "OLM misreads \"1.2.3-x\": it treats the \"x\" as a wildcard"
)]
#[case(
    "\n1.2.3",
    ">=1.2.3 <1.2.4-0",
    "OLM may misread the tabs and line breaks in it; use spaces"
)]
#[case(
    ">=1.2.3\t<2.0.0",
    ">=1.2.3 <2.0.0",
    "OLM may misread the tabs and line breaks in it; use spaces"
)]
#[case(
    "> 1.2.3+exp",
    ">=1.2.4-0",
    "OLM misreads \"> 1.2.3+exp\": it treats the \"x\" as a wildcard"
)]
#[case(
    "<1.2.3-rc.xy",
    "<1.2.3-rc.xy",
    "OLM misreads \"<1.2.3-rc.xy\": it treats the \"x\" as a wildcard"
)]
#[case(
    "1.2.3\t",
    ">=1.2.3 <1.2.4-0",
    "OLM may misread the tabs and line breaks in it; use spaces"
)]
#[case(
    ">\t1.2.3\n<2.0.0",
    ">=1.2.4-0 <2.0.0",
    "OLM may misread the tabs and line breaks in it; use spaces"
)]
fn surprising_range_is_accepted_with_a_warning(
    #[case] text: &str,
    #[case] canonical: &str,
    #[case] warning: &str,
) {
    let range = range(text);
    let warnings: Vec<String> = range.warnings().iter().map(Warning::to_string).collect();
    assert_eq!(
        (range.canonical().to_string(), warnings),
        (canonical.to_owned(), vec![warning.to_owned()])
    );
}

#[rstest]
#[case("!= 1.2.3", "!=1.2.3")]
#[case("= 1.2.3", "1.2.3")]
#[case("> = 1.2.3", ">=1.2.3")]
#[case("= =1.2.3", "==1.2.3")]
#[case("  >=   1.2.3   <=  1.2.3   ", ">=1.2.3 <=1.2.3")]
#[case("     1.2.3     1.2.3     ", "1.2.3")]
#[case("1.2.3 || >=1.2.3 <1.2.3", "1.2.3")]
#[case(">=1.x.x", ">=1.0.0")]
#[case("<1.x.x", "<1.0.0")]
#[case(">=1.2.3-next", ">=1.2.3-next")]
#[case("18446744073709551615.0.0", "=18446744073709551615.0.0")]
fn ranges_of_the_same_meaning_are_equal(#[case] text: &str, #[case] same: &str) {
    assert_eq!(range(text), range(same));
    assert_eq!(range(text).warnings(), []);
}

#[test]
fn range_above_1024_bytes_is_rejected() {
    let longest = "1.0.0 ".repeat(170) + "    ";
    assert_eq!(longest.len(), 1024);
    assert!(VersionRange::parse(&longest).is_ok());
    let refusal = VersionRange::parse(&format!("{longest} ")).unwrap_err();
    assert_eq!(
        refusal.flaw(),
        &Flaw::TooLong {
            length: 1025,
            longest: 1024
        }
    );
}
