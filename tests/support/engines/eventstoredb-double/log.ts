/**
 * The memory of the double: one log of records with positions that grow by the record's size, as offsets in a real
 * server's files do, and the place of each record in its stream.
 */
export interface LogRecord {
  readonly stream: string
  readonly revision: bigint
  /** Commit position; a write's events are all committed where they stand, so prepare is the same. */
  readonly position: bigint
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
  /** Unix milliseconds. */
  readonly created: number
}

export type ProposedEvent = Pick<LogRecord, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>

/** 'any', 'no-stream', 'stream-exists', or the revision that the stream must end with. */
export type ExpectedRevision = 'any' | 'no-stream' | 'stream-exists' | bigint

export type AppendResult =
  | { readonly type: 'success'; readonly revision: bigint; readonly position: bigint }
  | { readonly type: 'wrong-expected-version'; readonly current: bigint | null }
  | { readonly type: 'too-large' }
  | { readonly type: 'bad-id' }
  | { readonly type: 'timeout' }
  | { readonly type: 'stream-deleted' }
  | { readonly type: 'access-denied' }

/** The server's default bound on one append. */
export const MAX_APPEND_SIZE = 1024 * 1024

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The view that reads and subscriptions have of it. */
export type LogView = Pick<DoubleLog, 'records' | 'streamOf' | 'isDeleted' | 'follow'>

export class DoubleLog {
  readonly records: LogRecord[] = []
  /** Limit of one append; operators may set it lower. */
  appendBytesMax = MAX_APPEND_SIZE
  readonly #streams = new Map<string, LogRecord[]>()
  /** Streams to which its clients may not write. */
  isDenied: (stream: string) => boolean = () => false
  readonly #followers = new Set<() => void>()
  readonly #deleted = new Set<string>()
  #nextPosition = 0n

  constructor() {
    // Every real log begins with events of the server itself.
    this.append('$users', 'any', [serverEvent('$UserCreated', {})])
  }

  streamOf(name: string): readonly LogRecord[] {
    return this.#streams.get(name) ?? []
  }

  /** Whether a stream was deleted for good: nothing can be read of it or appended to it again. */
  isDeleted(name: string): boolean {
    return this.#deleted.has(name)
  }

  /** Deletes a stream for good, as an operator or another client may. */
  tombstone(name: string): void {
    this.#store(name, [serverEvent('$streamDeleted', {})])
    this.#deleted.add(name)
  }

  /** Sets a stream's metadata, as an operator or another client may: its limits take events away from readers. */
  setMetadata(name: string, metadata: object): void {
    this.append(`$$${name}`, 'any', [serverEvent('$metadata', metadata)])
  }

  /** Puts the log back to how it was when it held so many records, as a promoted node would show it that lagged. */
  putBack(records: number): void {
    const lost = this.records.splice(records)
    for (const name of new Set(lost.map(({ stream }) => stream))) {
      const kept = this.streamOf(name).filter((record) => !lost.includes(record))
      this.#streams.set(name, [...kept])
    }
    this.#nextPosition = lost[0]?.position ?? this.#nextPosition
  }

  /** The log as a node sees it that gets nothing from now on. */
  asItIsNow(): LogView {
    const records = [...this.records]
    return {
      records,
      streamOf: (name) => records.filter(({ stream }) => stream === name),
      isDeleted: (name) => this.isDeleted(name),
      follow: () => () => undefined,
    }
  }

  /** Calls back after each append until the returned function is called. */
  follow(follower: () => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  append(name: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): AppendResult {
    if (events.some((event) => !UUID.test(event.id))) return { type: 'bad-id' }
    if (events.reduce((sum, event) => sum + sizeOf(event), 0) > this.appendBytesMax) {
      return { type: 'too-large' }
    }
    if (this.isDeleted(name)) return { type: 'stream-deleted' }
    const stream = this.streamOf(name)
    const current = stream.at(-1)?.revision ?? null
    if (!isExpected(expected, current)) {
      return repeatOf(stream, expected, events) ?? { type: 'wrong-expected-version', current }
    }
    const repeat = expected === 'any' ? repeatOf(stream, expected, events) : null
    return repeat ?? this.#store(name, events)
  }

  #store(name: string, events: readonly ProposedEvent[]): AppendResult {
    const stream = this.#streams.get(name) ?? []
    this.#streams.set(name, stream)
    let revision = stream.at(-1)?.revision ?? -1n
    let position = this.#nextPosition
    for (const event of events) {
      revision += 1n
      position = this.#nextPosition
      this.#nextPosition += BigInt(100 + sizeOf(event))
      const record = { ...event, stream: name, revision, position, created: Date.now() }
      stream.push(record)
      this.records.push(record)
    }
    for (const follower of this.#followers) follower()
    return { type: 'success', revision, position }
  }
}

const serverEvent = (type: string, data: object): ProposedEvent => ({
  id: crypto.randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(JSON.stringify(data)),
  metadata: new Uint8Array(),
})

/** The records of a stream that limits leave for its readers; a scavenge would remove the rest for good. */
export function visibleOf(log: LogView, name: string): readonly LogRecord[] {
  const records = log.streamOf(name)
  const newest = log.streamOf(`$$${name}`).at(-1)
  if (newest === undefined) return records
  const { $maxCount, $maxAge, $tb } = JSON.parse(Buffer.from(newest.data).toString('utf8')) as {
    readonly $maxCount?: number
    /** Seconds. */
    readonly $maxAge?: number
    readonly $tb?: number
  }
  const from = Math.max($tb ?? 0, $maxCount === undefined ? 0 : records.length - $maxCount)
  const since = $maxAge === undefined ? 0 : Date.now() - $maxAge * 1_000
  return records.filter(({ revision, created }) => revision >= from && created >= since)
}

const sizeOf = (event: ProposedEvent): number =>
  event.data.length + event.metadata.length + 2 * event.type.length

function isExpected(expected: ExpectedRevision, current: bigint | null): boolean {
  if (expected === 'any') return true
  if (expected === 'no-stream') return current === null
  if (expected === 'stream-exists') return current !== null
  return expected === current
}

/** The server compares ids alone, from the expected place on: other data under the same ids is not noticed. */
function repeatOf(
  stream: readonly LogRecord[],
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
): AppendResult | null {
  const firstId = events[0]?.id.toLowerCase()
  const start =
    expected === 'any' || expected === 'stream-exists'
      ? stream.findIndex((record) => record.id.toLowerCase() === firstId)
      : Number(expected === 'no-stream' ? 0n : expected + 1n)
  const there = start < 0 ? [] : stream.slice(start, start + events.length)
  const isSame =
    there.length === events.length &&
    events.every((event, index) => there[index]?.id.toLowerCase() === event.id.toLowerCase())
  const last = there.at(-1)
  return isSame && last !== undefined
    ? { type: 'success', revision: last.revision, position: last.position }
    : null
}
