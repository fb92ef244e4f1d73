// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort, workerData } from 'node:worker_threads'
import type { ColumnFilter, ColumnPage } from '@tollgate/domain/event-columns.ts'
import type { Position } from '@tollgate/domain/event.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { openPool } from '../../postgres/pool.ts'
import { UPCASTERS } from '../upcasters.ts'
import { ColumnWalk, type PageRoom, pageRoom, type ScannedPage } from './column-page.ts'
import { scanPage } from './scan-columns.ts'

/** A thread that scans pages of the log, one after the other, over a connection of its own. */
export interface ScanThreadData {
  readonly databaseUrl: string
  readonly answerTimeoutMs: number
}

/** A message to the thread. It answers pages alone, each with a `ScanAnswer` and in their order. */
export type ScanQuestion =
  /** Pages from now on hold these columns. They go into so many rooms. */
  | {
      readonly kind: 'columns'
      readonly filter: ColumnFilter
      readonly limit: number
      readonly rooms: number
    }
  /** A page, into one of the rooms that nobody reads any more. */
  | { readonly kind: 'page'; readonly after: Position; readonly room: number }
  | { readonly kind: 'end' }

export type ScanAnswer = ScannedAnswer | { readonly problem: ScanProblem }

export interface ScannedAnswer {
  readonly page: Omit<ColumnPage, 'words'>
  readonly isOdd: boolean
  readonly ends: ScannedPage['ends']
  readonly words: ListNews
  readonly streams: ListNews
}

/** Additions to a list since the answer before. `isNew` = the list was begun anew. */
export interface ListNews {
  readonly isNew: boolean
  readonly added: readonly string[]
}

export interface ScanProblem {
  readonly isUnavailable: boolean
  readonly message: string
}

interface Columns {
  readonly walk: ColumnWalk
  readonly limit: number
  readonly rooms: readonly PageRoom[]
}

function main(port: NonNullable<typeof parentPort>): void {
  const { databaseUrl, answerTimeoutMs } = workerData as ScanThreadData
  const pool = openPool(databaseUrl, {
    max: 1,
    applicationName: 'tollgate-log-reader',
    answerTimeoutMs,
    hasReadBuffers: true,
  })
  let columns: Columns | null = null
  const [words, streams] = [new ToldList(), new ToldList()]

  async function scan(after: Position, index: number): Promise<ScannedAnswer> {
    const room = columns?.rooms[index]
    if (columns === null || room === undefined) throw new Error('a page of no columns')
    const { walk, limit } = columns
    const scanned = await scanPage(pool, walk, room, { after, limit })
    const { words: list, ...page } = scanned.page
    return { ...scanned, page, words: words.news(list), streams: streams.news(scanned.streams) }
  }

  async function answer(question: ScanQuestion): Promise<void> {
    if (question.kind === 'columns') {
      const { filter, limit } = question
      const rooms = Array.from({ length: question.rooms }, () => pageRoom(filter, limit))
      columns = { walk: new ColumnWalk(filter, UPCASTERS), limit, rooms }
    } else if (question.kind === 'page') {
      port.postMessage(
        await scan(question.after, question.room).catch((error: unknown) => ({
          problem: problemOf(error),
        })),
      )
    } else {
      await pool.end()
      port.close()
    }
  }

  let answering = Promise.resolve()
  port.on('message', (question: ScanQuestion) => {
    answering = answering.then(() => answer(question))
  })
}

const problemOf = (error: unknown): ScanProblem => ({
  isUnavailable: error instanceof StoreUnavailable,
  message: error instanceof Error ? error.message : String(error),
})

/** A list that grows, of which another thread has a copy. */
class ToldList {
  #list: readonly string[] | null = null
  #told = 0

  news(list: readonly string[]): ListNews {
    const isNew = list !== this.#list
    const added = list.slice(isNew ? 0 : this.#told)
    this.#list = list
    this.#told = list.length
    return { isNew, added }
  }
}

if (parentPort !== null) main(parentPort)
