import {
  type ApiReply,
  type ApiRoute,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { queryInt, queryText } from '../http/query.ts'
import { inOneState } from '../runner/reads.ts'
import { CSV_COLUMNS, exportedLines } from './exported-lines.ts'
import {
  EXAMPLE_LINE,
  JOURNAL_LINE,
  JOURNAL_TOTALS,
  type PostingNames,
  tellPostings,
} from './journal-answers.ts'
import { cursorOf, placeOf, postingsBelow } from './journal-page.ts'
import { filterOf, filterQuery } from './journal-query.ts'
import { totalsByPostings, totalsBySums } from './journal-totals.ts'

export interface JournalReadDeps {
  readonly reads: CommonQueryMethods
  readonly names: PostingNames
}

const TEXTS = {
  after: '参数 after 无效，请原样传回上一页的 next',
} as const

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
const EXAMPLE_FILTER = { account: 'wallet', user_id: '7', from: '2026-02-01T00:00:00Z' } as const

/** The journal: every posting, and the totals of what is filtered (role 10). */
export const journalRoutes = ({ reads, names }: JournalReadDeps): readonly ApiRoute[] => [
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
      batches: ({ query }) => exportedLines(reads, names, filterOf(query)),
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
    handle: async ({ query }) => journalPage({ reads, names }, query),
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
      const totals = await inOneState(
        reads,
        async (snapshot) =>
          (await totalsBySums(snapshot, filter)) ?? (await totalsByPostings(snapshot, filter)),
      )
      return { data: totals }
    },
  }),
]

async function journalPage({ reads, names }: JournalReadDeps, query: PageQuery): Promise<ApiReply> {
  const filter = filterOf(query)
  const below = placeOf(query.after)
  const limit = query.limit <= 0 ? LINES_DEFAULT : Math.min(query.limit, LINES_MOST)
  const { rows, totals } = await inOneState(reads, async (snapshot) => ({
    rows: await postingsBelow(snapshot, filter, below, limit + 1),
    totals: await totalsBySums(snapshot, filter),
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
