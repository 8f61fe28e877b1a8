//! The style of a drawing, for light and dark color schemes.

/// The style rules of a drawing. Each rule applies only to `.graph`. The text of a drawing contains
/// all information that the colors show. A page may define variables with the same names, so
/// `.graph` sets every variable that the rules use.
pub const STYLE: &str = "\
.graph{--stroke:var(--faint);--paper:#ffffff;--ink:#1b1f24;--faint:#59636e;--fill:#f6f8fa;--warn:#fff3cd;--edge:#7d5e00;--go:#0b57d0;--c0:#0072b2;--c1:#b84a00;--c2:#00795a;--c3:#aa4499;--c4:#7a5d00;--c5:#0f6b79;\
background:var(--paper);color:var(--ink);font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\
@media(prefers-color-scheme:dark){.graph{--paper:#12161c;--ink:#e6edf3;--faint:#9aa6b2;--fill:#1f2630;--warn:#3a2f00;--edge:#d6a700;--go:#7cacf8;--c0:#5ab4ea;--c1:#ff9a52;--c2:#4cc9a0;--c3:#e08ad0;--c4:#d4b13f;--c5:#5fc3d3}}\
.graph .c0{--stroke:var(--c0)}.graph .c1{--stroke:var(--c1)}.graph .c2{--stroke:var(--c2)}.graph .c3{--stroke:var(--c3)}.graph .c4{--stroke:var(--c4)}.graph .c5{--stroke:var(--c5)}\
.graph text{fill:var(--ink);text-anchor:middle}\
.graph rect{fill:var(--fill);stroke:var(--faint)}\
.graph .head rect{stroke:var(--ink);stroke-width:2.5}\
.graph .deprecated rect{fill:var(--warn);stroke:var(--edge)}\
.graph .missing rect{stroke-dasharray:5 4}.graph .missing text{fill:var(--faint)}\
.graph .path rect{stroke:var(--go);stroke-width:3}\
.graph .installed rect{fill:var(--go)}.graph .installed text{fill:var(--paper);font-weight:bold}\
.graph a:focus-visible{outline:none}.graph a:focus-visible rect,.graph a:hover rect{stroke:var(--ink);stroke-width:4}\
.graph .bunch rect{stroke:none}.graph .bunch text{fill:var(--faint)}\
.graph .channel rect{fill:var(--stroke);stroke:none}.graph .channel text{fill:var(--paper);font-weight:bold}\
.graph .update path,.graph .tie path{fill:none;stroke:var(--stroke);stroke-width:1.5}\
.graph .update.range path{stroke-dasharray:5 4}\
.graph .update.path path{stroke:var(--go);stroke-width:3.5}\
.graph .update path.tip{fill:var(--stroke);stroke-dasharray:none;stroke-width:1}\
.graph .update.path path.tip{fill:var(--go)}\
.graph .update text{font-size:11px;text-anchor:start;fill:var(--stroke)}\
@media print{.graph{--paper:#ffffff;--ink:#000000;--faint:#444444;--fill:#ffffff;--warn:#ffffff;--edge:#7d5e00;--go:#0b57d0;--c0:#0072b2;--c1:#b84a00;--c2:#00795a;--c3:#aa4499;--c4:#7a5d00;--c5:#0f6b79}}\
";
