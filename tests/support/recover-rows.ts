import { runSteps } from '@tollgate/command-api/workflows/manager/run-steps.ts'
import type { Workflow } from '@tollgate/command-api/workflows/manager/workflow.ts'
import type { CommandApiFixture } from './command-api.ts'

/** Does the workflow manager's work on rows, once; answers how many were finished. */
export async function recoverRows(
  { clock, signal }: Pick<CommandApiFixture, 'clock' | 'signal'>,
  kinds: readonly Workflow[],
): Promise<number> {
  let finished = 0
  for (const kind of kinds) {
    if (kind.from !== 'row') continue
    for (const id of await kind.find()) {
      const { status } = await runSteps(kind.steps(id), '', { clock, signal })
      if (status === 'done') finished++
    }
  }
  return finished
}
