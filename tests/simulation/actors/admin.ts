import type { CommandOutcome } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { Deduplication } from '@tollgate/command-api/accounts/processed-causes.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import type { ChannelId, UserId } from '@tollgate/domain/ids.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { CommandCause } from '@tollgate/command-api/aggregates/cause.ts'
import { type Life, makeMachine } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { Engines } from '../engines/engines.ts'
import type { Commands } from '../books/commands.ts'
import type { SimulatedRequest } from '../books/requests.ts'
import type { Owners } from './relay.ts'
import type { WriterServices } from './writer.ts'

/** Somebody who sends commands to the owners of accounts. */
export interface Admin {
  /** Sends a command once; null when nobody knows what came of it. */
  command(account: UserId, command: AccountCommand): Promise<CommandOutcome | null>
  /** Sends a command until it is answered, with whatever; for commands that can be repeated. */
  insist(account: UserId, command: AccountCommand): Promise<void>
  /** As the admin's route does it: what is held and idle is called back before a debit is refused. */
  debit(account: UserId, amount: Quota): Promise<CommandOutcome | null>
  /** A step of work across streams: sent again and again until it is done, and taken once. */
  step(account: UserId, causationId: string, command: AccountCommand): Promise<void>
  /** The same for a request's refund, which waits for its charge. */
  refund(request: SimulatedRequest): Promise<void>
}

const COMMAND_TIMEOUT_MS = 20_000
const STEP_TIMEOUT_MS = 2_000
const SETUP_AGAIN_MS = 100
/** Pauses between one attempt at a step and the next, doubled each time; in the end it is given up. */
const STEP_AGAIN_MS = 1_000
const STEP_AGAIN_MOST_MS = 40_000

/** See `Admin`. Lives on a machine of its own that never dies. */
export function makeAdmin(
  runtime: Runtime,
  { network }: Engines,
  commands: Commands,
  ownersOf: Owners['of'],
): Admin {
  const life = uncrashable(runtime)

  function tell(
    account: UserId,
    timeoutMs: number,
    work: (services: WriterServices) => Promise<CommandOutcome>,
  ): Promise<CommandOutcome | null> {
    // As a queue group does it: one of them gets the command.
    const [first, ...others] = ownersOf(account)
    const owner = first === undefined ? null : runtime.chances.pick([first, ...others])
    return network.ask({
      from: life,
      to: () => (owner === null ? [] : [owner.machine]),
      isOnce: true,
      timeoutMs,
      hear: async () => {
        const services = owner?.services() ?? null
        const isOwner = services !== null && services.ownership.ownedSince(account) !== null
        return isOwner ? work(services) : null
      },
    })
  }

  async function untilDone(
    account: UserId,
    causationId: string,
    take: (services: WriterServices) => Promise<CommandOutcome>,
  ): Promise<void> {
    for (let pauseMs = STEP_AGAIN_MS; pauseMs < STEP_AGAIN_MOST_MS; pauseMs *= 2) {
      const outcome = await tell(account, STEP_TIMEOUT_MS, take)
      if (outcome?.status === 'done') {
        commands.taken(causationId)
        return
      }
      await life.clock.sleep(pauseMs)
    }
  }

  async function once(
    account: UserId,
    timeoutMs: number,
    work: (services: WriterServices, cause: CommandCause) => Promise<CommandOutcome>,
  ): Promise<CommandOutcome | null> {
    const cause = causeOf(runtime.uuid(), null)
    const outcome = await tell(account, timeoutMs, (services) => work(services, cause))
    if (outcome !== null) commands.answered(cause.correlationId, outcome)
    return outcome
  }

  const send = (timeoutMs: number, account: UserId, command: AccountCommand) =>
    once(account, timeoutMs, ({ ledger }, cause) => ledger.execute(account, command, cause))

  return {
    command: (account, command) => send(COMMAND_TIMEOUT_MS, account, command),
    async insist(account, command) {
      while ((await send(STEP_TIMEOUT_MS, account, command)) === null) {
        await life.clock.sleep(SETUP_AGAIN_MS)
      }
    },
    debit: (account, amount) =>
      once(account, COMMAND_TIMEOUT_MS, async ({ ledger, holdService }, cause) => {
        const command = { type: 'DebitQuota', amount, reason: 'correction' } as const
        const first = await ledger.execute(account, command, cause)
        if (first.status === 'done' || first.rejection.reason !== 'insufficient-quota') return first
        await holdService.recallIdleQuota(account)
        return ledger.execute(account, command, cause)
      }),
    step: (account, causationId, command) =>
      untilDone(account, causationId, ({ ledger }) => {
        const deduplicateFrom: Deduplication = { eventType: 'QuotaCredited' }
        return ledger.execute(account, command, causeOf('step', causationId), { deduplicateFrom })
      }),
    refund: (request) => {
      const causationId = runtime.uuid()
      return untilDone(request.account, causationId, (services) =>
        refund(services, request, causationId),
      )
    },
  }
}

/** Does the work of an account's owner for a refund: looks for the charge, and gives it back once. */
async function refund(
  { ledger, store }: WriterServices,
  { id, account, token }: SimulatedRequest,
  causationId: string,
): Promise<CommandOutcome> {
  let charged: Quota | null = null
  let channel: ChannelId | null = null
  for await (const { type, data } of store.readStream(accountStream(account))) {
    const said = data as Partial<UsageCharged['data']>
    if (type !== 'UsageCharged' || said.request?.id !== id) continue
    charged = quota(said.amount ?? 0)
    channel = said.request.channel
  }
  const command: AccountCommand = {
    type: 'RefundUsage',
    request: id,
    token,
    channel,
    reason: 'failed',
    charged,
    refundedBefore: false,
  }
  const deduplicateFrom: Deduplication = { eventType: 'UsageRefunded' }
  return ledger.execute(account, command, causeOf(id, causationId), { deduplicateFrom })
}

const causeOf = (correlationId: string, causationId: string | null) =>
  ({ actor: 'system', correlationId, causationId }) as const

/** The life of somebody outside: faults of processes do not concern it. */
export function uncrashable(runtime: Runtime, name = 'admin'): Life {
  const { scheduler } = runtime
  const calm = { ...runtime, faults: () => ({ ...runtime.faults(), crash: 0, pause: 0 }) }
  const lives: Life[] = []
  makeMachine({ ...calm, scheduler }, name, (life) => lives.push(life))
  const [life] = lives
  if (life === undefined) throw new TypeError('a machine starts at once')
  return life
}
