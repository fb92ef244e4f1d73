import { LOG_START } from '@tollgate/domain/event.ts'
import {
  LOG_CLAIMS_STREAM,
  type LogClaimConfirmed,
  type LogClaimed,
} from '@tollgate/domain/log-claim/events.ts'
import { EMPTY_STREAM, type EventStore } from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { AggregateWriter } from '../../aggregates/aggregate.ts'
import { newEvents } from '../../aggregates/cause.ts'
import {
  type DecidedEvents,
  type LoadedStream,
  type Written,
  writeDecided,
} from '../../aggregates/write-decided.ts'
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
 * Claims the log for this database. A copy of a database knows everything that the database knew, so only later events
 * tell them apart: the claim is announced in the log, and confirmed when no process of the database that goes with the
 * log has objected within two seconds. The stream's revision decides between an objection and a confirmation at the
 * same moment. Fails with LogMismatch when the log goes with another database, with StoreUnavailable, or as the
 * database does.
 */
export async function claimLog(options: ClaimOptions): Promise<void> {
  const { table, clock, randomness } = options
  const claim = randomness.uuid()
  // Before the announcement, or processes of the same database would object to it.
  await table.addClaim(claim)
  const { loaded: before } = await write(options, async (claims) => {
    await checkOwner(options, claims)
    return { type: 'LogClaimed', claim }
  })
  if (before.confirmed !== null) await clock.sleep(OBJECTION_MS)
  await write(options, async (claims) => {
    await checkOwner(options, claims)
    // Else another process of this database has confirmed its own since: the log goes with this database.
    return claims.open.includes(claim) ? { type: 'LogClaimConfirmed', claim } : null
  })
}

/** Fails with LogMismatch when the log goes with another database, with StoreUnavailable, or as the database does. */
export const checkClaims = async (
  options: Pick<ClaimOptions, 'table' | 'places'> & Pick<AggregateWriter, 'store'>,
): Promise<void> => checkOwner(options, await readClaims(options.store))

/**
 * Objects to claims of other databases; a process that has claimed the log does so twice a second. Answers how many
 * there were. Fails as `checkClaims`.
 */
export async function objectToClaims(options: ClaimOptions): Promise<number> {
  let foreign: readonly string[] = []
  await write(options, async (claims) => {
    foreign = []
    if (claims.confirmed === null) return null
    await checkOwner(options, claims)
    const isOwn = await Promise.all(claims.open.map((claim) => options.table.hasClaim(claim)))
    foreign = claims.open.filter((_, index) => isOwn[index] === false)
    // Not the claim of before: a copy of this database knows that one.
    return foreign.length === 0 ? null : confirmationOfNew(options)
  })
  return foreign.length
}

/**
 * Gives the log to this database at an operator's word, whichever database had it. Fails as `claimLog`, but for
 * LogMismatch.
 */
export async function takeLog(options: Omit<ClaimOptions, 'places'>): Promise<void> {
  await write(options, () => confirmationOfNew(options))
}

/** Takes an unused log over from a database that claimed it once. */
export async function adoptLog({
  store,
  table,
}: Pick<ClaimOptions, 'table'> & Pick<AggregateWriter, 'store'>): Promise<void> {
  const { confirmed } = await readClaims(store)
  if (confirmed !== null && !(await table.hasClaim(confirmed))) await table.addClaim(confirmed)
}

/** The claims in the log: the databases that it goes with. */
interface Claims extends LoadedStream {
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
  let end: Pick<Claims, 'head' | 'position'> | null = null
  let at = 0
  const open: string[] = []
  const backwards = { direction: 'backwards', ...(limit === undefined ? {} : { limit }) } as const
  for await (const event of store.readStream(LOG_CLAIMS_STREAM, backwards)) {
    const { revision, position, metadata } = event
    end ??= { head: { revision, hash: metadata.hash }, position }
    const { type, data } = event as unknown as LogClaimed | LogClaimConfirmed
    at = Math.max(at, data.at)
    if (isSetAside(event)) continue
    if (type === 'LogClaimConfirmed') return { ...end, at, confirmed: data.claim, open }
    open.push(data.claim)
  }
  return { ...(end ?? { head: EMPTY_STREAM, position: LOG_START }), at, confirmed: null, open }
}

type Claiming = Pick<LogClaimed | LogClaimConfirmed, 'type'> & { readonly claim: string }

/** Makes a claim, to be confirmed at once. */
async function confirmationOfNew({
  table,
  randomness,
}: Pick<ClaimOptions, 'table' | 'randomness'>): Promise<Claiming> {
  const claim = randomness.uuid()
  await table.addClaim(claim)
  return { type: 'LogClaimConfirmed', claim }
}

const write = (
  writer: AggregateWriter,
  decide: (claims: Claims) => Promise<Claiming | null>,
): Promise<Written<Claims, DecidedEvents>> =>
  writeDecided(writer, {
    stream: LOG_CLAIMS_STREAM,
    load: () => readClaims(writer.store),
    async decide(claims, { at }) {
      const decided = await decide(claims)
      if (decided === null) return { events: [] }
      const { type, claim } = decided
      const cause = { actor: 'system', correlationId: claim, causationId: null } as const
      return { events: newEvents([{ type, data: { at, claim } }], cause, writer.randomness) }
    },
    attemptsMs: ATTEMPTS_MS,
  })

async function checkOwner(
  { table, places }: Pick<ClaimOptions, 'table' | 'places'>,
  { confirmed }: Claims,
): Promise<void> {
  if (confirmed !== null && !(await table.hasClaim(confirmed))) throw ownedElsewhere(places)
}

const ownedElsewhere = (places: PairPlaces): LogMismatch =>
  new LogMismatch(
    `${places.log.charAt(0).toUpperCase()}${places.log.slice(1)} goes with another database than ${places.database}, which is a copy of that one, or an older state of it.`,
    `${settingsOf(places)}. If it is this database that shall go on with the log, stop every Tollgate on the other one, then: ${ACCEPT}`,
  )
