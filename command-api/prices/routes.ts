import { SETTINGS_STREAM, type WrittenEvent } from '@tollgate/domain/event.ts'
import { settingsDecider } from '@tollgate/domain/settings/decider.ts'
import type { RevisePrices } from '@tollgate/domain/settings/decide-prices.ts'
import type { PriceBookRevised, SettingsEvent } from '@tollgate/domain/settings/events.ts'
import { isPlanned } from '@tollgate/domain/settings/price-changes.ts'
import type { SettingsState } from '@tollgate/domain/settings/state.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { type ApiRoute, callerOf, failure, route } from '../http-contract/api-route.ts'
import { instantOf } from '../http-contract/instant.ts'
import { causeOf } from '../http/cause.ts'
import type { AdjustmentNotes } from '../identity/adjustment-notes.ts'
import { type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'
import type { LiveOptions } from '../options/live-options.ts'

export interface PriceRouteDeps extends AggregateWriter {
  readonly options: Pick<LiveOptions, 'waitFor'>
  readonly notes: Pick<AdjustmentNotes, 'keep' | 'remove'>
}

const TEXTS = {
  options: 'options 应为 {"设置项": "文本"} 形式的对象，至少包含一个价格设置项',
  base: 'base 应为修改所依据的价格版本号',
  note: '备注最多 500 个字符',
  effect:
    '参数 effective_at 不是有效的时间：请使用带时区的 RFC 3339 时间（如 2026-10-01T00:00:00+08:00）或 unix 毫秒',
  number: '价格版本号应为不小于 1 的整数',
} as const
const NOTE_CHARACTERS = 500

/** An administrator's own words on a change. */
export const noteText = () =>
  z
    .string(TEXTS.note)
    .max(NOTE_CHARACTERS, TEXTS.note)
    .overwrite((text) => storableText(text).trim())

/** Texts by pricing option: a draft of a price book. */
const priceTexts = z
  .record(z.string(), z.string(), TEXTS.options)
  .refine((texts) => Object.keys(texts).length > 0, TEXTS.options)

const DRAFT_OPTIONS =
  'Texts by pricing option, such as ModelRatio or GroupRatio, at least one; other pricing options stay as they are'

const body = z.object(
  {
    options: priceTexts.describe(DRAFT_OPTIONS),
    effective_at: z
      .union([z.int(), z.string()], TEXTS.effect)
      .nullish()
      .transform((written, context) => {
        if (written === null || written === undefined) return null
        const at = instantOf(String(written))
        if (at === null) context.addIssue({ code: 'custom', message: TEXTS.effect })
        return at
      })
      .meta({
        type: ['string', 'integer', 'null'],
        description:
          'From when on the prices are in force: RFC 3339 with a zone, or unix milliseconds; null = at once',
      }),
    base: z
      .int(TEXTS.base)
      .min(0, TEXTS.base)
      .nullish()
      .describe(
        'Number of the revision that the prices were written from: another one in force is a conflict (409). 0 = the defaults; null is not compared',
      ),
    note: noteText()
      .default('')
      .describe('Why the prices change, for those who look at the revision later'),
  },
  TEXTS.options,
)

const saved = z.strictObject({
  number: z.int(),
  status: z.enum(['in-force', 'planned']),
  /** Unix milliseconds; null where the prices stood as they were wanted. */
  effective_at: z.int().nullable(),
})

/** Saving prices, all at once, now or for a time to come (audit.md 8): for super administrators, as options are. */
export const priceRoutes = (deps: PriceRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'POST',
    path: '/api/ledger/prices',
    access: 'root',
    summary:
      'Save prices as one revision, in force at once or from effective_at on; base is the revision that they were written from, and another one in force is a conflict',
    body,
    invalidBodyStatus: 400,
    answer: { data: saved },
    example: {
      body: {
        options: { ModelRatio: '{"gpt-4o":1.5}', GroupRatio: '{"default":1}' },
        effective_at: '2026-03-01T00:00:00+08:00',
        base: 13,
        note: 'new prices of the provider',
      },
      data: { number: 14, status: 'planned', effective_at: Date.UTC(2026, 1, 28, 16) },
    },
    handle: async (request) => {
      const { options, effective_at: effectiveAt, base = null, note: words } = request.body
      const { userId } = callerOf(request)
      const note = words === '' ? null : await deps.notes.keep(userId, words)
      const command: RevisePrices = { type: 'RevisePrices', options, effectiveAt, base, note }
      const outcome = await executeOn(
        deps,
        { stream: SETTINGS_STREAM, decider: settingsDecider, command },
        causeOf(request),
        { isOnce: request.command.id !== null },
      )
      const revised = outcome.status === 'done' ? outcome.events.find(isRevised)?.data : undefined
      // A refused save, one that changes nothing and a repeated one leave no note behind.
      if (note !== null && revised?.note !== note) await deps.notes.remove(note)
      if (outcome.status === 'rejected') {
        const { reason, message } = outcome.rejection
        return failure(message, reason === 'prices-changed' ? CONFLICT : OK)
      }
      await deps.options.waitFor(outcome.position)
      const found = revised ?? plannedAt(outcome.state, effectiveAt)
      const data =
        found === undefined
          ? {
              number: outcome.state.prices.inForce,
              status: 'in-force' as const,
              effective_at: null,
            }
          : {
              number: found.number,
              status:
                revised === undefined || isPlanned(revised)
                  ? ('planned' as const)
                  : ('in-force' as const),
              effective_at: found.effectiveAt,
            }
      return { data, wrote: outcome.position }
    },
  }),
  route({
    method: 'POST',
    path: '/api/ledger/prices/:number/withdraw',
    access: 'root',
    summary: 'Take a planned revision of prices back before its time, by its number',
    params: z.object({
      number: z
        .string()
        .regex(/^[1-9]\d{0,8}$/, TEXTS.number)
        .transform(Number)
        .pipe(z.int())
        .meta({ description: 'Number of the planned revision', minimum: 1 }),
    }),
    answer: {},
    example: { params: { number: '14' } },
    handle: async (request) => {
      const { number } = request.params
      const outcome = await executeOn(
        deps,
        {
          stream: SETTINGS_STREAM,
          decider: settingsDecider,
          command: { type: 'WithdrawPrices', number },
        },
        causeOf(request),
      )
      if (outcome.status === 'rejected') return failure(outcome.rejection.message)
      await deps.options.waitFor(outcome.position)
      return { wrote: outcome.position }
    },
  }),
]

const OK = 200
const CONFLICT = 409

const isRevised = (event: SettingsEvent & WrittenEvent): event is PriceBookRevised & WrittenEvent =>
  event.type === 'PriceBookRevised'

const plannedAt = (state: SettingsState, effectiveAt: number | null) =>
  state.prices.planned.find((one) => one.effectiveAt === effectiveAt)
