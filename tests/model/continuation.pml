/* How watchdogs with one store continue a stopped run with a fresh agent: two holders, one run, one row of
 * `agent_progress`, one agent control. README.md says what is left out, how to run it and how a trail is read.
 *
 * Each `atomic` is one statement, one call of the control, or one look at one's own memory. Between two of them anything
 * may happen: the other holder acts, a lease lapses, a process is killed. Comments name the C++ that a step stands for.
 *
 * Control   FIND  it has `find`            IDEMPOTENT  a repeated key is harmless
 *           SPAWN_THROWS  `spawn` may throw, time out, or answer what is not documented as "certainly not"
 * Bounds    LAPSES of leases, CRASHES, LOSSES of answers, REFUSALS (a certain "not" of spawn), KEYS (tries)
 * Flaws     BEFORE  the protocol as it was: NO_NONCE, NO_FENCE, CLAIM_FAILS and THROW_FAILS
 *           FOREIGN_AGAIN, TRUST_NOT, ONE_LOOK, LEASE_FENCE, RESTORE_FENCE  mends that fall short
 * Search    (a), (c), (d); with LIVE also (b); with STORY=n only the trace that README.md tells
 */

#ifndef LAPSES
#define LAPSES 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef REFUSALS
#define REFUSALS 1
#endif
#ifndef KEYS
#define KEYS 2
#endif

#ifdef FIND
#define has_find true
#else
#define has_find false
#endif
#ifdef IDEMPOTENT
#define repeatable true
#else
#define repeatable false
#endif
#ifdef SPAWN_THROWS
#define throws true
#else
#define throws false
#endif

#ifdef BEFORE
#define NO_NONCE
#define NO_FENCE
#define CLAIM_FAILS
#define THROW_FAILS
#endif

#ifdef NO_NONCE /* a claim under the same key is taken for one's own */
#define is_mine true
#else
#define is_mine (row_nonce == nonce)
#endif
#ifdef NO_FENCE /* the database does not know who was replaced */
#define is_too_late false
#else
#define is_too_late (my_fence < row_fence)
#endif
#ifdef CLAIM_FAILS /* a claim or release without an answer is stored as failed, and its key kept in mind */
#define forgets_claim true
#else
#define forgets_claim false
#endif
#ifdef THROW_FAILS /* a spawn that threw counts as certainly not done */
#define throw_is_no true
#else
#define throw_is_no false
#endif
#ifdef FOREIGN_AGAIN /* what another one claimed and `find` does not see is executed again */
#define takes_foreign true
#else
#define takes_foreign repeatable
#endif
#ifdef TRUST_NOT /* a certain "not" is believed of earlier requests, too */
#define doubts false
#else
#define doubts perhaps
#endif
#ifdef ONE_LOOK /* one `find` is believed, however late a request may still come through */
#define looks_needed 1
#define may_come_later false
#else
#define looks_needed 3
#define may_come_later (looks == 2 && on_its_way == key)
#endif
#ifdef LEASE_FENCE /* the fence is the epoch of the holder's own lease, which cannot be compared with another's */
#define fence_of_run lease
#else
#define fence_of_run fence
#endif

/* --- What is stored ------------------------------------------------------------------------------------------------ */

/* leases. 0: nobody's; `former`: of a process of the same name that was killed. A lease that lapsed is still its owner's
   as long as nobody took it away. */
mtype:owners = { present, former };
mtype:owners owner[3];
byte epoch[3];
bool lapsed[3];

/* runs */
byte holder;
byte held_epoch;
byte fence;  /* raised by each hand-over of this run */

/* actions: the newest one, by the number of its key. told: a person's alert is in the outbox, which loses nothing */
mtype:outcomes = { intended, done, failed, unknown };
byte action;
mtype:outcomes outcome;
bool told;

/* agent_progress. Attempt 1 is of the agent that stopped; AgentClaim::fresh keeps the next one within one stop. */
byte row_attempt = 1;
byte row_key;
byte row_nonce;
byte row_fence;

/* --- The world ----------------------------------------------------------------------------------------------------- */

byte agents[KEYS + 1];      /* started, by key */
byte started;               /* all of them */
bool certain_not[KEYS + 1]; /* stored: nobody was started under this key, and nobody will be */
byte on_its_way;            /* a key: its spawn had no answer, and comes through later or never */
byte lapses, kills, losses, refusals;
bool dead;                  /* one of the two never comes back */

#define other        (3 - me)
#define over         (outcome == done || told)
#define may_lose     (losses < LOSSES)
#define has_lease    (owner[me] == present)
#define has_run      (holder == me && held_epoch == lease)
#define run_is_free  (holder == 0 || owner[holder] == 0 || epoch[holder] != held_epoch || other_is_late)
#define other_is_late (holder == other && (lapsed[other] || owner[other] == former))
#define nonce        (2 * lease + me - 1) /* of this process under this lease */

/* --- Trails -------------------------------------------------------------------------------------------------------- */

#ifdef STORY
mtype:events = {
    adopts, checks_lease, claims, continues, finds, finds_it_released, finds_no_answer, finds_nothing, gets_lease,
    gives_up, intends, is_fenced, is_foreign, is_killed, is_refused, comes_too_late, keeps_claim, lease_lapses,
    loses_claim_done, loses_claim_not_done, loses_release_done, loses_release_not_done, loses_start_done,
    loses_start_not_done, loses_start_on_its_way, refuses_to_start, releases, renews, starts, starts_late,
    starts_nothing_new, stays_dead, stores_done, stores_failed, stores_unknown, takes_over, takes_run
};
byte chapter;
#define next(at, by, seen) :: chapter == at && who == by && what == seen -> chapter++
inline story(who, what) {
    if
#if STORY == 1
    next(0, 2, checks_lease)
    next(1, 1, takes_over)
    next(2, 1, finds_nothing)
    next(3, 1, loses_claim_not_done)
    next(4, 1, stores_failed)
    next(5, 2, claims)
    next(6, 2, starts)
    next(7, 1, intends)
    next(8, 1, renews)
    next(9, 1, starts)
#define story_told (chapter == 10)
#else
    next(0, 1, claims)
    next(1, 1, loses_start_done)
    next(2, 1, releases)
    next(3, 1, stores_failed)
    next(4, 2, takes_over)
    next(5, 2, claims)
    next(6, 2, starts)
#define story_told (chapter == 7)
#endif
    :: else
    fi
}
#define hold(property) skip
#define forbid_two     assert(!(started > 1 && !told && story_told))
#else
#define story(who, what) skip
#define hold(property)   assert(property)
#define forbid_two       assert(started <= 1 || told)
#endif

/* A line of a trail; and, once in a search, that it came by here: what was never reached was never checked. */
#define line(text) #text
#define event(who, what)                                                                  \
    printf(line(step: w%d what\n), who);                                                  \
    c_code { static int seen; if (!seen) { seen = 1; printf("reached: %s\n", #what); } }; \
    story(who, what)

/* (a) Two agents for one stop only if the outcome is unknown and a person was told. (c) None after "certainly not". */
#define start_agent(who, under, how) \
    agents[under]++;                 \
    started++;                       \
    event(who, how);                 \
    forbid_two;                      \
    hold(!certain_not[under])

/* --- The table of agents: a transaction that locks the row. It may get no answer, whether it took effect or not. --- */

/* AgentTable::take, decide_agent_claim */
inline AgentTable_take() {
    if
    :: is_too_late -> answer = too_late; event(me, comes_too_late)
    :: !is_too_late && row_attempt == 1 ->
        row_attempt = 2; row_key = key; row_nonce = nonce; row_fence = my_fence;
        answer = ticket; event(me, claims)
    :: !is_too_late && row_attempt == 2 && row_key == key && is_mine -> answer = ticket; event(me, continues)
    :: !is_too_late && row_attempt == 2 && row_key == key && !is_mine && takes_foreign ->
        row_nonce = nonce; row_fence = my_fence; perhaps = true;
        answer = ticket; event(me, adopts)
    :: !is_too_late && row_attempt == 2 && row_key == key && !is_mine && !takes_foreign ->
        foreign_claim = true; answer = foreign; event(me, is_foreign)
    :: !is_too_late && row_attempt == 2 && row_key != key && row_key == unsettled && is_mine ->
        row_key = key; row_nonce = nonce; row_fence = my_fence;
        answer = ticket; event(me, renews)
    :: !is_too_late && row_attempt == 2 && row_key != key && !(row_key == unsettled && is_mine) ->
        answer = refused; event(me, is_refused)
    fi
}

/* AgentTable::claim */
inline AgentTable_claim() {
    if
    :: AgentTable_take()
    :: may_lose -> losses++; AgentTable_take(); answer = lost; event(me, loses_claim_done)
    :: may_lose -> losses++; answer = lost; event(me, loses_claim_not_done)
    fi
}

/* AgentTable::give_back. The attempt before is current again: who was started is cut off. */
inline AgentTable_give_back() {
    if
    :: row_key == key && is_mine ->
        hold(agents[key] == 0);
        row_attempt = 1; row_key = 0; row_nonce = 0;
#ifdef RESTORE_FENCE
        row_fence = 0;
#endif
        answer = given_back; event(me, releases)
    :: row_key == key && forgets_claim && agents[key] > 0 -> answer = not_given_back; event(me, keeps_claim) /* wrote */
    :: row_key == key && !is_mine -> answer = not_given_back; event(me, keeps_claim)
    :: row_key != key -> answer = given_back; event(me, finds_it_released)
    fi
}

/* AgentTable::release */
inline AgentTable_release() {
    if
    :: AgentTable_give_back()
    :: may_lose -> losses++; AgentTable_give_back(); answer = lost; event(me, loses_release_done)
    :: may_lose -> losses++; answer = lost; event(me, loses_release_not_done)
    fi
}

/* --- The control. What had no answer has come through by the third look, or never will. ----------------------------- */

/* ControlRef::find */
inline Control_find() {
    if
    :: agents[key] > 0 -> answer = was_found; event(me, finds)
    :: agents[key] == 0 -> answer = was_absent; event(me, finds_nothing)
    :: may_lose -> losses++; answer = lost; event(me, finds_no_answer)
    fi
}

/* ControlRef::act */
inline Control_spawn() {
    if
    :: repeatable && agents[key] > 0 -> answer = was_started; event(me, starts_nothing_new)
    :: !(repeatable && agents[key] > 0) -> answer = was_started; start_agent(me, key, starts)
    :: !(repeatable && agents[key] > 0) && refusals < REFUSALS ->
        refusals++; answer = was_not_started; event(me, refuses_to_start)
    :: throws && may_lose && !(repeatable && agents[key] > 0) ->
        losses++; answer = lost; start_agent(me, key, loses_start_done)
    :: throws && may_lose -> losses++; answer = lost; event(me, loses_start_not_done)
    :: throws && may_lose && on_its_way == 0 ->
        losses++; answer = lost; on_its_way = key; event(me, loses_start_on_its_way)
    fi
}

/* --- One watchdog --------------------------------------------------------------------------------------------------- */

mtype:answers = {
    ticket, foreign, too_late, refused, given_back, not_given_back, was_found, was_absent, was_started, was_not_started,
    lost
};
mtype:stages = { asking, looking, giving_back };

/* Between any two steps the process may be killed. That it is paused is somebody else's turn. */
#define may_be_killed if :: true :: kills < CRASHES -> kills++; goto killed fi

/* A RungJob of the newest action; `perhaps_tried`: by others, before. */
inline new_job(perhaps_tried) {
    key = action; job = true; tried_before = perhaps_tried;
    stage = asking; looks = 0; foreign_claim = false; perhaps = false
}

proctype Watchdog(byte me) {
    byte lease;             /* HeldLease::lease: its epoch */
    byte my_fence;          /* of the hand-over under which it has the run */
    bool job, tried_before; /* RungJob, RungJob::may_have_happened */
    mtype:stages stage;     /* what stays open from cycle to cycle */
    byte key, looks;
    bool foreign_claim;     /* another one, or this one before it was killed, claimed the row under this key */
    bool perhaps;           /* under this key somebody may have been started, or may still be */
    byte unsettled;         /* of BEFORE: a key of which this process got no answer */
    mtype:answers answer;
    mtype:outcomes result;

cycle:
    /* Loader::hold, Ledger::renew, claim_lease. A new epoch: Loader::disown_all. The lease of a process of the same name
       that was killed is waited for. */
    atomic {
        may_be_killed;
        if :: over -> goto leave :: else fi;
        if :: has_lease :: else -> owner[me] = present; epoch[me]++; job = false; event(me, gets_lease) fi;
        lapsed[me] = false;
        lease = epoch[me]
    }

    /* Loader::take_claimed, claim_runs: hold_lease, take_away, hand_over_runs; Loader::take_in */
    atomic {
        over || !has_lease || has_run || run_is_free;
        may_be_killed;
        if
        :: over -> goto leave
        :: !over && !has_lease -> event(me, is_fenced); goto cycle
        :: !over && has_lease && has_run
        :: !over && has_lease && !has_run ->
            if
            :: other_is_late && owner[other] != 0 && epoch[other] == held_epoch -> owner[other] = 0; epoch[other]++
            :: else
            fi;
            if :: holder == other -> event(me, takes_over) :: else -> event(me, takes_run) fi;
            holder = me; held_epoch = lease; fence++; my_fence = fence_of_run;
            job = false;
            if :: outcome == intended -> new_job(true) :: else fi
        fi
    }

    /* Judge, Planner::act, Committer, write_batch: hold_lease. When the tries are used up, an escalation instead. */
    atomic {
        may_be_killed;
        if
        :: job
        :: !job && !has_lease -> event(me, is_fenced); goto cycle
        :: !job && has_lease && action == KEYS -> told = true; event(me, gives_up); goto cycle
        :: !job && has_lease && action < KEYS -> action++; outcome = intended; new_job(false); event(me, intends)
        fi
    }

    /* Deliverer::carry_out: HeldLease::holds, asked before the action. Otherwise the job waits for the next lease. */
    atomic {
        may_be_killed;
        if :: lapsed[me] -> goto cycle :: else -> event(me, checks_lease) fi
    }
    if
    :: stage == looking -> goto look
    :: stage == giving_back -> goto give_back
    :: stage == asking && !tried_before -> goto ask
    :: else
    fi;

    /* Effects::look_up: another process, or this one before it was killed, may have tried it. */
    tried_before = false;
    if
    :: has_find
    :: !has_find && repeatable -> goto ask
    :: !has_find && !repeatable -> result = unknown; goto store
    fi;
    atomic { may_be_killed; Control_find() }
    if
    :: answer == was_found -> result = done; goto store
    :: answer == was_absent -> goto ask
    :: answer == lost -> result = unknown; goto store
    fi;

ask:
    /* Effects::ask, TableFencedControl::spawn: the claim */
    atomic { may_be_killed; AgentTable_claim() }
    if
    :: answer == ticket
    :: answer == lost && forgets_claim -> unsettled = key; result = failed; goto store
    :: answer == lost && !forgets_claim -> goto cycle /* again, until the row says what became of it */
    :: answer == too_late -> goto cycle               /* the run is another's: the next renewal says so */
    :: answer == refused -> result = failed; goto store
    :: answer == foreign && has_find -> stage = looking; goto look
    :: answer == foreign && !has_find -> result = unknown; goto store
    fi;

    /* TableFencedControl::spawn: the inner control; outcome_of */
    atomic { may_be_killed; Control_spawn() }
    if
    :: answer == was_started -> result = done; goto store
    :: answer == was_not_started && !doubts -> goto give_back
    :: answer == was_not_started && doubts -> result = unknown; goto store /* it is silent about who asked before */
    :: answer == lost && throw_is_no -> goto give_back
    :: answer == lost && !throw_is_no && has_find -> perhaps = true; stage = looking; looks = 0; goto look
    :: answer == lost && !throw_is_no && !has_find && repeatable -> perhaps = true; goto cycle /* the same key again */
    :: answer == lost && !throw_is_no && !has_find && !repeatable -> result = unknown; goto store
    fi;

give_back:
    /* TableFencedControl::spawn: what was certainly not started is given back */
    stage = giving_back;
    atomic { may_be_killed; AgentTable_release() }
    if
    :: answer == given_back -> result = failed; goto store
    :: answer == not_given_back -> result = unknown; goto store
    :: answer == lost && forgets_claim -> unsettled = key; result = failed; goto store
    :: answer == lost && !forgets_claim -> goto cycle
    fi;

look:
    /* `find` at once and in the next two cycles; then, if the claim is one's own, the same key again */
    atomic {
        !may_come_later;
        may_be_killed;
        Control_find()
    }
    if
    :: answer == was_found -> result = done; goto store
    :: answer == was_absent && looks + 1 < looks_needed -> looks++; goto cycle
    :: answer == was_absent && looks + 1 == looks_needed
    :: answer == lost -> goto cycle
    fi;
    stage = asking;
    looks = 0;
    if
    :: foreign_claim -> result = unknown; goto store
    :: !foreign_claim -> goto ask
    fi;

store:
    /* Deliverer::save, Ledger::commit_one, write_batch: hold_lease. Applier::settle: of what is unknown people are told. */
    atomic {
        may_be_killed;
        job = false;
        if
        :: !has_lease -> event(me, is_fenced)
        :: has_lease && result == done ->
            hold(agents[key] > 0); /* (d) what is stored as done has happened */
            outcome = done; event(me, stores_done)
        :: has_lease && result == unknown -> outcome = unknown; told = true; event(me, stores_unknown)
        :: has_lease && result == failed ->
            hold(agents[key] == 0 && on_its_way != key); /* (c) */
            outcome = failed; certain_not[key] = true; event(me, stores_failed)
        fi;
        goto cycle
    }

killed:
    /* All that it knew is lost. Its lease stays until it lapses. */
    atomic {
        if :: has_lease -> owner[me] = former :: else fi;
        lease = 0; my_fence = 0; job = false; tried_before = false; stage = 0; key = 0; looks = 0;
        foreign_claim = false; perhaps = false; unsettled = 0; answer = 0; result = 0;
        if
        :: event(me, is_killed); goto cycle
        :: !dead -> dead = true; event(me, stays_dead)
        fi
    }
leave:
    skip
}

/* Who stands still for too long loses its lease, and trusts it no more by then (HeldLease::granted). */
#define lapse(who) lapses < LAPSES && owner[who] == present && !lapsed[who] -> lapses++; lapsed[who] = true

active proctype World() {
end:
    do
    :: atomic { lapse(1); event(1, lease_lapses) }
    :: atomic { lapse(2); event(2, lease_lapses) }
    :: atomic {
        on_its_way != 0 ->
        if
        :: repeatable && agents[on_its_way] > 0
        :: !(repeatable && agents[on_its_way] > 0) -> start_agent(0, on_its_way, starts_late)
        :: true /* it never comes through */
        fi;
        on_its_way = 0
    }
    od
}

init {
    atomic {
        run Watchdog(1);
        run Watchdog(2)
    }
}

#ifdef LIVE
/* (b) Sooner or later an agent goes on with the run, or a person knows of it. */
ltl owned { <> over }
#endif
