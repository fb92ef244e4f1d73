import type { Mutation } from './mutation.ts'
import { chargesMutations } from './rules/charges.ts'
import { endingsMutations } from './rules/endings.ts'
import { grantsMutations } from './rules/grants.ts'
import { journalMutations } from './rules/journal.ts'
import { ownerMutations } from './rules/owner.ts'
import { timelinesMutations } from './rules/timelines.ts'

/** Every rule of architecture 6 broken in turn, and a checkpoint that skips. */
export const mutations: readonly Mutation[] = [
  ...ownerMutations,
  ...grantsMutations,
  ...endingsMutations,
  ...chargesMutations,
  ...journalMutations,
  ...timelinesMutations,
]
