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

/** Why and when the system switched a channel off; `at` in unix seconds. Null where that is not noted. */
export interface StateNote {
  readonly reason: string | null
  readonly at: number | null
}

/** The note on a channel that the system switched off. */
export function stateNote(channel: Channel): StateNote {
  if (channel.status !== 3 || channel.other_info === '') return { reason: null, at: null }
  try {
    const info = JSON.parse(channel.other_info) as { status_reason?: string; status_time?: number }
    return { reason: info.status_reason || null, at: info.status_time || null }
  } catch {
    // A note that is not JSON is still a note.
    return { reason: channel.other_info, at: null }
  }
}

/** The same as a hint of two lines, or undefined when nothing is noted. */
export function stateReason(channel: Channel): string | undefined {
  const { reason, at } = stateNote(channel)
  return [reason, at === null ? null : dateTime(at)].filter(Boolean).join('\n') || undefined
}

/** Tone of a response time in milliseconds: ≤1 s green, ≤3 s lime, ≤5 s yellow, above red, untested grey (seeds). */
export function responseTone(milliseconds: number): { tone?: Tone; palette?: string } {
  if (milliseconds === 0) return { tone: 'neutral' }
  if (milliseconds <= 1000) return { tone: 'good' }
  if (milliseconds <= 3000) return { palette: 'lime' }
  return milliseconds <= 5000 ? { palette: 'yellow' } : { tone: 'bad' }
}
