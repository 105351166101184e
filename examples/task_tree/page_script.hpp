// What the page does: asks for the tree each second, shows it, sends what people change. Whatever somebody wrote
// becomes text, never HTML.
#pragma once

namespace tracker {

inline constexpr const char* page_script = R"js(
'use strict';
const $ = id => document.getElementById(id);
const statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'cancelled'];
let issues = [], agents = [], selected = null, shown = {};

function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'onclick') node.addEventListener('click', value);
        else if (value !== null && value !== false) node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children.filter(child => child !== null));
    return node;
}
const pill = (text, kind = '') => make('span', {class: 'pill ' + kind}, text);
const byId = id => issues.find(issue => issue.id === id) || null;
const path = (id, rest = '') => '/api/issues/' + encodeURIComponent(id) + rest;

/// The address has the token behind its '#', which no server sees; here it is kept out of sight, for this tab.
if (location.hash.length > 1) {
    sessionStorage.setItem('token', location.hash.slice(1));
    history.replaceState(null, '', location.pathname);
}
addEventListener('hashchange', () => location.reload());
const headers = {'Authorization': 'Bearer ' + (sessionStorage.getItem('token') || ''), 'Content-Type': 'application/json'};

async function call(method, where, body) {
    const response = await fetch(where, {method, headers,
        body: body === undefined ? undefined : JSON.stringify(body)});
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : null;
    let why = 'status ' + response.status;
    try { why = JSON.parse(text).error || why; } catch { /* it is no JSON */ }
    throw Object.assign(new Error(why), {status: response.status});
}

async function change(method, where, body, errors = $('message')) {
    errors.textContent = '';
    try {
        const answer = await call(method, where, body);
        await refresh();
        return answer || true;
    } catch (error) {
        errors.textContent = error.message;
        for (const select of [$('status'), $('assignee')]) select.dataset.shown = '';
        showDetail().catch(lost);
        return false;
    }
}

/// The choice is set when it changed here or there, and left alone while somebody chooses.
function options(select, values, chosen, none, key = '') {
    const wanted = (none === undefined ? [] : [['', none]]).concat(values.map(value => [value, value]));
    if (chosen && !values.includes(chosen)) wanted.push([chosen, chosen]);
    const text = JSON.stringify(wanted);
    if (select.dataset.values !== text)
        select.replaceChildren(...wanted.map(([value, label]) => make('option', {value}, label)));
    if (!key || select.dataset.shown !== key + chosen || select.dataset.values !== text) select.value = chosen || '';
    select.dataset.values = text;
    select.dataset.shown = key + chosen;
}
const agentsOf = tenant => agents.filter(agent => agent.tenant === tenant).map(agent => agent.id);

// --- the tree ---

const childrenOf = id => issues.filter(issue => issue.parentId === id);
function inOrder() {
    const rows = [];
    const walk = (issue, level) => {
        rows.push([issue, level]);
        childrenOf(issue.id).forEach(child => walk(child, level + 1));
    };
    issues.filter(issue => !issue.parentId || !byId(issue.parentId)).forEach(root => walk(root, 1));
    return rows;
}
const isLeaf = issue => !childrenOf(issue.id).some(child => !child.isReview);
const stateOf = issue => issue.live ? 'live' : isLeaf(issue) && !issue.isReview ? 'stopped' : 'rest';
const isWatched = issue => Boolean(issue.watch) || Boolean(byId(issue.parentId) && isWatched(byId(issue.parentId)));
const stateWords = {live: 'moves', stopped: 'stopped leaf', rest: 'rests'};

function badge(watch, id) {
    return make('button', {type: 'button', class: 'badge', id, 'data-review': watch.openReviewId, tabindex: id ? 0 : -1,
        onclick: event => { event.stopPropagation(); select(watch.openReviewId); }}, 'review ' + watch.openReviewId);
}

function treeRow(issue, level) {
    const state = stateOf(issue);
    const row = make('li', {role: 'treeitem', class: 'row', 'data-issue': issue.id, 'data-state': state,
        'data-status': issue.status, 'aria-level': level, 'aria-selected': String(issue.id === selected),
        tabindex: issue.id === selected ? 0 : -1, onclick: () => select(issue.id)},
    make('span', {class: 'dot ' + state, title: stateWords[state], role: 'img', 'aria-label': stateWords[state]}),
    make('span', {class: 'id'}, issue.id), make('span', {class: 'title'}, issue.title),
    issue.isReview ? make('span', {class: 'pill review', 'data-badge': 'origin'}, 'watchdog review') : null,
    issue.watch ? pill('watched: ' + issue.watch.verdict, issue.watch.verdict === 'live' ? 'live' : 'rest') : null,
    issue.watch && issue.watch.openReviewId ? badge(issue.watch, null) : null,
    pill(issue.status));
    row.style.paddingInlineStart = (level - 1) * 1.3 + .5 + 'rem';
    return row;
}

function showTree(focus = $('tree').contains(document.activeElement)) {
    $('empty').hidden = issues.length > 0;
    const rows = inOrder();
    $('tree').replaceChildren(...rows.map(([issue, level]) => treeRow(issue, level)));
    if (!selected && rows.length) $('tree').firstChild.tabIndex = 0;
    const row = [...$('tree').children].find(each => each.dataset.issue === selected);
    if (row && focus) row.focus();
}

$('tree').addEventListener('keydown', event => {
    const ids = inOrder().map(([issue]) => issue.id);
    const at = ids.indexOf(selected);
    const parent = byId(selected) && byId(selected).parentId;
    const child = childrenOf(selected)[0];
    const next = {ArrowDown: ids[at + 1], ArrowUp: ids[at - 1], Home: ids[0], End: ids[ids.length - 1],
        ArrowLeft: parent, ArrowRight: child && child.id, Enter: ids[Math.max(at, 0)]}[event.key];
    if (!next || event.target.closest('button')) return;
    event.preventDefault();
    select(next);
});

// --- one issue ---

function runRow(issue) {
    const live = issue.runs.find(run => ['queued', 'running', 'scheduled_retry'].includes(run.status));
    if (live) {
        const end = status => () => change('PATCH', '/api/runs/' + encodeURIComponent(live.id), {status});
        return [pill(live.id + ' of ' + live.agent + ': ' + live.status, 'live'),
            make('button', {type: 'button', id: 'end-run', onclick: end('succeeded')}, 'End run'),
            make('button', {type: 'button', id: 'fail-run', onclick: end('failed')}, 'Fail')];
    }
    const woken = issue.queuedWakes ? pill('a wake is queued', 'live') : make('span', {class: 'hint'}, 'nobody at work');
    const agentId = issue.assigneeAgentId;
    return [woken, agentId ? make('button', {type: 'button', id: 'start-run',
        onclick: () => change('POST', '/api/runs', {issueId: issue.id, agentId})}, 'Start run of ' + agentId) : null];
}

function watchRow(issue) {
    const watch = issue.watch;
    if (!watch) {
        if (issue.isReview) return [make('span', {class: 'hint'}, 'a review is never watched')];
        return [make('button', {type: 'button', id: 'set-watchdog', onclick: () => editWatch(byId(issue.id))}, 'Set watchdog')];
    }
    return [make('span', {id: 'watch-name'}, '\u25C9 ' + watch.agentId),
        watch.preview ? make('span', {class: 'preview', id: 'watch-preview', title: watch.preview}, watch.preview) : null,
        make('span', {class: 'pill ' + (watch.verdict === 'live' ? 'live' : 'rest'), id: 'watch-verdict'}, watch.verdict),
        watch.attempt > 1 ? pill('attempt ' + watch.attempt, 'rest') : null,
        watch.escalated ? pill('with a person now', 'bad') : null,
        watch.openReviewId ? badge(watch, 'open-review') : null,
        make('button', {type: 'button', id: 'edit-watchdog', onclick: () => editWatch(byId(issue.id))}, 'Edit')];
}

function waitsOf(issue, detail) {
    const texts = Object.fromEntries([...detail.questions, ...detail.requests].map(each => [each.id, each.text]));
    const answer = (where, body, word) =>
        make('button', {type: 'button', onclick: () => change('POST', path(issue.id, where), body)}, word);
    const nodes = issue.blockers.map(id => make('span', {}, pill('blocked by ' + id, 'bad'), ' ',
        make('button', {type: 'button', onclick: () => change('DELETE', path(issue.id, '/blockers/' + encodeURIComponent(id)))},
            'Clear')));
    if (issue.hasMonitor) nodes.push(pill('another look, at a set time', 'rest'));
    for (const wait of issue.interactions.filter(each => each.status === 'pending')) {
        const where = '/interactions/' + encodeURIComponent(wait.id) + '/resolve';
        const kind = wait.kind + (wait.about ? ' about ' + wait.about : '');
        nodes.push(make('span', {'data-wait': wait.id}, pill(kind, 'rest'), ' ', texts[wait.id] || '', ' ',
            answer(where, {answer: 'accepted'}, 'Accept'), answer(where, {answer: 'rejected'}, 'Reject')));
    }
    for (const wait of issue.approvals.filter(each => ['pending', 'revision_requested'].includes(each.status))) {
        const where = '/approvals/' + encodeURIComponent(wait.id) + '/decide';
        nodes.push(make('span', {'data-wait': wait.id}, pill('approval', 'rest'), ' ', texts[wait.id] || '', ' ',
            answer(where, {decision: 'approved'}, 'Approve'), answer(where, {decision: 'rejected'}, 'Reject')));
    }
    return nodes.length ? nodes : [make('span', {class: 'hint'}, 'nothing')];
}

/// Replaces what is in a place only if it changed, so that nobody loses the focus.
function fill(place, key, nodes) {
    const kept = nodes.filter(node => node !== null);
    const text = key + kept.map(node => node.outerHTML).join('');
    if (shown[place] === text) return;
    shown[place] = text;
    const had = document.activeElement && $(place).contains(document.activeElement) ? document.activeElement.id : '';
    $(place).replaceChildren(...kept);
    if (had && $(had)) $(had).focus();
}

async function showDetail() {
    const issue = byId(selected);
    $('detail').hidden = !issue;
    if (!issue) return;
    const detail = await call('GET', path(issue.id));
    if (selected !== issue.id) return;
    $('detail-id').textContent = issue.id;
    $('detail-title').textContent = issue.title;
    $('origin').hidden = !issue.isReview;
    $('origin-link').textContent = issue.originId || '';
    $('origin-print').textContent = detail.originFingerprint ? detail.originFingerprint.slice(0, 32) + '\u2026' : '';
    $('disposition').hidden = !issue.isReview;
    options($('status'), statuses, issue.status, undefined, issue.id);
    options($('assignee'), agentsOf(issue.tenant), issue.assigneeAgentId || issue.assigneeUserId || '', 'nobody',
        issue.id);
    $('inner').hidden = isLeaf(issue) || issue.isReview || !isWatched(issue);
    fill('run-row', issue.id, runRow(issue));
    fill('watch-row', issue.id, watchRow(issue));
    fill('waits', issue.id, waitsOf(issue, detail));
    fill('comments', issue.id, detail.comments.map(each =>
        make('div', {class: 'entry'}, make('b', {}, each.author), each.text)));
}

function select(id) {
    selected = id;
    showTree();
    showDetail().catch(lost);
}

$('origin-link').addEventListener('click', () => select($('origin-link').textContent));
$('status').addEventListener('change', () => {
    const body = {status: $('status').value};
    if (!$('disposition').hidden) body.disposition = $('disposition').value;
    change('PATCH', path(selected), body);
});
$('assignee').addEventListener('change', () => change('PATCH', path(selected), {assigneeAgentId: $('assignee').value}));
$('comment-form').addEventListener('submit', async event => {
    event.preventDefault();
    if (await change('POST', path(selected, '/comments'), {text: $('comment').value})) $('comment').value = '';
});

// --- dialogs ---

function editWatch(issue) {
    const watch = issue.watch;
    $('watch-title').textContent = 'Watchdog of ' + issue.id;
    options($('watch-agent'), agentsOf(issue.tenant), watch ? watch.agentId : agentsOf(issue.tenant)[0]);
    $('watch-instructions').value = watch && watch.instructions || '';
    $('watch-save').textContent = watch ? 'Update' : 'Set';
    $('watch-remove').hidden = !watch;
    $('watch-error').textContent = '';
    $('watch-dialog').dataset.issue = issue.id;
    $('watch-dialog').showModal();
}
$('watch-form').addEventListener('submit', async event => {
    event.preventDefault();
    const body = {agentId: $('watch-agent').value, instructions: $('watch-instructions').value};
    if (await change('PUT', path($('watch-dialog').dataset.issue, '/watchdog'), body, $('watch-error')))
        $('watch-dialog').close();
});
$('watch-remove').addEventListener('click', async () => {
    if (await change('DELETE', path($('watch-dialog').dataset.issue, '/watchdog'), undefined, $('watch-error')))
        $('watch-dialog').close();
});
$('watch-cancel').addEventListener('click', () => $('watch-dialog').close());

function newIssue(parent) {
    const tenant = parent ? parent.tenant : (agents[0] ? agents[0].tenant : 'acme');
    $('new-title').textContent = parent ? 'New issue below ' + parent.id : 'New tree';
    $('new-tenant-row').hidden = Boolean(parent);
    $('new-tenant').value = tenant;
    $('new-name').value = $('new-watch-text').value = $('new-error').textContent = '';
    options($('new-agent'), agentsOf(tenant), '', 'nobody');
    options($('new-watch-agent'), agentsOf(tenant), '', 'no watchdog');
    $('new-dialog').dataset.parent = parent ? parent.id : '';
    $('new-dialog').showModal();
}
$('new-root').addEventListener('click', () => newIssue(null));
$('new-child').addEventListener('click', () => newIssue(byId(selected)));
$('new-cancel').addEventListener('click', () => $('new-dialog').close());
$('new-form').addEventListener('submit', async event => {
    event.preventDefault();
    const body = {title: $('new-name').value, parentId: $('new-dialog').dataset.parent, tenant: $('new-tenant').value,
        assigneeAgentId: $('new-agent').value};
    if ($('new-watch-agent').value)
        body.watchdog = {agentId: $('new-watch-agent').value, instructions: $('new-watch-text').value};
    const made = await change('POST', '/api/issues', body, $('new-error'));
    if (!made) return;
    $('new-dialog').close();
    select(made.id);
});

// --- the audit feed ---

const labelNames = {watchdogId: 'watchdog', sourceIssueId: 'source', watchdogIssueId: 'review', runId: 'run',
    stopFingerprint: 'stop', op: 'op', target: 'target', ref: 'ref', value: 'value', agent: 'agent', attempt: 'attempt',
    reason: 'reason', summary: 'summary', watched: 'tree', task: 'task', stopped: 'stopped', done: 'done', next: 'next',
    verb: 'decision', actor: 'by', by: 'by'};
function auditRow(row) {
    const labels = Object.entries(labelNames).filter(([key]) => row.labels[key]).map(([key, name]) => {
        const text = String(row.labels[key]);
        return make('span', {class: 'label', 'data-label': key, title: text},
            name + '=' + (key === 'stopFingerprint' ? text.slice(0, 31) + '\u2026' : text));
    });
    const kind = row.kind.includes('denied') || row.kind.startsWith('alert') ? 'bad' : row.fromWatchdog ? 'review' : '';
    return make('li', {'data-kind': row.kind}, make('time', {datetime: row.at}, row.at.slice(11, 19)), pill(row.kind, kind),
        row.fromWatchdog ? null : make('span', {}, row.actor), ...labels);
}
async function showAudit() {
    const {rows} = await call('GET', '/api/audit');
    const text = JSON.stringify(rows);
    if (shown.rows === text) return;
    shown.rows = text;
    $('audit').replaceChildren(...rows.map(auditRow));
}

// --- now and each second ---

const lost = error => {
    $('message').textContent = error.status === 401 ? 'Open the address that heeler-task-tree printed: it has your token.'
        : 'The tracker does not answer.';
    document.body.dataset.lost = 'yes';
};
async function refresh() {
    const tree = await call('GET', '/api/tree');
    const text = JSON.stringify(tree);
    if (document.body.dataset.lost) { delete document.body.dataset.lost; $('message').textContent = ''; }
    if (shown.tree !== text) {
        shown.tree = text;
        ({issues, agents} = tree);
        if (selected && !byId(selected)) selected = null;
        if (!selected && issues.length) selected = issues[0].id;
        showTree();
    }
    await Promise.all([showDetail(), showAudit()]);
}
async function forever() {
    await refresh().catch(lost);
    setTimeout(forever, 1000);
}
forever();
)js";

}  // namespace tracker
