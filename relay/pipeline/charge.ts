import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { UpstreamFacts } from '@tollgate/domain/account/request-facts.ts'
import { amountOf, isNothing, priceAsUsed } from '@tollgate/domain/pricing/charge.ts'
import type { BookPrice } from '@tollgate/domain/pricing/price.ts'
import { priceAsServed } from '@tollgate/domain/pricing/price-factors.ts'
import { NO_QUOTA, type Quota } from '@tollgate/domain/quota.ts'
import { upstreamFacts } from '../metering/upstream-facts.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import type { Delivery } from './forward.ts'
import type { Coverage } from './hold.ts'
import type { Metered } from './meter.ts'

/**
 * Where the charge is. `charged` = the ledger has it, or the spool has it for a locked account or a stopping process;
 * `nothing` = there is none to make; `late` = not there within the wait, though it keeps being delivered; `failed` = it cannot be delivered: a bug, logged here and counted by the hold keeper.
 */
export type ChargeOutcome = 'charged' | 'nothing' | 'late' | 'failed'

/** The cost of a request, and the usage that it is for. */
export interface Bill {
  readonly amount: Quota
  readonly charged: ChargedUsage
}

/** The parts of a request that its bill is made of. */
interface Billed {
  readonly admission: Admission
  readonly price: BookPrice
  readonly delivery: Delivery
  readonly metered: Metered
}

/**
 * Prices the usage; null = the answer failed before it brought anything, and its failure says so. A finished answer
 * that brought nothing costs nothing and leaves its row all the same (decision 5). Throws a RangeError for an unsafe
 * amount.
 */
export function billOf(
  exchange: Exchange,
  { admission: { caller, request }, price, delivery, metered: { usage, estimated } }: Billed,
  deps: RelayDeps,
): Bill | null {
  const stream = delivery.kind === 'stream' ? delivery : null
  const isFree = isNothing(usage)
  if (isFree && stream !== null && stream.end !== 'complete') return null
  const now = deps.clock.monotonicMs()
  const upstream = factsOf(delivery)
  const served = priceAsServed(price, request.terms ?? {}, upstream, usage)
  const firstChunkMs = stream?.delivery.firstChunkMs ?? null
  const charged: ChargedUsage = {
    id: exchange.id,
    channel: delivery.channel.id,
    model: request.model,
    upstreamModel: delivery.upstreamModel,
    group: caller.group,
    endpoint: exchange.endpoint.path,
    usage,
    price: priceAsUsed(served, usage),
    stream: stream !== null && request.stream,
    startedAt: exchange.startedAt,
    firstByteMs: firstChunkMs === null ? null : Math.round(firstChunkMs - exchange.startedMs),
    durationMs: Math.round(now - exchange.startedMs),
    admittedAt: exchange.admittedAt,
    attempts: exchange.attempts.kept,
    upstream,
    estimated,
    cancelled: stream?.end === 'left' || exchange.answer.isGone,
    cutShort: stream?.end === 'cut-short' || stream?.end === 'stopped',
    reasoningEffort: delivery.reasoningEffort,
    ...(delivery.isThinkingLost && { thinkingLost: true }),
    ...exchange.trace,
  }
  return { amount: isFree ? NO_QUOTA : amountOf(served, usage), charged }
}

function factsOf(delivery: Delivery): UpstreamFacts {
  if (delivery.kind === 'whole') {
    return upstreamFacts(delivery.headers, delivery.reply.told, delivery.reply.report)
  }
  const { told, report } = delivery.delivery.passage
  return upstreamFacts(delivery.headers, told, report)
}

/**
 * Hands a charge to the journal and waits, bounded, until it is durable: only then may the client see the answer's end
 * (architecture 6, rule 12). A charge that is late is not lost: the hold keeper delivers it for as long as it takes, and
 * has it in the spool meanwhile.
 */
export async function charge(
  exchange: Exchange,
  {
    admission: { caller, request },
    coverage: { reservation },
    bill: { amount, charged },
  }: { readonly admission: Admission; readonly coverage: Coverage; readonly bill: Bill },
  { forecast, unaskedWrites, limits, log }: RelayDeps,
): Promise<ChargeOutcome> {
  forecast.note(request, charged.usage)
  unaskedWrites.note(request, charged.usage)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limits.settleWaitMs)
  })
  try {
    const settled = reservation.settle(amount, charged)
    return await Promise.race([settled.then(() => 'charged' as const), late])
  } catch (error) {
    const facts = {
      err: error,
      requestId: exchange.id,
      ...exchange.trace,
      account: caller.user.id,
      token: caller.token?.id ?? null,
      channel: charged.channel,
      model: charged.model,
      amount,
    }
    log.error(
      facts,
      'relay: a charge was refused for good; it is kept in DATA_DIR/spool: mend the cause, then run npm run charges -- deliver on that file',
    )
    return 'failed'
  } finally {
    clearTimeout(timer)
  }
}
