import {
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  type eventTypeFilter,
  type Position as LogPosition,
  type START,
  type streamNameFilter,
} from '@eventstore/db-client'
import type { Position } from '@tollgate/domain/event.ts'
import { ON_LEADER } from './client.ts'
import { positionOf } from './read-answer.ts'
import { NO_POSITION } from './recorded.ts'
import { readFailure } from './refusal.ts'

/** Versions before 23.10 do not say when all has come: what stays silent for so long has no more. */
const SILENCE_MS = 5_000
const SEARCH = { maxSearchWindow: 1_000, checkpointInterval: 100 }

/** From where on, where the log ends, and what is looked for by the beginnings of types or stream names. */
export interface LogSearch {
  readonly from: typeof START | LogPosition
  readonly end: Position
  readonly filter: typeof eventTypeFilter | typeof streamNameFilter
  readonly prefixes: string[]
}

/** Lets the server look for events of its own; answers from where a later search goes on. Fails with StoreUnavailable. */
export async function searchLog(
  client: EventStoreDBClient,
  { from, end, filter, prefixes }: LogSearch,
  take: (resolved: AllStreamResolvedEvent) => void,
): Promise<typeof START | LogPosition> {
  let reached = from
  await new Promise<void>((resolve, reject) => {
    const done = (): void => {
      // The client tells of the end ahead of up to 16 events that it still holds.
      if (subscription.readableLength > 0) {
        setImmediate(done)
        return
      }
      clearTimeout(silence)
      void subscription.unsubscribe().catch(() => undefined)
      resolve()
    }
    const silence = setTimeout(() => done(), SILENCE_MS)
    const subscription = client.subscribeToAll({
      ...ON_LEADER,
      fromPosition: from,
      filter: filter({
        prefixes,
        checkpointReached: (_, position) => {
          silence.refresh()
          const commit = Number(position.commit)
          if (commit === NO_POSITION) return
          reached = position
          if (positionOf(commit) >= end) done()
        },
        ...SEARCH,
      }),
    })
    subscription.on('data', (resolved) => {
      silence.refresh()
      take(resolved)
      reached = resolved.event?.position ?? reached
    })
    subscription.on('caughtUp', done)
    subscription.on('error', (error: unknown) => {
      clearTimeout(silence)
      reject(readFailure('did not answer a search', error))
    })
  })
  return reached
}
