/** Rows of one batch of a CSV: one query's answer, some hundred kilobytes. */
export const CSV_BATCH_ROWS = 1_000

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
