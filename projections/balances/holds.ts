import { numberOfStream } from '@tollgate/domain/event.ts'
import { namesOf, unnest, valuesOf } from '../runner/columns.ts'
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

interface OpenedHold {
  readonly hold: string
  readonly user_id: number
  readonly token_id: number | null
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
  tx: ModelTables,
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
      case 'HoldReleased':
      case 'HoldExpired':
        if (!opened.delete(event.data.hold)) ended.add(event.data.hold)
        drawn.delete(event.data.hold)
        break
      default:
        event satisfies never
    }
  }
  if (ended.size > 0) await tx.query('delete from {holds} where hold = any($1)', [[...ended]])
  if (drawn.size > 0) {
    const rows = [...drawn].map(([hold, amount]) => ({ hold, amount }))
    await tx.query(
      `update {holds} as h set remaining = remaining + t.amount from ${unnest(DRAW_COLUMNS)} where h.hold = t.hold`,
      [...valuesOf(rows, DRAW_COLUMNS)],
    )
  }
  if (opened.size === 0) return
  await tx.query(
    `insert into {holds} (${namesOf(HOLD_COLUMNS)}) select * from ${unnest(HOLD_COLUMNS)}`,
    [...valuesOf([...opened.values()], HOLD_COLUMNS)],
  )
}

const DRAW_COLUMNS = { hold: 'text', amount: 'bigint' } as const
const HOLD_COLUMNS = {
  hold: 'text',
  user_id: 'bigint',
  token_id: 'bigint',
  relay: 'text',
  since: 'bigint',
  remaining: 'bigint',
} as const
