// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { Worker } from 'node:worker_threads'
import type { ColumnFilter } from '@tollgate/domain/event-columns.ts'
import type { Position } from '@tollgate/domain/event.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { ScannedPage } from './column-page.ts'
import type { ScanColumns } from './scan-columns.ts'
import type {
  ListNews,
  ScanAnswer,
  ScanProblem,
  ScanQuestion,
  ScanThreadData,
} from './scan-thread.ts'

/** Scans pages ahead of their reader, side by side in threads. */
export interface ScanThreads {
  readonly scan: ScanColumns
  close(): Promise<void>
}

/** Pages of a thread: one that is read or waits, one that it fills. */
const ROOMS = 2
/** Three semi-spaces of 4 MiB: rows are no objects, so little is young. */
const YOUNG_MIB = 12

/** A page that a thread was asked for. */
interface AskedPage {
  readonly after: Position
  readonly room: Room
  readonly scanned: Promise<ScannedPage>
}

/** Memory of a page, in a thread. */
interface Room {
  readonly thread: ScanThread
  readonly index: number
  isFree: boolean
}

/** `count` = threads, each of which has a connection. They start with the first page. */
export function openScanThreads(count: number, data: ScanThreadData): ScanThreads {
  let threads: readonly ScanThread[] = []
  /** One of each thread after the other, so that pages that follow each other are scanned side by side. */
  let rooms: readonly Room[] = []
  let columns: { readonly filter: ColumnFilter; readonly limit: number } | null = null
  let ahead: AskedPage[] = []
  /** Those of the last pages, which their reader may still read. */
  let read: Room[] = []

  async function begin(filter: ColumnFilter, limit: number): Promise<void> {
    await forgetAhead()
    if (threads.length === 0 || threads.some((thread) => thread.hasEnded)) {
      await end()
      threads = Array.from({ length: count }, () => new ScanThread(data))
    }
    for (const thread of threads) thread.begin(filter, limit)
    rooms = Array.from({ length: ROOMS }, (_, index) => index).flatMap((index) =>
      threads.map((thread) => ({ thread, index, isFree: true })),
    )
    columns = { filter, limit }
    read = []
  }

  /** Asks for pages as long as there is room for them. */
  function askAhead(from: Position, limit: number): void {
    let after = from + ahead.length * limit
    for (;;) {
      const room = nextRoom()
      if (room === undefined) return
      room.isFree = false
      const scanned = room.thread.scan(after, room.index)
      // A reader who goes on elsewhere wants nothing of its failure.
      scanned.catch(() => undefined)
      ahead.push({ after, room, scanned })
      after += limit
    }
  }

  /** The first free one behind that of the last page. */
  function nextRoom(): Room | undefined {
    const last = ahead.at(-1)?.room ?? read.at(-1)
    const behind = last === undefined ? 0 : rooms.indexOf(last) + 1
    return [...rooms.slice(behind), ...rooms.slice(0, behind)].find(({ isFree }) => isFree)
  }

  async function forgetAhead(): Promise<void> {
    const forgotten = ahead
    ahead = []
    await Promise.allSettled(forgotten.map(({ scanned }) => scanned))
    for (const { room } of forgotten) room.isFree = true
  }

  async function end(): Promise<void> {
    const ended = threads
    threads = []
    columns = null
    await Promise.all(ended.map((thread) => thread.end()))
  }

  async function scan(after: Position, filter: ColumnFilter, limit: number): Promise<ScannedPage> {
    const isSame = columns?.filter === filter && columns.limit === limit
    if (!isSame) await begin(filter, limit)
    else if (ahead[0]?.after !== after) await forgetAhead()
    for (const room of read.slice(0, -1)) room.isFree = true
    read = read.slice(-1)
    const isFromBefore = ahead.length > 0
    askAhead(after, limit)
    const asked = ahead.shift()
    if (asked === undefined) throw new Error('no room for a page')
    const { room } = asked
    try {
      const scanned = await asked.scanned
      if (scanned.page.events === limit || !isFromBefore) {
        read.push(room)
        return scanned
      }
    } catch (error) {
      room.isFree = true
      await forgetAhead()
      if (room.thread.hasEnded) columns = null
      throw error
    }
    // The log ended there when the page was asked for, and may have grown since.
    room.isFree = true
    await forgetAhead()
    return scan(after, filter, limit)
  }

  return {
    scan,
    async close() {
      await forgetAhead()
      await end()
    },
  }
}

interface Waiting {
  readonly resolve: (page: ScannedPage) => void
  readonly reject: (error: Error) => void
}

class ScanThread {
  hasEnded = false
  readonly #worker: Worker
  readonly #ended: Promise<void>
  #waiting: Waiting[] = []
  readonly #words = new CopiedList()
  readonly #streams = new CopiedList()

  constructor(data: ScanThreadData) {
    this.#worker = new Worker(new URL('./scan-thread.ts', import.meta.url), {
      name: 'log-reader',
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    })
    this.#worker.on('message', (answer: ScanAnswer) => this.#take(answer))
    let reason: unknown = null
    this.#worker.on('error', (error) => (reason = error))
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.hasEnded = true
        for (const { reject } of this.#waiting) reject(threadEnded(reason))
        this.#waiting = []
        resolve()
      })
    })
  }

  begin(filter: ColumnFilter, limit: number): void {
    this.#ask({ kind: 'columns', filter, limit, rooms: ROOMS })
  }

  scan(after: Position, room: number): Promise<ScannedPage> {
    return new Promise((resolve, reject) => {
      if (this.hasEnded) return reject(threadEnded(null))
      this.#waiting.push({ resolve, reject })
      this.#ask({ kind: 'page', after, room })
    })
  }

  async end(): Promise<void> {
    this.#ask({ kind: 'end' })
    await this.#ended
  }

  #ask(question: ScanQuestion): void {
    this.#worker.postMessage(question)
  }

  #take(answer: ScanAnswer): void {
    const waiting = this.#waiting.shift()
    if ('problem' in answer) return waiting?.reject(errorOf(answer.problem))
    const { page, isOdd, ends } = answer
    const words = this.#words.add(answer.words)
    const streams = this.#streams.add(answer.streams)
    waiting?.resolve({ page: { ...page, words }, isOdd, ends, streams })
  }
}

const threadEnded = (reason: unknown): StoreUnavailable =>
  new StoreUnavailable('a thread that reads the log ended', 'none', reason)

const errorOf = ({ isUnavailable, message }: ScanProblem): Error =>
  isUnavailable ? new StoreUnavailable(message, 'none', null) : new Error(message)

/** The copy of a thread's list. */
class CopiedList {
  #list: string[] = []

  add({ isNew, added }: ListNews): readonly string[] {
    if (isNew) this.#list = []
    for (const one of added) this.#list.push(one)
    return this.#list
  }
}
