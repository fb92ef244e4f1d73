import type { ModelTables } from './model-tables.ts'
import type { ProjectedEvent, ProjectedType, Recorded } from './projected-events.ts'

/**
 * Derives one read model from the log. Its tables live in a PostgreSQL schema named after it, so that a rebuild can
 * fill a second schema and swap the two by renaming.
 */
export interface Projector<Type extends ProjectedType = ProjectedType> {
  /** Name for people and checkpoints, such as `usage-log`; the schema has underscores instead. */
  readonly name: string
  /** Raised when tables or handling change: the read model is then built anew beside the old one. */
  readonly version: number
  /** Streams that its events are in, by the beginnings of their names. */
  readonly streamPrefixes: readonly string[]
  /** The only events that `handle` gets to see. */
  readonly eventTypes: readonly Type[]
  /** SQL that creates the tables, unqualified: the schema is the search path. */
  readonly tables: string
  /** SQL that creates what a rebuild can leave until its rows are in; '' when nothing can. */
  readonly indexes: string
  /**
   * Fills new tables with what comes from a source table instead of from events, before the first event. Left out:
   * nothing does.
   */
  readonly fill?: (tables: ModelTables) => Promise<void>
  /**
   * The figures that a rebuilt copy must have in common with the one it replaces, also with that of the version before:
   * SQL with the columns `key` (text) and `figures` (jsonb), such as row counts and sums per account; `{name}` for
   * tables.
   */
  readonly comparison: string
  /**
   * Applies events in log order inside the transaction that also moves the checkpoint. A pure function of the tables
   * and the events: no clock, no randomness, nothing remembered between calls. Whatever it throws that is not a
   * passing database failure stops this projector at the event.
   */
  handle(
    batch: readonly Recorded<Extract<ProjectedEvent, { type: Type }>>[],
    tables: ModelTables,
  ): Promise<void>
}

/** Any projector, for lists of them; the runner keeps the promise that each gets events of its own types only. */
export interface AnyProjector extends Omit<Projector, 'handle'> {
  handle(batch: readonly never[], tables: ModelTables): Promise<void>
}

/** The schema of a read model's tables: `usage-log` → `usage_log`. */
export const schemaOf = (name: string): string => name.replaceAll('-', '_')

/** Where one copy of a read model lives: the one that queries read, or the one being built beside it. */
export interface ModelCopy {
  /** Key of its checkpoint. */
  readonly checkpoint: string
  readonly schema: string
}

export const liveCopy = (name: string): ModelCopy => ({ checkpoint: name, schema: schemaOf(name) })
export const nextCopy = (name: string): ModelCopy => ({
  checkpoint: `${name}/next`,
  schema: `${schemaOf(name)}_next`,
})
