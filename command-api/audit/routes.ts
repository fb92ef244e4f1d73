import { type ApiReply, type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { z } from 'zod'
import { causeOf } from '../http/cause.ts'
import { textInPath } from '../http/query.ts'
import type { AggregateWriter } from '../aggregates/aggregate.ts'
import { auditJobAnswer, EXAMPLE_HEAD, EXAMPLE_JOB } from './answers.ts'
import { exportedHead, headSchema } from './exported-head.ts'
import type { AuditJob, AuditJobs, AuditWork } from './jobs.ts'
import { sealLedger } from './seal-ledger.ts'
import { headOfSeal, lastSeal, type LedgerHead } from './seals.ts'
import { withSnakeCase } from './snake-case-members.ts'

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
  invalidBody: '请求体应为 JSON 对象',
  invalidHead: (field: string) => `${field} 无效，请原样提交导出的 head`,
} as const

const headInBody = headSchema((field) =>
  TEXTS.invalidHead(field === null ? 'head' : `head.${field}`),
)

/** Proving the ledger over HTTP: the same as `npm run audit`. Admins read, the super administrator has it verified and sealed. */
export const auditRoutes = (deps: AuditRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'POST',
    path: '/api/audit/verify',
    access: 'root',
    summary:
      'Start walking the whole log: hashes, revisions, positions, seals; body {head?} as exported',
    body: z.object(
      {
        head: headInBody
          .nullish()
          .describe('Head exported earlier, which the log must still hold; null = none to compare'),
      },
      TEXTS.invalidBody,
    ),
    answer: { data: auditJobAnswer, status: 202 },
    failureStatuses: [409],
    example: { body: { head: EXAMPLE_HEAD }, data: EXAMPLE_JOB },
    handle: async ({ body }) => startJob(deps.jobs, 'verify', deps.verify(body.head ?? null)),
  }),
  route({
    method: 'POST',
    path: '/api/audit/reconcile',
    access: 'root',
    summary: 'Start comparing every figure of the read models with the ledger',
    answer: { data: auditJobAnswer, status: 202 },
    failureStatuses: [409],
    example: { data: { ...EXAMPLE_JOB, kind: 'reconcile' } },
    handle: async () => startJob(deps.jobs, 'reconcile', deps.reconcile),
  }),
  route({
    method: 'GET',
    path: '/api/audit/jobs/:id',
    access: 'admin',
    summary: 'Progress and result of a verification or comparison',
    params: textInPath('Id of the job, as its start answered'),
    answer: { data: auditJobAnswer },
    failureStatuses: [404],
    example: { params: { id: EXAMPLE_JOB.id }, data: EXAMPLE_JOB },
    handle: async ({ params }) => {
      const job = await deps.jobs.job(params.id)
      return job === null ? failure(TEXTS.unknownJob, 404) : { data: withSnakeCase(job) }
    },
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
  return { status: 202, data: withSnakeCase(started.job) }
}

/** The job under way comes with it, so that its progress can be looked at. */
const busyWith = (job: AuditJob): ApiReply => ({
  ...failure(TEXTS.busy, 409),
  data: withSnakeCase(job),
})
