import type { RunnerStatus } from '@tollgate/projections/runner/runner.ts'

/** What readiness looks at; each answers null when all is well, else what is wrong. */
export interface ReadinessParts {
  readonly isStopping: () => boolean
  readonly engines: () => string | null
  readonly eventLog: () => Promise<string | null>
  readonly projections: () => Pick<RunnerStatus, 'projectors'>
  /** Whether whatever runs the projectors is there. */
  readonly projectors: () => string | null
  readonly relay: () => string | null
}

/** Why this process is not ready, the nearest cause first; null when it is. */
export async function whyNotReady(parts: ReadinessParts): Promise<string | null> {
  if (parts.isStopping()) return 'Tollgate is stopping'
  return (
    parts.engines() ??
    (await parts.eventLog()) ??
    parts.projectors() ??
    poisonOf(parts.projections().projectors) ??
    parts.relay()
  )
}

/** Which read models stopped at an event that they cannot handle, and at which. */
function poisonOf(projectors: RunnerStatus['projectors']): string | null {
  const stopped = projectors.filter(({ state }) => state === 'stopped')
  if (stopped.length === 0) return null
  const named = stopped.map(({ name, poison }) =>
    poison === null
      ? name
      : `${name} at ${poison.type} (${poison.stream}, revision ${poison.revision})`,
  )
  return `read models have stopped at an event that they cannot handle: ${named.join('; ')}`
}

/** A charge that is lost stays lost: that is no reason to turn requests away for good, but one to look at the log. */
export const warningOf = (lostCharges: number): string | null =>
  lostCharges === 0
    ? null
    : `${lostCharges} charges were refused by the ledger and are lost; the log names each by its request id`
