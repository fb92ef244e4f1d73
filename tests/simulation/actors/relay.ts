import { partitionOf } from '@tollgate/domain/account/partition.ts'
import {
  type HoldId,
  type LogId,
  partsOfHold,
  type RelayId,
  relayId,
  type UserId,
} from '@tollgate/domain/ids.ts'
import { type HoldOwner, HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import type { LogView } from '@tollgate/domain/timeline/log-view.ts'
import { exampleLogView } from '../../support/example-timelines.ts'
import { HoldKeeper } from '@tollgate/relay/holds/hold-keeper.ts'
import { makeWaits, type Waits } from '../books/waits.ts'
import { type Life, type Machine, makeMachine, type QuestionKind } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { Engines } from '../engines/engines.ts'
import { type Watches, watchLog } from './watch.ts'
import type { Writer, WriterServices } from './writer.ts'
import { memorySpool, type MemorySpool } from '../../support/memory-spool.ts'
import type { UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'

/** A relay: the real hold keeper, with owners and journal across the network. */
export interface Relay {
  readonly machine: Machine
  /** Null while it is down. */
  readonly services: () => RelayServices | null
}

export interface RelayServices {
  readonly life: Life
  readonly relay: RelayId
  /** The timeline of the log, as this run found it. */
  readonly timeline: LogId
  readonly keeper: HoldKeeper
  /** Its requests that wait for quota. */
  readonly waits: Waits
}

export interface Owners {
  /** The writers that listen for an account's questions at this moment. */
  of(account: UserId): readonly Writer[]
  /** A relay has heard that it holds this, by the question with that nonce. */
  granted(hold: HoldId, nonce: string): void
}

const ASK_TIMEOUT_MS = 1_000
/**
 * How long holds take new requests. In one seed of three shorter than in life, so that a run sees it; in the others a
 * hold lasts, so that nothing but its claims says when it has ended.
 */
export const holdTakesRequestsMs = ({ seed }: Pick<Runtime, 'seed'>): number =>
  seed % 3 === 0 ? 12_000 : 600_000

/** See `Relay`. */
export function makeRelay(
  runtime: Runtime,
  engines: Engines,
  name: string,
  owners: Owners,
  watches: Watches | null,
): Relay {
  let services: RelayServices | null = null
  /** Its disk. */
  const spool = memorySpool()
  const start = (life: Life, log: LogView): void => {
    const relay = relayId(runtime.uuid())
    const journal = engines.journal.portOf(life)
    void deliverLeftOver(spool, journal, life)
    const keeper = new HoldKeeper({
      relay,
      log,
      owner: remoteOwner(engines, life, owners),
      journal,
      spool,
      clock: life.clock,
      holdTakesRequestsMs: holdTakesRequestsMs(runtime),
      randomness: { uuid: () => runtime.uuid(), fraction: () => runtime.chances.fraction() },
      onFault: (error, what) => runtime.violate('fault', `${String(error)} while ${what}`),
    })
    services = { life, relay, timeline: log.log, keeper, waits: makeWaits(runtime) }
    keeper.start()
  }
  const machine: Machine = makeMachine(runtime, name, (life) => {
    if (watches === null) start(life, exampleLogView)
    else {
      void watchLog(runtime, engines, watches, life, () => machine, 'follows').then(({ watch }) =>
        life.isAlive() ? start(life, watch) : undefined,
      )
    }
  })
  return { machine, services: () => (services?.life.isAlive() === true ? services : null) }
}

/** Delivers the charges that the run before had saved when it crashed. */
async function deliverLeftOver(
  spool: MemorySpool,
  journal: Pick<UsageJournal, 'publish'>,
  { clock }: Life,
): Promise<void> {
  for (const charge of spool.saved) {
    for (let isDelivered = false; !isDelivered;) {
      isDelivered = await journal.publish(charge, true).then(
        () => true,
        () => false,
      )
      if (!isDelivered) await clock.sleep(1_000)
    }
    spool.delivered(charge)
  }
}

/** The owners of accounts as a relay reaches them: a message for a question, one for each partition for claims. */
export function remoteOwner(
  { network }: Pick<Engines, 'network'>,
  life: Life,
  owners: Owners,
): HoldOwner {
  async function ask<Answer>(
    account: UserId,
    question: (services: WriterServices) => Promise<Answer>,
    kind: QuestionKind = 'other',
  ): Promise<Answer> {
    const writers = owners.of(account)
    const answer = await network.ask({
      from: life,
      to: () => writers.map(({ machine }) => machine),
      hear: async (machine) => {
        const services = writers.find((writer) => writer.machine === machine)?.services() ?? null
        return services === null ? null : { said: await question(services) }
      },
      timeoutMs: ASK_TIMEOUT_MS,
      kind,
    })
    if (answer === null) throw new HoldOwnerUnavailable('the owner does not answer')
    return answer.said
  }
  return {
    async placeHold(asked) {
      const answer = await ask(
        asked.account,
        ({ holdService }) => holdService.placeHold(asked),
        'hold',
      )
      if (answer.status === 'held') owners.granted(answer.hold, asked.nonce)
      return answer
    },
    extendHold: (asked) =>
      ask(partsOfHold(asked.hold).account, ({ holdService }) => holdService.extendHold(asked)),
    finishHold: (hold, sequence) =>
      ask(partsOfHold(hold).account, ({ holdService }) => holdService.finishHold(hold, sequence)),
    async claimHolds(relay, holds) {
      const heard = await Promise.all(
        byPartition(holds).map(([account, own]) =>
          ask(account, ({ holdService }) => holdService.claimHolds(relay, own), 'claim').catch(
            () => [],
          ),
        ),
      )
      return heard.flat()
    },
  }
}

/** Holds by the partition of their accounts, with one of these accounts. */
function byPartition(holds: readonly HoldId[]): readonly [UserId, readonly HoldId[]][] {
  const groups = new Map<number, [UserId, HoldId[]]>()
  for (const hold of holds) {
    const { account } = partsOfHold(hold)
    const group = groups.get(partitionOf(account)) ?? [account, []]
    group[1].push(hold)
    groups.set(partitionOf(account), group)
  }
  return [...groups.values()]
}
