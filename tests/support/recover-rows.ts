import { drive } from '@tollgate/command-api/workflows/manager/run-steps.ts'
import type { ProcessKind } from '@tollgate/command-api/workflows/manager/workflow.ts'
import type { CommandApiGround } from './command-api.ts'

/** What the process manager does with rows, once; answers how many were finished. */
export async function recoverRows(
  { clock, signal }: Pick<CommandApiGround, 'clock' | 'signal'>,
  kinds: readonly ProcessKind[],
): Promise<number> {
  let finished = 0
  for (const kind of kinds) {
    if (kind.from !== 'row') continue
    for (const id of await kind.find()) {
      const { status } = await drive(kind.steps(id), '', clock, signal)
      if (status === 'done') finished++
    }
  }
  return finished
}
