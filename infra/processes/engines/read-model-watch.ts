import type { Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { type Checkpoint, readCheckpoints } from '@tollgate/projections/runner/checkpoints.ts'
import type { RunnerLogger } from '@tollgate/projections/runner/logger.ts'
import { type AnyProjector, liveCopy, nextCopy } from '@tollgate/projections/runner/projector.ts'
import type { Pool } from 'pg'
import { repeating } from '../timers/repeating.ts'

/** A read model as this process knows it. */
export type KnownModel = Pick<AnyProjector, 'name' | 'version'>

export interface ReadModelWatchOptions {
  readonly pool: Pool
  readonly store: Pick<EventStore, 'headPosition'>
  readonly models: readonly KnownModel[]
  readonly logger: RunnerLogger
  readonly everyMs?: number
}

/** Looks for read models that nobody feeds, whoever should: the checkpoints and the log's end tell. */
export interface ReadModelWatch {
  /** Which stand still behind the log, why, and what to do; null when all are fed. */
  warning(): string | null
  stop(): Promise<void>
}

const LOOK_MS = 5_000
/** With 5 s between them longer than another projector takes to see that one is gone, and than a batch takes. */
const LOOKS_BORNE = 3

/** Begins to look. While the checkpoints cannot be read nothing counts as without a projector: other checks say why. */
export function watchReadModelsWithoutProjector(options: ReadModelWatchOptions): ReadModelWatch {
  const { pool, store, models, logger, everyMs = LOOK_MS } = options
  let seen: readonly ReadModelProgress[] = []

  async function look(): Promise<void> {
    const stored = await readCheckpoints(pool)
    seen = progressIn(stored, await store.headPosition(), models, seen)
  }

  const looking = repeating(everyMs, look, (err) => {
    seen = []
    logger.warn({ err }, 'whether all read models are fed was not seen')
  })
  return { warning: () => describeWithoutProjector(seen), stop: () => looking.stop() }
}

/** A read model behind the log that has not moved since the look before. */
export interface ReadModelProgress {
  readonly model: KnownModel
  readonly position: Position
  /** Position of its new copy, when one is being built. */
  readonly nextPosition: Position | null
  readonly behind: number
  /** Version of the tables that are read. */
  readonly version: number
  /** A new copy was built and refused. */
  readonly isNextRefused: boolean
  /** How many looks it has stood there. */
  readonly looks: number
}

/**
 * The progress of one look, added to the one before. A read model that has stopped at an event has a reason of its own.
 */
export function progressIn(
  stored: readonly Checkpoint[],
  head: Position,
  models: readonly KnownModel[],
  before: readonly ReadModelProgress[],
): readonly ReadModelProgress[] {
  return models.flatMap((model) => {
    const live = stored.find(({ name }) => name === liveCopy(model.name).checkpoint)
    if (live === undefined || live.failure !== null || live.position >= head) return []
    const next = stored.find(({ name }) => name === nextCopy(model.name).checkpoint)
    const { position, version } = live
    const nextPosition = next?.position ?? null
    const last = before.find((one) => one.model.name === model.name)
    const isMoving = last?.position !== position || last.nextPosition !== nextPosition
    const isNextRefused = next?.version === model.version && next.failure !== null
    const looks = isMoving ? 0 : last.looks + 1
    const behind = head - position
    return [{ model, position, nextPosition, behind, version, isNextRefused, looks }]
  })
}

/** One line for people; null when none has stood still for long. */
export function describeWithoutProjector(seen: readonly ReadModelProgress[]): string | null {
  const withoutProjector = seen.filter(({ looks }) => looks >= LOOKS_BORNE)
  if (withoutProjector.length === 0) return null
  const named = withoutProjector.map(
    (one) => `${one.model.name} by ${one.behind} (${adviceOn(one)})`,
  )
  return `read models stand still behind the event log: ${named.join('; ')}`
}

function adviceOn({ model, version, isNextRefused }: ReadModelProgress): string {
  if (isNextRefused) {
    return 'a new copy waits for a decision: npm run projections -- status says what differs'
  }
  if (version === model.version)
    return 'no projector feeds it: start one, or see the log of those that run'
  return `its tables are of version ${version} and this process is of version ${model.version}: start a projector of version ${version}, or build them as this version has them with npm run projections -- rebuild ${model.name}`
}
