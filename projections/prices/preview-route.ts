import { type ApiRoute, failure, route } from '@tollgate/command-api/http-contract/api-route.ts'
import { instantOf } from '@tollgate/command-api/http-contract/instant.ts'
import { type Position, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { decideSettings, evolveSettings } from '@tollgate/domain/settings/decider.ts'
import { isSettingsEvent, type PriceEvent } from '@tollgate/domain/settings/events.ts'
import { defaultOf, priceDifference } from '@tollgate/domain/settings/price-changes.ts'
import { priceHistory, type SettingsRecord } from '@tollgate/domain/settings/price-history.ts'
import { NO_SETTINGS } from '@tollgate/domain/settings/state.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { distinctIds, type Names } from '../http/names.ts'
import { REPLAY_TEXTS } from '../replays/request-body.ts'
import { EXAMPLE_ENTRY, priceEntry } from './answers.ts'
import { isZone } from '../zones/zone-days.ts'
import { type Effect, previewEffect, yesterdayIn } from './preview.ts'

export interface PreviewDeps {
  readonly reads: CommonQueryMethods
  readonly store: EventStore
  readonly clock: Pick<Clock, 'now'>
  readonly names: Pick<Names, 'users'>
}

const TEXTS = {
  options: 'options 应为 {"设置项": "文本"} 形式的对象，至少包含一个价格设置项',
  effect:
    '参数 effective_at 不是有效的时间：请使用带时区的 RFC 3339 时间（如 2026-10-01T00:00:00+08:00）或 unix 毫秒',
  zone: REPLAY_TEXTS.zone,
} as const
const WEEK_MS = 7 * 86_400_000
/** Models and users that change most. */
const LINES = 20

const effect = {
  charges: z.int(),
  quota: z.int(),
  repriced: z.int(),
  unpriced: z.int(),
} as const
const answer = z.strictObject({
  changes: z.array(priceEntry),
  effect: z.strictObject({
    /** Charges from here on were priced anew, unix milliseconds; complete = all of the last seven days. */
    from: z.int(),
    is_complete: z.boolean(),
    ...effect,
    /** The last whole day of the zone; complete where no charge of it was left out. */
    yesterday: z.strictObject({ from: z.int(), is_complete: z.boolean(), ...effect }),
    models: z.array(z.strictObject({ model: z.string(), ...effect })),
    users: z.array(z.strictObject({ user_id: z.int(), username: z.string(), ...effect })),
  }),
})
const EXAMPLE_EFFECT = { charges: 412, quota: 125_000, repriced: 150_000, unpriced: 0 }

/**
 * The changes in a draft of prices, and the effect it would have had on the last week (audit.md 8; role 10). Nothing is
 * saved.
 */
export const pricePreviewRoute = ({ reads, store, clock, names }: PreviewDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/ledger/prices/preview',
    access: 'admin',
    changesState: false,
    summary:
      'What a draft of prices changes, and what the charges of the last seven days, and of yesterday in `zone` (default UTC), would have cost at it; nothing is saved, what is refused here is refused when it is saved',
    reads: ['journal'],
    body: z.object(
      {
        options: z
          .record(z.string(), z.string(), TEXTS.options)
          .refine((texts) => Object.keys(texts).length > 0, TEXTS.options)
          .describe(
            'Draft: texts by pricing option, such as ModelRatio or GroupRatio, at least one; other pricing options stay as they are',
          ),
        effective_at: z
          .union([z.int(), z.string()], TEXTS.effect)
          .nullish()
          .refine(
            (at) => at === null || at === undefined || instantOf(String(at)) !== null,
            TEXTS.effect,
          )
          .describe(
            'From when on the draft would be in force: RFC 3339 with a zone, or unix milliseconds; null = at once',
          ),
        zone: z
          .string(TEXTS.zone)
          .refine(isZone, TEXTS.zone)
          .default('UTC')
          .describe('IANA name of the zone whose yesterday is priced, such as Asia/Shanghai'),
      },
      TEXTS.options,
    ),
    invalidBodyStatus: 400,
    answer: { data: answer },
    example: {
      body: { options: { ModelRatio: '{"gpt-4o":1.5}' } },
      data: {
        changes: [EXAMPLE_ENTRY],
        effect: {
          from: Date.UTC(2026, 1, 1),
          is_complete: true,
          ...EXAMPLE_EFFECT,
          yesterday: { from: Date.UTC(2026, 1, 7), is_complete: true, ...EXAMPLE_EFFECT },
          models: [{ model: 'gpt-4o', ...EXAMPLE_EFFECT }],
          users: [{ user_id: 7, username: 'ann', ...EXAMPLE_EFFECT }],
        },
      },
    },
    handle: async ({ body }) => {
      const events: SettingsRecord[] = []
      for await (const event of store.readStream(SETTINGS_STREAM)) {
        if (isSettingsEvent(event)) events.push(event)
      }
      const now = clock.now()
      const { options, effective_at: at } = body
      const effectiveAt = at === null || at === undefined ? null : instantOf(String(at))
      const command = {
        type: 'RevisePrices',
        options,
        effectiveAt,
        base: null,
        note: null,
      } as const
      const state = events.reduce(evolveSettings, NO_SETTINGS)
      const decision = decideSettings(state, command, { at: now, nextRevision: 0 })
      if (decision.status === 'rejected') return failure(decision.rejection.message)
      const drafted = (decision.events as readonly PriceEvent[]).map((event, index) => ({
        ...event,
        position: DRAFTED + index,
      }))
      const revised = drafted.find((event) => event.type === 'PriceBookRevised')
      const changes = (revised?.data.changes ?? []).flatMap(({ key, value, previous }) =>
        priceDifference(key, previous ?? defaultOf(key), value),
      )
      const history = priceHistory([...events, ...drafted])
      const wanted = revised?.position ?? history.revisionAt(Number.MAX_SAFE_INTEGER)
      const day = yesterdayIn(body.zone, now)
      const found = await previewEffect(
        { reads, store },
        { history, book: history.book(wanted), sinceMs: now - WEEK_MS, day },
      )
      const models = mostChanged(found.models)
      const users = mostChanged(found.users)
      const usernames = await names.users(distinctIds(users.map(([id]) => id)))
      return {
        data: {
          changes,
          effect: {
            from: found.from,
            is_complete: found.isComplete,
            ...found.total,
            yesterday: {
              from: day.from,
              is_complete: found.from <= day.from,
              ...found.yesterday,
            },
            models: models.map(([model, one]) => ({ model, ...one })),
            users: users.map(([id, one]) => ({
              user_id: id,
              username: usernames.get(id) ?? '',
              ...one,
            })),
          },
        },
      }
    },
  })

/** No event of a log lies there: the draft's own. */
const DRAFTED: Position = 2 ** 52

const mostChanged = <Key>(effects: ReadonlyMap<Key, Effect>): readonly (readonly [Key, Effect])[] =>
  [...effects]
    .toSorted(([, a], [, b]) => Math.abs(b.repriced - b.quota) - Math.abs(a.repriced - a.quota))
    .slice(0, LINES)
