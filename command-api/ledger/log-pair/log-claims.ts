import {
  LOG_CLAIMS_STREAM,
  type LogClaimConfirmed,
  type LogClaimed,
} from '@tollgate/domain/log-claim/events.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { AggregateWriter } from '../aggregate.ts'
import { appendUntilKnown } from '../append.ts'
import { newEvents } from '../cause.ts'
import { ACCEPT, LogMismatch, type PairPlaces, settingsOf } from './log-mismatch.ts'
import type { PairTable } from './pair-table.ts'

/** How long a claim stands before it is confirmed: the database that goes with the log looks four times in it. */
const OBJECTION_MS = 2_000
/** How long a store that does not answer is asked again. */
const ATTEMPTS_MS = 3_000

export interface ClaimOptions extends AggregateWriter {
  readonly table: Pick<PairTable, 'addClaim' | 'hasClaim'>
  readonly places: PairPlaces
}

/**
 * Claims the log for this database. A copy of a database knows all that the database knew, so only what follows tells
 * them apart: the claim is announced in the log, and confirmed when no process of the database that goes with the log has
 * objected within two seconds. The stream's revision decides between an objection and a confirmation at the same moment.
 * Fails with LogMismatch when the log goes with another database, with StoreUnavailable, or as the database does.
 */
export async function claimLog(options: ClaimOptions): Promise<void> {
  const { table, clock, randomness, places } = options
  const claim = randomness.uuid()
  // Before the announcement, or processes of the same database would object to it.
  await table.addClaim(claim)
  const before = await announce(options, claim)
  if (before.confirmed !== null) await clock.sleep(OBJECTION_MS)
  for (;;) {
    const claims = await readClaims(options.store)
    const { confirmed, open } = claims
    if (confirmed !== null && !(await table.hasClaim(confirmed))) throw ownedElsewhere(places)
    // Another process of this database has confirmed its own since: the log goes with this database.
    if (!open.includes(claim)) return
    if (await append(options, { type: 'LogClaimConfirmed', claim }, claims)) return
  }
}

/** Fails with LogMismatch when the log goes with another database, with StoreUnavailable, or as the database does. */
export async function checkClaims({
  store,
  table,
  places,
}: Pick<ClaimOptions, 'table' | 'places'> & Pick<AggregateWriter, 'store'>): Promise<void> {
  const { confirmed } = await readClaims(store)
  if (confirmed !== null && !(await table.hasClaim(confirmed))) throw ownedElsewhere(places)
}

/**
 * What a process does twice a second that has claimed the log: objects to claims of other databases. Answers how many
 * there were. Fails as `checkClaims`.
 */
export async function objectToClaims(options: ClaimOptions): Promise<number> {
  const { store, table } = options
  for (;;) {
    const claims = await readClaims(store)
    const { confirmed, open } = claims
    if (confirmed === null) return 0
    if (!(await table.hasClaim(confirmed))) throw ownedElsewhere(options.places)
    const foreign: string[] = []
    for (const claim of open) if (!(await table.hasClaim(claim))) foreign.push(claim)
    if (foreign.length === 0) return 0
    // Not the claim of before: a copy of this database knows that one.
    if (await confirmNew(options, claims)) return foreign.length
  }
}

/** Gives the log to this database at an operator's word, whoever had it. Fails as `claimLog`, but for LogMismatch. */
export async function takeLog(options: Omit<ClaimOptions, 'places'>): Promise<void> {
  while (!(await confirmNew(options, await readClaims(options.store)))) continue
}

/** Takes a log that nobody has used over from a database that claimed it once. */
export async function adoptLog({
  store,
  table,
}: Pick<ClaimOptions, 'table'> & Pick<AggregateWriter, 'store'>): Promise<void> {
  const { confirmed } = await readClaims(store)
  if (confirmed !== null && !(await table.hasClaim(confirmed))) await table.addClaim(confirmed)
}

/** What the log says about who it goes with. */
interface Claims {
  readonly head: StreamHead
  /** Of the newest event. */
  readonly at: number
  /** The newest confirmed claim. */
  readonly confirmed: string | null
  /** Claims since, newest first. */
  readonly open: readonly string[]
}

async function readClaims(store: Pick<EventStore, 'readStream'>): Promise<Claims> {
  // Nearly always the newest event is a confirmation, and says all.
  const claims = await readLatest(store, 1)
  const isAll = claims.confirmed !== null || claims.head.revision === EMPTY_STREAM.revision
  return isAll ? claims : readLatest(store)
}

async function readLatest(store: Pick<EventStore, 'readStream'>, limit?: number): Promise<Claims> {
  let head: StreamHead | null = null
  let at = 0
  const open: string[] = []
  const backwards = { direction: 'backwards', ...(limit === undefined ? {} : { limit }) } as const
  for await (const event of store.readStream(LOG_CLAIMS_STREAM, backwards)) {
    head ??= { revision: event.revision, hash: event.metadata.hash }
    const { type, data } = event as unknown as LogClaimed | LogClaimConfirmed
    at = Math.max(at, data.at)
    if (isSetAside(event)) continue
    if (type === 'LogClaimConfirmed') return { head, at, confirmed: data.claim, open }
    open.push(data.claim)
  }
  return { head: head ?? EMPTY_STREAM, at, confirmed: null, open }
}

/** Appends the claim; answers what stood before it. */
async function announce(options: ClaimOptions, claim: string): Promise<Claims> {
  for (;;) {
    const before = await readClaims(options.store)
    const { confirmed } = before
    if (confirmed !== null && !(await options.table.hasClaim(confirmed))) {
      throw ownedElsewhere(options.places)
    }
    if (await append(options, { type: 'LogClaimed', claim }, before)) return before
  }
}

/** Makes a claim and confirms it at once. False when somebody else appended first. */
async function confirmNew(options: Omit<ClaimOptions, 'places'>, after: Claims): Promise<boolean> {
  const claim = options.randomness.uuid()
  await options.table.addClaim(claim)
  return append(options, { type: 'LogClaimConfirmed', claim }, after)
}

/** False when somebody else appended first. */
async function append(
  { store, clock, randomness }: AggregateWriter,
  {
    type,
    claim,
  }: { readonly type: (LogClaimed | LogClaimConfirmed)['type']; readonly claim: string },
  after: Pick<Claims, 'head' | 'at'>,
): Promise<boolean> {
  const cause = { actor: 'system', correlationId: claim, causationId: null } as const
  const at = Math.max(clock.now(), after.at)
  const event: LogClaimed | LogClaimConfirmed = { type, data: { at, claim } }
  const events = newEvents([event], cause, randomness)
  const givenUpAt = clock.monotonicMs() + ATTEMPTS_MS
  const isTooLate = (): boolean => clock.monotonicMs() > givenUpAt
  const stored = appendUntilKnown(store, clock, LOG_CLAIMS_STREAM, events, after.head, isTooLate)
  return (await stored) !== null
}

const ownedElsewhere = (places: PairPlaces): LogMismatch =>
  new LogMismatch(
    `${places.log.charAt(0).toUpperCase()}${places.log.slice(1)} goes with another database than ${places.database}, which is a copy of that one, or an older state of it.`,
    `${settingsOf(places)}. If it is this database that shall go on with the log, stop every Tollgate on the other one, then: ${ACCEPT}`,
  )
