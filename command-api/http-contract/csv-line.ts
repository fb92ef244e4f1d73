import type { CsvRow } from './api-route.ts'

/** One line of a CSV file (RFC 4180), with its end. */
export const csvLine = (values: readonly CsvRow[string][]): string =>
  `${values.map(cellOf).join(',')}\r\n`

/**
 * A text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). A decimal number
 * is none: sums that may pass 2^53 are text, and with an apostrophe a spreadsheet would not add them.
 */
function cellOf(value: CsvRow[string]): string {
  if (typeof value !== 'string') return String(value)
  const safe = !DECIMAL.test(value) && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const DECIMAL = /^-?\d+(\.\d+)?$/
