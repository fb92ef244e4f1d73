import type { Redemption } from '../../core/contract.ts'
import type { Tone } from '../../parts/tag.tsx'

/** The states of a code (seeds, section 4), each with the name of its word and its tone. */
const STATES = {
  1: { name: 'unused', tone: 'good' },
  2: { name: 'disabled', tone: 'bad' },
  3: { name: 'used', tone: 'neutral' },
} as const satisfies Record<number, { name: string; tone: Tone }>

/** How the state of a code is said; a number that no seed knows cannot be redeemed, as a disabled one. */
export function redemptionState({ status }: Pick<Redemption, 'status'>) {
  return STATES[status as keyof typeof STATES] ?? STATES[2]
}

/** The actions that a code allows: only unused ones are edited, and a used one cannot be enabled (seeds, section 4). */
export function redemptionActions(code: Pick<Redemption, 'status'>): readonly RedemptionAction[] {
  const { name } = redemptionState(code)
  if (name === 'unused') return ['edit', 'disable', 'delete']
  return name === 'used' ? ['delete'] : ['enable', 'delete']
}

/** An action on one code. */
export type RedemptionAction = 'edit' | 'enable' | 'disable' | 'delete'
