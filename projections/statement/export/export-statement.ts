import type { Readable } from 'node:stream'
import type { CommonQueryMethods } from 'slonik'
import type { Names } from '../../http/names.ts'
import { balancesAsOf } from '../../journal/queries.ts'
import { isFinalByNow, type LogEnd } from '../../journal/final.ts'
import type { WantedLines } from '../lines.ts'
import { readStatement, type Statement } from '../read-statement.ts'
import type { ServiceSource } from '../service-times.ts'
import { beancount } from './beancount.ts'
import type { Book, BookGroup } from './book-entries.ts'
import { bookText } from './book-text.ts'
import { hledger } from './hledger.ts'
import { csvLines, jsonLines, type LineReader } from './line-files.ts'
import { quotaPrices } from './quota-prices.ts'
import { type FileToPack, type PackedFile, zipOf } from '../../archive/zip.ts'
import { COMMODITY } from './book-accounts.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl', 'hledger', 'beancount'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Formats of plain-text accounting: their closing balances are asserted, so they hold every booking of the period. */
export const isBook = (format: ExportFormat): boolean =>
  format === 'hledger' || format === 'beancount'

/** Filters are those of the lines; a book has none, and is by day and model or by event. */
export type WantedExport = Omit<WantedLines, 'after' | 'limit'> & {
  readonly formats: readonly ExportFormat[]
}

export interface ExportDeps {
  readonly names: Pick<Names, 'tokens' | 'users' | 'notes'>
  readonly store: ServiceSource['store']
  readonly isAdministrator: boolean
  readonly madeAt: number
  readonly logEnd: LogEnd
}

/** A statement as a ZIP, read in a transaction that sees one state of the journal throughout. */
export async function exportStatement(
  reads: CommonQueryMethods,
  { names, store, isAdministrator, madeAt, logEnd }: ExportDeps,
  wanted: WantedExport,
): Promise<Readable> {
  const { userId, period } = wanted
  const statement = await readStatement(reads, { ...wanted, after: null, limit: 1 })
  const final =
    statement.final || (await isFinalByNow(logEnd, statement.complete_to, { before: period.to }))
  const opening = await balancesAsOf(reads, userId, { before: period.from })
  const closing = await balancesAsOf(reads, userId, { before: period.to })
  const prices = wanted.formats.some(isBook) ? await quotaPrices(reads, period) : []
  const reader = { reads, names, store, isAdministrator }
  return zipOf(
    wanted.formats.map((format) => fileOf(format, reader, wanted, { opening, closing, prices })),
    (files) => manifestOf(wanted, { ...statement, final }, files, madeAt),
    new Date(madeAt),
  )
}

function fileOf(
  format: ExportFormat,
  reader: LineReader,
  wanted: WantedExport,
  ends: Pick<Book, 'opening' | 'closing' | 'prices'>,
): FileToPack {
  const { userId, period, zone } = wanted
  const group: BookGroup = wanted.group === 'none' ? 'none' : 'day-model'
  const book = { userId, period, zone, group, ...ends }
  switch (format) {
    case 'csv':
      return { name: 'statement.csv', pieces: csvLines(reader, wanted) }
    case 'jsonl':
      return { name: 'statement.jsonl', pieces: jsonLines(reader, wanted) }
    case 'hledger':
      return { name: 'statement.journal', pieces: bookText(reader.reads, book, hledger) }
    case 'beancount':
      return { name: 'statement.beancount', pieces: bookText(reader.reads, book, beancount) }
    default:
      return format satisfies never
  }
}

/** The contents of the archive for `manifest.json`; amounts in quota, times in RFC 3339. */
function manifestOf(
  { userId, period, zone, group, filter, withHolds }: WantedExport,
  statement: Statement,
  files: readonly PackedFile[],
  madeAt: number,
): unknown {
  const { lines: _lines, next: _next, ...figures } = statement
  return {
    version: 1,
    made_at: new Date(madeAt).toISOString(),
    user_id: userId,
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    zone,
    // All amounts of the export are in it.
    unit: COMMODITY,
    group,
    filter: {
      term: filter.term,
      source: filter.source,
      token_id: filter.tokenId,
      model: filter.model,
      holds: withHolds,
    },
    ...figures,
    files,
  }
}
