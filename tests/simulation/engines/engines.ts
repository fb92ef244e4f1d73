import type { SimulatedDatabase } from './database.ts'
import type { SimulatedJournal } from './journal.ts'
import type { SimulatedLeases } from './leases.ts'
import type { Network } from './network.ts'
import type { SimulatedStore } from './store.ts'

/** Everything that processes share. */
export interface Engines {
  readonly network: Network
  readonly store: SimulatedStore
  readonly journal: SimulatedJournal
  readonly leases: SimulatedLeases
  readonly database: SimulatedDatabase
}
