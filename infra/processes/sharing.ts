import type { Leases, ShareWork } from '@tollgate/domain/ports/leases.ts'
import { shareWork } from '../leases/share-work.ts'
import type { Runtime } from './runtime.ts'

/** How this process shares work with others of its kind: by leases in PostgreSQL, as a member new at each start. */
export function shareWorkOver(
  { clock, randomness, logger }: Pick<Runtime, 'clock' | 'randomness' | 'logger'>,
  { leases }: { readonly leases: Leases },
): ShareWork {
  const member = randomness.uuid()
  return (work) => shareWork({ ...work, leases, member, clock, logger })
}
