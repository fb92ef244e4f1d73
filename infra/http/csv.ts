import { Readable } from 'node:stream'
import type { ApiRequest, CsvList } from '@tollgate/command-api/http-contract/api-route.ts'
import { csvLine } from '@tollgate/command-api/http-contract/csv-line.ts'
import type { FastifyReply } from 'fastify'

/** Whether a request wants a list as CSV: it says so, and does not take JSON as well. */
export const wantsCsv = (accept: string | undefined): boolean =>
  accept !== undefined && /\btext\/csv\b/i.test(accept) && !/\bjson\b/i.test(accept)

/** Whether a request wants the same as JSON lines: one object a row. */
const wantsJsonLines = (accept: string | undefined): boolean =>
  accept !== undefined && /\bapplication\/(?:x-ndjson|jsonl)\b/i.test(accept)

/** How a list is sent as the file that a request wants; null when it wants none. */
export function fileSender(accept: string | undefined): typeof sendCsv | null {
  if (wantsCsv(accept)) return sendCsv
  return wantsJsonLines(accept) ? sendJsonLines : null
}

/** Sends all rows of a list as JSON lines, each with the members that the CSV has as columns; otherwise as `sendCsv`. */
function sendJsonLines(reply: FastifyReply, list: CsvList, request: ApiRequest): FastifyReply {
  return reply
    .type('application/x-ndjson')
    .header('Content-Disposition', `attachment; filename="${list.name}.jsonl"`)
    .send(Readable.from(jsonLinesOf(list, request), { objectMode: true, highWaterMark: 1 }))
}

async function* jsonLinesOf(list: CsvList, request: ApiRequest): AsyncGenerator<Buffer> {
  for await (const rows of list.batches(request)) {
    if (rows.length === 0) continue
    const lines = rows.map(
      (row) =>
        `${JSON.stringify(Object.fromEntries(list.columns.map((name) => [name, row[name] ?? null])))}\n`,
    )
    yield Buffer.from(lines.join(''))
  }
}

/**
 * Sends all rows of a list as they are read: the next batch is asked for when the client has taken the one before, so
 * that an export of millions of rows holds two batches. A failure on the way ends the connection: a file that looks
 * whole is whole.
 */
function sendCsv(reply: FastifyReply, list: CsvList, request: ApiRequest): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${list.name}.csv"`)
    .send(Readable.from(textOf(list, request), { objectMode: true, highWaterMark: 1 }))
}

/** RFC 4180, with a byte order mark so that spreadsheets read Chinese. */
async function* textOf(list: CsvList, request: ApiRequest): AsyncGenerator<Buffer> {
  const head = `\uFEFF${csvLine(list.columns)}`
  let isFirst = true
  for await (const rows of list.batches(request)) {
    const lines = rows.map((row) => csvLine(list.columns.map((column) => row[column] ?? '')))
    yield Buffer.from((isFirst ? head : '') + lines.join(''))
    isFirst = false
  }
  if (isFirst) yield Buffer.from(head)
}
