import { exampleUsage } from '@tollgate/domain/account/example-usage.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import type { Drawing } from '@tollgate/relay/holds/drawing.ts'
import type { Refusals } from '../books/refusals.ts'
import type { SimulatedRequest } from '../books/requests.ts'
import type { World } from '../core/world.ts'
import type { RelayServices } from './relay.ts'

/** One request's way through a relay, as its pipeline does it: draw, deliver part by part, charge, end. */
export async function pass(
  { scheduler }: World,
  { life, keeper }: RelayServices,
  refusals: Refusals,
  request: SimulatedRequest,
): Promise<void> {
  const since = scheduler.now()
  const drawn = await keeper.draw(request.account, request.token, request.estimate)
  if (!life.isAlive()) return
  request.outcome = drawn.status
  if (drawn.status === 'refused') {
    refusals.refused(request, since, life.awakeSince(), drawn.reason)
  }
  if (drawn.status !== 'drawn') return
  request.startedAt = scheduler.now()
  request.drawnAt = scheduler.now()
  request.relayAwakeSince = life.awakeSince()
  const { drawing } = drawn
  const delivered = await deliver(life, drawing, request, () => (request.drawnAt = scheduler.now()))
  if (!life.isAlive()) return
  if (request.upstreamFails || delivered === 0) {
    drawing.release()
    request.outcome = 'failed'
    return
  }
  request.reserved = drawing.reserved
  request.amount = delivered
  request.settledAt = scheduler.now()
  request.outcome = 'settling'
  await drawing.settle(delivered, exampleUsage(request.id))
  if (!life.isAlive()) return
  request.isAcknowledged = true
  request.outcome = 'acknowledged'
}

/** What was delivered of the answer: all, or as much as could be covered. */
async function deliver(
  life: RelayServices['life'],
  drawing: Drawing,
  { parts, partMs, asksForMore }: SimulatedRequest,
  onDrawn: () => void,
): Promise<Quota> {
  let total = quota(0)
  for (const part of parts) {
    await life.clock.sleep(partMs)
    const next = quota(total + part)
    const { reserved } = drawing
    if (asksForMore && !(await isCovered(drawing, next))) return total
    if (drawing.reserved > reserved) onDrawn()
    total = next
  }
  return total
}

/** An owner that is away ends a request that runs as a refusal does. */
async function isCovered(drawing: Drawing, total: Quota): Promise<boolean> {
  try {
    return await drawing.cover(total)
  } catch (error) {
    if (error instanceof HoldOwnerUnavailable) return false
    throw error
  }
}
