import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { StatementLine } from './lines.ts'

/** The sources of service times: the log for late charges, the journal for the charges of refunds. */
export interface ServiceSource {
  readonly reads: CommonQueryMethods
  readonly store: Pick<EventStore, 'newestAt'>
}

/** Late charges are few: so many of them are read from the log at once. */
const EVENTS_AT_ONCE = 16

/**
 * Service times of lines by position, in unix milliseconds, where that is not when the line was booked: the end
 * of a late charge's request, and the charge that a refund corrects. The journal has no column of it: the log has, and
 * such lines are few. A refund whose charge the journal does not know has none. Fails with StoreUnavailable.
 */
export async function serviceTimes(
  { reads, store }: ServiceSource,
  lines: readonly StatementLine[],
): Promise<ReadonlyMap<Position, number>> {
  const events = lines.filter((line) => line.type === 'event')
  const refunds = events.filter((line) => line.source === 'usage-refund' && line.request_id !== '')
  const charges = await chargesOf(
    reads,
    refunds.map((line) => line.request_id),
  )
  const late = new Set([
    ...events.filter((line) => line.late === 1).map(({ position }) => position),
    ...[...charges.values()].filter((one) => one.late === 1).map(({ position }) => position),
  ])
  const endings = await endingsAt(store, [...late])
  const times = new Map(endings)
  for (const { request_id: request, position } of refunds) {
    const charged = charges.get(request)
    if (charged !== undefined) times.set(position, endings.get(charged.position) ?? charged.at)
  }
  return times
}

const chargeRow = z.object({
  request_id: z.string(),
  position: z.number(),
  at: z.number(),
  late: z.number(),
})

/** The charges of requests, by request. */
async function chargesOf(
  reads: CommonQueryMethods,
  requests: readonly string[],
): Promise<ReadonlyMap<string, z.output<typeof chargeRow>>> {
  if (requests.length === 0) return new Map()
  const rows = await reads.any(sql.type(chargeRow)`
    select request_id, position, effective_at as at, late from journal.postings
    where request_id = any(${sql.array([...new Set(requests)], 'text')}) 
      and request_id <> '' and source = 'usage' and line = 0`)
  return new Map(rows.map((row) => [row.request_id, row]))
}

/** When the requests of charges ended, by the charges' positions. */
async function endingsAt(
  store: Pick<EventStore, 'newestAt'>,
  positions: readonly Position[],
): Promise<ReadonlyMap<Position, number>> {
  const endings = new Map<Position, number>()
  for (let first = 0; first < positions.length; first += EVENTS_AT_ONCE) {
    const some = positions.slice(first, first + EVENTS_AT_ONCE)
    const found = await Promise.all(some.map((position) => store.newestAt(position)))
    for (const event of found) {
      if (event?.type !== 'UsageCharged') continue
      endings.set(event.position, (event as RecordedEvent<UsageCharged>).data.endedAt)
    }
  }
  return endings
}
