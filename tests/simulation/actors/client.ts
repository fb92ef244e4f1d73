import { exampleUsage } from '../../support/example-usage.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import {
  type Reservation,
  type DrawResult,
  type LackOfQuota,
  lacksQuota,
} from '@tollgate/relay/holds/reservation.ts'
import type { Refusals } from '../books/refusals.ts'
import type { SimulatedRequest } from '../books/requests.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { RelayServices } from './relay.ts'

/** One request's way through a relay, as its pipeline does it: draw, deliver part by part, charge, end. */
export async function pass(
  runtime: Runtime,
  { life, timeline, keeper, waits }: RelayServices,
  refusals: Refusals,
  request: SimulatedRequest,
): Promise<void> {
  const { scheduler } = runtime
  const since = scheduler.now()
  const { account, token, estimate } = request
  const first = await keeper.draw(account, token, estimate)
  if (!life.isAlive()) return
  const { drawn, waitedSince } = lacksQuota(first)
    ? await wait(life, keeper, waits, request, first)
    : { drawn: first, waitedSince: null }
  if (!life.isAlive()) return
  if (request.hasLeft) {
    if (drawn.status === 'drawn') runtime.violate('served-who-left', request.id)
    request.outcome = 'left'
    return
  }
  request.outcome = drawn.status
  if (drawn.status === 'refused') {
    // The last answer counts for a request that waited.
    const asked = waitedSince === null ? since : scheduler.now()
    refusals.refused(request, asked, life.awakeSince(), drawn.reason)
    if (lacksQuota(drawn)) refusals.refusedWaiting(request, since, life.awakeSince())
  }
  if (drawn.status !== 'drawn') return
  request.startedAt = scheduler.now()
  request.drawnAt = scheduler.now()
  request.timeline = timeline
  request.relayAwakeSince = life.awakeSince()
  const { reservation } = drawn
  const delivered = await deliver(
    life,
    reservation,
    request,
    () => (request.drawnAt = scheduler.now()),
  )
  if (!life.isAlive()) return
  if (request.upstreamFails || delivered === 0) {
    reservation.release()
    request.outcome = 'failed'
    return
  }
  request.reserved = reservation.reserved
  request.amount = delivered
  request.settledAt = scheduler.now()
  request.outcome = 'settling'
  await reservation.settle(delivered, exampleUsage(request.id))
  if (!life.isAlive()) return
  request.isAcknowledged = true
  request.outcome = 'acknowledged'
}

/** Waits in the relay's queue; its client may leave before it has been answered. */
async function wait(
  life: RelayServices['life'],
  keeper: RelayServices['keeper'],
  waits: RelayServices['waits'],
  request: SimulatedRequest,
  lack: LackOfQuota,
): Promise<{ readonly drawn: DrawResult; readonly waitedSince: number }> {
  const { account, token, estimate } = request
  const left = new AbortController()
  const waitedSince = life.clock.monotonicMs()
  const timer = life.after(request.patienceMs, () => {
    request.hasLeft = true
    left.abort()
  })
  const ended = waits.begin(request)
  const waiting = {
    account,
    token,
    estimate,
    signal: left.signal,
    mayStart: () => true,
    onStart: () => {},
  }
  const drawn = await keeper.drawOnceFreed(waiting, lack)
  timer.cancel()
  ended(drawn.status === 'drawn')
  return { drawn, waitedSince }
}

/** Delivers the answer: all, or as much as could be covered. */
async function deliver(
  life: RelayServices['life'],
  reservation: Reservation,
  { parts, partMs, asksForMore }: SimulatedRequest,
  onDrawn: () => void,
): Promise<Quota> {
  let total = quota(0)
  for (const part of parts) {
    await life.clock.sleep(partMs)
    const next = quota(total + part)
    const { reserved } = reservation
    if (asksForMore && !(await isCovered(reservation, next))) return total
    if (reservation.reserved > reserved) onDrawn()
    total = next
  }
  return total
}

/** An owner that is unavailable ends a request that runs as a refusal does. */
async function isCovered(reservation: Reservation, total: Quota): Promise<boolean> {
  try {
    return await reservation.cover(total)
  } catch (error) {
    if (error instanceof HoldOwnerUnavailable) return false
    throw error
  }
}
