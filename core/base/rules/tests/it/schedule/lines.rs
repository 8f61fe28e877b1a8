//! Tests of valid and invalid crontab lines.

use portolan_core_rules::schedule::{Moments, Schedule, Zone};
use rstest::rstest;
use similar_asserts::assert_eq;

#[rstest]
#[case::all("* * * * *")]
#[case::numbers("59 23 31 12 7")]
#[case::blanks("  1   0 * * 6\t")]
#[case::lists("0,15,30 1,2 1,31 1,12 0,7")]
#[case::ranges("0-59 0-23 1-31 1-12 0-7")]
#[case::steps("*/5 */2 */10 */3 */2")]
#[case::ranges_with_steps("10-50/10 8-18/2 1-31/7 1-12/2 1-5/2")]
#[case::names("0 0 * jan-MAR,Dec mon-Fri,SUN")]
#[case::to_sunday("0 0 * * SAT-SUN")]
#[case::a_leap_day("0 0 29 2 *")]
#[case::a_day_that_never_is_beside_a_weekday("0 0 31 2 1")]
fn accepts_schedule_line(#[case] line: &str) {
    let read = Moments::parse(line).map(|moments| moments.as_str().to_owned());
    assert_eq!(read, Ok(line.to_owned()));
}

#[rstest]
#[case::none(
    "",
    "has 0 fields; a schedule has five: minute, hour, day of the month, month, weekday"
)]
#[case::seconds("0 0 0 * * *", "has 6 fields; ")]
#[case::a_nickname("@daily", "has 1 fields; ")]
#[case::a_minute(
    "60 * * * *",
    "has an invalid minute, \"60\"; write *, a number from 0 to 59, a range such as 0-59, or either */N or a range \
     with a step"
)]
#[case::an_hour(
    "0 24 * * *",
    "has an invalid hour, \"24\"; write *, a number from 0 to 23,"
)]
#[case::a_day(
    "0 0 0 * *",
    "has an invalid day of the month, \"0\"; write *, a number from 1 to 31,"
)]
#[case::a_month(
    "0 0 * 13 *",
    "has an invalid month, \"13\"; write *, a number from 1 to 12 (or JAN to DEC),"
)]
#[case::a_name("0 0 * Janu *", "has an invalid month, \"Janu\"; ")]
#[case::a_name_elsewhere("JAN 0 * * *", "has an invalid minute, \"JAN\"; ")]
#[case::a_weekday(
    "0 0 * * 8",
    "has an invalid weekday, \"8\"; write *, a number from 0 to 7 (or SUN to SAT),"
)]
#[case::a_sign("-1 0 * * *", "has an invalid minute, \"-1\"; ")]
#[case::a_plus("+1 0 * * *", "has an invalid minute, \"+1\"; ")]
#[case::nothing_in_a_list("0,,1 0 * * *", "has an invalid minute, \"\"; ")]
#[case::the_last_day("0 0 L * *", "has an invalid day of the month, \"L\"; ")]
#[case::the_nearest_weekday("0 0 15W * *", "has an invalid day of the month, \"15W\"; ")]
#[case::the_second_friday("0 0 * * 5#2", "has an invalid weekday, \"5#2\"; ")]
#[case::any("0 0 ? * *", "has an invalid day of the month, \"?\"; ")]
#[case::a_step_without_an_end("5/10 0 * * *", "has an invalid minute, \"5/10\"; ")]
#[case::a_step_of_nothing(
    "*/0 0 * * *",
    "has the minute \"*/0\", whose step is not a whole number from 1 to 59"
)]
#[case::a_long_step(
    "0 */24 * * *",
    "has the hour \"*/24\", whose step is not a whole number from 1 to 23"
)]
#[case::backwards(
    "0 22-6 * * *",
    "has the hour \"22-6\", which is in the wrong order; write the lower value first,"
)]
#[case::never(
    "0 0 31 2 *",
    "has a day that never exists; write a day that the month has"
)]
#[case::never_in_several("0 0 31 4,6,9,11 *", "has a day that never exists; ")]
#[case::thirty_in_february("0 0 30 2 *", "has a day that never exists; ")]
fn rejects_invalid_line(#[case] line: &str, #[case] sentence: &str) {
    let why = Moments::parse(line).expect_err("a refusal").to_string();
    assert!(why.starts_with(sentence), "{why}");
}

#[rstest]
#[case::the_same("0 0 * * *", "0 0 * * *", true)]
#[case::same_time_with_another_spelling("0 0 * * 7", "0  0 * * SUN", true)]
#[case::different_times("0 0 * * *", "0 1 * * *", false)]
fn rejects_schedule_with_equal_start_and_end(
    #[case] start: &str,
    #[case] end: &str,
    #[case] is_refused: bool,
) {
    let moments = |line| Moments::parse(line).expect("a line");
    let made = Schedule::new(moments(start), moments(end), Zone::UTC);
    assert_eq!(made.is_err(), is_refused);
}

#[rstest]
#[case::utc("UTC", "UTC")]
#[case::a_city("Europe/Berlin", "Europe/Berlin")]
#[case::in_small_letters("europe/berlin", "Europe/Berlin")]
#[case::a_shorter_name("EST", "EST")]
fn accepts_time_zone(#[case] name: &str, #[case] expected: &str) {
    assert_eq!(Zone::parse(name).expect("a zone").name(), expected);
}

#[rstest]
#[case::misspelled_zone("Europe/Berlim", "is not a time zone; did you mean \"Europe/Berlin\"?")]
#[case::a_city_alone("Berlin", "is not a time zone; did you mean \"Europe/Berlin\"?")]
#[case::an_offset(
    "+02:00",
    "is not a time zone; write a name from the IANA database, such as \"Europe/Berlin\""
)]
#[case::nothing("", "is not a time zone; write ")]
#[case::a_file("../../etc/passwd", "is not a time zone; write ")]
fn rejects_invalid_time_zone(#[case] name: &str, #[case] sentence: &str) {
    let why = Zone::parse(name).expect_err("a refusal").to_string();
    assert!(why.starts_with(sentence), "{why}");
}
