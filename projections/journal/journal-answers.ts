import { z } from 'zod'
import type { Names } from '../http/names.ts'
import { distinctIds } from '../http/names.ts'
import { LEDGER_ACCOUNTS } from './journal-filter.ts'
import type { PostingRow } from './projector.ts'

const balances = z.strictObject({ wallet: z.int(), held: z.int(), affiliate: z.int() })

/** One posting. Times are unix milliseconds, amounts quota. */
export const JOURNAL_LINE = z.strictObject({
  position: z.int(),
  /** The number of the posting among those of its event, from 0. */
  line: z.int(),
  at: z.int(),
  effective_at: z.int(),
  user_id: z.int(),
  username: z.string(),
  from_account: z.enum(LEDGER_ACCOUNTS),
  to_account: z.enum(LEDGER_ACCOUNTS),
  amount: z.int(),
  /** The balances of the user's own ledger accounts before the posting and after it. */
  before: balances,
  after: balances,
  event_id: z.string(),
  event_type: z.string(),
  actor: z.string(),
  /** The name of an actor who is a user; '' for others. */
  actor_name: z.string(),
  source: z.string(),
  /** 0 and '' where the event names none; so with channel, model and request. */
  token_id: z.int(),
  token_name: z.string(),
  channel: z.int(),
  channel_name: z.string(),
  model: z.string(),
  request_id: z.string(),
  reason: z.string(),
  /** The administrator's words on an adjustment; '' = none, or erased. */
  note: z.string(),
  late: z.boolean(),
})
export type JournalLine = z.infer<typeof JOURNAL_LINE>

const wholeNumber = z.string().regex(/^\d+$/)
/** Totals of all that is filtered; amounts are decimal text, since sums may pass 2^53. */
export const JOURNAL_TOTALS = z.strictObject({
  amount: wholeNumber,
  debits: wholeNumber.nullable(),
  credits: wholeNumber.nullable(),
  postings: z.int().nullable(),
})

/** The names that postings call by number. */
export type PostingNames = Pick<Names, 'users' | 'tokens' | 'channels' | 'notes'>

/** Postings as an answer has them, with the names of what they call by number. */
export async function tellPostings(
  names: PostingNames,
  rows: readonly PostingRow[],
): Promise<readonly JournalLine[]> {
  const [users, tokens, channels, notes] = await Promise.all([
    names.users(distinctIds(rows.flatMap((row) => [row.user_id, actingUserId(row.actor)]))),
    names.tokens(distinctIds(rows.map((row) => row.token_id))),
    names.channels(distinctIds(rows.map((row) => row.channel))),
    names.notes(rows.flatMap((row) => noteOf(row) ?? [])),
  ])
  return rows.map((row) => ({
    position: row.position,
    line: row.line,
    at: row.at,
    effective_at: row.effective_at,
    user_id: row.user_id,
    username: users.get(row.user_id) ?? '',
    from_account: row.from_account,
    to_account: row.to_account,
    amount: row.amount,
    ...ownBalances(row),
    event_id: row.event_id,
    event_type: row.event_type,
    actor: row.actor,
    actor_name: users.get(actingUserId(row.actor)) ?? '',
    source: row.source,
    token_id: row.token_id,
    token_name: tokens.get(row.token_id) ?? '',
    channel: row.channel,
    channel_name: channels.get(row.channel) ?? '',
    model: row.model,
    request_id: row.request_id,
    reason: row.reason,
    note: notes.get(noteOf(row) ?? '') ?? '',
    late: row.late === 1,
  }))
}

/** The id of an actor who is a user; 0 for others. */
export const actingUserId = (actor: string): number =>
  Number(/^user:(\d{1,15})$/.exec(actor)?.[1] ?? 0)

/** The note of an adjustment; null when there is none. */
function noteOf({ adjustment }: Pick<PostingRow, 'adjustment'>): string | null {
  if (adjustment === '') return null
  const { note } = JSON.parse(adjustment) as { readonly note?: string | null }
  return note ?? null
}

const OWN = ['wallet', 'held', 'affiliate'] as const
type OwnBalances = Readonly<Record<(typeof OWN)[number], number>>

/** The balances of the user's own ledger accounts before a posting and after it, from those after it in its row. */
function ownBalances(
  row: Pick<PostingRow, (typeof OWN)[number] | 'from_account' | 'to_account' | 'amount'>,
): { readonly before: OwnBalances; readonly after: OwnBalances } {
  const { wallet, held, affiliate } = row
  const before = { wallet, held, affiliate }
  for (const account of OWN) {
    if (row.from_account === account) before[account] += row.amount
    if (row.to_account === account) before[account] -= row.amount
  }
  return { before, after: { wallet, held, affiliate } }
}

/** For the API reference. */
export const EXAMPLE_LINE: JournalLine = {
  position: 1_204,
  line: 0,
  at: 1_770_120_000_000,
  effective_at: 1_770_120_000_000,
  user_id: 7,
  username: 'ann',
  from_account: 'held',
  to_account: 'usage-revenue',
  amount: 135,
  before: { wallet: 480_000, held: 20_000, affiliate: 0 },
  after: { wallet: 480_000, held: 19_865, affiliate: 0 },
  event_id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  event_type: 'UsageCharged',
  actor: 'relay:3f6c1a9e-8f0b-4c55-a1de-70a4e2a7c2d1',
  actor_name: '',
  source: 'usage',
  token_id: 12,
  token_name: 'notebook',
  channel: 3,
  channel_name: 'OpenAI',
  model: 'gpt-4o-mini',
  request_id: '20260203120000123456789aB3dE5fG',
  reason: '',
  note: '',
  late: false,
}
