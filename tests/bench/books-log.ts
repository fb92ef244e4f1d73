import { newEvents } from '@tollgate/command-api/aggregates/cause.ts'
import { carryForward, isCarryForwardDue } from '@tollgate/domain/account/carry-forward.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { decide } from '@tollgate/domain/account/decider.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { unopenedAccount } from '@tollgate/domain/account/state.ts'
import { accountStream, type DomainEvent, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import {
  channelId,
  type HoldId,
  relayId,
  requestId,
  tokenId,
  type UserId,
  userId,
} from '@tollgate/domain/ids.ts'
import { EMPTY_STREAM, type StreamHead } from '@tollgate/domain/ports/event-store.ts'
import { charge } from '@tollgate/domain/pricing/charge.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { exampleTimelines } from '../support/example-timelines.ts'
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { chainEvents } from '@tollgate/infra/event-store/chain.ts'
import { systemRandomness as randomness } from '@tollgate/infra/processes/runtime.ts'
import { chargedRequest, usageOf } from './charges.ts'
import { copyRows } from './copy-rows.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { copyText } from './event-store.ts'

const CAUSE = { actor: 'system', correlationId: 'bench', causationId: null } as const
const RELAY = relayId('bench')
/** The eighth and last are seldom: a filter by them has to look far without an index. */
export const BOOK_MODELS = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'rare'] as const
/** Accounts of the books, and their year: unix milliseconds of its first charge, and behind its last. */
export const ACCOUNTS = 5_000
export const FROM = Date.UTC(2025, 0, 1)
export const TO = Date.UTC(2026, 0, 1)
const ONCE_IN = 10_000
const CHANNELS = 12
/** A charge in so many comes with a credit. */
const TOP_UP_IN = 200
/** As the ledger counts them: what an event takes besides its data. */
const EVENT_FRAME_BYTES = 500
/** Charges decided before their events go out account by account: minutes of the made-up year. */
const CHUNK_CHARGES = 2_000

interface BooksOptions {
  readonly charges: number
  readonly accounts: number
  /** Unix milliseconds of the first and last charge. */
  readonly from: number
  readonly to: number
}

/**
 * Writes a year of charges into an empty log, decided by the domain account by account, carried forward as the ledger
 * does it, chained as the event store does it, and brought in by COPY. Half of all charges are those of an eighth of the
 * accounts. Answers how many events there are.
 */
export async function writeBooks(
  { pool }: EmbeddedLog,
  { charges, accounts, from, to }: BooksOptions,
  say: (line: string) => void,
): Promise<number> {
  const chance = seededChance(10)
  const heads = new Map<string, StreamHead>()
  const books = Array.from({ length: accounts }, (_, index) => new Book(userId(index + 1), chance))
  const client = await pool.connect()
  let [position, copying] = [0, Promise.resolve()]
  const write = (streams: Iterable<readonly [string, readonly DomainEvent[]]>): void => {
    const appends = [...streams].map(([stream, events]) => {
      const chained = chainEvents(
        stream,
        newEvents(events, CAUSE, randomness),
        heads.get(stream) ?? EMPTY_STREAM,
      )
      heads.set(stream, chained.head)
      return chained
    })
    const rows = copyText(appends, position)
    position += appends.reduce((sum, { events }) => sum + events.length, 0)
    copying = copying.then(() => copyRows(client, 'copy ledger.events from stdin', rows))
  }
  try {
    write([[SETTINGS_STREAM, prices(from)]])
    for (let at = 0; at < books.length; at += CHUNK_CHARGES) {
      const opened = books.slice(at, at + CHUNK_CHARGES)
      write(opened.map((book) => [accountStream(book.account), book.open(from)] as const))
    }
    for (let done = 0; done < charges; done += CHUNK_CHARGES) {
      const made = new Map<Book, AccountEvent[]>()
      for (let number = done; number < Math.min(charges, done + CHUNK_CHARGES); number += 1) {
        const book = books[Math.floor(accounts * chance() ** 3)]
        if (book === undefined) continue
        const at = from + Math.floor(((to - from) * number) / charges)
        const events = made.get(book) ?? []
        events.push(...book.charge(number, at))
        made.set(book, events)
      }
      await copying
      write([...made].map(([book, events]) => [accountStream(book.account), events] as const))
      if (done % 500_000 === 0) say(`books: ${done} of ${charges} charges written`)
    }
    await copying
    await client.query('update ledger.head set position = $1', [position - 1])
    await client.query('analyze ledger.events')
    return position
  } finally {
    client.release()
  }
}

const RATIOS = Object.fromEntries(BOOK_MODELS.map((model, index) => [model, (index + 1) * 0.25]))

const prices = (at: number): readonly DomainEvent[] => [
  {
    type: 'OptionChanged',
    data: { at, key: 'ModelRatio', value: JSON.stringify(RATIOS), previous: null, note: null },
  } as DomainEvent,
]

/** One account's life: opened with two tokens and a hold that its charges never empty. */
class Book {
  readonly account: UserId
  readonly #chance: () => number
  #state = unopenedAccount()
  #events = 0
  #since = { events: 0, bytes: 0 }
  #made: AccountEvent[] = []
  #sequence = 0
  #hold: HoldId | null = null

  constructor(account: UserId, chance: () => number) {
    this.account = account
    this.#chance = chance
  }

  open(at: number): readonly AccountEvent[] {
    this.#made = []
    this.#do(at, { type: 'OpenAccount' })
    this.#credit(at, quota(2_000_000_000_000))
    const terms = { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] }
    const token = tokenId(this.account * 2)
    for (const one of [token, tokenId(token + 1)]) {
      this.#do(at, { type: 'IssueToken', token: one, remain: quota(0), ...terms })
    }
    const [need, want] = [quota(0), quota(1_000_000_000_000)]
    this.#do(at, { type: 'PlaceHold', token: null, nonce: 'hold', need, want, relay: RELAY })
    const held = this.#made.find((event) => event.type === 'QuotaHeld')
    if (held === undefined) throw new Error(`account ${this.account} has no hold`)
    this.#hold = held.data.hold
    return this.#made
  }

  charge(number: number, at: number): readonly AccountEvent[] {
    this.#made = []
    const hold = this.#hold
    if (hold === null) throw new Error(`account ${this.account} is not opened`)
    if (isCarryForwardDue(this.#state, this.#since)) this.#carryForward(at)
    if (number % TOP_UP_IN === 0) this.#credit(at, quota(500_000))
    const token = tokenId(this.account * 2 + (this.#chance() < 0.7 ? 0 : 1))
    const request = this.#request(number, at)
    const amount = charge(request.price, request.usage).amount
    const ended = { endedAt: at, hold, sequence: ++this.#sequence, chargedBefore: false }
    this.#do(at, { type: 'ChargeUsage', ...ended, token, amount, request })
    return this.#made
  }

  #request(number: number, at: number) {
    const below = (bound: number): number => Math.floor(this.#chance() * bound)
    const isRare = below(ONCE_IN) === 0
    const model = BOOK_MODELS[isRare ? BOOK_MODELS.length - 1 : below(BOOK_MODELS.length - 1)]
    const base = chargedRequest(number)
    if (model === undefined || base.price.by !== 'tokens') throw new Error('no model')
    return {
      ...base,
      id: requestId(`req-${number}`),
      channel: channelId(1 + below(CHANNELS)),
      model,
      upstreamModel: model,
      ...usageOf(50 + below(2_000), 10 + below(800)),
      price: { ...base.price, modelRatio: String(RATIOS[model] ?? 1) },
      startedAt: at - 1_840,
      attempts: base.attempts.map((attempt) => ({ ...attempt, startedAt: at - 1_839 })),
      admittedAt: at - 1_839,
    }
  }

  #credit(at: number, amount: ReturnType<typeof quota>): void {
    this.#do(at, { type: 'CreditQuota', amount, source: 'grant', reason: 'bench' })
  }

  #carryForward(at: number): void {
    this.#take(carryForward(this.#state, at))
    this.#since = { events: 0, bytes: 0 }
  }

  #do(at: number, command: AccountCommand): void {
    const context = {
      account: this.account,
      at,
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
