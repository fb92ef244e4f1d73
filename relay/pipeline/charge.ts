import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import { amountOf, isNothing } from '@tollgate/domain/pricing/charge.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import type { Delivery } from './forward.ts'
import type { Reservation } from './hold.ts'
import type { Metered } from './meter.ts'

/** Whether the charge is safely in the journal; `late` = not within the wait, though it keeps being delivered. */
export type ChargeOutcome = 'charged' | 'nothing' | 'late'

/**
 * Hands the request's charge to the journal and waits, bounded, until it is durable: only then may the client see the
 * answer's end (architecture 6, rule 12).
 */
export async function charge(
  exchange: Exchange,
  { caller, request }: Admission,
  price: Price,
  { drawing }: Reservation,
  delivery: Delivery,
  { usage, estimated }: Metered,
  deps: RelayDeps,
): Promise<ChargeOutcome> {
  if (isNothing(usage)) {
    drawing.release()
    return 'nothing'
  }
  const now = deps.clock.monotonicMs()
  const stream = delivery.kind === 'stream' ? delivery : null
  const firstChunkMs = stream?.delivery.firstChunkMs ?? null
  const charged: ChargedUsage = {
    id: exchange.id,
    channel: delivery.channel.id,
    model: request.model,
    upstreamModel: delivery.upstreamModel,
    group: caller.group,
    endpoint: exchange.endpoint.path,
    usage,
    price,
    stream: stream !== null,
    startedAt: exchange.startedAt,
    firstByteMs: firstChunkMs === null ? null : Math.round(firstChunkMs - exchange.startedMs),
    durationMs: Math.round(now - exchange.startedMs),
    path: [...exchange.path],
    estimated,
    cancelled: stream?.end === 'left' || exchange.answer.isGone,
    cutShort: stream?.end === 'cut-short' || stream?.end === 'stopped',
    reasoningEffort: delivery.reasoningEffort,
  }
  return settledWithin(drawing.settle(amountOf(price, usage), charged), deps)
}

/** A charge that is late is not lost: the hold keeper delivers it for as long as it takes. */
async function settledWithin(
  settled: Promise<void>,
  { limits, log }: RelayDeps,
): Promise<'charged' | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limits.settleWaitMs)
  })
  try {
    return await Promise.race([settled.then(() => 'charged' as const), late])
  } catch (error) {
    log.error({ err: error }, 'a charge could not be handed to the journal')
    return 'late'
  } finally {
    clearTimeout(timer)
  }
}
