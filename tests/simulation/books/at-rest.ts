import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { snapshotOf } from '@tollgate/domain/account/snapshot.ts'
import type { AccountState } from '@tollgate/domain/account/state.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import { NO_QUOTA } from '@tollgate/domain/quota.ts'
import type { Relay } from '../actors/relay.ts'
import type { Writer, WriterServices } from '../actors/writer.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { BalanceTables } from '../engines/database.ts'
import type { Engines } from '../engines/engines.ts'
import type { Auditor } from './auditor.ts'
import { rebuildBalances } from './rebuild.ts'

/** Checks the invariants that must hold when faults have stopped and everything has settled. */
export async function checkAtRest(
  runtime: Runtime,
  auditor: Auditor,
  engines: Engines,
  relays: readonly Relay[],
): Promise<void> {
  checkHolds(runtime, auditor)
  checkRequests(runtime, auditor, engines.store.log)
  checkJournal(runtime, engines, relays)
  const sum = [...auditor.ledger.values()].reduce((total, balance) => total + balance, 0)
  if (sum !== 0) runtime.violate('trial-balance', String(sum))
  await checkReadModel(runtime, auditor, engines)
}

function checkHolds({ violate }: Runtime, { accounts }: Auditor): void {
  for (const [account, { state }] of accounts) {
    for (const [hold, { relay }] of state.holds) {
      violate('hold-never-ends', `${hold} of account ${account}, relay ${relay}`)
    }
  }
}

function checkRequests(
  { violate }: Runtime,
  { requests, lostWithLog }: Auditor,
  log: readonly RecordedEvent[],
): void {
  const charges = new Map<string, number>()
  for (const { type, data } of log) {
    if (type !== 'UsageCharged') continue
    const { id } = (data as unknown as { readonly request: { readonly id: string } }).request
    charges.set(id, (charges.get(id) ?? 0) + 1)
  }
  for (const { id, isAcknowledged, isStored, settledAt, outcome } of requests.values()) {
    const count = charges.get(id) ?? 0
    if (count === 0 && lostWithLog.has(id)) continue
    if (count > 1) violate('charged-twice', `${id} ${count} times`)
    if (isAcknowledged && count === 0) violate('charge-lost', `${id}, its client saw it end`)
    if (isStored && count === 0) violate('charge-lost', `${id}, it was in the journal`)
    if (settledAt === null && count > 0) violate('charged-unanswered', `${id} (${outcome})`)
  }
}

function checkJournal({ violate }: Runtime, { journal }: Engines, relays: readonly Relay[]): void {
  for (const { message } of journal.unacknowledged()) {
    violate('message-stuck', `${message.hold} #${message.sequence}`)
  }
  for (const relay of relays) {
    const services = relay.services()
    if (services === null) {
      violate('relay-down', relay.machine.name)
      continue
    }
    const { unsettledCharges, lostCharges } = services.keeper
    if (unsettledCharges > 0)
      violate('charge-stuck', `${unsettledCharges} at ${services.life.name}`)
    if (lostCharges > 0) violate('charge-lost', `${lostCharges} at ${services.life.name}`)
  }
}

/** Read model = state, and what is built from the beginning = what was built on the way. */
async function checkReadModel(
  { violate }: Runtime,
  { accounts }: Auditor,
  { database, store }: Engines,
): Promise<void> {
  const { tables } = database
  for (const [account, { state }] of accounts) {
    const row = tables.accounts.get(account) ?? {}
    const expected = {
      wallet: state.posted - state.held,
      held: state.held,
      affiliate: state.affiliate,
      used_quota: state.usedQuota,
      request_count: state.requestCount,
      status: state.status,
    }
    for (const [name, value] of Object.entries(expected)) {
      if (row[name] === value) continue
      violate(
        'read-model-differs',
        `${name} of account ${account}: ${String(row[name])}, not ${value}`,
      )
    }
  }
  if (tables.checkpoint !== store.log.length - 1) {
    violate('checkpoint-behind', `${tables.checkpoint} of ${store.log.length - 1}`)
  }
  const rebuilt = await rebuildBalances(store.log)
  if (textOf(rebuilt) !== textOf(tables)) violate('rebuilt-differs', textOf(rebuilt))
}

const textOf = ({ accounts, holds, expiredHolds }: BalanceTables): string =>
  JSON.stringify([
    [...accounts].toSorted(([a], [b]) => a - b),
    [...holds].toSorted(byName),
    [...expiredHolds].toSorted(byName),
  ])

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1

/** Processes note every five seconds how far they have seen the log, and one of them may be slow. */
const NOTED_MS = 15_000

/** The database knows how far the log was seen, so that the next start would notice that it was put back. */
export function checkNoted({ scheduler, violate }: Runtime, { store, database }: Engines): void {
  // Claims are read past the watch, and are not noted.
  const newest = store.log.findLast(
    ({ stream, recordedAt }) =>
      stream.startsWith('account-') && recordedAt < scheduler.now() - NOTED_MS,
  )
  if (newest !== undefined && database.noted() < newest.position) {
    violate('not-noted', `${newest.position} was seen, ${database.noted()} is noted`)
  }
}

/** A writer may be asked while another still ends a hold: it is asked again. */
const LOOKS = 5
const LOOK_AGAIN_MS = 200

/** Each writer's memory and its reads of the log must be what the events say. Asked while the simulation still runs. */
export function askWriters(
  runtime: Runtime,
  { accounts }: Auditor,
  writers: readonly Writer[],
  ids: readonly UserId[],
): { readonly check: () => void } {
  const looked = new Map<string, string>()
  async function look({ ledger, life, ownership }: WriterServices, account: UserId): Promise<void> {
    const name = `${life.name} about account ${account}`
    for (let i = 0; i < LOOKS; i++) {
      const isOwner = ownership.ownedSince(account) !== null
      // Refused, and so confirmed against the stream's head; then an owner's memory is the newest.
      if (isOwner) await ledger.execute(account, NOTHING, LOOK_CAUSE)
      const text = (state: AccountState): string => JSON.stringify(snapshotOf(state))
      const seen = await (isOwner ? ledger.inspect(account, text) : ledger.read(account, text))
      const truth = accounts.get(account)?.state
      if (truth === undefined || seen === JSON.stringify(snapshotOf(truth))) {
        looked.set(name, 'same')
        return
      }
      looked.set(name, seen)
      await life.clock.sleep(LOOK_AGAIN_MS)
    }
  }
  for (const { machine, services } of writers) {
    const writer = services()
    for (const account of ids) {
      looked.set(`${machine.name} about account ${account}`, 'no answer')
      if (writer === null) continue
      look(writer, account).catch((error: unknown) =>
        runtime.violate('writer-fails', String(error)),
      )
    }
  }
  return {
    check() {
      for (const [name, seen] of looked) {
        if (seen !== 'same') runtime.violate('memory-differs', `${name}: ${seen}`)
      }
    },
  }
}

const NOTHING: AccountCommand = {
  type: 'CreditQuota',
  amount: NO_QUOTA,
  source: 'grant',
  reason: '',
}
const LOOK_CAUSE = { actor: 'system', correlationId: 'look', causationId: null } as const
