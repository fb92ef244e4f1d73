import type { Mutation } from './mutation.ts'
import { chargesMutations } from './rules/charges.ts'
import { endingsMutations } from './rules/endings.ts'
import { grantsMutations } from './rules/grants.ts'
import { journalMutations } from './rules/journal.ts'
import { ownerMutations } from './rules/owner.ts'
import { pairMutations } from './rules/pair.ts'
import { timelinesMutations } from './rules/timelines.ts'

/** Every rule of architecture 6 broken in turn, a checkpoint that skips, and each guard of log and database. */
export const mutations: readonly Mutation[] = [
  ...ownerMutations,
  ...grantsMutations,
  ...endingsMutations,
  ...chargesMutations,
  ...journalMutations,
  ...timelinesMutations,
  ...pairMutations,
]
