import type { Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'

/** How far a walk through the log is. */
export interface AuditProgress {
  readonly events: number
  readonly position: Position
  readonly head: Position
}

/** Work on the whole log, which takes as long as the log is. */
export type AuditWork<Result = unknown> = (
  onProgress: (progress: AuditProgress) => void,
  signal: AbortSignal,
) => Promise<Result>

export interface AuditJob {
  readonly id: string
  /** `verify` or `reconcile`. */
  readonly kind: string
  readonly status: 'running' | 'done' | 'failed'
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly endedAt: number | null
  readonly progress: AuditProgress | null
  /** The answer of the work, once it is done. */
  readonly result: unknown
  /** Why it failed; null otherwise. */
  readonly problem: string | null
}

/** Audits: one at a time in a process, as each reads the whole log; every process reports on them. */
export interface AuditJobs {
  /** Starts work, or answers the job that is under way here. Fails when it cannot be noted. */
  start(kind: string, work: AuditWork): Promise<Started>
  /** A job of this process or another; null when it is not known any more. */
  job(id: string): Promise<AuditJob | null>
  /** Ends the job under way. */
  stop(): Promise<void>
}

export type Started =
  | { readonly status: 'started'; readonly job: AuditJob; readonly ended: Promise<AuditJob> }
  | { readonly status: 'busy'; readonly job: AuditJob }

/** Where a process notes its audits, so that any other can tell of them. */
export interface JobNotes {
  write(job: AuditJob): Promise<void>
  /** Null when the job is not known, or ended long ago. */
  find(id: string): Promise<AuditJob | null>
}

/** How often a job under way is noted; well within the time after which it counts as lost. */
const NOTE_EVERY_MS = 1_000
/** How often an end is noted again that could not be. */
const END_NOTES_MAX = 60

export interface AuditJobDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly randomness: Pick<Randomness, 'uuid'>
  readonly notes: JobNotes
  /** Gets failures whose reason the caller may not read. */
  readonly onFailure: (kind: string, error: unknown) => void
}

export function openAuditJobs({ clock, randomness, notes, onFailure }: AuditJobDeps): AuditJobs {
  const ending = new AbortController()
  let latest: AuditJob | null = null
  let noted: Promise<unknown> = Promise.resolve()

  async function start(kind: string, work: AuditWork): Promise<Started> {
    if (latest?.status === 'running') return { status: 'busy', job: latest }
    const job: AuditJob = {
      id: randomness.uuid(),
      kind,
      status: 'running',
      startedAt: clock.now(),
      endedAt: null,
      progress: null,
      result: null,
      problem: null,
    }
    latest = job
    try {
      await notes.write(job)
    } catch (error) {
      latest = null
      throw error
    }
    const ended = run(job, work)
    noted = noteUntilEnded(ended)
    return { status: 'started', job, ended }
  }

  async function run(job: AuditJob, work: AuditWork): Promise<AuditJob> {
    let own = job
    const change = (changes: Partial<AuditJob>): void => {
      own = latest = { ...own, ...changes }
    }
    try {
      const result = await work((progress) => change({ progress }), ending.signal)
      change({ status: 'done', result, endedAt: clock.now() })
    } catch (error) {
      if (!ending.signal.aborted) onFailure(job.kind, error)
      change({ status: 'failed', problem: problemOf(error), endedAt: clock.now() })
    }
    return own
  }

  async function noteUntilEnded(ended: Promise<AuditJob>): Promise<void> {
    const over = new AbortController()
    const whenEnded = ended.then((job) => {
      over.abort()
      return job
    })
    while (!over.signal.aborted) {
      await clock.sleep(NOTE_EVERY_MS, over.signal)
      if (latest?.status === 'running') await isNoted(latest)
    }
    await noteEnd(await whenEnded)
  }

  async function noteEnd(job: AuditJob): Promise<void> {
    for (let count = 0; count < END_NOTES_MAX; count++) {
      if ((await isNoted(job)) || ending.signal.aborted) return
      await clock.sleep(NOTE_EVERY_MS, ending.signal)
    }
  }

  /** A note that fails is written again soon, and says more then. */
  const isNoted = (job: AuditJob): Promise<boolean> =>
    notes.write(job).then(
      () => true,
      () => false,
    )

  return {
    start,
    job: async (id) => (latest?.id === id ? latest : notes.find(id)),
    async stop() {
      ending.abort()
      await noted
    },
  }
}

/** Operational errors say what is wrong and what to do; anything else is for the log alone. */
const problemOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && 'retryable' in error
    ? error.message
    : 'it broke off; the log of the process says why'
