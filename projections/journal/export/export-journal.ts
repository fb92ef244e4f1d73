import type { Readable } from 'node:stream'
import { csvLine } from '@tollgate/command-api/http-contract/csv-line.ts'
import type { CommonQueryMethods } from 'slonik'
import { bare, type FileToPack, type Piece, zipOf } from '../../archive/zip.ts'
import { CSV_COLUMNS, type ExportedLine, exportedLines } from '../exported-lines.ts'
import { isFinal, isFinalByNow, type LogEnd } from '../final.ts'
import type { PostingNames } from '../journal-answers.ts'
import type { JournalFilter } from '../journal-filter.ts'
import { totalsByPostings, totalsBySums } from '../journal-totals.ts'
import { type JournalReach, journalReach } from '../queries.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface ExportDeps {
  readonly names: PostingNames
  readonly madeAt: number
  readonly logEnd: LogEnd
}

export interface WantedExport {
  readonly formats: readonly ExportFormat[]
  readonly filter: JournalFilter
}

/** The postings of a filter as a ZIP, read in a transaction that sees one state of the journal throughout. */
export async function exportJournal(
  reads: CommonQueryMethods,
  { names, madeAt, logEnd }: ExportDeps,
  { formats, filter }: WantedExport,
): Promise<Readable> {
  const reach = await journalReach(reads, filter.userId ?? null)
  const manifest = {
    version: 1,
    made_at: new Date(madeAt).toISOString(),
    ...filterTold(filter),
    totals: (await totalsBySums(reads, filter)) ?? (await totalsByPostings(reads, filter)),
    complete_to: reach.position,
    final: await isEndFinal(logEnd, reach, filter),
  }
  const files = formats.map((format): FileToPack => ({
    name: `journal.${format}`,
    pieces: piecesOf(exportedLines(reads, names, filter), filter, WRITERS[format]),
  }))
  return zipOf(files, (packed) => ({ ...manifest, files: packed }), new Date(madeAt))
}

/** How the lines of a file are written, and what stands above them. */
interface Writer {
  readonly head: string
  readonly line: (line: ExportedLine) => string
}

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
  // With a byte order mark, so that spreadsheets read Chinese.
  csv: {
    head: `\uFEFF${csvLine(CSV_COLUMNS)}`,
    line: (line) => csvLine(CSV_COLUMNS.map((column) => line[column])),
  },
  jsonl: {
    head: '',
    line: (line) =>
      `${JSON.stringify(Object.fromEntries(CSV_COLUMNS.map((name) => [name, line[name]])))}\n`,
  },
}

/** A file, piece by piece; its sums are those of the ledger account that is filtered, of all without one. */
async function* piecesOf(
  batches: AsyncIterable<readonly ExportedLine[]>,
  { account }: JournalFilter,
  { head, line: write }: Writer,
): AsyncGenerator<Piece> {
  yield bare(head)
  for await (const lines of batches) {
    const sumWhere = (member: 'from_account' | 'to_account'): bigint =>
      lines
        .filter((line) => account === undefined || line[member] === account)
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    yield {
      text: lines.map(write).join(''),
      rows: lines.length,
      debits: sumWhere('from_account'),
      credits: sumWhere('to_account'),
    }
  }
}

/** A filter by the names of the API; null = no condition. */
const filterTold = ({ from, to, ...filter }: JournalFilter) => ({
  from: from === undefined ? null : new Date(from).toISOString(),
  to: to === undefined ? null : new Date(to).toISOString(),
  filter: {
    account: filter.account ?? null,
    user_id: filter.userId ?? null,
    type: filter.type ?? null,
    actor: filter.actor ?? null,
    min: filter.min ?? null,
    max: filter.max ?? null,
    token: filter.tokenId ?? null,
    channel: filter.channel ?? null,
    model: filter.model ?? null,
    request_id: filter.requestId ?? null,
    from_position: filter.fromPosition ?? null,
    to_position: filter.toPosition ?? null,
  },
})

/** Whether no event that comes later can be let through: the filter ends in time or at a position. */
async function isEndFinal(
  logEnd: LogEnd,
  reach: JournalReach,
  { to, toPosition }: JournalFilter,
): Promise<boolean> {
  if (toPosition !== undefined && isFinal(reach, { position: toPosition })) return true
  if (to === undefined) return false
  return isFinal(reach, { before: to }) || isFinalByNow(logEnd, reach.position, { before: to })
}
