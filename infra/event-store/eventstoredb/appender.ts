import type { Position } from '@tollgate/domain/event.ts'
import { LOG_START } from '@tollgate/domain/event.ts'
import {
  AppendRefused,
  RevisionConflict,
  StoreUnavailable,
  WriteDenied,
  type AppendedEvents,
} from '@tollgate/domain/ports/event-store.ts'
import { type AppendHealth, appendHealth } from '../append-health.ts'
import type { ChainedAppend } from '../chain.ts'
import type { StoredEvent } from '../stored-event.ts'
import type { StoreLogger } from '../store-logger.ts'
import type { AppendAnswer } from './append-answer.ts'
import { createAppendStream } from './append-stream.ts'
import type { Connection } from './client.ts'
import { createInFlight } from './in-flight.ts'
import { writeProbe } from './write-probe.ts'

/** Reads so many events of a stream from a revision on. */
type ReadBack = (stream: string, from: number, count: number) => Promise<readonly StoredEvent[]>

export interface Appender {
  /** Fails with RevisionConflict, AppendRefused or StoreUnavailable. */
  append(append: ChainedAppend): Promise<AppendedEvents>
  readonly health: AppendHealth
  /** Fails with StoreUnavailable. */
  proveWrite(): Promise<void>
}

/** Appends whose outcome never became known are remembered up to this many. */
const UNKNOWN_MAX = 10_000

/**
 * Appends, and makes sure that a success is of these very bytes. The server takes a repeat for a success by its event
 * ids alone. A success is a repeat when its position is not beyond all that were seen before it was sent, or when the
 * same id was sent before with an unknown outcome; then the events are read back and compared.
 */
export function createAppender(
  connection: Connection,
  timeoutMs: number,
  readBack: ReadBack,
  logger: Pick<StoreLogger, 'error' | 'info'>,
): Appender {
  const send = createAppendStream(connection, timeoutMs)
  const health = appendHealth(() => performance.now())
  const probe = writeProbe(send)
  let isDenied = false
  const inFlight = createInFlight()
  /** First event id → hash of the last event, of appends that may have been stored. */
  const unknown = new Map<string, string>()
  let highest: Position = LOG_START

  function rememberUnknown(append: ChainedAppend): void {
    const oldest = unknown.keys().next()
    if (unknown.size >= UNKNOWN_MAX && oldest.done !== true) unknown.delete(oldest.value)
    unknown.set(firstId(append), append.head.hash)
  }

  async function sendOnce(append: ChainedAppend): ReturnType<typeof send> {
    try {
      const answer = await inFlight.run(append.bytes, () => send(append))
      noteAnswer(health, answer)
      logDenied(answer)
      return answer
    } catch (error) {
      health.note(error)
      if (error instanceof StoreUnavailable && error.outcome === 'unknown') rememberUnknown(append)
      throw error
    }
  }

  /** Once, however often appends are repeated until the right is back. */
  function logDenied(answer: AppendAnswer): void {
    const isRefused = answer.type === 'refused' && answer.isDenied
    if (isRefused && !isDenied) logger.error({ reason: answer.reason }, DENIED)
    if (answer.type === 'success' && isDenied)
      logger.info({}, 'EventStoreDB lets Tollgate write again')
    if (isRefused || answer.type === 'success') isDenied = isRefused
  }

  return {
    health,
    async proveWrite() {
      if (health.hasJustStored()) return
      try {
        await probe()
      } catch (error) {
        health.note(error)
        throw error
      }
    },
    async append(append) {
      const seenBefore = highest
      const sentBefore = unknown.get(firstId(append))
      const answer = await sendOnce(append)
      const { stream, expected, head } = append
      if (answer.type === 'wrong-expected-version') {
        unknown.delete(firstId(append))
        throw new RevisionConflict(stream, expected.revision, answer.actual)
      }
      if (answer.type === 'refused') {
        const text = `EventStoreDB refused an append to ${stream}: ${answer.reason}`
        if (answer.isDenied) throw new WriteDenied(text)
        if (answer.isFinal) throw new AppendRefused(text)
        if (answer.isStored === null) rememberUnknown(append)
        throw new StoreUnavailable(text, answer.isStored === null ? 'unknown' : 'none')
      }
      const isSurelyNew =
        answer.position !== null &&
        answer.position > seenBefore &&
        (sentBefore === undefined || sentBefore === head.hash)
      const position = isSurelyNew ? answer.position : await positionIfSame(append, readBack)
      unknown.delete(firstId(append))
      highest = Math.max(highest, position)
      return { head, position }
    },
  }
}

/** A server that cannot write (a full disk, a minority) refuses every append; one that is refused for good says nothing of the server. */
function noteAnswer(health: AppendHealth, answer: AppendAnswer): void {
  if (answer.type === 'success') health.note(null)
  else if (answer.type === 'refused' && !answer.isFinal) {
    const { isDenied, reason } = answer
    health.note(isDenied ? new WriteDenied(reason) : new StoreUnavailable(reason, 'none'))
  }
}

const DENIED =
  'event-store: EventStoreDB does not let Tollgate write; nothing is lost, appends are repeated: give the user of EVENTSTORE_URL the right to write ($w in the default ACL of user streams)'

const firstId = (append: ChainedAppend): string => append.events[0]?.id ?? ''

/** Position of the last event if exactly these events stand at their place. Fails with RevisionConflict otherwise. */
async function positionIfSame(append: ChainedAppend, readBack: ReadBack): Promise<Position> {
  const { stream, expected, events } = append
  const stored = await readBack(stream, expected.revision + 1, events.length)
  const isSame = events.every(
    (event, index) =>
      stored[index]?.dataText === event.dataText &&
      stored[index]?.metadataText === event.metadataText,
  )
  const last = stored.at(-1)
  if (!isSame || last === undefined) throw new RevisionConflict(stream, expected.revision, null)
  return last.position
}
