import type { Answer } from '../../core/calls.ts'
import type { Channel } from '../../core/contract.ts'

/** The state of a channel that takes requests. */
export const ENABLED = 1

/** The models that no enabled channel would serve any more once the given channels are off. */
export function modelsLeftWithout(
  channels: readonly Channel[],
  offIds: ReadonlySet<number>,
): string[] {
  const enabled = channels.filter((channel) => channel.status === ENABLED)
  const remaining = new Set(enabled.filter((channel) => !offIds.has(channel.id)).flatMap(modelsOf))
  const going = enabled.filter((channel) => offIds.has(channel.id)).flatMap(modelsOf)
  return [...new Set(going)].filter((model) => !remaining.has(model)).toSorted()
}

/** How much of all charged requests the given channels served, in whole percent, never rounded to none or all; null without any. */
export function shareOf(
  { requests, channels }: Pick<Answer<'GET /api/channel/traffic'>, 'requests' | 'channels'>,
  ids: ReadonlySet<number>,
): { readonly requests: number; readonly percent: number } | null {
  if (requests === 0) return null
  const served = channels
    .filter(({ id }) => ids.has(id))
    .reduce((sum, channel) => sum + channel.requests, 0)
  const percent = Math.round((served / requests) * 100)
  if (served === 0 || served === requests) return { requests: served, percent }
  return { requests: served, percent: Math.min(99, Math.max(1, percent)) }
}

/** How many names a sentence can hold. */
const NAMES_MAX = 6

/** Names as a list in a sentence, which ends with "…" where there are too many. */
export const fewOf = (names: readonly string[]): string =>
  `${names.slice(0, NAMES_MAX).join(', ')}${names.length > NAMES_MAX ? ' …' : ''}`

/** The model names of a channel. */
export function modelsOf(channel: Channel): string[] {
  return channel.models.split(',').filter(Boolean)
}
