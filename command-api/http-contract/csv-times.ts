import type { CsvRow } from './api-route.ts'

/** A row of a file with these moments, unix milliseconds or null, in RFC 3339, as spreadsheets read them. */
export const withTimes = (row: CsvRow, names: readonly string[]): CsvRow => ({
  ...row,
  ...Object.fromEntries(
    names.map((name) => {
      const at = row[name]
      return [name, typeof at === 'number' ? new Date(at).toISOString() : null]
    }),
  ),
})
