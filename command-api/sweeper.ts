import { channelDecider } from '@tollgate/domain/channel/decider.ts'
import { isLive } from '@tollgate/domain/channel/state.ts'
import { channelStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { announceSecret, type ChannelWriterDeps } from './channels/channel-writer.ts'
import type { Sessions } from './identity/sessions.ts'
import type { UserStore } from './identity/users.ts'
import type { AccountLedger } from './ledger/account-ledger.ts'
import { loadAggregate } from './ledger/aggregate.ts'
import type { CommandCause } from './ledger/cause.ts'
import type { ChannelSecrets } from './secrets/channel-secrets.ts'
import type { TokenSecrets } from './secrets/token-secrets.ts'
import { alignUser, type UserWriter } from './users/align.ts'

export interface SweeperDeps extends UserWriter {
  readonly users: UserStore
  readonly sessions: Pick<Sessions, 'removeExpired'>
  readonly tokens: TokenSecrets
  readonly channels: ChannelSecrets
  readonly ledger: Pick<AccountLedger, 'execute' | 'inspect'>
  readonly log: { warn(facts: object, message: string): void }
}

/** A row that was written ahead of its event this long ago is nobody's work any more. */
const GRACE_SECONDS = 60
const ROWS_AT_ONCE_MAX = 100
const SWEEP_EVERY_MS = 60_000

const CAUSE: CommandCause = { actor: 'system', correlationId: 'sweeper', causationId: null }

/**
 * Finishes what a crash left between a row and its event (decision 41). Users are brought to where their row says; a
 * token or channel whose event never came is forgotten, one whose event came is confirmed. Trouble with one row is
 * logged and leaves it for the next sweep. Answers how many rows were finished.
 */
export async function sweep(deps: SweeperDeps, graceSeconds = GRACE_SECONDS): Promise<number> {
  let finished = 0
  const finish = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      finished++
    } catch (err) {
      deps.log.warn({ err, row: what }, 'a pending row could not be finished')
    }
  }
  for (const user of await deps.users.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)) {
    await finish(`users/${user.id}`, () => alignUser(deps, user, CAUSE))
  }
  for (const token of await deps.tokens.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)) {
    await finish(`tokens/${token.id}`, () => finishToken(deps, token))
  }
  for (const id of await deps.channels.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)) {
    await finish(`channels/${id}`, () => finishChannel(deps, id))
  }
  await deps.sessions.removeExpired()
  return finished
}

async function finishToken(
  { ledger, tokens }: SweeperDeps,
  token: Awaited<ReturnType<TokenSecrets['pendingFor']>>[number],
): Promise<void> {
  const isLiving = await ledger.inspect(userId(token.userId), ({ tokens }) => tokens.has(token.id))
  await (isLiving ? tokens.confirm(token.id) : tokens.erase(token.id))
}

async function finishChannel(deps: SweeperDeps, id: number): Promise<void> {
  const loaded = await loadAggregate(deps.store, channelStream(id), channelDecider)
  if (!isLive(loaded.state)) return deps.channels.erase(id)
  // The row may hold a new key that no event has told of yet; telling twice does no harm.
  const writer: ChannelWriterDeps = { ...deps, secrets: deps.channels }
  await announceSecret(writer, id, CAUSE)
  return deps.channels.confirm(id)
}

/** Sweeps now and then every minute until stopped; `stop` resolves when the sweep that is going on has ended. */
export function startSweeper(deps: SweeperDeps): { stop(): Promise<void> } {
  let sweeping: Promise<unknown> = Promise.resolve()
  const start = (): void => {
    sweeping = sweeping.then(() =>
      sweep(deps).catch((err: unknown) => deps.log.warn({ err }, 'a sweep ended early')),
    )
  }
  start()
  const timer = setInterval(start, SWEEP_EVERY_MS)
  // A sweep is never a reason to keep a process alive.
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await sweeping
    },
  }
}
