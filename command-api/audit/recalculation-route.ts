import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { accountStream, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import { optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { type ApiRoute, callerOf, failure, route } from '../http-contract/api-route.ts'
import { recalculateCharge } from './recalculate-charge.ts'
import type { EventLog } from './events/event-log.ts'

export interface RecalculationDeps {
  readonly store: Pick<EventStore, 'readStream'> & Pick<EventLog, 'readStoredAt'>
  /** Positions of all postings of a request, by the journal. */
  readonly positionsOfRequest: (requestId: string) => Promise<readonly Position[]>
  /** Reads an upstream's usage object as the relay does; null for one that tells nothing. */
  readonly usageIn: (json: string) => Usage | null
  readonly usernames: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
}

const ADMINISTRATOR = 10
const NOT_FOUND = 'record not found'

const counts = z.record(z.string(), z.int())
const price = z.looseObject({ by: z.enum(['tokens', 'call']), groupRatio: z.string() })
const RECALCULATION = z.strictObject({
  /** Position of the charge's event. */
  position: z.int(),
  /** For administrators: upstream's usage object as it came, and the paths of its members that were counted. */
  usage: z.strictObject({
    upstream: z.string().nullable(),
    counted: z.array(z.string()),
    recalculated: counts.nullable(),
    charged: counts,
    is_equal: z.boolean().nullable(),
  }),
  price: z.strictObject({
    recalculated: price.nullable(),
    charged: price,
    is_equal: z.boolean(),
  }),
  amount: z.strictObject({ recalculated: z.int(), charged: z.int(), is_equal: z.boolean() }),
  /**
   * Times of the request by the relay's clock, in unix milliseconds: it came in, its quota was reserved (null in events
   * that did not note it), it ended. A late charge is booked after that.
   */
  times: z.strictObject({
    started_at: z.int(),
    admitted_at: z.int().nullable(),
    ended_at: z.int(),
  }),
  /** The revision of prices in force; null where prices stood at their defaults. */
  set_by: z
    .strictObject({
      /** Its event's. */
      position: z.int(),
      number: z.int(),
      /** Pricing options that it changed. */
      keys: z.array(z.string()),
      /** When it was saved, and from when it was in force; unix milliseconds. */
      at: z.int(),
      effective_at: z.int(),
      /** For administrators; '' for others. */
      actor: z.string(),
      actor_name: z.string(),
    })
    .nullable(),
})

/** For the API reference. */
const EXAMPLE: z.infer<typeof RECALCULATION> = {
  position: 1_204,
  usage: {
    upstream: '{"prompt_tokens":1000,"completion_tokens":200,"total_tokens":1200}',
    counted: ['prompt_tokens', 'completion_tokens'],
    recalculated: { textIn: 1_000, textOut: 200 },
    charged: { textIn: 1_000, textOut: 200 },
    is_equal: true,
  },
  price: {
    recalculated: { by: 'tokens', groupRatio: '1', modelRatio: '0.075', completionRatio: '4' },
    charged: { by: 'tokens', groupRatio: '1', modelRatio: '0.075', completionRatio: '4' },
    is_equal: true,
  },
  amount: { recalculated: 135, charged: 135, is_equal: true },
  times: {
    started_at: 1_770_119_997_380,
    admitted_at: 1_770_119_997_392,
    ended_at: 1_770_119_999_750,
  },
  set_by: {
    position: 812,
    number: 14,
    keys: ['ModelRatio'],
    at: 1_770_000_000_000,
    effective_at: 1_770_000_000_000,
    actor: 'user:1',
    actor_name: 'root',
  },
}

/** Working a charge out again from its sources: one's own, or from role 10 anybody's. */
export const recalculationRoute = (deps: RecalculationDeps): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/ledger/charges/:request_id/recalculation',
    access: 'user',
    summary:
      'A charge worked out again: usage from upstream’s own object, price from the settings’ events, amount; each beside what was charged',
    reads: ['journal'],
    params: z.object({
      request_id: z
        .string()
        .overwrite(storableText)
        .describe('Id of the request, as its answer and the log have it'),
    }),
    answer: { data: RECALCULATION },
    example: { params: { request_id: '20260203120000123456789aB3dE5fG' }, data: EXAMPLE },
    handle: async (request) => {
      const { userId, role } = callerOf(request)
      const isAdministrator = role >= ADMINISTRATOR
      const event = await chargeOf(deps, request.params.request_id)
      const isVisible =
        event !== null && (isAdministrator || event.stream === accountStream(userId))
      if (event === null || !isVisible) return failure(NOT_FOUND)
      const { usage, amount, setBy, ...steps } = await recalculateCharge(
        deps.store,
        event,
        deps.usageIn,
      )
      const actor = isAdministrator ? (setBy?.event.metadata.actor ?? '') : ''
      const id = Number(/^user:(\d{1,15})$/.exec(actor)?.[1] ?? 0)
      const names = await deps.usernames(id === 0 ? [] : [id])
      return {
        data: {
          position: event.position,
          usage: {
            upstream: isAdministrator ? event.data.request.upstream.usage : null,
            counted: isAdministrator ? [...usage.counted] : [],
            recalculated: usage.recalculated,
            charged: usage.charged,
            is_equal: usage.isEqual,
          },
          price: {
            recalculated: steps.price.recalculated,
            charged: steps.price.charged,
            is_equal: steps.price.isEqual,
          },
          amount: {
            recalculated: amount.recalculated,
            charged: amount.charged,
            is_equal: amount.isEqual,
          },
          times: {
            started_at: event.data.request.startedAt,
            admitted_at: event.data.request.admittedAt,
            ended_at: event.data.endedAt,
          },
          set_by: setBy && {
            position: setBy.event.position,
            number: setBy.number,
            ...savedIn(setBy.event),
            actor,
            actor_name: names.get(id) ?? '',
          },
        },
      }
    },
  })

function savedIn(event: SettingsEvent) {
  const { at } = event.data
  return event.type === 'PriceBookRevised'
    ? {
        keys: event.data.changes.map(({ key }) => key),
        at,
        effective_at: event.data.effectiveAt,
      }
    : { keys: optionChangesIn(event).map(({ key }) => key), at, effective_at: at }
}

/** The event that charges a request; null when there is none. */
async function chargeOf(
  { store, positionsOfRequest }: Pick<RecalculationDeps, 'store' | 'positionsOfRequest'>,
  requestId: string,
): Promise<RecordedEvent<UsageCharged> | null> {
  for (const position of await positionsOfRequest(requestId)) {
    const stored = await store.readStoredAt(position)
    if (stored?.type !== 'UsageCharged') continue
    const { stream, revision: from } = stored
    for await (const event of store.readStream(stream, { from, limit: 1 })) {
      return event as RecordedEvent<UsageCharged>
    }
  }
  return null
}
