import { type ApiRoute, failure, route } from '@tollgate/command-api/http-contract/api-route.ts'
import { z } from 'zod'
import { journalReach } from '../journal/queries.ts'
import { inOneState } from '../runner/reads.ts'
import { isAnswerFinal } from '../journal/final.ts'
import { FINAL } from './answers.ts'
import { AS_OF_COLUMNS, asOfCells } from './as-of-columns.ts'
import { asOfOf, trialBalanceQuery } from './query.ts'
import { STATEMENT_READS, type StatementDeps } from './routes.ts'
import { trialBalanceAsOf } from './trial-balance.ts'

const beyondLog = (head: number): string => `参数 position 超出日志末尾，日志目前到位置 ${head}`

const row = z.strictObject({
  account: z.string(),
  accounts: z.int(),
  debits: z.string(),
  credits: z.string(),
  balance: z.string(),
})

/** Amounts as decimal text, since sums may pass 2^53. */
export const trialBalanceAnswer = z.strictObject({
  position: z.int().meta({ description: 'Asked for, else everything up to it is in' }),
  at: z.string().nullable().meta({ description: 'Events before it are in; ISO 8601' }),
  final: z.boolean().meta({ description: FINAL }),
  rows: z.array(row),
  total: row,
})

/** The trial balance as of any moment, from the journal's sums by day. */
export const trialBalanceRoute = (deps: StatementDeps): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/audit/trial-balance',
    access: 'admin',
    summary:
      'Debits, credits and balance of the ledger accounts as of at=<time> (events before it) or position=<position> (up to and with it); now without both; detail=each',
    reads: STATEMENT_READS,
    query: trialBalanceQuery,
    answer: { data: trialBalanceAnswer },
    example: { query: { at: '2026-02-03T12:00:00Z' }, data: EXAMPLE },
    csv: {
      name: 'trial-balance',
      columns: [...Object.keys(row.shape), ...AS_OF_COLUMNS],
      async refusal({ query }) {
        const found = await trialBalance(deps, query)
        return 'beyond' in found ? failure(beyondLog(found.beyond)) : null
      },
      async *batches({ query }) {
        const found = await trialBalance(deps, query)
        if ('beyond' in found) return
        const { at, position, final } = found
        const cells = asOfCells({ at, completeTo: position, final })
        yield [...found.rows, found.total].map((one) => ({ ...one, ...cells }))
      },
    },
    handle: async ({ query }) => {
      const found = await trialBalance(deps, query)
      return 'beyond' in found ? failure(beyondLog(found.beyond)) : { data: found }
    },
  })

type TrialBalance = z.output<typeof trialBalanceAnswer>

/** `beyond`: the end of the log, which the position that is asked for passes. */
async function trialBalance(
  deps: StatementDeps,
  query: z.output<typeof trialBalanceQuery>,
): Promise<TrialBalance | { readonly beyond: number }> {
  return inOneState(deps.reads, async (snapshot) => {
    const reach = await journalReach(snapshot, null)
    const asked = asOfOf(query)
    const asOf = asked ?? { position: reach.position }
    if ('position' in asOf && asOf.position > reach.position) return { beyond: reach.position }
    const rows = await trialBalanceAsOf(snapshot, asOf, query.detail ?? 'by-kind')
    const sum = (of: 'debits' | 'credits' | 'balance'): string =>
      String(rows.reduce((total, one) => total + BigInt(one[of]), 0n))
    return {
      position: 'position' in asOf ? asOf.position : reach.position,
      at: 'before' in asOf ? new Date(asOf.before).toISOString() : null,
      final: await isAnswerFinal(deps, reach, asked),
      rows: [...rows],
      total: {
        account: 'total',
        accounts: rows.reduce((total, { accounts }) => total + accounts, 0),
        debits: sum('debits'),
        credits: sum('credits'),
        balance: sum('balance'),
      },
    }
  })
}

const EXAMPLE = {
  position: 1_204,
  at: '2026-02-03T12:00:00.000Z',
  final: true,
  rows: [
    { account: 'wallet', accounts: 1, debits: '0', credits: '500000', balance: '500000' },
    { account: 'promotions', accounts: 1, debits: '500000', credits: '0', balance: '-500000' },
  ],
  total: { account: 'total', accounts: 2, debits: '500000', credits: '500000', balance: '0' },
} as const
