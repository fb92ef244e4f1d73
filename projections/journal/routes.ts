import {
  type ApiReply,
  type ApiRoute,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { CSV_BATCH_ROWS } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type pg from 'pg'
import { z } from 'zod'
import type { Names } from '../http/names.ts'
import { queryInstant, queryInt, queryText } from '../http/query.ts'
import { inTransaction } from '../runner/session.ts'
import { EXAMPLE_LINE, JOURNAL_LINE, JOURNAL_TOTALS, tellPostings } from './journal-answers.ts'
import { type JournalFilter, LEDGER_ACCOUNTS } from './journal-filter.ts'
import { cursorOf, type JournalPlace, placeOf, postingsBelow } from './journal-page.ts'
import { totalsByPostings, totalsBySums } from './journal-totals.ts'

export interface JournalReadDeps {
  readonly pool: pg.Pool
  readonly names: Names
}

const TEXTS = {
  account: `参数 account 无效，应为 ${LEDGER_ACCOUNTS.join('、')}，个人科目可加用户编号，如 wallet:12`,
  after: '参数 after 无效，请原样传回上一页的 next',
} as const

/** Such as `wallet`, or `wallet:12`; '' = all. */
function isAccount(account: string): boolean {
  const [kind = '', owner] = account.split(':')
  return (
    account === '' ||
    (LEDGER_ACCOUNTS.some((known) => known === kind) &&
      (owner === undefined || /^\d{1,15}$/.test(owner)))
  )
}

const filterQuery = z.object({
  account: queryText()
    .refine(isAccount, TEXTS.account)
    .meta({
      description: `Ledger account on either side, of one user as wallet:12; empty = any. One of ${LEDGER_ACCOUNTS.join(', ')}`,
      pattern: `^((${LEDGER_ACCOUNTS.join('|')})(:\\d{1,15})?)?$`,
    }),
  user_id: queryInt().describe('Postings of this user; 0 = of all. An id in account goes first'),
  type: queryText().describe('Type of the event, such as UsageCharged; empty = any'),
  actor: queryText().describe('Cause of the event: user:<id>, relay:<id> or system; empty = any'),
  min: queryInt().describe('Amounts from this on, in quota; 0 = any'),
  max: queryInt().describe('Amounts up to and with this, in quota; 0 = any'),
  token: queryInt().describe('Postings of the token with this id; 0 = of all'),
  channel: queryInt().describe('Postings of the channel with this id; 0 = of all'),
  model: queryText().describe('Postings for exactly this model; empty = for all'),
  request_id: queryText().describe('Postings of the request with this id; empty = of all'),
  from_position: queryInt().describe('Events from this position of the log on; 0 = from the first'),
  to_position: queryInt().describe(
    'Events up to and with this position of the log; 0 = up to the last',
  ),
  from: queryInstant(
    'from',
    'Postings from here on, by their effective time; absent = from the first',
  ),
  to: queryInstant('to', 'Postings before this, by their effective time; absent = up to the last'),
})
type FilterQuery = z.output<typeof filterQuery>
const LINES_DEFAULT = 50
/** Most lines of a page: half a megabyte of answer. */
const LINES_MOST = 1_000
const pageQuery = filterQuery.extend({
  after: queryText()
    .refine((cursor) => cursor === '' || placeOf(cursor) !== null, TEXTS.after)
    .describe('The next of the page before; empty = from the newest'),
  limit: queryInt().meta({
    description: `Postings of a page, at most ${LINES_MOST}: more is read as ${LINES_MOST}`,
    default: LINES_DEFAULT,
  }),
})
type PageQuery = z.output<typeof pageQuery>

const READS = ['journal'] as const
/** Lines and totals are of the same moment. */
const ONE_SNAPSHOT = 'begin transaction isolation level repeatable read read only'
const EXAMPLE_FILTER = { account: 'wallet', user_id: '7', from: '2026-02-01T00:00:00Z' } as const

/** The columns of a posting in a CSV file; the three balances are those after it. */
const CSV_COLUMNS = [
  'position',
  'line',
  'time',
  'at',
  'effective_at',
  'user_id',
  'username',
  'from_account',
  'to_account',
  'amount',
  'wallet',
  'held',
  'affiliate',
  'event_type',
  'event_id',
  'actor',
  'actor_name',
  'source',
  'token_id',
  'token_name',
  'channel',
  'channel_name',
  'model',
  'request_id',
  'reason',
  'note',
  'late',
] as const

/** The journal: every posting, and the totals of what is filtered (role 10). */
export const journalRoutes = ({ pool, names }: JournalReadDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/ledger/journal',
    access: 'admin',
    summary:
      'Postings, newest first, from the one after `after` on; totals are null where /totals has to count them',
    reads: READS,
    query: pageQuery,
    csv: {
      name: 'journal',
      columns: CSV_COLUMNS,
      batches: ({ query }) => exportedLines({ pool, names }, query),
    },
    answer: {
      data: z.strictObject({
        lines: z.array(JOURNAL_LINE),
        totals: JOURNAL_TOTALS.nullable(),
        next: z.string().nullable(),
      }),
    },
    example: {
      query: EXAMPLE_FILTER,
      data: {
        lines: [EXAMPLE_LINE],
        totals: { amount: '270', debits: '135', credits: '135', postings: null },
        next: '1204:0',
      },
    },
    handle: async ({ query }) => journalPage({ pool, names }, query),
  }),
  route({
    method: 'GET',
    path: '/api/ledger/journal/totals',
    access: 'admin',
    summary: 'Totals of all postings that are filtered, by sums where they serve',
    reads: READS,
    query: filterQuery,
    answer: { data: JOURNAL_TOTALS },
    example: {
      query: { ...EXAMPLE_FILTER, type: 'UsageCharged' },
      data: { amount: '270', debits: '270', credits: '0', postings: 2 },
    },
    handle: async ({ query }) => {
      const filter = filterOf(query)
      const totals = await inTransaction(
        pool,
        ONE_SNAPSHOT,
        async (client) =>
          (await totalsBySums(client, filter)) ?? (await totalsByPostings(client, filter)),
      )
      return { data: totals }
    },
  }),
]

async function journalPage({ pool, names }: JournalReadDeps, query: PageQuery): Promise<ApiReply> {
  const filter = filterOf(query)
  const below = placeOf(query.after)
  const limit = query.limit <= 0 ? LINES_DEFAULT : Math.min(query.limit, LINES_MOST)
  const { rows, totals } = await inTransaction(pool, ONE_SNAPSHOT, async (client) => ({
    rows: await postingsBelow(client, filter, below, limit + 1),
    totals: await totalsBySums(client, filter),
  }))
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: {
      lines: await tellPostings(names, shown),
      totals,
      next: rows.length > limit && last !== undefined ? cursorOf(last) : null,
    },
  }
}

function filterOf(query: FilterQuery): JournalFilter {
  const [kind = '', owner] = query.account.split(':')
  const userId = owner === undefined ? query.user_id : Number(owner)
  const given: Readonly<Record<keyof JournalFilter, string | number | null>> = {
    account: kind,
    userId,
    type: query.type,
    actor: query.actor,
    min: query.min,
    max: query.max,
    tokenId: query.token,
    channel: query.channel,
    model: query.model,
    requestId: query.request_id,
    fromPosition: query.from_position,
    toPosition: query.to_position,
    from: query.from,
    to: query.to,
  }
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) =>
        value !== null && value !== '' && (value !== 0 || name === 'from' || name === 'to'),
    ),
  )
}

/** Every posting that is filtered, newest first, its moment as people read it. */
async function* exportedLines({ pool, names }: JournalReadDeps, query: PageQuery) {
  const filter = filterOf(query)
  let below: JournalPlace | null = null
  while (true) {
    const rows = await postingsBelow(pool, filter, below, CSV_BATCH_ROWS)
    const lines = await tellPostings(names, rows)
    yield lines.map(({ after, before: _before, ...line }) => ({
      ...line,
      ...after,
      time: new Date(line.at).toISOString(),
    }))
    below = rows.at(-1) ?? null
    if (below === null || rows.length < CSV_BATCH_ROWS) return
  }
}
