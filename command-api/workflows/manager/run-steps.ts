import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Step } from './workflow.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { within } from '@tollgate/domain/kernel/within.ts'

/** A step that has not answered by now is taken for failed; its deed may still happen, as any deed may happen twice. */
const STEP_MS = 60_000
/** Pauses between attempts: doubled from the first to the last, which goes on. */
const RETRY_FIRST_MS = 1_000
const RETRY_LAST_MS = 300_000
/** Enough to tell the problem; the log has the rest. */
const ERROR_LENGTH_MAX = 500

/** How one attempt at a process ended. */
export type StepsOutcome =
  | { readonly status: 'done' }
  /** The manager is stopping: the next manager continues. */
  | { readonly status: 'interrupted' }
  | { readonly status: 'failed'; readonly step: string; readonly error: unknown }

/** Takes the steps in order, from the one named `from` on (all of them when there is none of that name). */
export async function runSteps(
  steps: readonly Step[],
  from: string,
  {
    clock,
    signal,
    stepMs = STEP_MS,
  }: {
    readonly clock: Pick<Clock, 'sleep'>
    readonly signal: AbortSignal
    readonly stepMs?: number | undefined
  },
): Promise<StepsOutcome> {
  const first = Math.max(
    0,
    steps.findIndex(({ name }) => name === from),
  )
  for (const step of steps.slice(first)) {
    if (signal.aborted) return { status: 'interrupted' }
    try {
      await within(stepMs, clock, take(step))
    } catch (error) {
      return { status: 'failed', step: step.name, error }
    }
  }
  return { status: 'done' }
}

/** How long to wait after this many failed attempts, milliseconds. */
export const retryAfterMs = (attempts: number): number =>
  backOffMs(attempts, { firstMs: RETRY_FIRST_MS, mostMs: RETRY_LAST_MS })

/** The text that is kept of an error for people to read. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  // PostgreSQL keeps no NUL in a text.
  return text.replaceAll('\0', '').slice(0, ERROR_LENGTH_MAX)
}

async function take({ isDone, act }: Step): Promise<void> {
  if (isDone !== undefined && (await isDone())) return
  await act()
}
