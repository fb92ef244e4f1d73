import { type ApiRoute, callerOf, route } from '@tollgate/command-api/http-contract/api-route.ts'
import type { Archives } from '../../archive/archives.ts'
import { queryFormats } from '../../archive/query-formats.ts'
import type { LogEnd } from '../final.ts'
import { filterOf, filterQuery } from '../journal-query.ts'
import type { JournalReadDeps } from '../routes.ts'
import { EXPORT_FORMATS, exportJournal } from './export-journal.ts'

/** The postings that are filtered, as files in a ZIP (role 10). */
export const journalExportRoute = (
  { names, ...logEnd }: JournalReadDeps & LogEnd,
  archives: Archives,
): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/ledger/journal/export',
    access: 'admin',
    summary:
      'Postings as ZIP with manifest.json: format=csv, jsonl or both by a comma; filters as of the journal',
    reads: ['journal'],
    query: filterQuery.extend({ format: queryFormats(EXPORT_FORMATS) }),
    answer: { file: ['application/zip'] },
    example: { query: { account: 'wallet', user_id: '7', format: 'csv,jsonl' } },
    handle: async (request) => {
      const { format: formats, ...query } = request.query
      const deps = { names, logEnd, madeAt: logEnd.clock.now() }
      return archives.give(callerOf(request).userId, 'journal', (reads) =>
        exportJournal(reads, deps, { formats, filter: filterOf(query) }),
      )
    },
  })
