//! Tests that no layout has overlaps, for any graph.

use proptest::prelude::*;

use crate::drawing::layout::{Layout, Line, Newest, Point, Rectangle, Size, lay_out};

/// Generates boxes of all sizes, and lines between any two boxes, including cycles and lines from a
/// box to itself.
fn graphs() -> impl Strategy<Value = (Vec<Size>, Vec<Line>)> {
    let size = |most: i64| (0..=most, 1..40_i64).prop_map(|(width, height)| Size { width, height });
    prop::collection::vec(size(160), 1..24).prop_flat_map(move |boxes| {
        let count = boxes.len();
        let line = (0..count, 0..count, size(60));
        let line = line.prop_map(|(from, to, label)| Line { from, to, label });
        (Just(boxes), prop::collection::vec(line, 0..48))
    })
}

fn overlap(one: &Rectangle, other: &Rectangle) -> bool {
    let (left, right) = (one.corner.x, one.corner.x + one.size.width);
    let (top, bottom) = (one.corner.y, one.corner.y + one.size.height);
    other.corner.x < right
        && left < other.corner.x + other.size.width
        && other.corner.y < bottom
        && top < other.corner.y + other.size.height
}

/// Returns the rectangle that contains a piece of a line and the control points of its curve.
fn hull(from: Point, to: Point) -> Rectangle {
    Rectangle {
        corner: Point {
            x: from.x.min(to.x),
            y: from.y.min(to.y),
        },
        size: Size {
            width: (from.x - to.x).abs(),
            height: (from.y - to.y).abs(),
        },
    }
}

/// Returns true if a piece of a line, or its curve, can enter the inside of a rectangle.
fn crosses(piece: &Rectangle, room: &Rectangle) -> bool {
    let within = |low: i64, high: i64, from: i64, to: i64| low < to && from < high;
    within(
        room.corner.y,
        room.corner.y + room.size.height,
        piece.corner.y,
        piece.corner.y + piece.size.height,
    ) && within(
        room.corner.x,
        room.corner.x + room.size.width,
        piece.corner.x,
        piece.corner.x + piece.size.width + 1,
    )
}

/// Returns an error if boxes or labels overlap, if a line crosses one of them, or if a line does
/// not end at its boxes.
fn judge(boxes: &[Size], lines: &[Line], layout: &Layout) -> Result<(), String> {
    let Layout {
        size,
        boxes: places,
        routes,
    } = layout;
    let labels = routes.iter().enumerate();
    let labels = labels.filter_map(|(line, route)| Some((Some(line), route.label?)));
    let rooms: Vec<_> = places.iter().map(|it| (None, *it)).chain(labels).collect();
    for (at, (_, room)) in rooms.iter().enumerate() {
        for (_, other) in &rooms[at + 1..] {
            if overlap(room, other) {
                return Err(format!("{room:?} is over {other:?}"));
            }
        }
        let (right, bottom) = (
            room.corner.x + room.size.width,
            room.corner.y + room.size.height,
        );
        if room.corner.x < 0 || room.corner.y < 0 || right > size.width || bottom > size.height {
            return Err(format!("{room:?} is outside of {size:?}"));
        }
    }
    for (number, (line, route)) in lines.iter().zip(routes).enumerate() {
        if line.from == line.to {
            continue;
        }
        let ends = [route.points.first(), route.points.last()];
        for (end, at) in ends.into_iter().zip([line.from, line.to]) {
            let place = &places[at];
            let end = end.ok_or("a line has no ends")?;
            let is_at_edge = [place.corner.y, place.corner.y + place.size.height].contains(&end.y);
            if !is_at_edge || end.x != place.corner.x + place.size.width / 2 {
                return Err(format!("{end:?} is not at {place:?}"));
            }
        }
        if route.label.is_some() != (line.label.width > 0) {
            return Err(format!("the label of {line:?} is {:?}", route.label));
        }
        for pair in route.points.windows(2) {
            let piece = hull(pair[0], pair[1]);
            let crossed = rooms
                .iter()
                .find(|(of, room)| *of != Some(number) && crosses(&piece, room));
            if let Some((_, room)) = crossed {
                return Err(format!("{line:?} crosses {room:?} by {piece:?}"));
            }
        }
    }
    let sizes: Vec<_> = places.iter().map(|place| place.size).collect();
    if sizes != boxes {
        return Err("boxes have other sizes".to_owned());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn boxes_and_lines_of_a_layout_do_not_overlap((boxes, lines) in graphs(), count in 1..24_usize) {
        let newest = Newest::FirstOf(count.min(boxes.len()));
        let layout = lay_out(&boxes, &lines, newest).expect("a small graph");
        prop_assert_eq!(judge(&boxes, &lines, &layout), Ok(()));
    }
}

/// The newest bundle has fewer predecessors than the head of an older channel, but must be at the
/// top.
#[test]
fn newest_bundle_is_at_the_top() {
    let size = Size {
        width: 50,
        height: 20,
    };
    let line = |(from, to)| Line {
        from,
        to,
        label: Size::default(),
    };
    // Box 0 is an update of box 1. The chain 5, 4, 3, 2 is longer. Boxes 6 and 7 are channels.
    let lines = [(1, 0), (5, 4), (4, 3), (3, 2), (0, 6), (2, 7)].map(line);
    let layout = lay_out(&[size; 8], &lines, Newest::FirstOf(6)).expect("a small graph");
    let row = |at: usize| layout.boxes[at].corner.y;
    assert!((1..6).all(|at| row(0) < row(at)), "{layout:?}");
    assert!(row(6) < row(0), "{layout:?}");
}

/// Each box is directly above its predecessor, at a short distance.
#[test]
fn chain_of_updates_is_drawn_as_a_column() {
    let size = Size {
        width: 50,
        height: 20,
    };
    let line = |from| Line {
        from,
        to: from - 1,
        label: Size::default(),
    };
    let layout = lay_out(&[size; 4], &[3, 2, 1].map(line), Newest::None).expect("a small graph");
    let columns: Vec<_> = layout.boxes.iter().map(|it| it.corner.x).collect();
    assert_eq!(columns, vec![columns[0]; 4]);
    let rows: Vec<_> = layout.boxes.iter().map(|it| it.corner.y).collect();
    assert!(rows.is_sorted(), "{rows:?}");
}

/// The two lines do not cross if the boxes are in the right order.
#[test]
fn avoidable_crossings_are_avoided() {
    let size = Size {
        width: 30,
        height: 20,
    };
    let line = |(from, to)| Line {
        from,
        to,
        label: Size::default(),
    };
    let layout =
        lay_out(&[size; 4], &[(2, 1), (3, 0)].map(line), Newest::None).expect("a small graph");
    let x = |at: usize| layout.boxes[at].corner.x;
    assert_eq!(x(0) < x(1), x(3) < x(2), "{layout:?}");
}

/// The graph is a chain in which each box also has lines to all later boxes.
#[test]
fn too_large_graph_is_rejected_quickly() {
    let boxes = [Size {
        width: 10,
        height: 10,
    }; 200];
    let lines = (0..200).flat_map(|from| {
        (0..from).map(move |to| Line {
            from,
            to,
            label: Size::default(),
        })
    });
    let lines: Vec<_> = lines.collect();
    let refused = lay_out(&boxes, &lines, Newest::None).expect_err("too many lines");
    assert!(
        refused.to_string().starts_with("200 boxes and 19900 lines"),
        "{refused}"
    );
}
