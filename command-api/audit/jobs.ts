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
  /** `verify`, `reconcile` or `trial-balance`. */
  readonly kind: string
  readonly status: 'running' | 'done' | 'failed'
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly endedAt: number | null
  readonly progress: AuditProgress | null
  /** What the work answered, once it is done. */
  readonly result: unknown
  /** Why it failed; null otherwise. */
  readonly problem: string | null
}

/** Audits of one process: one at a time, as each reads the whole log; the last ones are remembered. */
export interface AuditJobs {
  /** Starts work, or answers the job that is under way. */
  start(kind: string, work: AuditWork): Started
  job(id: string): AuditJob | null
  /** Ends what is under way. */
  stop(): Promise<void>
}

export type Started =
  | { readonly status: 'started'; readonly job: AuditJob; readonly ended: Promise<AuditJob> }
  | { readonly status: 'busy'; readonly job: AuditJob }

/** A result has at most a hundred differences, so this is little memory. */
const JOBS_REMEMBERED = 20

export interface AuditJobDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly randomness: Pick<Randomness, 'uuid'>
  /** Told of work that failed for a reason that is not the caller's to read. */
  readonly onFailure: (kind: string, error: unknown) => void
}

export function openAuditJobs({ clock, randomness, onFailure }: AuditJobDeps): AuditJobs {
  const jobs = new Map<string, AuditJob>()
  const ending = new AbortController()
  let underWay: { readonly id: string; readonly ended: Promise<AuditJob> } | null = null

  function start(kind: string, work: AuditWork): Started {
    const present = underWay === null ? undefined : jobs.get(underWay.id)
    if (present?.status === 'running') return { status: 'busy', job: present }
    const id = randomness.uuid()
    const job: AuditJob = {
      id,
      kind,
      status: 'running',
      startedAt: clock.now(),
      endedAt: null,
      progress: null,
      result: null,
      problem: null,
    }
    remember(job)
    const ended = run(job, work)
    underWay = { id, ended }
    return { status: 'started', job, ended }
  }

  async function run(job: AuditJob, work: AuditWork): Promise<AuditJob> {
    let latest = job
    const change = (changes: Partial<AuditJob>): void => {
      latest = { ...latest, ...changes }
      remember(latest)
    }
    try {
      const result = await work((progress) => change({ progress }), ending.signal)
      change({ status: 'done', result, endedAt: clock.now() })
    } catch (error) {
      if (!ending.signal.aborted) onFailure(job.kind, error)
      change({ status: 'failed', problem: problemOf(error), endedAt: clock.now() })
    }
    return latest
  }

  function remember(job: AuditJob): void {
    jobs.set(job.id, job)
    const [oldest] = jobs.keys()
    if (jobs.size > JOBS_REMEMBERED && oldest !== undefined) jobs.delete(oldest)
  }

  return {
    start,
    job: (id) => jobs.get(id) ?? null,
    async stop() {
      ending.abort()
      await underWay?.ended
    },
  }
}

/** Operational errors say what is wrong and what to do; anything else is for the log alone. */
const problemOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && 'retryable' in error
    ? error.message
    : 'it broke off; the log of the process says why'
