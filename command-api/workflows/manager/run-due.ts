import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Alarm } from './alarm.ts'
import { decidingEvent } from './deciding-event.ts'
import { runSteps, errorText, retryAfterMs } from './run-steps.ts'
import type { Workflow, Step } from './workflow.ts'
import type { PendingWorkflow, WorkflowTable } from './workflow-table.ts'

export interface DueRun {
  readonly store: Pick<EventStore, 'readStream'>
  readonly table: WorkflowTable
  readonly clock: Clock
  readonly kinds: readonly Workflow[]
  /** Rings when something may have become due. */
  readonly alarm: Alarm
  /** How often to look for due workflows without the alarm. */
  readonly pollMs: number
  readonly log: {
    warn(facts: object, message: string): void
  }
}

/** Processes driven side by side: what hangs must not hold up the others, and the database has others to serve. */
const AT_ONCE_MAX = 16
/** How long steps under way are waited for when the manager stops. */
const STOP_MS = 2_000

/** Runs the workflows that are due, each by itself, until the signal aborts. */
export async function runDue(driving: DueRun, signal: AbortSignal): Promise<void> {
  const { table, clock, alarm, pollMs, log } = driving
  const running = new Map<string, Promise<void>>()
  /** Workflows that have ended since the last look: a list read before that would show them as still to be done. */
  const ended = new Set<string>()
  const begin = (process: PendingWorkflow): void => {
    const name = nameOf(process)
    if (running.has(name) || running.size >= AT_ONCE_MAX) return
    const driven = runOne(driving, process, signal)
      .catch((err: unknown) => log.warn({ err, process: name }, 'a process could not be noted'))
      .finally(() => {
        ended.add(name)
        alarm.ring()
      })
    running.set(name, driven)
  }
  while (!signal.aborted) {
    for (const name of ended) running.delete(name)
    ended.clear()
    try {
      const due = await table.due(clock.now(), AT_ONCE_MAX + running.size)
      for (const process of due) begin(process)
    } catch (err) {
      log.warn({ err }, 'the workflow manager cannot read what is to be done')
    }
    await alarm.wait(pollMs, signal)
  }
  await Promise.race([Promise.all(running.values()), clock.sleep(STOP_MS)])
}

async function runOne(
  { store, table, clock, kinds, log }: DueRun,
  process: PendingWorkflow,
  signal: AbortSignal,
): Promise<void> {
  const driven = await stepsOf(process, kinds, store)
    .then((steps) => runSteps(steps, process.step, { clock, signal }))
    .catch((error: unknown) => ({ status: 'failed' as const, step: process.step, error }))
  if (driven.status === 'interrupted') return
  if (driven.status === 'done') return table.finish(process)
  const { step, error } = driven
  const { id, kind } = process
  const attempts = process.attempts + 1
  log.warn({ err: error, process: id, kind, step, attempts }, 'a step of a process failed')
  const nextAttemptAt = clock.now() + retryAfterMs(attempts)
  return table.postpone(process, { step, error: errorText(error), nextAttemptAt })
}

async function stepsOf(
  process: PendingWorkflow,
  kinds: readonly Workflow[],
  store: DueRun['store'],
): Promise<readonly Step[]> {
  const known = kinds.find((one) => one.kind === process.kind)
  if (known === undefined) {
    throw new TypeError(`this version of Tollgate knows no ${process.kind}`)
  }
  if (known.from === 'row') return known.steps(process.id)
  const event = await decidingEvent(store, process)
  if (event !== null) return known.steps(event)
  const { stream, revision } = process.decision ?? {}
  throw new TypeError(`the log has no event ${process.id} at ${stream} revision ${revision}`)
}

const nameOf = ({ id, kind }: PendingWorkflow): string => `${kind} ${id}`
