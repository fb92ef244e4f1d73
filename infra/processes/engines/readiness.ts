import type { RunnerStatus } from '@tollgate/projections/runner/runner.ts'

/** One thing that readiness looks at: null when it is well, else what is wrong. */
export type Check = () => string | null | Promise<string | null>

/** Why this process is not ready: what the first check that is not content says; null when all are. */
export async function readinessProblem(checks: readonly Check[]): Promise<string | null> {
  for (const check of checks) {
    const reason = await check()
    if (reason !== null) return reason
  }
  return null
}

/** Which read models have stopped, and why: an event that they cannot handle, or a log that is not the one they saw. */
export function poisonOf({ projectors }: Pick<RunnerStatus, 'projectors'>): string | null {
  const stopped = projectors.filter(({ state }) => state === 'stopped')
  if (stopped.length === 0) return null
  const named = stopped.map(({ name, poison, problem }) =>
    poison === null
      ? `${name}${problem === null ? '' : ` is ${problem}`}`
      : `${name} at ${poison.type} (${poison.stream}, revision ${poison.revision})`,
  )
  return `read models have stopped: ${named.join('; ')}`
}

/** All that is to be said, in one line; null when there is nothing. */
export function together(...said: readonly (string | null)[]): string | null {
  const warnings = said.filter((one) => one !== null)
  return warnings.length === 0 ? null : warnings.join('; ')
}

/** A problem that people should look at although requests can be served; null when there is nothing. */
export function warningOf(lostCharges: number, stuckProcesses: number): string | null {
  return together(
    // Requests are no less served for it, and somebody has to look at each.
    lostCharges > 0
      ? `${lostCharges} charges were refused for good; the log names each by its request id, DATA_DIR/spool keeps them`
      : null,
    stuckProcesses > 0
      ? `${stuckProcesses} processes are stuck; GET /api/ledger/processes says at which step and why`
      : null,
  )
}
