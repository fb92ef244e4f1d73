import type { Tone } from '../../parts/tag.tsx'

/** The types of a row (seeds, section 4), each with the name of its word and its tone. */
export const LOG_TYPES = {
  1: { name: 'topUp', tone: 'info' },
  2: { name: 'consumption', tone: 'neutral' },
  3: { name: 'management', tone: 'warning' },
  4: { name: 'system', tone: 'accent' },
  5: { name: 'error', tone: 'bad' },
} as const satisfies Record<number, { name: string; tone: Tone }>

/** How a type is said; a number that no seed knows is treated as the system's. */
export function logType(type: number) {
  return LOG_TYPES[type as keyof typeof LOG_TYPES] ?? LOG_TYPES[4]
}
