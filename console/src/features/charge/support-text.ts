import type { Charge } from '../../parts/charge/charge.ts'

/**
 * Ids and times by which a provider's support finds a request in its own logs, in English and UTC. Nothing of the user or
 * of the price is in it.
 */
export function supportText(charge: Charge): string {
  const { upstream, duration_ms: durationMs } = charge
  const sentAt = sentAtOf(charge)
  const lines = [
    ['Provider request id', upstream?.request_id],
    ['Provider response id', upstream?.response_id],
    ['Model asked for', charge.upstream_model],
    ['Model that answered', upstream?.model],
    ['Endpoint', `${charge.endpoint}${charge.is_stream ? ', streamed' : ''}`],
    ['Sent', sentAt === null ? null : new Date(sentAt).toISOString()],
    ['Duration', `${durationMs} ms`],
    ['Service tier', upstream?.service_tier],
    ['Region', upstream?.region],
    ['Our request id', charge.request_id],
  ] as const
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n')
}

/** When the attempt that answered began; a charge that came late is booked at another time than its request ended. */
function sentAtOf({ attempts, late, created_at, duration_ms }: Charge): number | null {
  const noted = attempts.at(-1)?.started_at ?? null
  return noted ?? (late ? null : created_at * 1000 - duration_ms)
}
