import { z } from 'zod'
import { SOURCES, TERMS } from './line-filter.ts'
import { GROUPS } from './lines.ts'

/** Times are unix milliseconds, amounts whole quota. */
const eventLine = z.strictObject({
  type: z.literal('event'),
  position: z.int(),
  at: z.int().meta({ description: 'Effective time: what periods and as-of questions go by' }),
  dated: z
    .int()
    .meta({ description: 'What the event itself says, earlier where a clock stepped back' }),
  kind: z.enum(SOURCES),
  event_id: z.string(),
  event_type: z.string(),
  reference: z.string().meta({
    description: 'Request id, id of a code, order, or the invitee of a reward',
  }),
  actor: z.string().meta({ description: "'' for users" }),
  actor_name: z.string().meta({ description: "Username of an actor that is a user; '' for users" }),
  token_id: z.int(),
  token_name: z.string(),
  channel: z.int().meta({ description: '0 for users' }),
  model: z.string(),
  facts: z.strictObject({
    reason: z.string(),
    adjustment: z
      .union([
        z.strictObject({ from: z.int(), to: z.int(), reason_code: z.string(), note: z.string() }),
        z.strictObject({ legacy_text: z.string() }),
      ])
      .nullable(),
    late: z.boolean(),
    service_at: z.int().nullable().meta({
      description:
        'When the service was, of lines booked later: the end of a late charge’s request, the charge that a refund corrects; null for others',
    }),
  }),
  credit: z.int(),
  debit: z.int(),
  held_change: z.int(),
  balance: z.int(),
})

const sumLine = z.strictObject({
  type: z.literal('sum'),
  from: z.int(),
  to: z.int(),
  kind: z.enum(['', ...SOURCES]),
  token_id: z.int(),
  token_name: z.string(),
  model: z.string(),
  events: z.int(),
  first_position: z.int().meta({
    description:
      'First of its events; by day and model, a line of its own in between parts the sums of its day',
  }),
  last_position: z.int(),
  credit: z.int(),
  debit: z.int(),
  balance: z.int().nullable(),
})

export const lineAnswer = z.discriminatedUnion('type', [eventLine, sumLine])
export type LineAnswer = z.output<typeof lineAnswer>

const filterAnswer = z.strictObject({
  term: z.enum(TERMS).nullable(),
  source: z.enum(SOURCES).nullable(),
  token_id: z.int().nullable(),
  model: z.string().nullable(),
})

export const statementAnswer = z.strictObject({
  user_id: z.int(),
  username: z.string(),
  from: z.int(),
  to: z.int(),
  zone: z.string(),
  group: z.enum(GROUPS),
  filter: filterAnswer,
  opening: z.int(),
  credits: z.int(),
  charges: z.int(),
  refunds: z.int(),
  deductions: z.int(),
  debits: z.int().meta({ description: 'charges + deductions' }),
  closing: z.int(),
  held: z.int(),
  available: z.int(),
  affiliate: z.int(),
  position: z.int().meta({ description: 'The last posting before `to`; -1 for none' }),
  complete_to: z.int().meta({ description: 'Everything up to this position of the log is in it' }),
  final: z.boolean().meta({ description: 'No event that comes later can change it' }),
  lines: z.array(lineAnswer),
  next: z.string().nullable().meta({ description: 'Send it as `after` for the next page' }),
})
export type StatementAnswer = z.output<typeof statementAnswer>

const AT = Date.UTC(2026, 9, 3, 8, 20, 31)
export const EXAMPLE_STATEMENT: StatementAnswer = {
  user_id: 7,
  username: 'ann',
  from: Date.UTC(2026, 9, 1),
  to: Date.UTC(2026, 10, 1),
  zone: 'UTC',
  group: 'day-model',
  filter: { term: null, source: null, token_id: null, model: null },
  opening: 25_000,
  credits: 5_000_000,
  charges: 1_234,
  refunds: 0,
  deductions: 0,
  debits: 1_234,
  closing: 5_023_766,
  held: 2_000,
  available: 5_021_766,
  affiliate: 0,
  position: 121_902,
  complete_to: 130_000,
  final: true,
  lines: [
    {
      type: 'event',
      position: 120_044,
      at: AT,
      dated: AT,
      kind: 'top-up',
      event_id: '0b54f8a4-6f0e-4d6c-9f57-4f5c7f0f3a11',
      event_type: 'QuotaCredited',
      reference: 'T-93',
      actor: '',
      actor_name: '',
      token_id: 0,
      token_name: '',
      channel: 0,
      model: '',
      facts: { reason: 'T-93', adjustment: null, late: false, service_at: null },
      credit: 5_000_000,
      debit: 0,
      held_change: 0,
      balance: 5_025_000,
    },
    {
      type: 'sum',
      from: Date.UTC(2026, 9, 3),
      to: Date.UTC(2026, 9, 4),
      kind: 'usage',
      token_id: 0,
      token_name: '',
      model: 'gpt-4o',
      events: 412,
      first_position: 120_051,
      last_position: 121_902,
      credit: 0,
      debit: 1_234,
      balance: 5_023_766,
    },
  ],
  next: null,
}

/** Description of `final`, for answers as of a time, a position or now. */
export const FINAL =
  'No event that comes later can change it; false as of now, since the next event does'

/** As of `at`, every event before it; as of `position`, every event up to and with it. */
const asOfFields = {
  at: z.int().nullable(),
  final: z.boolean().meta({ description: FINAL }),
} as const
const LAST_POSTING = 'the last posting of the account that is in it; -1 for none'
const balanceFields = {
  posted: z.int(),
  held: z.int(),
  available: z.int(),
  affiliate: z.int(),
} as const

const openHold = z.strictObject({
  position: z.int().meta({ description: 'The event that opened it' }),
  since: z.int(),
  token_id: z.int().nullable().meta({ description: 'null for the playground' }),
  token_name: z.string(),
  remaining: z.int(),
})

export const balanceAnswer = z.strictObject({
  user_id: z.int(),
  username: z.string(),
  ...balanceFields,
  ...asOfFields,
  position: z.int().meta({ description: `Asked for, else ${LAST_POSTING}` }),
  holds: z.array(openHold).optional().meta({
    description: 'With holds=true: what `held` is made of, oldest first',
  }),
})

export const balancesAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      user_id: z.int(),
      username: z.string(),
      ...balanceFields,
      position: z.int().meta({ description: `Always ${LAST_POSTING}` }),
    }),
  ),
  total: z.int(),
  page: z.int(),
  page_size: z.int(),
  totals: z
    .strictObject({
      posted: z.string(),
      held: z.string(),
      available: z.string(),
      affiliate: z.string(),
    })
    .meta({ description: 'Over all accounts, in decimal text: they may pass 2^53' }),
  ...asOfFields,
  position: z.int().meta({
    description: 'Asked for, else everything up to this position of the log was looked at',
  }),
})
