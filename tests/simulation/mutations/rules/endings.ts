import { broken, edit, type Mutation } from '../mutation.ts'
import {
  HOLD_SERVICE,
  HOLD_LIVENESS,
  SWEEP,
  DECIDER,
  MOMENT,
  KEEPER,
  LOCAL_HOLD,
  QUESTIONS,
  SHARE,
  OWNERSHIP,
} from './files.ts'

/** How holds are claimed and end, rules 7 and 8. */
export const endingsMutations: readonly Mutation[] = [
  broken(
    '7',
    'no-claim',
    'drawn without a fresh claim',
    edit(
      LOCAL_HOLD,
      'elapsedMs(hold.claimed, clock) > CLAIM_LASTS_MS',
      'false && elapsedMs(hold.claimed, clock) > CLAIM_LASTS_MS',
    ),
  ),
  broken(
    '7',
    'claim-unheard',
    'a claim counts whoever heard it',
    edit(KEEPER, 'else if (heard.has(hold.id)) hold.claimed = sent', 'else hold.claimed = sent'),
  ),
  broken(
    '7',
    'claim-by-any',
    'a claim is acknowledged by any process',
    edit(
      HOLD_LIVENESS,
      'if (this.#ownership.ownedSince(partsOfHold(hold).account) === null) return false',
      '',
    ),
  ),
  broken(
    '7',
    'only-monotonic',
    'only the monotonic clock counts',
    edit(
      MOMENT,
      'Math.max(clock.monotonicMs() - since.monotonicMs, steadyWallMs(clock) - since.wallMs)',
      'clock.monotonicMs() - since.monotonicMs',
    ),
  ),
  broken(
    '7',
    'only-wall',
    'only the wall clock counts, wherever it is set',
    edit(
      MOMENT,
      'Math.max(clock.monotonicMs() - since.monotonicMs, steadyWallMs(clock) - since.wallMs)',
      'clock.now() - since.wallMs',
    ),
  ),
  broken(
    '7',
    'revived',
    'a lapsed hold is revived',
    edit(
      KEEPER,
      'if (isLapsed(hold, clock)) this.#retire(hold)\n      else if (heard.has(hold.id))',
      'if (heard.has(hold.id))',
    ),
  ),
  broken(
    '7',
    'from-acknowledgement',
    'a claim counts from its acknowledgement',
    edit(KEEPER, 'hold.claimed = sent', 'hold.claimed = momentOf(clock)'),
  ),
  broken(
    '7',
    'from-answer',
    'a grant counts from its answer',
    edit(QUESTIONS, '      claimed,\n', '      claimed: momentOf(clock),\n'),
  ),
  broken(
    '7',
    'half-silence',
    'holds expire after 15 s of silence',
    edit(HOLD_LIVENESS, 'HOLD_SILENCE_MS = 30_000', 'HOLD_SILENCE_MS = 15_000'),
  ),
  broken(
    '7',
    'former-silence',
    'silence from before a take-over counts',
    edit(
      HOLD_LIVENESS,
      'Math.max(heardAt, since, this.#awakeSince)',
      'Math.max(heardAt, this.#awakeSince)',
    ),
  ),
  broken(
    '7',
    'age-kept',
    'rights that were not renewed keep their age',
    edit(SHARE, 'for (const right of this.#rights.values()) right.since = now', ''),
  ),
  broken(
    '7',
    'former-owner',
    'a process that is not the owner expires',
    edit(
      HOLD_LIVENESS,
      'if (since === null) this.#heardAt.delete(hold)\n      else if (now - Math.max(heardAt, since, this.#awakeSince)',
      'if (now - Math.max(heardAt, since ?? 0, this.#awakeSince)',
    ),
    edit(
      OWNERSHIP,
      'open.get(nameOf(partition))?.isDrained() ?? Promise.resolve(false)',
      'open.get(nameOf(partition))?.isDrained() ?? Promise.resolve(true)',
    ),
  ),
  broken(
    '7',
    'no-backlog',
    'the backlog is not looked at before expiring',
    edit(
      HOLD_SERVICE,
      'if (!(await this.#ownership.isBacklogAppended(partition))) return\n',
      'await this.#ownership.isBacklogAppended(partition)\n',
    ),
  ),
  broken(
    '7',
    'no-sweep',
    'no sweep over the read model of open holds',
    edit(SWEEP, 'holdService.noticeOpenHolds(page)', ''),
  ),
  broken(
    '8',
    'old-hold',
    'a hold takes requests however old it is',
    edit(KEEPER, 'return elapsedMs(opened, clock) > holdTakesRequestsMs', 'return false'),
  ),
  broken(
    '8',
    'holes',
    'requests that failed leave holes',
    edit(
      KEEPER,
      'this.#endFlight(hold, reserved)\n    if (hold.isRetired)',
      'hold.sequence += 1\n    this.#endFlight(hold, reserved)\n    if (hold.isRetired)',
    ),
  ),
  broken(
    '8',
    'released-early',
    'released before all numbers are in',
    edit(
      DECIDER,
      'if (hold === undefined || !hasAllUpTo(hold.accepted, finalSequence)) return decided()',
      'if (hold === undefined) return decided()',
    ),
  ),
  broken(
    '8',
    'final-early',
    'the final number is sent while requests run',
    edit(KEEPER, 'if (hold.flying > 0 || hold.extending !== null) return', ''),
  ),
]
