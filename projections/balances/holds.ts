import { numberOfStream } from '@tollgate/domain/event.ts'
import { namesOf, unnest, valuesOf } from '../runner/columns.ts'
import { insertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
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

/** A hold that ended without its relay's word. Its token and relay are null where only its row says them. */
interface ExpiredHold {
  readonly hold: string
  readonly user_id: number
  readonly token_id: number | null
  readonly relay: string | null
  readonly amount: number
  readonly cause: string
  readonly at: number
}

interface OpenedHold {
  readonly hold: string
  readonly user_id: number
  readonly token_id: number | null
  readonly relay: string
  readonly since: number
  remaining: number
}

/**
 * Keeps the table of open holds, what each still reserves, and that of the expired ones, each with its cause. Within a
 * batch most holds open and end, so the net effect is worked out first. A charge draws down an open hold only: one that
 * comes late finds no row.
 */
export async function applyHoldChanges(
  events: readonly HoldEvent[],
  tx: ModelTables,
): Promise<void> {
  const opened = new Map<string, OpenedHold>()
  const drawn = new Map<string, number>()
  const ended = new Set<string>()
  const expired: ExpiredHold[] = []
  const draw = (hold: string, amount: number): void => {
    const fresh = opened.get(hold)
    if (fresh === undefined) drawn.set(hold, (drawn.get(hold) ?? 0) + amount)
    else fresh.remaining += amount
  }
  const end = (hold: string): void => {
    if (!opened.delete(hold)) ended.add(hold)
    drawn.delete(hold)
  }
  for (const event of events) {
    switch (event.type) {
      case 'QuotaHeld': {
        const { hold, token, relay, amount, at } = event.data
        const account = numberOfStream(event.stream)
        opened.set(hold, {
          hold,
          user_id: account,
          token_id: token,
          relay,
          since: at,
          remaining: amount,
        })
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
      case 'HoldExpired':
        expired.push(expiredHold(event, opened.get(event.data.hold)))
        end(event.data.hold)
        break
      case 'HoldReleased':
        end(event.data.hold)
        break
      default:
        event satisfies never
    }
  }
  if (expired.length > 0) await writeExpired(expired, tx)
  if (ended.size > 0) await tx.query('delete from {holds} where hold = any($1)', [[...ended]])
  if (drawn.size > 0) {
    const rows = [...drawn].map(([hold, amount]) => ({ hold, amount }))
    await tx.query(
      `update {holds} as h set remaining = remaining + t.amount from ${unnest(DRAW_COLUMNS)} where h.hold = t.hold`,
      [...valuesOf(rows, DRAW_COLUMNS)],
    )
  }
  if (opened.size === 0) return
  await insertRows(tx, 'holds', HOLD_COLUMNS, [...opened.values()])
}

const expiredHold = (
  { stream, data: { hold, amount, cause, at } }: Extract<HoldEvent, { type: 'HoldExpired' }>,
  opened: OpenedHold | undefined,
): ExpiredHold => ({
  hold,
  user_id: numberOfStream(stream),
  token_id: opened?.token_id ?? null,
  relay: opened?.relay ?? null,
  amount,
  cause,
  at,
})

/** Before the rows of the open holds go: they say the token and the relay of holds from earlier batches. */
async function writeExpired(expired: readonly ExpiredHold[], tx: ModelTables): Promise<void> {
  await tx.query(
    `insert into {expired_holds} (${namesOf(EXPIRED_COLUMNS)})
     select t.hold, t.user_id, coalesce(t.token_id, h.token_id), coalesce(t.relay, h.relay), t.amount, t.cause, t.at
     from ${unnest(EXPIRED_COLUMNS)} left join {holds} as h on h.hold = t.hold`,
    [...valuesOf(expired, EXPIRED_COLUMNS)],
  )
}

const EXPIRED_COLUMNS = {
  hold: 'text',
  user_id: 'bigint',
  token_id: 'bigint',
  relay: 'text',
  amount: 'bigint',
  cause: 'text',
  at: 'bigint',
} as const
const DRAW_COLUMNS = { hold: 'text', amount: 'bigint' } as const
const HOLD_COLUMNS = {
  hold: 'text',
  user_id: 'bigint',
  token_id: 'bigint',
  relay: 'text',
  since: 'bigint',
  remaining: 'bigint',
} as const
