import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

/** A connection to the database, or a pool of them. */
export type Reader = Pick<Pool, 'query'>

/** Balances and log as a reader finds them: everything up to `position` is in both. */
interface Sighting {
  readonly position: number
  /** When the reader had the answer, as `performance.now()` tells. */
  readonly at: number
}

/** The positions that a reader has seen who asks every few milliseconds. */
export interface SeenPositions {
  /** Resolves when everything up to there is visible; the watch ends with it. */
  endAt(position: number): Promise<void>
  /** When it was first found visible; NaN when it never was. */
  visibleAt(position: number): number
}

const LOOK_EVERY_MS = 2
const VISIBLE_WITHIN_MS = 60_000

/** Begins to look how far balances and usage log are; what is measured so is late by a look at most, never early. */
export function watchReadModels(reader: Reader): SeenPositions {
  const sightings: Sighting[] = []
  const ending = new AbortController()
  const newest = (): number => sightings.at(-1)?.position ?? -1
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const position = await visiblePosition(reader)
      if (position > newest()) sightings.push({ position, at: performance.now() })
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    async endAt(position) {
      const deadline = performance.now() + VISIBLE_WITHIN_MS
      while (newest() < position && performance.now() < deadline) {
        await Promise.race([watching, sleep(LOOK_EVERY_MS)])
      }
      ending.abort()
      await watching
      if (newest() < position) throw new Error('the read models do not catch up with the log')
    },
    visibleAt: (position) => firstAt(sightings, position),
  }
}

/** How far balances and usage log are both. */
export async function visiblePosition(reader: Reader): Promise<number> {
  const { rows } = await reader.query<{ position: string }>(`
    select min(position) as position from projections.checkpoints
    where name in ('balances', 'usage-log')`)
  return Number(rows[0]?.position ?? -1)
}

/** Sightings are in order of position, so the first that reaches it is found by halving. */
function firstAt(sightings: readonly Sighting[], position: number): number {
  let low = 0
  let high = sightings.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sightings[middle]?.position ?? Infinity) >= position) high = middle
    else low = middle + 1
  }
  return sightings[low]?.at ?? Number.NaN
}
