import {
  type ApiRoute,
  type CsvRow,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { below } from '@tollgate/command-api/http-contract/csv-batches.ts'
import { withTimes } from '@tollgate/command-api/http-contract/csv-times.ts'
import { z } from 'zod'
import type { Names } from '../http/names.ts'
import { queryInt, queryText } from '../http/query.ts'
import {
  EXAMPLE_ENTRY,
  EXAMPLE_REVISION,
  priceEntry,
  revisionAnswer,
  tellRevisions,
} from './answers.ts'
import { type PreviewDeps, pricePreviewRoute } from './preview-route.ts'
import { priceStepsRoute } from './steps-route.ts'
import { defaultsUsage, findRevision, revisionPage, numberInForce } from './queries.ts'

export interface PriceReadDeps extends PreviewDeps {
  readonly names: Names
}

const READS = ['prices'] as const
const ITEMS_DEFAULT = 50
const ITEMS_MOST = 200
const TEXTS = { unknown: '价格版本不存在' } as const

/** Revisions of prices: when, by whom, what changed, how much was charged by each (audit.md 8; role 10). */
export const priceReadRoutes = ({ reads, names, ...deps }: PriceReadDeps): readonly ApiRoute[] => [
  pricePreviewRoute({ reads, names, ...deps }),
  priceStepsRoute({ reads }),
  route({
    method: 'GET',
    path: '/api/ledger/prices',
    access: 'admin',
    summary:
      'Revisions of prices, newest first, from the one after `after` (a number) on, all or those that changed a model or a group; number 0 stands for the defaults',
    reads: READS,
    query: z.object({
      model: queryText().describe('Revisions that changed this model’s price; empty = all'),
      group: queryText().describe('Revisions that changed this group’s ratio; empty = all'),
      after: queryInt().describe('The next of the page before; 0 = from the newest'),
      limit: queryInt().meta({
        description: `Revisions of a page, at most ${ITEMS_MOST}: more is read as ${ITEMS_MOST}`,
        default: ITEMS_DEFAULT,
      }),
    }),
    answer: {
      data: z.strictObject({
        items: z.array(revisionAnswer),
        /** Number of the revision in force; 0 = the defaults. */
        in_force: z.int(),
        next: z.int().nullable(),
      }),
    },
    example: {
      query: { limit: '50' },
      data: { items: [EXAMPLE_REVISION], in_force: 14, next: null },
    },
    csv: {
      name: 'prices',
      columns: Object.keys(revisionAnswer.shape),
      batches: ({ query }) => everyRevision({ reads, names }, query),
    },
    handle: async ({ query }) => {
      const limit = Math.min(query.limit > 0 ? query.limit : ITEMS_DEFAULT, ITEMS_MOST)
      const { model, group, after } = query
      const filter = { model, group, before: after > 0 ? after : null }
      const rows = await revisionPage(reads, filter, limit + 1)
      const items = await tellRevisions(names, rows.slice(0, limit))
      const isLast = rows.length <= limit
      const isWhole = model === '' && group === ''
      const defaults = isLast && isWhole ? [ofDefaults(await defaultsUsage(reads))] : []
      return {
        data: {
          items: [...items, ...defaults],
          in_force: await numberInForce(reads),
          next: isLast ? null : (items.at(-1)?.number ?? null),
        },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/ledger/prices/:revision',
    access: 'admin',
    summary: 'One revision of prices by the position that charges name, with all that it changes',
    reads: READS,
    params: z.object({
      revision: z
        .string()
        .regex(/^\d{1,15}$/, TEXTS.unknown)
        .transform(Number)
        .pipe(z.int())
        .meta({ description: 'Position of the revision in the event log', minimum: 0 }),
    }),
    answer: { data: revisionAnswer.extend({ changes: z.array(priceEntry) }) },
    failureStatuses: [404],
    example: {
      params: { revision: '812' },
      data: { ...EXAMPLE_REVISION, changes: [EXAMPLE_ENTRY] },
    },
    handle: async ({ params }) => {
      const found = await findRevision(reads, params.revision)
      if (found === null) return failure(TEXTS.unknown, NOT_FOUND)
      const [told] = await tellRevisions(names, [found.row])
      const changes = found.entries.map(({ key, name, old_value: from, new_value: to }) => ({
        key,
        name,
        from,
        to,
      }))
      return { data: { ...told, changes } }
    },
  }),
]

const NOT_FOUND = 404

/** All revisions that changed a model or a group, newest first; all of them where neither is named, then the defaults. */
async function* everyRevision(
  { reads, names }: Pick<PriceReadDeps, 'reads' | 'names'>,
  { model, group }: { readonly model: string; readonly group: string },
): AsyncGenerator<readonly CsvRow[]> {
  const pages = below(
    (before, limit) => revisionPage(reads, { model, group, before }, limit),
    ({ number }) => number,
  )
  for await (const rows of pages) yield (await tellRevisions(names, rows)).map(csvRow)
  if (model === '' && group === '') yield [csvRow(ofDefaults(await defaultsUsage(reads)))]
}

const TIMES = ['at', 'effective_at', 'in_force_at', 'until', 'withdrawn_at'] as const

const csvRow = (revision: z.infer<typeof revisionAnswer>): CsvRow =>
  withTimes({ ...revision, keys: revision.keys.join(' ') }, TIMES)

const ofDefaults = ({
  charges,
  quota,
  until,
}: Awaited<ReturnType<typeof defaultsUsage>>): z.infer<typeof revisionAnswer> => ({
  revision: -1,
  number: 0,
  status: until === null ? 'in-force' : 'past',
  at: null,
  effective_at: null,
  in_force_at: null,
  until,
  withdrawn_at: null,
  withdrawn_by_name: '',
  user_id: null,
  username: '',
  note: '',
  keys: [],
  entries: 0,
  charges,
  quota,
})
