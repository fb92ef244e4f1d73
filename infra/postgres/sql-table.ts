import type { QueryArrayResult } from 'pg'
import stringWidth from 'string-width'

/** A result as an aligned table with the number of rows below; a statement without rows as what it did. */
export function formatResult(result: QueryArrayResult<(string | null)[]>): string {
  if (result.fields.length === 0) {
    return [result.command, result.rowCount].filter((part) => part !== null).join(' ')
  }
  const columns = result.fields.map((field, index) => {
    const cells = result.rows.map((row) => shownOnOneLine(row[index] ?? null))
    return {
      name: field.name,
      cells,
      width: cells.reduce(
        (width, cell) => Math.max(width, stringWidth(cell)),
        stringWidth(field.name),
      ),
      isNumber: numberTypes.has(field.dataTypeID),
    }
  })
  const header = columns.map(({ name, width }) => pad(name, width, false)).join(' | ')
  const rule = columns.map(({ width }) => '-'.repeat(width)).join('-+-')
  const rows = result.rows.map((_, row) =>
    columns.map(({ cells, width, isNumber }) => pad(cells[row] ?? '', width, isNumber)).join(' | '),
  )
  const count = `(${result.rows.length} ${result.rows.length === 1 ? 'row' : 'rows'})`
  return [header.trimEnd(), rule, ...rows.map((row) => row.trimEnd()), count].join('\n')
}

/** int8, int2, int4, oid, float4, float8, numeric: their digits line up at the right. */
const numberTypes: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700])

/** Null shows as nothing, as in psql. */
const shownOnOneLine = (value: string | null): string => (value ?? '').replaceAll('\n', '↵')

/** By what a terminal shows: a Chinese character takes two columns. */
function pad(text: string, width: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return isRight ? blanks + text : text + blanks
}
