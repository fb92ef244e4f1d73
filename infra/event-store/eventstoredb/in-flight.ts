import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'

/** More appends than this at once gain nothing: the server takes 11,800 a second from 256 appenders. */
const APPENDS_MAX = 256
const BYTES_MAX = 16 * 1024 * 1024
/** More waiting than this means the server has stalled; further appends are refused instead of filling memory. */
const WAITING_MAX = 20_000

/** Lets a bounded number of appends be on their way at once, first come, first served. */
export interface InFlight {
  /** Runs `send` when there is room. Fails with StoreUnavailable ('none') when too many wait. */
  run<Result>(bytes: number, send: () => Promise<Result>): Promise<Result>
}

export function createInFlight(): InFlight {
  const waiting: Array<{ readonly bytes: number; readonly start: () => void }> = []
  let appends = 0
  let bytesInFlight = 0

  const hasRoom = (bytes: number): boolean =>
    appends === 0 || (appends < APPENDS_MAX && bytesInFlight + bytes <= BYTES_MAX)

  function enter(bytes: number): void {
    appends += 1
    bytesInFlight += bytes
  }

  function leave(bytes: number): void {
    appends -= 1
    bytesInFlight -= bytes
    for (let next = waiting[0]; next !== undefined && hasRoom(next.bytes); next = waiting[0]) {
      waiting.shift()
      enter(next.bytes)
      next.start()
    }
  }

  return {
    async run(bytes, send) {
      if (waiting.length === 0 && hasRoom(bytes)) {
        enter(bytes)
      } else {
        if (waiting.length >= WAITING_MAX) {
          throw new StoreUnavailable(
            'too many appends are waiting for EventStoreDB: try again',
            'none',
          )
        }
        await new Promise<void>((start) => waiting.push({ bytes, start }))
      }
      try {
        return await send()
      } finally {
        leave(bytes)
      }
    },
  }
}
