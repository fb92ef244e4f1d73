import type { Channel } from '../../core/contract.ts'

/** The state of a channel that takes requests. */
const ENABLED = 1

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

/** The model names of a channel. */
export function modelsOf(channel: Channel): string[] {
  return channel.models.split(',').filter(Boolean)
}
