// How the page looks.
#pragma once

namespace tracker {

inline constexpr const char* page_style = R"css(
:root {
    color-scheme: light dark;
    --back: #f6f7f9; --card: #fff; --text: #1b2430; --dim: #5d6b7e; --line: #dde2ea; --accent: #2f5bea;
    --live: #12864a; --live-back: #e2f5ea; --rest: #a35b00; --rest-back: #fdf0dc; --review: #7a35c9;
    --review-back: #f1e6fd; --bad: #b3261e; --bad-back: #fdeceb; --over: #667487; --over-back: #eceff3;
}
@media (prefers-color-scheme: dark) {
    :root {
        --back: #12161c; --card: #1b212a; --text: #e6ebf2; --dim: #9aa8ba; --line: #303946; --accent: #8aa6ff;
        --live: #6fdc9f; --live-back: #163625; --rest: #f3b562; --rest-back: #3a2a12; --review: #cfa5ff;
        --review-back: #33224a; --bad: #ff9d95; --bad-back: #43201e; --over: #a7b4c4; --over-back: #29313c;
    }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
header { display: flex; align-items: center; gap: 1rem; padding: .7rem 1.2rem; background: var(--card);
    border-bottom: 1px solid var(--line); }
header h1 { font-size: 1.05rem; margin: 0; }
header .space { flex: 1; }
main { display: grid; grid-template-columns: minmax(20rem, 5fr) minmax(22rem, 4fr); gap: 1rem; padding: 1rem 1.2rem;
    max-width: 92rem; margin: 0 auto; }
@media (max-width: 52rem) { main { grid-template-columns: 1fr; } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1rem;
    min-width: 0; }
.card.wide { grid-column: 1 / -1; }
h2 { font-size: .95rem; margin: 0 0 .6rem; display: flex; align-items: center; gap: .6rem; }
h3 { font-size: .8rem; margin: 1rem 0 .3rem; color: var(--dim); text-transform: uppercase; letter-spacing: .05em; }
ul { list-style: none; margin: 0; padding: 0; }
button, select, textarea, input { font: inherit; color: inherit; background: var(--card);
    border: 1px solid var(--line); border-radius: 7px; padding: .3rem .6rem; }
button { cursor: pointer; }
button:hover { border-color: var(--accent); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--card); }
button.danger { color: var(--bad); }
button.link { border: 0; background: none; padding: 0; color: var(--accent); text-decoration: underline; }
textarea, input[type=text] { width: 100%; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.row { display: flex; align-items: center; gap: .5rem; padding: .32rem .5rem; border-radius: 7px; cursor: pointer; }
.row:hover { background: var(--over-back); }
.row[aria-selected=true] { background: var(--over-back); box-shadow: inset 3px 0 0 var(--accent); }
.row .title { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
h2 .id { flex: none; }
.id { font: 12px/1 ui-monospace, monospace; color: var(--dim); white-space: nowrap; max-width: 12rem;
    overflow: hidden; text-overflow: ellipsis; }
.dot { flex: none; width: .65rem; height: .65rem; border-radius: 50%; border: 2px solid var(--over); }
.dot.live { background: var(--live); border-color: var(--live); animation: pulse 1.6s infinite; }
.dot.stopped { background: var(--rest); border-color: var(--rest); border-radius: 2px; }
@keyframes pulse { 50% { box-shadow: 0 0 0 4px var(--live-back); } }
@media (prefers-reduced-motion: reduce) { .dot.live { animation: none; } }
.pill { font-size: .75rem; padding: .05rem .5rem; border-radius: 99px; background: var(--over-back);
    color: var(--over); white-space: nowrap; }
.pill.live { background: var(--live-back); color: var(--live); }
.pill.rest { background: var(--rest-back); color: var(--rest); }
.pill.review, button.badge { background: var(--review-back); color: var(--review); }
.pill.bad { background: var(--bad-back); color: var(--bad); }
button.badge { border: 0; border-radius: 99px; font-size: .75rem; padding: .1rem .55rem; }
dl { display: grid; grid-template-columns: 7.5rem 1fr; gap: .45rem .8rem; margin: 0; align-items: center; }
dt { color: var(--dim); }
dd { margin: 0; min-width: 0; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.preview { color: var(--dim); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 16rem; }
.entry { border-left: 3px solid var(--line); padding: .1rem .6rem; margin: .35rem 0; overflow-wrap: anywhere;
    white-space: pre-wrap; }
.entry b { display: block; font-size: .78rem; color: var(--dim); font-weight: 600; }
form.line { display: flex; gap: .5rem; margin-top: .4rem; }
#audit { max-height: 22rem; overflow: auto; }
#audit li { display: flex; flex-wrap: wrap; gap: .45rem; padding: .25rem 0; border-bottom: 1px solid var(--line);
    font-size: .85rem; align-items: baseline; }
#audit time { color: var(--dim); font-variant-numeric: tabular-nums; }
.label { font: 11.5px/1.5 ui-monospace, monospace; color: var(--dim); overflow-wrap: anywhere; }
dialog { border: 1px solid var(--line); border-radius: 12px; background: var(--card); color: var(--text);
    width: min(34rem, 92vw); padding: 1.1rem 1.3rem; }
dialog::backdrop { background: rgb(10 14 20 / 55%); }
dialog label { display: block; margin: .7rem 0 .2rem; color: var(--dim); }
dialog menu { display: flex; gap: .5rem; justify-content: flex-end; padding: 0; margin: 1rem 0 0; }
dialog menu .danger { margin-right: auto; }
#message { margin: 0; color: var(--bad); }
.error { color: var(--bad); min-height: 1.4em; margin: .5rem 0 0; }
.hint { color: var(--dim); }
[hidden] { display: none !important; }
)css";

}  // namespace tracker
