import { type DomainEvent, numberOfStream, type Position } from '@tollgate/domain/event.ts'
import {
  type ColumnFilter,
  type ColumnPage,
  EventTableBuilder,
} from '@tollgate/domain/event-columns.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { type Word, word } from '../columns/bytes.ts'
import { Layouts } from '../columns/layouts.ts'
import { MetadataTail } from '../columns/metadata-tail.ts'
import {
  PageLinks,
  type StreamEnds,
  streamEnds,
  type StreamEndsBuilder,
} from '../columns/page-links.ts'
import { WordIds } from '../columns/word-ids.ts'
import type { Upcasters } from '../upcasters.ts'
import { CopiedRow } from './copied-row.ts'
import { metadataInRow } from './rows.ts'

/** Different words and streams at most: then the lists are begun anew. */
const WORDS_MAX = 100_000

/** A page as its bytes told it. What came before it in its streams has not been looked at. */
export interface ScannedPage {
  readonly page: ColumnPage
  /** An event may be another client's, or sets such events aside: the page is to be read one by one. */
  readonly isOdd: boolean
  readonly ends: StreamEnds
  /** Names of streams by their ids. The same list from page to page, as long as it is not too long. */
  readonly streams: readonly string[]
}

/** Memory of one page. */
export interface PageRoom {
  readonly tables: readonly EventTableBuilder[]
  readonly ends: StreamEndsBuilder
}

/** Room for a page of so many events. */
export const pageRoom = ({ members }: ColumnFilter, limit: number): PageRoom => ({
  tables: Object.entries(members).map(
    ([type, wanted]) => new EventTableBuilder(type, wanted, limit),
  ),
  ends: streamEnds(limit),
})

/** Words, streams and layouts that pages of the same columns share. */
export class ColumnWalk {
  readonly types: readonly string[]
  readonly targets: readonly Target[]
  readonly upcasters: Upcasters
  readonly links = new PageLinks()
  streams: Streams
  words = new WordIds()
  readonly #filter: ColumnFilter
  readonly #layouts = new Map<string, Layouts>()

  constructor(filter: ColumnFilter, upcasters: Upcasters) {
    this.#filter = filter
    this.types = Object.keys(filter.members)
    this.targets = Object.entries(filter.members).map(([type, wanted]) => ({
      name: word(type),
      table: new EventTableBuilder(type, wanted, 0),
      version: 0,
      layouts: new Layouts(),
    }))
    this.upcasters = upcasters
    this.streams = new Streams(filter)
  }

  /** Pages are scanned one after the other, each into a room that nobody reads any more. */
  beginPage({ tables, ends }: PageRoom): PageScan {
    if (this.streams.names.length > WORDS_MAX) this.streams = new Streams(this.#filter)
    if (this.words.words.length > WORDS_MAX) this.words = new WordIds()
    for (const [index, target] of this.targets.entries()) {
      target.table = tables[index] ?? target.table
      target.table.count = 0
    }
    this.links.beginPage(ends)
    return new PageScan(this, ends)
  }

  layoutsOf(type: string, version: number): Layouts {
    const name = `${type} ${version}`
    const known = this.#layouts.get(name)
    if (known !== undefined) return known
    const layouts = new Layouts()
    this.#layouts.set(name, layouts)
    return layouts
  }
}

/** Streams by ids. */
class Streams {
  readonly #filter: ColumnFilter
  readonly #ids = new WordIds()
  /** The number in each stream's name; null for a stream that the filter leaves out. */
  readonly #numbers: (number | null)[] = []

  constructor(filter: ColumnFilter) {
    this.#filter = filter
  }

  get names(): readonly string[] {
    return this.#ids.words
  }

  idOf(view: DataView, from: number, to: number): number {
    const id = this.#ids.idOf(view, from, to)
    if (id === this.#numbers.length) {
      const name = this.names[id] ?? ''
      const isWanted = this.#filter.streamPrefixes.some((prefix) => name.startsWith(prefix))
      this.#numbers.push(isWanted ? numberOfStream(name) : null)
    }
    return id
  }

  numberOf(id: number): number | null {
    return this.#numbers[id] ?? null
  }
}

/** A type's table, and the layouts of the version that came last. */
interface Target {
  readonly name: Word
  table: EventTableBuilder
  version: number
  layouts: Layouts
}

/** Takes the rows of a page, as `columnQuery` in scan-columns asks for them. */
export class PageScan {
  #isOdd = false
  #events = 0
  readonly #walk: ColumnWalk
  readonly #ends: StreamEnds
  readonly #streams: Streams
  readonly #words: WordIds
  readonly #row = new CopiedRow()
  readonly #tail = new MetadataTail()

  constructor(walk: ColumnWalk, ends: StreamEnds) {
    this.#walk = walk
    this.#ends = ends
    this.#streams = walk.streams
    this.#words = walk.words
  }

  readonly take = (bytes: Buffer, from: number): void => {
    const row = this.#row
    row.read(bytes, from)
    this.#events += 1
    if (this.#isOdd) return
    const stream = this.#streams.idOf(row.view, row.stream.from, row.stream.to)
    const number = this.#streams.numberOf(stream)
    if (number === null) return
    const target = this.#targetOf(row)
    const isLinkedRow = this.#tail.read(row) || metadataInRow(row, this.#tail)
    this.#isOdd =
      !isLinkedRow ||
      !this.#walk.links.pass(stream, row, this.#tail, target !== null) ||
      (target === null ? row.is(SET_ASIDE_TYPE) : !this.#add(target, row, number))
  }

  /** `after` = the position that the page begins behind. */
  end(after: Position): ScannedPage {
    const { position, id } = this.#row
    const last = this.#events === 0 ? null : { position, id }
    const page = {
      tables: this.#walk.targets.map(({ table }) => table),
      words: this.#words.words,
      position: last?.position ?? after,
      last,
      events: this.#events,
    }
    return { page, isOdd: this.#isOdd, ends: this.#ends, streams: this.#streams.names }
  }

  #targetOf(row: CopiedRow): Target | null {
    for (const target of this.#walk.targets) if (row.is(target.name)) return target
    return null
  }

  /** Adds an event to its table; false for one whose data are not what Tollgate writes. */
  #add(target: Target, row: CopiedRow, number: number): boolean {
    const { table } = target
    const { data } = row
    const { schemaVersion } = this.#tail
    if (target.version !== schemaVersion) {
      target.version = schemaVersion
      target.layouts = this.#walk.layoutsOf(table.type, schemaVersion)
    }
    if (target.layouts.read(data, table, table.count, this.#words)) {
      table.positions[table.count] = row.position
      table.streams[table.count] = number
      table.count += 1
      return true
    }
    return this.#addParsed(target, row)
  }

  #addParsed({ table, layouts }: Target, { bytes, data, stream, position }: CopiedRow): boolean {
    const { schemaVersion } = this.#tail
    try {
      const parsed = JSON.parse(bytes.toString('utf8', data.from, data.to)) as DomainEvent['data']
      const lifted = this.#walk.upcasters.upcast(table.type, schemaVersion, parsed)
      const name = bytes.toString('latin1', stream.from, stream.to)
      const event = { stream: name, position, data: lifted.data }
      table.add(event, (word) => this.#words.idOfText(word))
      // The bytes do not hold what an upcaster changed; a layout that waited for a JSON to be known needs no other.
      const isAsStored = lifted.data === parsed
      if (isAsStored && !layouts.read(data, table, table.count - 1, this.#words)) {
        layouts.learn(bytes.subarray(data.from, data.to), schemaVersion, table)
      }
      return true
    } catch {
      // The page is read one by one then, which tells the event apart and notes it.
      return false
    }
  }
}

const SET_ASIDE_TYPE = word(SET_ASIDE)
