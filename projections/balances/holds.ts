import { numberOfStream } from '@tollgate/domain/event.ts'
import type pg from 'pg'
import { columnsOf } from '../runner/columns.ts'
import type { ProjectedEvent, Recorded } from '../runner/projected-events.ts'

export const holdEventTypes = [
  'QuotaHeld',
  'HoldExtended',
  'HoldReduced',
  'HoldReleased',
  'HoldExpired',
] as const

export type HoldEvent = Recorded<
  Extract<ProjectedEvent, { type: (typeof holdEventTypes)[number] | 'UsageCharged' }>
>

interface OpenedHold {
  readonly hold: string
  readonly account: number
  readonly token: number | null
  readonly relay: string
  readonly since: number
  remaining: number
}

/**
 * Keeps the table of open holds: what each still reserves. Within a batch most holds open and end, so the net effect
 * is worked out first. A charge draws down an open hold only: one that comes late finds no row.
 */
export async function applyHoldChanges(
  events: readonly HoldEvent[],
  tx: pg.PoolClient,
): Promise<void> {
  const opened = new Map<string, OpenedHold>()
  const drawn = new Map<string, number>()
  const ended = new Set<string>()
  const draw = (hold: string, amount: number): void => {
    const fresh = opened.get(hold)
    if (fresh === undefined) drawn.set(hold, (drawn.get(hold) ?? 0) + amount)
    else fresh.remaining += amount
  }
  for (const event of events) {
    switch (event.type) {
      case 'QuotaHeld': {
        const { hold, token, relay, amount, at } = event.data
        const account = numberOfStream(event.stream)
        opened.set(hold, { hold, account, token, relay, since: at, remaining: amount })
        break
      }
      case 'HoldExtended':
        draw(event.data.hold, event.data.amount)
        break
      case 'HoldReduced':
        draw(event.data.hold, 0 - event.data.amount)
        break
      case 'UsageCharged':
        draw(event.data.hold, 0 - event.data.fromHold)
        break
      case 'HoldReleased':
      case 'HoldExpired':
        if (!opened.delete(event.data.hold)) ended.add(event.data.hold)
        drawn.delete(event.data.hold)
        break
      default:
        event satisfies never
    }
  }
  if (ended.size > 0) await tx.query('delete from holds where hold = any($1)', [[...ended]])
  if (drawn.size > 0) {
    await tx.query(
      `update holds set remaining = remaining + change.amount
       from unnest($1::text[], $2::bigint[]) as change (hold, amount) where holds.hold = change.hold`,
      [[...drawn.keys()], [...drawn.values()]],
    )
  }
  if (opened.size === 0) return
  await tx.query(
    `insert into holds (hold, user_id, token_id, relay, since, remaining)
     select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])`,
    columnsOf([...opened.values()], ['hold', 'account', 'token', 'relay', 'since', 'remaining']),
  )
}
