import {
  type BareEvent,
  type DomainEvent,
  numberOfStream,
  type Position,
} from '@tollgate/domain/event.ts'
import { type ColumnFilter, type ColumnPage, EventTable } from '@tollgate/domain/event-columns.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { type Word, word } from '../columns/bytes.ts'
import { Layouts } from '../columns/layouts.ts'
import { MetadataTail } from '../columns/metadata-tail.ts'
import { PageLinks } from '../columns/page-links.ts'
import { WordIds } from '../columns/word-ids.ts'
import type { LogLinks } from '../log-links.ts'
import type { Upcasters } from '../upcasters.ts'
import { CopiedRow } from './copied-row.ts'
import { metadataInRow } from './rows.ts'

/** Different words and streams at most: then the lists are begun anew. */
const WORDS_MAX = 100_000

/** Words, streams and layouts that pages of the same columns share. */
export class ColumnWalk {
  readonly filter: ColumnFilter
  readonly limit: number
  readonly types: readonly string[]
  readonly upcasters: Upcasters
  readonly links: PageLinks
  streams: Streams
  words = new WordIds()
  readonly #layouts = new Map<string, Layouts>()
  /** Tables are filled in turn: a page is worked on while the next one is read. */
  #targets: readonly Target[]
  #targetsBefore: readonly Target[]

  constructor(filter: ColumnFilter, limit: number, upcasters: Upcasters) {
    this.filter = filter
    this.limit = limit
    this.types = Object.keys(filter.members)
    this.upcasters = upcasters
    this.links = new PageLinks(limit)
    this.streams = new Streams(filter)
    this.#targets = targetsOf(filter, limit)
    this.#targetsBefore = targetsOf(filter, limit)
  }

  /** The tables of the page to read: those of the page before the last that was read to its end. */
  emptyTargets(): readonly Target[] {
    for (const { table } of this.#targets) table.count = 0
    return this.#targets
  }

  endPage(): void {
    const filled = this.#targets
    this.#targets = this.#targetsBefore
    this.#targetsBefore = filled
  }

  beginPage(): PageScan {
    if (this.streams.names.length > WORDS_MAX) this.streams = new Streams(this.filter)
    if (this.words.words.length > WORDS_MAX) this.words = new WordIds()
    this.links.beginPage()
    return new PageScan(this)
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
  readonly table: EventTable
  version: number
  layouts: Layouts
}

const targetsOf = ({ members }: ColumnFilter, limit: number): readonly Target[] =>
  Object.entries(members).map(([type, wanted]) => ({
    name: word(type),
    table: new EventTable(type, wanted, limit),
    version: 0,
    layouts: new Layouts(),
  }))

/** Takes the rows of a page, as `columnQuery` in read-columns asks for them. */
export class PageScan {
  /** An event may be another client's, or sets such events aside: the page is to be read one by one. */
  isOdd = false
  events = 0
  readonly #walk: ColumnWalk
  readonly #streams: Streams
  readonly #words: WordIds
  readonly #targets: readonly Target[]
  readonly #row = new CopiedRow()
  readonly #tail = new MetadataTail()

  constructor(walk: ColumnWalk) {
    this.#walk = walk
    this.#streams = walk.streams
    this.#words = walk.words
    this.#targets = walk.emptyTargets()
  }

  readonly take = (bytes: Buffer, from: number): void => {
    const row = this.#row
    row.read(bytes, from)
    this.events += 1
    if (this.isOdd) return
    const stream = this.#streams.idOf(row.view, row.stream.from, row.stream.to)
    const number = this.#streams.numberOf(stream)
    if (number === null) return
    const target = this.#targetOf(row)
    const isLinkedRow = this.#tail.read(row) || metadataInRow(row, this.#tail)
    this.isOdd =
      !isLinkedRow ||
      !this.#walk.links.pass(stream, row, this.#tail, target !== null) ||
      (target === null ? row.is(SET_ASIDE_TYPE) : !this.#add(target, row, number))
  }

  /** Whether all events of the page are Tollgate's. Fails with StoreUnavailable. */
  async join(links: LogLinks): Promise<boolean> {
    return !this.isOdd && (await this.#walk.links.join(links, this.#streams.names))
  }

  /** The tables without what they hold, for a page that is read one by one. */
  emptied(): (events: readonly BareEvent[]) => void {
    for (const { table } of this.#targets) table.count = 0
    return (events) => {
      for (const event of events) {
        const target = this.#targets.find(({ table }) => table.type === event.type)
        target?.table.add(event, (word) => this.#words.idOfText(word))
      }
    }
  }

  page(after: Position): ColumnPage {
    this.#walk.endPage()
    const { position, id } = this.#row
    const last = this.events === 0 ? null : { position, id }
    return {
      tables: this.#targets.map(({ table }) => table),
      words: this.#words.words,
      position: last?.position ?? after,
      last,
      events: this.events,
    }
  }

  #targetOf(row: CopiedRow): Target | null {
    for (const target of this.#targets) if (row.is(target.name)) return target
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
