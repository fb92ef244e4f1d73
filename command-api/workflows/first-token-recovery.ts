import type { CommandCause } from '../aggregates/cause.ts'
import { firstTokenOf, type FirstTokenDeps, giveFirstToken } from '../users/first-token.ts'
import type { RowRecovery } from './manager/workflow.ts'

/** The answer to a registration takes no longer than this. */
const GRACE_SECONDS = 60
/** Rows taken on by one search; the next finds the rest. */
const ROWS_AT_ONCE_MAX = 1_000
const CAUSE: CommandCause = { actor: 'system', correlationId: 'sweeper', causationId: null }

/** Gives first tokens whose registration died before them. */
export const firstTokenRecovery = (
  deps: FirstTokenDeps,
  graceSeconds = GRACE_SECONDS,
): RowRecovery => ({
  from: 'row',
  kind: 'first-token',
  find: async () => (await deps.owed.dueFor(graceSeconds, ROWS_AT_ONCE_MAX)).map(firstTokenOf),
  steps: (process) => [
    { name: 'issue the token', act: () => giveFirstToken(deps, userOf(process), CAUSE) },
  ],
})

const userOf = (process: string): number => Number(process.split('/')[1])
