import type { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { snapshotOf } from '@tollgate/domain/account/snapshot.ts'
import type { AccountState } from '@tollgate/domain/account/state.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { Life } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import { readsAreBehindMs } from '../engines/store.ts'

/** An owner that has just taken a partition answers with all that former owners have stored, whatever it remembers. */
export interface TakeOvers {
  /** To be told after every event of an account. */
  note(account: UserId): void
  /** A process owns the partition from now on: it is asked about the partition's accounts, as a page of theirs would. */
  taken(life: Life, ledger: Pick<AccountLedger, 'inspect'>, partition: number): void
}

/** Share of the take-overs; the first question after the others is a command. */
const ASKED = 0.5

/** See `TakeOvers`. `accounts` are as their events say. */
export function makeTakeOvers(
  runtime: Runtime,
  accounts: ReadonlyMap<UserId, { readonly state: AccountState }>,
): TakeOvers {
  const { scheduler, chances, violate } = runtime
  /** Every account's states, one for each event. */
  const history = new Map<UserId, { readonly at: number; readonly text: string }[]>()

  async function ask(
    { name }: Life,
    ledger: Pick<AccountLedger, 'inspect'>,
    account: UserId,
  ): Promise<void> {
    const moments = history.get(account) ?? []
    const readable = scheduler.now() - readsAreBehindMs(runtime)
    const least = moments.findLastIndex(({ at }) => at <= readable)
    const said = await ledger.inspect(account, textOf)
    const known = moments.findLastIndex(({ text }) => text === said)
    if (known >= least) return
    violate('stale-after-take-over', `${name} knew account ${account} up to ${known} of ${least}`)
  }

  return {
    note(account) {
      const state = accounts.get(account)?.state
      if (state === undefined) return
      const moments = history.get(account) ?? []
      history.set(account, moments)
      moments.push({ at: scheduler.now(), text: textOf(state) })
    },
    taken(life, ledger, partition) {
      if (!chances.chance(ASKED)) return
      for (const account of history.keys()) {
        // A store that is unavailable answers nobody.
        if (partitionOf(account) === partition) ask(life, ledger, account).catch(() => undefined)
      }
    },
  }
}

const textOf = (state: AccountState): string => JSON.stringify(snapshotOf(state))
