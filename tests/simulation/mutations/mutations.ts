import type { Edit, Mutation } from './mutation.ts'

const LEDGER = 'command-api/ledger/account-ledger.ts'
const BATCH = 'command-api/ledger/decide-batch.ts'
const APPEND = 'command-api/ledger/append.ts'
const DESK = 'command-api/ledger/hold-desk.ts'
const HEARD = 'command-api/ledger/heard-holds.ts'
const IDLE_QUOTA = 'command-api/ledger/idle-quota.ts'
const SWEEP = 'command-api/ledger/partition-sweep.ts'
const DECIDER = 'domain/account/decider.ts'
const EVOLVE = 'domain/account/evolve.ts'
const SNAPSHOT = 'domain/account/snapshot.ts'
const MOMENT = 'domain/moment.ts'
const KEEPER = 'relay/holds/hold-keeper.ts'
const KEPT = 'relay/holds/kept-hold.ts'
const DRAWING = 'relay/holds/held-drawing.ts'
const QUESTIONS = 'relay/holds/owner-questions.ts'
const PUBLISHER = 'relay/holds/usage-publisher.ts'
const SHARE = 'infra/leases/share-work.ts'
const OWNERSHIP = 'command-api/ledger/partition-ownership.ts'
const FOLLOWER = 'projections/runner/follower.ts'
const ADMIN = 'tests/simulation/actors/admin.ts'
const RELAY = 'tests/simulation/actors/relay.ts'

const edit = (file: string, find: string, put: string): Edit => ({ file, find, put })

/** A mutation that must be found. */
const broken = (rule: string, id: string, how: string, ...edits: Edit[]): Mutation => ({
  id: `${rule === '–' ? 'read' : rule}-${id}`,
  rule,
  how,
  edits,
  redundant: null,
})

/** A mutation that may go by unseen, as something else makes good for it. */
const harmless = (mutation: Mutation, why: string): Mutation => ({ ...mutation, redundant: why })

/** Every rule of architecture 6 broken in turn. A text here is TypeScript of the file, found once. */
export const mutations: readonly Mutation[] = [
  broken(
    '1',
    'two-batches',
    'two batches of an account at a time',
    edit(
      LEDGER,
      'resident.queue.push({ command, cause, onlyOnceFrom, resolve, reject })\n      if (!resident.isBusy) void',
      'resident.queue.push({ command, cause, onlyOnceFrom, resolve, reject })\n      void',
    ),
  ),
  broken(
    '1',
    'command-to-all',
    'a command reaches every process that believes to own',
    edit(
      ADMIN,
      'to: () => (owner === null ? [] : [owner.machine])',
      'to: () => [first, ...others].flatMap((one) => (one === undefined ? [] : [one.machine]))',
    ),
    edit(
      ADMIN,
      'hear: async () => {\n        const services = owner?.services() ?? null',
      'hear: async (heard) => {\n        const services = [first, ...others].find((one) => one?.machine === heard)?.services() ?? null',
    ),
  ),
  broken(
    '2',
    'old-decision',
    'after a conflict the old decision at the new revision',
    edit(
      LEDGER,
      `const appended = await this.#append(resident.stream, events, loaded.head)
        if (appended === null) {`,
      `let appended = await this.#append(resident.stream, events, loaded.head)
        while (appended === null) {
          const { head } = await loadAccount(this.#store, resident.stream)
          appended = await this.#append(resident.stream, events, head)
        }
        if (appended === null) {`,
    ),
  ),
  broken(
    '2',
    'new-ids',
    'unknown outcome: appended again with new ids',
    edit(
      APPEND,
      'return await store.append(stream, events, head)',
      'return await store.append(stream, events.map((event) => ({ ...event, id: `${event.id}${attempt}` })), head)',
    ),
  ),
  broken(
    '2',
    'taken-for-success',
    'unknown outcome taken for success',
    edit(
      APPEND,
      'if (error instanceof RevisionConflict) return null',
      `if (error instanceof RevisionConflict) return null
      if (error instanceof StoreUnavailable && error.outcome === 'unknown') {
        return { head: { revision: head.revision + events.length, hash: '' }, position: 0 }
      }`,
    ),
  ),
  broken(
    '3',
    'answered-early',
    'answered before the append',
    edit(
      LEDGER,
      'const riding = this.#riding(resident, decided)',
      'for (const answer of decided.answers) answer(loaded.position)\n        const riding = this.#riding(resident, decided)',
    ),
  ),
  broken(
    '3',
    'refusal-unconfirmed',
    'a refusal is not confirmed against the head',
    edit(BATCH, 'needsConfirming = true\n      answers.push', 'answers.push'),
  ),
  broken(
    '3',
    'repetition-unconfirmed',
    'an answer without events is not confirmed against the head',
    edit(BATCH, 'if (decided.length === 0) needsConfirming = true', ''),
  ),
  broken(
    '3',
    'memory-kept',
    'memory is kept after a conflict',
    edit(
      LEDGER,
      'if (appended === null) {\n          resident.loaded = null\n',
      'if (appended === null) {\n',
    ),
  ),
  harmless(
    broken(
      '3',
      'not-doubted',
      'memory is not doubted at a take-over',
      edit(OWNERSHIP, 'ledger.doubt((account) => nameOf(partitionOf(account)) === name)', ''),
    ),
    'rules 2 and 3 find out; doubting spares a conflict',
  ),
  broken(
    '4',
    'step-again',
    'a step is not looked for in the stream',
    edit(BATCH, 'if (caused.has(letter)) {', 'if (false) {'),
  ),
  broken(
    '5',
    'nonce-again',
    'a repeated nonce opens another hold',
    edit(DECIDER, 'if (openHoldOf(state, command) !== undefined) return decided()', ''),
  ),
  broken(
    '5',
    'other-name',
    'holds are not named by revision',
    edit(DECIDER, 'holdId(account, nextRevision)', 'holdId(account, nextRevision + 1)'),
  ),
  broken(
    '5',
    'extension-again',
    'a repeated extension is granted again',
    edit(
      DECIDER,
      `if (number === hold.extension.number) return decided()
  if (number !== hold.extension.number + 1)`,
      'if (number > hold.extension.number + 1)',
    ),
  ),
  harmless(
    broken(
      '5',
      'same-relay',
      'a relay keeps its id over restarts',
      edit(RELAY, 'relayId(world.uuid())', 'relayId(name)'),
    ),
    'nothing adopts a hold by its relay, and nonces are new',
  ),
  broken(
    '6',
    'beyond-available',
    'granted beyond available',
    edit(DECIDER, 'if (ofAccount < need) return insufficientQuota(state)', ''),
  ),
  broken(
    '6',
    'beyond-token',
    'granted beyond the token',
    edit(DECIDER, 'if (ofToken !== null && ofToken < need) {', 'if (false) {'),
  ),
  broken(
    '6',
    'disabled-token',
    'granted to a disabled token',
    edit(DECIDER, "if (token.status !== 'enabled') return refuse('token-not-active')", ''),
  ),
  broken(
    '6',
    'suspended',
    'granted to a suspended account',
    edit(
      DECIDER,
      `if (openHoldOf(state, command) !== undefined) return decided()
  if (state.status === 'suspended') return refuse('account-suspended')`,
      'if (openHoldOf(state, command) !== undefined) return decided()',
    ),
  ),
  broken(
    '6',
    'extended-suspended',
    'extended for a suspended account',
    edit(
      DECIDER,
      `return refuse('extension-out-of-order')
  if (state.status === 'suspended') return refuse('account-suspended')`,
      "return refuse('extension-out-of-order')",
    ),
  ),
  broken(
    '6',
    'no-recall',
    'no recall before a refusal',
    edit(
      DESK,
      'const isReturned = await this.#idleQuota.callBack(account, wanting)',
      'const isReturned = false',
    ),
  ),
  broken(
    '6',
    'recall-unawaited',
    'a recall does not wait for what is returned',
    edit(
      IDLE_QUOTA,
      'await this.#untilArrived(awaited, given, until - this.#clock.monotonicMs())',
      '',
    ),
  ),
  broken(
    '7',
    'no-claim',
    'drawn without a fresh claim',
    edit(
      KEPT,
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
      HEARD,
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
      'Math.max(clock.monotonicMs() - since.monotonicMs, clock.now() - since.wallMs)',
      'clock.monotonicMs() - since.monotonicMs',
    ),
  ),
  broken(
    '7',
    'only-wall',
    'only the wall clock counts',
    edit(
      MOMENT,
      'Math.max(clock.monotonicMs() - since.monotonicMs, clock.now() - since.wallMs)',
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
    edit(HEARD, 'HOLD_SILENCE_MS = 30_000', 'HOLD_SILENCE_MS = 15_000'),
  ),
  broken(
    '7',
    'former-silence',
    'silence from before a take-over counts',
    edit(
      HEARD,
      'Math.max(heardAt, since, this.#awakeSince)',
      'Math.max(heardAt, this.#awakeSince)',
    ),
  ),
  harmless(
    broken(
      '7',
      'standstill',
      'silence during an own standstill counts',
      edit(HEARD, 'Math.max(heardAt, since, this.#awakeSince)', 'Math.max(heardAt, since)'),
    ),
    'a right that was not renewed meanwhile is not certain, and counts from its renewal',
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
      HEARD,
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
      DESK,
      'if (!(await this.#ownership.isBacklogAppended(partition))) return\n',
      'await this.#ownership.isBacklogAppended(partition)\n',
    ),
  ),
  broken(
    '7',
    'no-sweep',
    'no sweep over the read model of open holds',
    edit(SWEEP, 'desk.noticeOpenHolds(page)', ''),
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
  harmless(
    broken(
      '8',
      'returned-after-final',
      'idle quota is returned after the final number',
      edit(
        KEEPER,
        'if (hold.free <= 0 || hold.isFinalSent) continue',
        'if (hold.free <= 0) continue',
      ),
    ),
    'an ended hold has nothing to give back, and its owner says so by doing nothing',
  ),
  broken(
    '9',
    'again-open',
    'a number is charged again, in an open hold',
    edit(
      DECIDER,
      'hold === undefined ? chargedBefore : hasAccepted(hold.accepted, sequence)',
      'hold === undefined ? chargedBefore : false',
    ),
  ),
  broken(
    '9',
    'again-ended',
    'a number is charged again, in an ended hold',
    edit(
      DECIDER,
      'hold === undefined ? chargedBefore : hasAccepted(hold.accepted, sequence)',
      'hold === undefined ? false : hasAccepted(hold.accepted, sequence)',
    ),
  ),
  broken(
    '9',
    'late-dropped',
    'a late charge is dropped',
    edit(
      DECIDER,
      "if (hold === undefined && chargedBefore === null) return refuse('hold-ended')",
      'if (hold === undefined) return decided()',
    ),
  ),
  broken(
    '9',
    'deleted-token',
    'a charge of a deleted token is refused',
    edit(
      DECIDER,
      "if (hold === undefined && chargedBefore === null) return refuse('hold-ended')",
      `if (hold === undefined && chargedBefore === null) return refuse('hold-ended')
  if (token !== null && !state.tokens.has(token)) return refuse('token-unknown')`,
    ),
  ),
  broken(
    '9',
    'forgotten',
    'carrying forward forgets accepted numbers',
    edit(SNAPSHOT, 'hold.accepted,\n  hold.extension.number', '[],\n  hold.extension.number'),
  ),
  broken(
    '10',
    'hold-alone',
    'charged to the hold alone',
    edit(
      DECIDER,
      'hold === undefined ? NO_QUOTA : lesser(amount, hold.remaining)',
      'hold === undefined ? NO_QUOTA : amount',
    ),
  ),
  broken(
    '10',
    'uncovered',
    'delivered without cover',
    edit(DRAWING, 'if (total <= this.#reserved) return true', 'if (total > 0) return true'),
  ),
  broken(
    '10',
    'believed-covered',
    'covered without being granted',
    edit(DRAWING, 'this.#reserved = plus(this.#reserved, gained)', 'this.#reserved = total'),
  ),
  broken(
    '10',
    'reserved-untaken',
    'reserved without taking it out of the hold',
    edit(KEEPER, 'hold.free = minus(hold.free, taken)', ''),
  ),
  broken(
    '10',
    'freed-twice',
    'what is given back is freed twice',
    edit(
      KEEPER,
      'const amount = hold.free\n      hold.free = NO_QUOTA',
      'const amount = hold.free',
    ),
  ),
  broken(
    '11',
    'refund-early',
    'refunded without a charge',
    edit(
      DECIDER,
      "if (charged === null) return refuse('charge-unknown')",
      "if (charged === null) return decided({ type: 'UsageRefunded', data: { at, amount: quota(1), request, token, reason } })",
    ),
  ),
  broken(
    '11',
    'debit-held',
    'debited from what is held',
    edit(DECIDER, 'if (amount > available(state)) return', 'if (amount > state.posted) return'),
  ),
  broken(
    '11',
    'debit-no-recall',
    'a debit is refused without a recall',
    edit(DESK, 'await this.#idleQuota.callBack(account, null)', ''),
  ),
  broken(
    '11',
    'overwritten',
    "a token's limit is overwritten",
    edit(EVOLVE, 'remain: plus(present.remain, remainChange)', 'remain: remainChange'),
  ),
  broken(
    '12',
    'acknowledged-early',
    'acknowledged before the append',
    edit(
      DESK,
      'await Promise.all([charging, this.#releaseIfNamed(hold)])',
      'Promise.all([charging, this.#releaseIfNamed(hold)]).catch(() => undefined)',
    ),
  ),
  broken(
    '12',
    'ended-early',
    'the answer ends before its charge is acknowledged',
    edit(
      KEEPER,
      "return this.#publisher.publish({ type: 'usage', ...charge })",
      "void this.#publisher.publish({ type: 'usage', ...charge })\n    return Promise.resolve()",
    ),
  ),
  broken(
    '12',
    'unanswered-is-taken',
    'a journal that does not answer counts as having it',
    edit(PUBLISHER, 'if (isRetryable(error)) return false', 'if (isRetryable(error)) return true'),
  ),
  broken(
    '12',
    'numbered-anew',
    'numbered anew when published again',
    edit(
      PUBLISHER,
      'await this.#isTaken(message)',
      'await this.#isTaken({ ...message, sequence: message.sequence + attempt })',
    ),
  ),
  broken(
    '–',
    'skipped',
    'the checkpoint moves without the work',
    edit(
      FOLLOWER,
      'if (events.length > 0) await projector.handle',
      'if (events.length > 0 && (events[0]?.position ?? 0) % 40 > 0) await projector.handle',
    ),
  ),
]
