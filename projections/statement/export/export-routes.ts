import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { z } from 'zod'
import type { Archives } from '../../archive/archives.ts'
import { queryFormats } from '../../archive/query-formats.ts'
import { isFiltered } from '../line-filter.ts'
import { filterFields, isPeriod, PERIOD_PROBLEM, queryAccountOwner, wantedOf } from '../query.ts'
import { NO_USER, STATEMENT_READS, type StatementDeps } from '../routes.ts'
import { EXPORT_FORMATS, exportStatement, isBook, type WantedExport } from './export-statement.ts'

const TEXTS = {
  bookFiltered: 'hledger 与 beancount 账簿须包含期间的全部记录：请清除筛选条件后再导出',
  bookGroup: 'hledger 与 beancount 账簿的 group 只能是 day-model 或 none',
} as const

/** Books have the price of quota beside the journal. */
const EXPORT_READS = [...STATEMENT_READS, 'prices'] as const

const fields = {
  ...filterFields,
  format: queryFormats(EXPORT_FORMATS, '. Books of hledger and beancount take no filter'),
} as const
const exportQuery = z.object(fields).refine(isPeriod, PERIOD_PROBLEM)
const exportQueryOfUser = z
  .object({ ...fields, user_id: queryAccountOwner() })
  .refine(isPeriod, PERIOD_PROBLEM)

/** A statement as files in a ZIP: one's own, or (role 10) anybody's. */
export function exportRoutes(deps: StatementDeps, archives: Archives): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/api/ledger/statement/export',
      access: 'admin',
      summary:
        'A statement as ZIP with manifest.json: format=csv, jsonl, hledger, beancount or several by commas; filters as of the statement',
      reads: EXPORT_READS,
      query: exportQueryOfUser,
      answer: { file: ['application/zip'] },
      example: { query: { user_id: '7', from: '2026-10-01T00:00:00Z', format: 'csv,hledger' } },
      handle: async (request) =>
        request.query.user_id === 0
          ? failure(NO_USER)
          : exported(deps, archives, callerOf(request).userId, {
              query: request.query,
              userId: request.query.user_id,
              isAdministrator: true,
            }),
    }),
    route({
      method: 'GET',
      path: '/api/ledger/statement/self/export',
      access: 'user',
      summary:
        'The caller’s own statement as ZIP; as for administrators, without channels and actors',
      reads: EXPORT_READS,
      query: exportQuery,
      answer: { file: ['application/zip'] },
      example: { query: { from: '2026-10-01T00:00:00Z', format: 'csv' } },
      handle: async (request) => {
        const { userId } = callerOf(request)
        const asked = { query: request.query, userId, isAdministrator: false }
        return exported(deps, archives, userId, asked)
      },
    }),
  ]
}

interface Asked {
  readonly query: z.output<typeof exportQuery>
  readonly userId: number
  readonly isAdministrator: boolean
}

async function exported(
  { names, store, ...logEnd }: StatementDeps,
  archives: Archives,
  caller: number,
  { query, userId, isAdministrator }: Asked,
): Promise<ApiReply> {
  const madeAt = logEnd.clock.now()
  const wanted = { ...wantedOf(query, userId, madeAt), formats: query.format }
  const problem = bookProblem(wanted)
  if (problem !== null) return failure(problem)
  const deps = { names, store, isAdministrator, madeAt, logEnd }
  return archives.give(caller, `statement-${userId}`, (reads) =>
    exportStatement(reads, deps, wanted),
  )
}

function bookProblem({ formats, filter, group }: WantedExport): string | null {
  if (!formats.some(isBook)) return null
  if (isFiltered(filter)) return TEXTS.bookFiltered
  return group === 'day-model' || group === 'none' ? null : TEXTS.bookGroup
}
