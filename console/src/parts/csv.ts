/** One value of a CSV cell. */
export type CsvValue = string | number | boolean

/**
 * Rows as CSV (RFC 4180), with a byte order mark so that spreadsheets read Chinese. Texts that a spreadsheet would run
 * as a formula get an apostrophe in front (OWASP, CSV injection).
 */
export function toCsv(header: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  const lines = [header, ...rows].map((row) => row.map(cell).join(','))
  return `\uFEFF${lines.join('\r\n')}\r\n`
}

/** Offers a text as a file to save. */
export function saveAsFile(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

function cell(value: CsvValue): string {
  if (typeof value !== 'string') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
