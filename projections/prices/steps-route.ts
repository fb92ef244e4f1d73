import { type ApiRoute, failure, route } from '@tollgate/command-api/http-contract/api-route.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { queryText } from '../http/query.ts'
import { priceSteps } from './steps.ts'

const step = z.strictObject({
  revision: z.int(),
  number: z.int(),
  /** Unix milliseconds; null for the defaults, which come first. */
  from: z.int().nullable(),
  is_planned: z.boolean(),
  /** Quota for a million tokens, exact; null where calls have a price, or nothing has. */
  input: z.string().nullable(),
  output: z.string().nullable(),
  /** Quota for a call. */
  call: z.string().nullable(),
  /** Factors of the prices of tokens under terms of a request, as in PriceFactors; null = none. */
  factors: z
    .strictObject({
      priority: z.string().optional(),
      flex: z.string().optional(),
      fast: z.string().optional(),
      geo: z.string().optional(),
      above: z.strictObject({ tokens: z.int(), in: z.string(), out: z.string() }).optional(),
    })
    .nullable(),
})
const EXAMPLE: z.infer<typeof step> = {
  revision: 812,
  number: 14,
  from: Date.UTC(2026, 2, 1),
  is_planned: false,
  input: '1500000',
  output: '6000000',
  call: null,
  factors: { priority: '2', above: { tokens: 200_000, in: '2', out: '1.5' } },
}
const MODEL_MISSING = '请用参数 model 指定模型'

/** The price of a model through time, in a group (audit.md 8; role 10). */
export const priceStepsRoute = ({ reads }: { readonly reads: CommonQueryMethods }): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/ledger/prices/steps',
    access: 'admin',
    summary:
      'What a model costs in a group through time, one step for each revision that changed it',
    reads: ['prices'],
    query: z.object({
      model: queryText().meta({ description: 'Model whose price is wanted', minLength: 1 }),
      group: queryText().describe('Group whose ratio the price is at; empty = default'),
    }),
    answer: { data: z.strictObject({ steps: z.array(step) }) },
    example: { query: { model: 'gpt-4o', group: 'vip' }, data: { steps: [EXAMPLE] } },
    handle: async ({ query: { model, group } }) => {
      if (model === '') return failure(MODEL_MISSING)
      const steps = await priceSteps(reads, model, group || 'default')
      return {
        data: {
          steps: steps.map(({ isPlanned, ...rest }) => ({ ...rest, is_planned: isPlanned })),
        },
      }
    },
  })
