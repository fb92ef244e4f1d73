/** Rows of one batch of a CSV: one query's answer, some hundred kilobytes. */
export const CSV_BATCH_ROWS = 1_000

/**
 * A list that is read by pages, newest first, as batches. Rows that are added meanwhile push others onto the next page:
 * those are left out there. Only for lists that no row leaves, which would skip others: those are read by `below`.
 */
export async function* pagesOf<Row>(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<readonly Row[]>,
  keyOf: (row: Row) => unknown,
): AsyncGenerator<readonly Row[]> {
  let before: ReadonlySet<unknown> = new Set()
  for (let offset = 0; ; offset += CSV_BATCH_ROWS) {
    const rows = await read({ offset, limit: CSV_BATCH_ROWS })
    yield rows.filter((row) => !before.has(keyOf(row)))
    if (rows.length < CSV_BATCH_ROWS) return
    before = new Set(rows.map(keyOf))
  }
}

/** The same place for queries that count pages from 1. */
export const numbered = ({
  offset,
  limit,
}: {
  readonly offset: number
  readonly limit: number
}): { readonly page: number; readonly size: number } => ({
  page: offset / limit + 1,
  size: limit,
})

/**
 * A list in descending order of its keys: each batch begins below the last key of the one before, whatever is added or
 * leaves meanwhile. Rows that are large of themselves want fewer in a batch.
 */
export async function* below<Row, Key = number>(
  read: (before: Key | null, limit: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  batchRows = CSV_BATCH_ROWS,
): AsyncGenerator<readonly Row[]> {
  let before: Key | null = null
  while (true) {
    const rows = await read(before, batchRows)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < batchRows) return
    before = keyOf(last)
  }
}
