import type { LedgerSealed } from '@tollgate/domain/seal/events.ts'
import type { LogClaimConfirmed, LogClaimed } from '@tollgate/domain/log-claim/events.ts'
import type { EventsSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { TimelineOpened } from '@tollgate/domain/timeline/events.ts'
import { NEWEST_SCHEMAS } from '@tollgate/infra/event-store/schemas/newest-schemas.ts'
import type { ProjectedEvent } from '@tollgate/projections/runner/projected-events.ts'
import type { z } from 'zod'
import type { AreSame, NoneOf, Plain } from './same-types.ts'

/**
 * The schemas that stored events are checked by when they are read. The compiler holds them equal to the domain's types
 * (below, by `DIFFERENT`); golden.test.ts holds them equal to the golden files. So a field cannot come, go or change its
 * type in domain/*\/events.ts unless its event gets a new schema version.
 */
export const SCHEMAS = NEWEST_SCHEMAS satisfies Readonly<Record<GoldenType, z.ZodType>>

/** Every event that is written to the log. A type that no read model is made of is added here. */
export type GoldenEvent =
  | ProjectedEvent
  | LedgerSealed
  | TimelineOpened
  | EventsSetAside
  | LogClaimed
  | LogClaimConfirmed
export type GoldenType = GoldenEvent['type']

type DataOf<Type extends GoldenType> = Extract<GoldenEvent, { type: Type }>['data']

type Different = {
  [Type in GoldenType]: AreSame<
    Plain<DataOf<Type>>,
    Plain<z.output<(typeof SCHEMAS)[Type]>>
  > extends true
    ? never
    : Type
}[GoldenType]

/**
 * Does not compile where types of the domain and their schemas above are not the same, and names an event.
 * @public
 */
export type Differences = NoneOf<Different>
