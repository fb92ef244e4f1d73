import type { ChannelFacts } from '../../directory/facts.ts'
import type { UpstreamAnswer } from '../../upstream/call.ts'
import { decoded } from '../../upstream/decoded.ts'

/** A channel that refused `stream_options` may have learnt it by then. */
const REMEMBERED_MS = 24 * 60 * 60 * 1_000

/** When channels refused `stream_options`, unix milliseconds; by their terms, which a revision replaces. */
const REFUSED = new WeakMap<ChannelFacts['terms'], number>()

/** Whether a stream of this channel can be asked to end with its usage, as far as is known at `now`. */
export function canStreamUsage({ type, terms }: ChannelFacts, now: number): boolean {
  return type.canStreamUsage && now >= (REFUSED.get(terms) ?? -REMEMBERED_MS) + REMEMBERED_MS
}

/** Whether upstream refused a request because of `stream_options`; then that is remembered. */
export async function refusesStreamUsage(
  { terms }: ChannelFacts,
  answer: UpstreamAnswer,
  now: number,
): Promise<boolean> {
  if (answer.kind !== 'whole' || (answer.status !== 400 && answer.status !== 422)) return false
  const body = await decoded(answer.body, answer.headers)
  const isOfOption = body?.includes('stream_options') === true || body?.includes('include_usage')
  if (isOfOption !== true) return false
  REFUSED.set(terms, now)
  return true
}
