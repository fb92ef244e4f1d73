import { csvLine } from '@tollgate/command-api/http-contract/csv-line.ts'
import type { CommonQueryMethods } from 'slonik'
import { csvColumns, csvValues, itemEntity } from './item-entity.ts'
import { exportData } from './queries.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A table of a result as a file, in pieces; the next piece is read when the one before has been taken. */
export async function* exportText(
  reads: CommonQueryMethods,
  replay: string,
  table: string,
  format: ExportFormat,
): AsyncGenerator<string> {
  // With a byte order mark, so that spreadsheets read Chinese.
  if (format === 'csv') yield `\uFEFF${csvLine(csvColumns(table))}`
  for await (const items of exportData(reads, replay, table)) {
    yield items
      .map(itemEntity)
      .map((item) =>
        format === 'csv' ? csvLine(csvValues(table, item)) : `${JSON.stringify(item)}\n`,
      )
      .join('')
  }
}
