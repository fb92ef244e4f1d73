import { setTimeout as sleep } from 'node:timers/promises'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import { type Connection, isNotLeader, MOVE_MS } from './client.ts'
import { type LogStream, openLogStream } from './log-stream.ts'
import { type ArrivedEvent, isOfServer, type Prepares } from './recorded.ts'

/** A walk through the log asks for its pages one after the other; a read that stands still for so long is closed. */
const RESTS_MS = 5_000
/** Most reads that rest at once: an audit and rebuilds beside each other. */
const RESTING_MAX = 8
/** Looked through at once, during which a process does nothing else. */
const TAKEN_MAX = 500
/** A page of fewer events is no part of a walk through the log. */
const WALK_PAGE_MIN = 100

/** Pages of the log, which come out of one read as long as each begins where one before it ended. */
export interface LogPages {
  /**
   * Up to `limit` events after a position, as `take` has them of those that are not the server's own: fewer only at the
   * log's end as it is after this call. Fails with StoreUnavailable.
   */
  read<Event extends Placed>(after: Position, limit: number, take: Take<Event>): Promise<Event[]>
  close(): void
}

interface Placed {
  readonly position: Position
}

/** The first of these events that are of use, in their order, at most so many. */
type Take<Event> = (arrived: readonly ArrivedEvent[], limit: number) => Promise<Event[]>

/** A read that waits for its next page to be asked for. */
interface RestingRead {
  readonly stream: LogStream
  readonly position: Position
  readonly timer: NodeJS.Timeout
}

export function logPages(connection: Connection, prepares: Prepares): LogPages {
  const resting = new Set<RestingRead>()

  function rest(stream: LogStream, position: Position): void {
    const read = { stream, position, timer: setTimeout(() => drop(read), RESTS_MS).unref() }
    resting.add(read)
    const [oldest] = resting
    if (resting.size > RESTING_MAX && oldest !== undefined) drop(oldest)
  }

  function drop(read: RestingRead): void {
    leave(read)
    read.stream.close()
  }

  function leave(read: RestingRead): void {
    resting.delete(read)
    clearTimeout(read.timer)
  }

  /** The read that stands at a position, for one caller alone. */
  function restingAt(position: Position): LogStream | null {
    const read = [...resting].find((one) => one.position === position)
    if (read === undefined) return null
    leave(read)
    return read.stream
  }

  const openAt = (position: Position): LogStream =>
    openLogStream(
      connection,
      prepares,
      position === LOG_START ? 'start' : prepares.logPosition(position),
    )

  async function read<Event extends Placed>(
    after: Position,
    limit: number,
    take: Take<Event>,
  ): Promise<Event[]> {
    const events: Event[] = []
    let position = after
    let stream = restingAt(after)
    /** The log's end is that of now to a read that began now. */
    let isOfNow = stream === null
    /** A read that has brought something may begin again from there; one that has not has met no server. */
    let hasBrought = stream !== null
    let hasMoved = false
    stream ??= openAt(after)
    const beginAgain = (): void => {
      stream?.close()
      stream = openAt(position)
      isOfNow = true
      hasBrought = false
    }
    try {
      for (;;) {
        try {
          if (!(await stream.hasMore())) {
            if (isOfNow) return events
            beginAgain()
            continue
          }
        } catch (error) {
          const isElsewhere = isNotLeader(error)
          if (!hasBrought && (hasMoved || !isElsewhere)) throw error
          hasMoved ||= isElsewhere
          if (isElsewhere) await sleep(MOVE_MS)
          beginAgain()
          continue
        }
        const arrived = stream.take(TAKEN_MAX)
        // Reading from a position includes the event there, which has been seen.
        const news = arrived.filter((event) => event.position > position)
        hasBrought ||= news.length > 0
        const wanted = news.filter((event) => !isOfServer(event))
        const found = await take(wanted, limit - events.length)
        events.push(...found)
        const isFull = events.length === limit
        const last = isFull ? found.at(-1) : news.at(-1)
        position = last?.position ?? position
        if (!isFull) continue
        if (limit >= WALK_PAGE_MIN) {
          const end = position
          stream.putBack(news.filter((event) => event.position > end))
          rest(stream, end)
          stream = null
        }
        return events
      }
    } finally {
      stream?.close()
    }
  }

  return {
    read,
    close() {
      for (const one of resting) drop(one)
    },
  }
}
