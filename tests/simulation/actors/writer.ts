import { AccountLedger } from '@tollgate/command-api/ledger/account-ledger.ts'
import { HoldDesk } from '@tollgate/command-api/ledger/hold-desk.ts'
import type { Ownership } from '@tollgate/command-api/ledger/ownership.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import type { HoldId, UserId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Relays } from '@tollgate/domain/ports/hold-owner.ts'
import { shareWork } from '@tollgate/infra/leases/share-work.ts'
import { type Life, type Machine, makeMachine } from '../core/machine.ts'
import type { World } from '../core/world.ts'
import type { Engines } from '../engines/engines.ts'

/** A ledger writer: the real ledger and hold desk, with leases, a consumer of the journal and the sweeps. */
export interface Writer {
  readonly machine: Machine
  /** Null while it is down. */
  readonly services: () => WriterServices | null
}

export interface WriterServices {
  readonly life: Life
  readonly ledger: AccountLedger
  readonly desk: HoldDesk
  readonly store: EventStore
  readonly ownership: Ownership
}

const SWEEP_EVERY_MS = 5_000
const SILENT = { info() {}, warn() {} }

const nameOf = (account: UserId): string => String(partitionOf(account))

/** See `Writer`. `relaysOf` is how a writer reaches relays. */
export function makeWriter(
  world: World,
  engines: Engines,
  name: string,
  accounts: readonly UserId[],
  relaysOf: (life: Life) => Relays,
): Writer {
  let services: WriterServices | null = null
  const machine = makeMachine(world, name, (life) => {
    services = compose(world, engines, life, accounts, relaysOf(life))
    void sweep(services, engines)
  })
  return { machine, services: () => (services?.life.isAlive() === true ? services : null) }
}

function compose(
  world: World,
  engines: Engines,
  life: Life,
  accounts: readonly UserId[],
  relays: Relays,
): WriterServices {
  const { clock } = life
  const store = engines.store.portOf(life)
  const randomness = { uuid: () => world.uuid(), fraction: () => world.chances.fraction() }
  const ledger = new AccountLedger({ store, clock, randomness })
  const share = shareWork({
    group: 'ledger',
    names: [...new Set(accounts.map(nameOf))],
    leases: engines.leases.portOf(life),
    member: world.uuid(),
    clock,
    logger: SILENT,
    begin(name) {
      world.trace(() => `${life.name} owns partition ${name}`)
      ledger.doubt((account) => nameOf(account) === name)
    },
    end: () => Promise.resolve(),
  })
  const ownership: Ownership = {
    ownedSince: (account) => share.heldSince(nameOf(account)),
    isBacklogAppended: async (account) => (await engines.journal.isDrained(life, account)) === true,
  }
  const desk = new HoldDesk({ ledger, clock, relays, ownership })
  return { life, ledger, desk, store, ownership }
}

/** What the process does every few seconds: holds that are open by the read model, and those nobody claims. */
async function sweep({ life, desk }: WriterServices, { database }: Engines): Promise<void> {
  for (;;) {
    await life.clock.sleep(SWEEP_EVERY_MS)
    desk.noticeOpenHolds([...database.tables.holds.keys()] as HoldId[])
    // A store that is away is asked again at the next sweep.
    await desk.expireSilentHolds().catch(() => undefined)
  }
}
