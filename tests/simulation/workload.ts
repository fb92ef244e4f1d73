import { requestId, tokenId, type UserId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { Admin } from './actors/admin.ts'
import { pass } from './actors/client.ts'
import type { Relay } from './actors/relay.ts'
import type { Auditor } from './books/auditor.ts'
import type { Refusals } from './books/refusals.ts'
import type { SimulatedRequest } from './books/requests.ts'
import type { Runtime } from './core/simulated-runtime.ts'

/** Faults stop at this moment, milliseconds since the beginning. */
export const CHAOS_MS = 50_000
export const ACCOUNTS: readonly [UserId, UserId] = [userId(1), userId(2)]
/** One without a limit of its own, one with. */
const UNLIMITED = tokenId(11)
const LIMITED = tokenId(12)
const REQUESTS = [10, 30] as const
const SETUP_MS = 1_500
/** More often than a hold counts as idle. */
const STEADY_MS = 1_000
const LATER_MS = 45_000
const STEADY_SEEDS = 0.5
const TERMS = {
  unlimited: true,
  expiresAt: null,
  group: 'default',
  models: null,
  allowedIps: [],
} as const

/** A relay with a client that draws from its hold again and again. */
export interface Target {
  readonly relay: Relay
  readonly account: UserId
  /** The client waits for one long answer instead, and goes on much later. */
  readonly isLong: boolean
}

/**
 * Plans what clients and admins do in one run. Answers whom faults would hurt, if there is a client that never stops.
 */
export function planWorkload(
  runtime: Runtime,
  auditor: Auditor,
  refusals: Refusals,
  relays: readonly [Relay, ...Relay[]],
  admin: Admin,
): Target | null {
  for (const account of ACCOUNTS) void setUp(runtime, admin, account)
  const target = planRequests(runtime, auditor, refusals, relays, admin)
  planCommands(runtime, admin)
  return target
}

/** Opens an account; two at a time, as two processes might that both find it missing. */
async function setUp({ chances, uuid }: Runtime, admin: Admin, account: UserId): Promise<void> {
  const amount = quota(chances.whole(50, 1_500))
  const remain = quota(chances.whole(20, 400))
  const causationId = uuid()
  const credit = { type: 'CreditQuota', amount, source: 'sign-up', reason: '' } as const
  const limited = { ...TERMS, unlimited: false }
  const open = async (): Promise<void> => {
    await admin.insist(account, { type: 'OpenAccount' })
    await admin.step(account, causationId, credit)
  }
  await Promise.all([open(), open()])
  await admin.insist(account, { type: 'IssueToken', token: UNLIMITED, remain: quota(0), ...TERMS })
  await admin.insist(account, { type: 'IssueToken', token: LIMITED, remain, ...limited })
}

function planRequests(
  runtime: Runtime,
  auditor: Auditor,
  refusals: Refusals,
  relays: readonly [Relay, ...Relay[]],
  admin: Admin,
): Target | null {
  const { chances, scheduler } = runtime
  const send = (request: SimulatedRequest, relay: Relay, at: number): void =>
    sendAt(runtime, auditor, refusals, request, relay, at)
  const target = chances.chance(STEADY_SEEDS) ? planSteadyTraffic(runtime, relays, send) : null
  const count = chances.whole(...REQUESTS)
  const areTogether = chances.chance(0.3)
  const burst = chances.whole(SETUP_MS, CHAOS_MS - 10_000)
  const favourite = chances.pick(ACCOUNTS)
  const token = chances.pick([null, UNLIMITED, LIMITED])
  const isConcentrated = chances.chance(0.5)
  for (let i = 0; i < count; i++) {
    const request = makeRequest(
      runtime,
      `q${i}`,
      isConcentrated ? { account: favourite, token } : {},
    )
    const relay = chances.pick(relays)
    const at = areTogether
      ? burst + chances.whole(0, 5_000)
      : chances.whole(SETUP_MS, CHAOS_MS - 2_000)
    const isRefunded = chances.chance(0.2)
    const refundAt = at + chances.whole(0, 5_000)
    send(request, relay, at)
    if (isRefunded) scheduler.at(refundAt, () => void admin.refund(request))
  }
  return target
}

/**
 * One client that never stops, so that a hold is drawn from whatever happens to its relay and its owner; or that asks
 * for one long answer and goes on much later.
 */
function planSteadyTraffic(
  runtime: Runtime,
  relays: readonly [Relay, ...Relay[]],
  send: (request: SimulatedRequest, relay: Relay, at: number) => void,
): Target {
  const { chances } = runtime
  const relay = chances.pick(relays)
  const fixed = {
    account: chances.pick(ACCOUNTS),
    token: null,
    estimate: quota(3),
    parts: [quota(chances.whole(1, 2))],
    partMs: 5,
  }
  const isLong = chances.chance(0.25)
  if (isLong) {
    const parts = Array.from({ length: 5 }, () => quota(2))
    const long = { ...fixed, estimate: quota(20), parts, partMs: 9_000, asksForMore: false }
    send(makeRequest(runtime, 'long', { ...long, upstreamFails: false }), relay, 2 * SETUP_MS)
  }
  // It costs far less than it reserves: its hold then lasts through a time in which nobody can be asked for more.
  send(makeRequest(runtime, 'first', { ...fixed, estimate: quota(80) }), relay, 2 * SETUP_MS)
  for (let at = isLong ? LATER_MS : 2 * SETUP_MS + 500; at < CHAOS_MS; at += STEADY_MS) {
    send(makeRequest(runtime, `steady-${at}`, fixed), relay, at)
  }
  return { relay, account: fixed.account, isLong }
}

function sendAt(
  runtime: Runtime,
  auditor: Auditor,
  refusals: Refusals,
  request: SimulatedRequest,
  relay: Relay,
  at: number,
): void {
  auditor.expect(request)
  runtime.scheduler.at(at, () => {
    const services = relay.services()
    services?.life.after(0, () => {
      pass(runtime, services, refusals, request).catch((error: unknown) =>
        runtime.violate('request-failed', `${request.id}: ${String(error)}`),
      )
    })
  })
}

/** A request like any, but for what is fixed. */
export function makeRequest(
  { chances }: Runtime,
  id: string,
  fixed: Partial<SimulatedRequest>,
): SimulatedRequest {
  const parts = Array.from({ length: chances.whole(1, 5) }, () => quota(chances.whole(1, 20)))
  const sum = parts.reduce((total, part) => total + part, 0)
  const isEnough = chances.chance(0.6)
  const estimate = isEnough ? sum + chances.whole(0, 30) : Math.max(1, sum - chances.whole(0, 30))
  return {
    id: requestId(id),
    account: chances.pick(ACCOUNTS),
    token: chances.pick([null, UNLIMITED, UNLIMITED, LIMITED]),
    estimate: quota(estimate),
    parts,
    partMs: chances.pick([5, 50, 500, 3_000, 9_000]),
    upstreamFails: chances.chance(0.1),
    asksForMore: chances.chance(0.6),
    patienceMs: chances.chance(0.2) ? chances.whole(0, 2_500) : 60_000,
    startedAt: null,
    drawnAt: null,
    timeline: null,
    relayAwakeSince: 0,
    settledAt: null,
    reserved: 0,
    amount: 0,
    isAcknowledged: false,
    isStored: false,
    isCharged: false,
    hasLeft: false,
    outcome: 'not asked',
    ...fixed,
  }
}

/** Plans the commands of admins and users meanwhile. */
function planCommands(runtime: Runtime, admin: Admin): void {
  const { chances, scheduler, uuid } = runtime
  const plan = (probability: number, work: (account: UserId) => Promise<unknown>): void => {
    if (!chances.chance(probability)) return
    const account = chances.pick(ACCOUNTS)
    scheduler.at(chances.whole(SETUP_MS, CHAOS_MS - 1_000), () => void work(account))
  }
  const token = chances.pick([UNLIMITED, LIMITED])
  for (let i = 0; i < 2; i++) {
    const amount = quota(chances.whole(10, 600))
    const causationId = uuid()
    const credit = { type: 'CreditQuota', amount, source: 'redemption', reason: '' } as const
    plan(0.5, (account) => admin.debit(account, amount))
    plan(0.5, (account) => admin.step(account, causationId, credit))
  }
  plan(0.3, (account) => admin.command(account, { type: 'DisableToken', token }))
  plan(0.3, (account) => admin.command(account, { type: 'EnableToken', token }))
  plan(0.2, (account) => admin.command(account, { type: 'DeleteToken', token }))
  plan(0.3, (account) => {
    const remainChange = quota(chances.whole(-100, 200))
    const terms = { ...TERMS, unlimited: false }
    return admin.command(account, { type: 'ReviseToken', token: LIMITED, remainChange, ...terms })
  })
  plan(0.25, (account) => admin.command(account, { type: 'SuspendAccount' }))
  plan(0.25, (account) => admin.command(account, { type: 'ResumeAccount' }))
}
