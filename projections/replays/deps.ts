import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import type { CommonQueryMethods } from 'slonik'
import type { Names } from '../http/names.ts'
import type { ReplayLimits } from './replay-table.ts'

/** The parts that the routes of replays work with. */
export interface ReplayRouteDeps {
  readonly pool: pg.Pool
  readonly reads: CommonQueryMethods
  readonly store: Pick<EventStore, 'headPosition' | 'newestAt'>
  readonly names: Names
  readonly now: () => number
  readonly uuid: () => string
  /** Told that one waits. */
  readonly onQueued: () => void
  /** Default LIMITS. */
  readonly limits?: ReplayLimits
}

/** Results take room: what somebody wants to keep, they export. */
export const LIMITS: ReplayLimits = { kept: 20, active: 3 }
