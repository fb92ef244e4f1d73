import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { z } from 'zod'
import { queryText } from '../../http/query.ts'
import { isFiltered } from '../line-filter.ts'
import { filterFields, isPeriod, PERIOD_PROBLEM, queryAccountOwner, wantedOf } from '../query.ts'
import { NO_USER, STATEMENT_READS, type StatementDeps } from '../routes.ts'
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportStatement,
  isBook,
  type WantedExport,
} from './export-statement.ts'

const TEXTS = {
  format: `参数 format 只能是 ${EXPORT_FORMATS.join('、')}，多个用逗号分隔`,
  bookFiltered: 'hledger 与 beancount 账簿须包含期间的全部记录：请清除筛选条件后再导出',
  bookGroup: 'hledger 与 beancount 账簿的 group 只能是 day-model 或 none',
  busy: '导出任务过多，请等待正在进行的导出完成后重试',
} as const

/** Each holds a connection while it is read. */
const EXPORTS_AT_ONCE = 4

const fields = {
  ...filterFields,
  format: queryText()
    .transform((written, context): readonly ExportFormat[] => {
      const named = new Set(written.split(','))
      const formats = EXPORT_FORMATS.filter((format) => named.has(format))
      if (formats.length > 0 && formats.length === named.size) return formats
      context.addIssue({ code: 'custom', message: TEXTS.format })
      return z.NEVER
    })
    .meta({
      type: 'string',
      pattern: `^(${EXPORT_FORMATS.join('|')})(,(${EXPORT_FORMATS.join('|')}))*$`,
      description: `Formats of the files, joined by commas: ${EXPORT_FORMATS.join(', ')}. Books of hledger and beancount take no filter`,
    }),
} as const
const exportQuery = z.object(fields).refine(isPeriod, PERIOD_PROBLEM)
const exportQueryOfUser = z
  .object({ ...fields, user_id: queryAccountOwner() })
  .refine(isPeriod, PERIOD_PROBLEM)

/** A statement as files in a ZIP: one's own, or (role 10) anybody's. */
export function exportRoutes(deps: StatementDeps): readonly ApiRoute[] {
  /** Callers whose export is under way. */
  const exporting = new Set<number>()
  return [
    route({
      method: 'GET',
      path: '/api/ledger/statement/export',
      access: 'admin',
      summary:
        'A statement as ZIP with manifest.json: format=csv, jsonl, hledger, beancount or several by commas; filters as of the statement',
      reads: STATEMENT_READS,
      query: exportQueryOfUser,
      answer: { file: ['application/zip'] },
      example: { query: { user_id: '7', from: '2026-10-01T00:00:00Z', format: 'csv,hledger' } },
      handle: async (request) =>
        request.query.user_id === 0
          ? failure(NO_USER)
          : exported(deps, exporting, callerOf(request).userId, {
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
      reads: STATEMENT_READS,
      query: exportQuery,
      answer: { file: ['application/zip'] },
      example: { query: { from: '2026-10-01T00:00:00Z', format: 'csv' } },
      handle: async (request) => {
        const { userId } = callerOf(request)
        const asked = { query: request.query, userId, isAdministrator: false }
        return exported(deps, exporting, userId, asked)
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
  { pool, names, ...logEnd }: StatementDeps,
  exporting: Set<number>,
  caller: number,
  { query, userId, isAdministrator }: Asked,
): Promise<ApiReply> {
  const madeAt = logEnd.clock.now()
  const wanted = { ...wantedOf(query, userId, madeAt), formats: query.format }
  const problem = bookProblem(wanted)
  if (problem !== null) return failure(problem)
  if (exporting.has(caller) || exporting.size >= EXPORTS_AT_ONCE) return failure(TEXTS.busy, 429)
  exporting.add(caller)
  const deps = { pool, names, isAdministrator, madeAt, logEnd }
  const archive = await exportStatement(deps, wanted, () => exporting.delete(caller))
  return {
    whole: archive,
    headers: {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="statement-${userId}.zip"`,
    },
  }
}

function bookProblem({ formats, filter, group }: WantedExport): string | null {
  if (!formats.some(isBook)) return null
  if (isFiltered(filter)) return TEXTS.bookFiltered
  return group === 'day-model' || group === 'none' ? null : TEXTS.bookGroup
}
