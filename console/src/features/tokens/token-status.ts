import type { Token } from '../../core/contract.ts'
import type { Tone } from '../../parts/tag.tsx'

/** The states of a token (seeds, section 4), each with the name of its word and its tone. */
const STATES = {
  1: { name: 'enabled', tone: 'good' },
  2: { name: 'disabled', tone: 'neutral' },
  3: { name: 'expired', tone: 'warning' },
  4: { name: 'exhausted', tone: 'bad' },
} as const satisfies Record<number, { name: string; tone: Tone }>

/** How a token's state is said. Enabled with a list of models has its own word. */
export function tokenState(token: Token) {
  if (token.status === 1 && token.model_limits_enabled)
    return { name: 'limited', tone: 'good' } as const
  return STATES[token.status as keyof typeof STATES] ?? STATES[2]
}
