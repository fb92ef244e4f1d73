import type { Channel } from '../../core/contract.ts'
import type { Tone } from '../../parts/tag.tsx'
import { dateTime } from '../../parts/time-format.ts'

const STATES = {
  1: { name: 'enabled', tone: 'good' },
  2: { name: 'disabled', tone: 'neutral' },
  3: { name: 'autoDisabled', tone: 'warning' },
} as const satisfies Record<number, { name: string; tone: Tone }>

/** How a channel's state is said. */
export function channelState(channel: Channel) {
  return STATES[channel.status as keyof typeof STATES] ?? STATES[2]
}

/** Why and when a channel was switched off by the system, or undefined when nothing is noted. */
export function stateReason(channel: Channel): string | undefined {
  if (channel.status !== 3 || channel.other_info === '') return undefined
  try {
    const info = JSON.parse(channel.other_info) as { status_reason?: string; status_time?: number }
    const time = info.status_time ? dateTime(info.status_time) : ''
    return [info.status_reason, time].filter(Boolean).join('\n') || undefined
  } catch {
    // A note that is not JSON is still a note.
    return channel.other_info
  }
}

/** Tone of a response time in milliseconds: ≤1 s green, ≤3 s lime, ≤5 s yellow, above red, untested grey (seeds). */
export function responseTone(milliseconds: number): { tone?: Tone; palette?: string } {
  if (milliseconds === 0) return { tone: 'neutral' }
  if (milliseconds <= 1000) return { tone: 'good' }
  if (milliseconds <= 3000) return { palette: 'lime' }
  return milliseconds <= 5000 ? { palette: 'yellow' } : { tone: 'bad' }
}
