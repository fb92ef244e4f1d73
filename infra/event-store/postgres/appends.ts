import type { Pool } from 'pg'
import type { Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { RevisionConflict, type AppendedEvents } from '@tollgate/domain/ports/event-store.ts'
import { appendHealth } from '../append-health.ts'
import type { ChainedAppend } from '../chain.ts'
import { isAboutOneAppend, refusalIfFinal } from './failures.ts'
import { createGroupCommit } from './group-commit.ts'
import { readRows, streamQuery } from './rows.ts'
import { sendGroup } from './send-group.ts'

export interface AppendsOptions {
  readonly pool: Pool
  readonly clock: Clock
  /** An append without an answer for so long has an unknown outcome. */
  readonly timeoutMs: number
  /** Called when events were stored, not when they were there already. */
  readonly onStored: (chained: ChainedAppend, position: Position) => void
}

/** Appends to the log, in groups, and whether they succeed. */
export interface Appends {
  /** Fails with RevisionConflict when the stream stands elsewhere, unless exactly these events are there already. */
  append(chained: ChainedAppend): Promise<AppendedEvents>
  /** Why appends fail; null while they succeed. */
  problem(): string | null
  /** True when one has just succeeded, so that nothing more needs to be tried. */
  hasJustStored(): boolean
  /** Resolves when the appends under way have ended. */
  close(): Promise<void>
}

export function createAppends({ pool, clock, timeoutMs, onStored }: AppendsOptions): Appends {
  const health = appendHealth(() => clock.monotonicMs())
  const commits = createGroupCommit(async (group) => {
    try {
      const outcomes = await sendGroup(pool, clock, timeoutMs, group)
      health.note(null)
      return outcomes
    } catch (error) {
      if (!isAboutOneAppend(error)) health.note(error)
      throw error
    }
  })
  return {
    async append(chained) {
      const { stream, expected } = chained
      const outcome = await commits.append(chained).catch((error: unknown) => {
        throw refusalIfFinal(stream, error)
      })
      if (outcome.status === 'stored') {
        onStored(chained, outcome.position)
        return { head: chained.head, position: outcome.position }
      }
      const position = await positionOfRepeat(pool, chained, outcome.actualRevision)
      if (position === null) {
        throw new RevisionConflict(stream, expected.revision, outcome.actualRevision)
      }
      return { head: chained.head, position }
    },
    problem: () => health.problem(),
    hasJustStored: () => health.hasJustStored(),
    close: () => commits.close(),
  }
}

/** Position of the last event if exactly these events stand at their place already; null when anything else does. */
async function positionOfRepeat(
  pool: Pool,
  append: ChainedAppend,
  actualRevision: number,
): Promise<Position | null> {
  const first = append.expected.revision + 1
  if (actualRevision < append.head.revision) return null
  const count = append.events.length
  const stored = await readRows(pool, streamQuery(append.stream, first, 'forwards', count))
  const isRepeat = append.events.every((event, index) => {
    const there = stored[index]
    return (
      there?.id === event.id &&
      there.type === event.type &&
      there.dataText === event.dataText &&
      there.metadataText === event.metadataText
    )
  })
  return isRepeat ? (stored.at(-1)?.position ?? null) : null
}
