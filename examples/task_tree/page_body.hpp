// What is on the page before it is filled.
#pragma once

namespace tracker {

inline constexpr const char* page_body = R"html(
<header>
  <h1>heeler task tree</h1>
  <p id="message" role="alert"></p>
  <span class="space"></span>
  <button id="new-root" type="button">New tree</button>
</header>
<main>
  <section class="card" aria-labelledby="tree-title">
    <h2 id="tree-title">Issues</h2>
    <ul id="tree" role="tree" aria-labelledby="tree-title"></ul>
    <p id="empty" class="hint" hidden>There are no issues yet.</p>
  </section>
  <section class="card" id="detail" aria-labelledby="detail-title" hidden>
    <h2><span id="detail-id" class="id"></span><span id="detail-title"></span></h2>
    <p id="origin" hidden><span class="pill review" id="origin-badge">Watchdog review</span>
      of <button type="button" class="link" id="origin-link"></button>
      <span class="label" id="origin-print"></span></p>
    <dl>
      <dt><label for="status">Status</label></dt><dd><select id="status"></select>
        <select id="disposition" aria-label="Disposition of the review" hidden>
          <option value="legitimate">legitimate</option><option value="restored">restored</option>
        </select>
        <span class="hint" id="inner" hidden>Only leaves make a stop: what is set here does not count for the watch.</span></dd>
      <dt><label for="assignee">Assignee</label></dt><dd><select id="assignee"></select></dd>
      <dt>Run</dt><dd id="run-row"></dd>
      <dt>Watchdog</dt><dd id="watch-row"></dd>
      <dt>Waits for</dt><dd id="waits"></dd>
    </dl>
    <h3>Comments</h3>
    <div id="comments"></div>
    <form class="line" id="comment-form"><input type="text" id="comment" aria-label="New comment" autocomplete="off">
      <button type="submit">Comment</button></form>
    <h3>Below</h3>
    <button type="button" id="new-child">New child</button>
  </section>
  <section class="card wide" aria-labelledby="audit-title">
    <h2 id="audit-title">Audit</h2>
    <ul id="audit"></ul>
  </section>
</main>
<dialog id="watch-dialog" aria-labelledby="watch-title">
  <form method="dialog" id="watch-form">
    <h2 id="watch-title"></h2>
    <p class="hint">When everything in this tree has come to rest, this agent is woken to check it.</p>
    <label for="watch-agent">Agent</label><select id="watch-agent"></select>
    <label for="watch-instructions">Instructions</label>
    <textarea id="watch-instructions" rows="5" placeholder="What to look at closely. They cannot allow anything."></textarea>
    <p class="error" id="watch-error" role="alert"></p>
    <menu><button type="button" class="danger" id="watch-remove">Remove</button>
      <button type="button" id="watch-cancel">Cancel</button>
      <button type="submit" class="main" id="watch-save">Set</button></menu>
  </form>
</dialog>
<dialog id="new-dialog" aria-labelledby="new-title">
  <form method="dialog" id="new-form">
    <h2 id="new-title"></h2>
    <div id="new-tenant-row"><label for="new-tenant">Tenant</label><input type="text" id="new-tenant"></div>
    <label for="new-name">Title</label><input type="text" id="new-name" autocomplete="off">
    <label for="new-agent">Assignee</label><select id="new-agent"></select>
    <details id="new-more"><summary>Watchdog</summary>
      <label for="new-watch-agent">Agent</label><select id="new-watch-agent"></select>
      <label for="new-watch-text">Instructions</label><textarea id="new-watch-text" rows="3"></textarea></details>
    <p class="error" id="new-error" role="alert"></p>
    <menu><button type="button" id="new-cancel">Cancel</button>
      <button type="submit" class="main" id="new-save">Create</button></menu>
  </form>
</dialog>
)html";

}  // namespace tracker
