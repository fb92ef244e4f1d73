import { exampleTimelines } from '../support/example-timelines.ts'
import { newEvents } from '@tollgate/command-api/aggregates/cause.ts'
import { carryForward, isCarryForwardDue } from '@tollgate/domain/account/carry-forward.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { decide } from '@tollgate/domain/account/decider.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { type AccountState, unopenedAccount } from '@tollgate/domain/account/state.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { holdId, relayId, tokenId, type UserId } from '@tollgate/domain/ids.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { chainEvents } from '@tollgate/infra/event-store/chain.ts'
import { systemRandomness as randomness } from '@tollgate/infra/processes/runtime.ts'
import { chargeOf } from './charges.ts'
import { copyRows } from './copy-rows.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { copyText } from './event-store.ts'

const TOKENS = [1, 2, 3]
const CAUSE = { actor: 'system', correlationId: 'bench', causationId: null } as const
/** Events chained and copied together: below the 1 MiB of one append. */
const CHUNK_EVENTS = 500
/** Appends in one COPY. */
const CHUNKS_PER_COPY = 20
/** As the ledger counts them: what an event takes besides its data. */
const EVENT_FRAME_BYTES = 500

/** The events that were written. */
export interface LongAccount {
  readonly events: number
  /** Since its balance was carried forward. */
  readonly sinceCarried: number
  /** The sum of its charges. */
  readonly charged: number
}

/**
 * Writes an account of at least so many events into an empty log, decided by the domain, carried forward as the ledger
 * does it and serialised by the event store, but brought in by COPY: in seconds instead of minutes of appends.
 */
export async function writeLongAccount(
  { pool }: EmbeddedLog,
  account: UserId,
  wanted: number,
): Promise<LongAccount> {
  const history = new History(account)
  const stream = accountStream(account)
  const client = await pool.connect()
  let head = EMPTY_STREAM
  let copying = Promise.resolve()
  try {
    while (!history.isDone(wanted)) {
      const from = head.revision + 1
      const appends = []
      while (appends.length < CHUNKS_PER_COPY && !history.isDone(wanted)) {
        const events = newEvents(history.more(CHUNK_EVENTS, wanted), CAUSE, randomness)
        const append = chainEvents(stream, events, head)
        head = append.head
        appends.push(append)
      }
      const rows = copyText(appends, from)
      await copying
      copying = copyRows(client, 'copy ledger.events from stdin', rows)
    }
    await copying
    await client.query('update ledger.head set position = $1', [head.revision])
    await client.query('analyze ledger.events')
  } finally {
    client.release()
  }
  return {
    events: history.events,
    sinceCarried: history.since.events,
    charged: history.state.usedQuota,
  }
}

/** The account's life, event by event: opened, given quota and tokens, then charged for ever. */
class History {
  readonly #account: UserId
  #state: AccountState = unopenedAccount()
  #events = 0
  #since = { events: 0, bytes: 0 }
  #made: AccountEvent[] = []
  #sequence = 0

  constructor(account: UserId) {
    this.#account = account
  }

  get state(): AccountState {
    return this.#state
  }

  get events(): number {
    return this.#events
  }

  get since(): { readonly events: number; readonly bytes: number } {
    return this.#since
  }

  /** Long enough, and so far from the last balance as it can be. */
  isDone(wanted: number): boolean {
    return this.#events >= wanted && isCarryForwardDue(this.#state, this.#since)
  }

  /** The next events, at least one and about as many as asked for. */
  more(count: number, wanted: number): readonly AccountEvent[] {
    this.#made = []
    if (this.#events === 0) this.#open()
    while (this.#made.length < count && !this.isDone(wanted)) {
      if (isCarryForwardDue(this.#state, this.#since)) this.#carryForward()
      else this.#charge()
    }
    return this.#made
  }

  #open(): void {
    this.#do({ type: 'OpenAccount' })
    const amount = quota(1_000_000_000_000)
    this.#do({ type: 'CreditQuota', amount, source: 'grant', reason: 'bench' })
    const terms = { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] }
    for (const token of TOKENS) {
      this.#do({ type: 'IssueToken', token: tokenId(token), remain: quota(0), ...terms })
    }
    for (const token of TOKENS) {
      const asked = { need: quota(0), want: quota(100_000_000_000), relay: relayId('bench') }
      this.#do({ type: 'PlaceHold', token: tokenId(token), nonce: `nonce-${token}`, ...asked })
    }
  }

  #charge(): void {
    const { log } = exampleTimelines[0]
    const hold = holdId(this.#account, 2 + TOKENS.length, { log, relay: relayId('bench') })
    const { sequence, amount, request } = chargeOf(hold, ++this.#sequence)
    const token = tokenId(1)
    this.#do({
      type: 'ChargeUsage',
      endedAt: 0,
      hold,
      sequence,
      token,
      amount,
      request,
      chargedBefore: false,
    })
  }

  #carryForward(): void {
    this.#take(carryForward(this.#state, Date.now()))
    this.#since = { events: 0, bytes: 0 }
  }

  #do(command: AccountCommand): void {
    const context = {
      account: this.#account,
      at: Date.now(),
      nextRevision: this.#events,
      timelines: exampleTimelines,
    }
    const decision = decide(this.#state, command, context)
    if (decision.status === 'rejected') {
      throw new Error(`${command.type} was rejected: ${decision.rejection.reason}`)
    }
    for (const event of decision.events) this.#take(event)
  }

  #take(event: AccountEvent): void {
    this.#state = evolve(this.#state, event)
    this.#events += 1
    const bytes = Buffer.byteLength(JSON.stringify(event.data)) + EVENT_FRAME_BYTES
    this.#since = { events: this.#since.events + 1, bytes: this.#since.bytes + bytes }
    this.#made.push(event)
  }
}
