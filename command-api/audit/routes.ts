import { type ApiReply, type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { queryTextOf } from '../http-contract/wire-values.ts'
import { z } from 'zod'
import { causeOf } from '../http/cause.ts'
import { queryText, textInPath } from '../http/query.ts'
import type { AggregateWriter } from '../ledger/aggregate.ts'
import {
  auditJobAnswer,
  EXAMPLE_HEAD,
  EXAMPLE_JOB,
  EXAMPLE_TRIAL_BALANCE,
  trialBalanceAnswer,
} from './answers.ts'
import { exportedHead, headSchema } from './exported-head.ts'
import type { AuditJob, AuditJobs, AuditWork } from './jobs.ts'
import { sealLedger } from './seal-ledger.ts'
import { headOfSeal, lastSeal, type LedgerHead } from './seals.ts'
import { momentOf, PositionBeyondLog, refuseBeyondLog, trialBalance } from './trial-balance.ts'
import { onWire } from './wire.ts'

export interface AuditRouteDeps extends AggregateWriter {
  /** Notes the newest seal outside of the log. */
  readonly onSealed: (head: LedgerHead) => Promise<void>
  readonly jobs: AuditJobs
  /** Walks the stored log; `anchor` is a head exported earlier that must be part of it. */
  readonly verify: (anchor: LedgerHead | null) => AuditWork
  /** Compares the read models with the ledger. */
  readonly reconcile: AuditWork
}

const TEXTS = {
  busy: '另一项审计正在进行，请等待其完成',
  unknownJob: '审计任务不存在或已过期',
  unfitMoment: 'at 既不是 ISO 时间也不是日志位置，例如 2026-02-03T12:00:00Z',
  beyondLog: (head: number) => `at 超出日志末尾，日志目前到位置 ${head}`,
  unfitDetail: 'detail 只能为 each，或不填',
  unfitBody: '请求体应为 JSON 对象',
  unfitHead: (field: string) => `${field} 无效，请原样提交导出的 head`,
  brokenOff: '审计未能完成，请稍后重试',
} as const

const headInBody = headSchema((field) => TEXTS.unfitHead(field === null ? 'head' : `head.${field}`))
const detailQuery = () =>
  z.preprocess(queryTextOf, z.enum(['', 'each'], TEXTS.unfitDetail)).meta({ default: '' })

/** Proving the ledger over HTTP: the same as `npm run audit`. Admins read, the super administrator has it verified and sealed. */
export const auditRoutes = (deps: AuditRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'POST',
    path: '/api/audit/verify',
    access: 'root',
    summary:
      'Start walking the whole log: hashes, revisions, positions, seals; body {head?} as exported',
    body: z.object({ head: headInBody.nullish() }, TEXTS.unfitBody),
    answer: { data: auditJobAnswer },
    example: { body: { head: EXAMPLE_HEAD }, data: EXAMPLE_JOB },
    handle: async ({ body }) => startJob(deps.jobs, 'verify', deps.verify(body.head ?? null)),
  }),
  route({
    method: 'POST',
    path: '/api/audit/reconcile',
    access: 'root',
    summary: 'Start comparing every figure of the read models with the ledger',
    answer: { data: auditJobAnswer },
    example: { data: { ...EXAMPLE_JOB, kind: 'reconcile' } },
    handle: async () => startJob(deps.jobs, 'reconcile', deps.reconcile),
  }),
  route({
    method: 'GET',
    path: '/api/audit/jobs/:id',
    access: 'admin',
    summary: 'Progress and result of a verification or comparison',
    params: textInPath,
    answer: { data: auditJobAnswer },
    example: { params: { id: EXAMPLE_JOB.id }, data: EXAMPLE_JOB },
    handle: async ({ params }) => {
      const job = await deps.jobs.job(params.id)
      return job === null ? failure(TEXTS.unknownJob, 404) : { data: onWire(job) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/audit/trial-balance',
    access: 'admin',
    summary:
      'Debits, credits and balance of the ledger accounts, now or at=<ISO time|position>; detail=each',
    query: z.object({ at: queryText(), detail: detailQuery() }),
    answer: { data: trialBalanceAnswer },
    example: { query: { at: '2026-02-03T12:00:00Z' }, data: EXAMPLE_TRIAL_BALANCE },
    handle: async ({ query }) => readTrialBalance(deps, query),
  }),
  route({
    method: 'GET',
    path: '/api/audit/head',
    access: 'admin',
    summary: 'The newest seal, to be kept elsewhere',
    answer: { data: exportedHead.nullable() },
    example: { data: EXAMPLE_HEAD },
    handle: async () => {
      const { seal } = await lastSeal(deps.store)
      return { data: seal === null ? null : headOfSeal(seal) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/audit/seal',
    access: 'root',
    summary:
      'Seal what was written since the last seal; answers how many seals were made, and the newest',
    answer: { data: z.strictObject({ made: z.int(), head: exportedHead.nullable() }) },
    example: { data: { made: 1, head: EXAMPLE_HEAD } },
    handle: async (request) => {
      const { made, seal } = await sealLedger(deps, causeOf(request))
      const head = seal === null ? null : headOfSeal(seal)
      if (head !== null) await deps.onSealed(head)
      return { data: { made, head } }
    },
  }),
]

async function startJob(jobs: AuditJobs, kind: string, work: AuditWork): Promise<ApiReply> {
  const started = await jobs.start(kind, work)
  if (started.status === 'busy') return busyWith(started.job)
  return { status: 202, data: onWire(started.job) }
}

/** The job under way comes with it, so that its progress can be looked at. */
const busyWith = (job: AuditJob): ApiReply => ({
  ...failure(TEXTS.busy, 409),
  data: onWire(job),
})

/** Reads the whole log like the others, so it waits its turn with them. */
async function readTrialBalance(
  { jobs, store }: AuditRouteDeps,
  query: { readonly at: string; readonly detail: '' | 'each' },
): Promise<ApiReply> {
  const moment = momentOf(query.at)
  if (moment === null) return failure(TEXTS.unfitMoment)
  try {
    await refuseBeyondLog(store, moment)
  } catch (error) {
    if (error instanceof PositionBeyondLog) return failure(TEXTS.beyondLog(error.head))
    throw error
  }
  const detail = query.detail === 'each' ? 'each' : 'by-kind'
  const started = await jobs.start('trial-balance', (onProgress, signal) =>
    trialBalance(store, moment, { detail, onProgress, signal }),
  )
  if (started.status === 'busy') return busyWith(started.job)
  const { status, result } = await started.ended
  return status === 'done' ? { data: onWire(result) } : failure(TEXTS.brokenOff, 503)
}
