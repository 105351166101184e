// How pages about runs look: light and dark, on paper, and on a phone.
#pragma once

#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr std::string_view page_style =
    ":root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--line:#d9d9e0;--ground:#fff;--card:#f4f5f7;"
    "--calm:#3a7bbf;--good:#18794e;--warning:#b35900;--critical:#c62a2f;--dim:#aab0b8;--l:42%}"
    "@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#a6abb3;--line:#33373c;--ground:#111113;"
    "--card:#1b1d20;--calm:#70b8ff;--good:#3dd68c;--warning:#ffa057;--critical:#ff8b88;--dim:#565c64;--l:64%}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}main{max-width:76rem;margin:0 auto;padding:1rem}"
    "h1{font-size:1.4rem;margin:.5rem 0 0;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:1.6rem 0 .5rem}"
    ".soft{color:var(--soft);margin:.1rem 0 1rem}a{color:var(--calm)}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem "
    ".25rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}.facts th{width:11rem;font-weight:500;"
    "color:var(--soft)}.wide{overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--card)}"
    "svg{display:block;min-width:46rem;width:100%;font:11px system-ui,sans-serif}"
    "text{fill:var(--ink)}.name{text-anchor:end;fill:var(--soft)}.tick{text-anchor:middle;fill:var(--soft);font-size:"
    "10px}"
    ".value{text-anchor:end;fill:var(--ink)}.grid{stroke:var(--line);stroke-width:.7}"
    ".beat{stroke:var(--good);stroke-width:.8;fill:none;opacity:.75}.curve{stroke:var(--calm);stroke-width:1.4;"
    "fill:none}rect,circle{fill:var(--calm)}.calls.calm,.messages.calm{fill:var(--dim)}.state.calm{fill:var(--line)}"
    ".warning{--on:var(--warning)}.critical{--on:var(--critical)}rect.warning,circle.warning{fill:var(--warning)}"
    "rect.critical,circle.critical{fill:var(--critical)}.again{fill:hsl(var(--h) 68% var(--l))}"
    "a:focus-visible{outline:2px solid var(--ink)}a:focus-visible>*{stroke:var(--ink);stroke-width:2}"
    ".swatch{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.45em;"
    "background:hsl(var(--h) 68% var(--l))}ul,ol{list-style:none;margin:0;padding:0}"
    "li{padding:.2rem 0 .2rem .6rem;border-bottom:1px solid var(--line);border-left:3px solid var(--on,transparent)}"
    "li p{margin:0}summary{cursor:pointer;overflow-wrap:anywhere}p,code{overflow-wrap:anywhere}"
    "time{font-variant-numeric:tabular-nums;color:var(--soft);margin-right:.5em}"
    "code,pre{font:12.5px/1.45 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0;"
    "padding:.5rem "
    ".7rem;background:var(--card);border-radius:4px}.table{white-space:pre;overflow-x:auto}:target{outline:2px solid "
    "var(--calm)}"
    "@media "
    "print{.wide{overflow:visible}svg{min-width:0}.table{white-space:pre-wrap}details::details-content{content-"
    "visibility:visible;"
    "display:block}li{break-inside:avoid}}";

}  // namespace heeler::inline HEELER_ABI::detail
