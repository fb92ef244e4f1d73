import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { currentTimeline, type Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { makeAlarm } from './alarm.ts'
import { runDue } from './run-due.ts'
import { followDecisions } from './follow-decisions.ts'
import type { Workflow, RowRecovery } from './workflow.ts'
import type { WorkflowTable } from './workflow-table.ts'
import { whileHeld } from './while-held.ts'

export interface WorkflowManagerOptions {
  readonly store: EventStore
  readonly table: WorkflowTable
  /** How the processes that could do this agree on one. */
  readonly shareWork: ShareWork
  readonly clock: Clock
  /** Timelines of the log at the start of this process. */
  readonly timelines: Timelines
  readonly kinds: readonly Workflow[]
  readonly log: { warn(facts: object, message: string): void }
  /** How often to look for due workflows, for rows left behind, and for stuck workflows. */
  readonly every?: { readonly dueMs: number; readonly rowsMs: number; readonly stuckMs: number }
}

export interface WorkflowManager {
  /** Processes that have failed several times, as last counted; whichever process drives them. */
  stuckCount(): number
  /** Resolves when no step is under way any more, within a bound. */
  stop(): Promise<void>
}

/** Failed attempts after which people should look: with the pauses between them, after about a quarter of a minute. */
export const STUCK_ATTEMPTS = 5
const NAME = 'process-manager'
/** Its parts end within their own bounds, which are shorter. */
const STOP_MS = 5_000
const EVERY = { dueMs: 1_000, rowsMs: 60_000, stuckMs: 5_000 } as const

/**
 * Drives work across streams to its end (architecture 6, rule 4): follows the log for events that begin such work,
 * notes it in a table together with the checkpoint, and takes its steps, after failures with growing pauses and after a
 * crash from the start. One process at a time does so; a second one that believes to be it does no harm, as every step is taken once by its causation id. Resolves when it is certain where in the log it begins: at its
 * checkpoint, or at the log's present end when there is none yet.
 */
export async function startWorkflowManager(
  options: WorkflowManagerOptions,
): Promise<WorkflowManager> {
  const { store, table, clock, timelines, kinds, log, shareWork, every = EVERY } = options
  const present = { position: await store.headPosition(), log: currentTimeline(timelines).log }
  await table.checkpoint(present)
  const ending = new AbortController()
  const alarm = makeAlarm(clock)
  const onFailure = (err: unknown): void => log.warn({ err }, 'the workflow manager has trouble')
  const decided = kinds.filter((kind) => kind.from === 'event')
  const rows = kinds.filter((kind) => kind.from === 'row')
  const onBegun = (): void => alarm.ring()
  const lookForRows = async (): Promise<void> => {
    for (const kind of rows) await noteRows(kind, table, clock).catch(onFailure)
    alarm.ring()
  }
  const work = (held: AbortSignal): Promise<unknown> =>
    Promise.all([
      followDecisions({ store, table, clock, timelines, kinds: decided, onBegun, onFailure }, held),
      runDue({ store, table, clock, kinds, alarm, pollMs: every.dueMs, log }, held),
      again({ ms: every.rowsMs, clock, signal: held, onFailure }, lookForRows),
    ])
  const share = shareWork({ group: NAME, names: [NAME], ...whileHeld(clock, STOP_MS, work) })
  let stuck = 0
  const counting = again(
    { ms: every.stuckMs, clock, signal: ending.signal, onFailure },
    async () => {
      stuck = await table.countFailing(STUCK_ATTEMPTS)
    },
  )
  return {
    stuckCount: () => stuck,
    async stop() {
      ending.abort()
      await Promise.all([share.stop(), counting])
    },
  }
}

async function noteRows(
  { kind, find }: RowRecovery,
  table: WorkflowTable,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const left = (await find()).map((id) => ({ id, kind, decision: null }))
  await table.note(left, clock.now())
}

/** Does `work` now and every `ms` after it has ended, until the signal aborts. */
async function again(
  {
    ms,
    clock,
    signal,
    onFailure,
  }: {
    readonly ms: number
    readonly clock: Pick<Clock, 'sleep'>
    readonly signal: AbortSignal
    readonly onFailure: (error: unknown) => void
  },
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(onFailure)
    await clock.sleep(ms, signal)
  }
}
