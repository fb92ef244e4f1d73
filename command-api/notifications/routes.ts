import {
  type ApiReply,
  type ApiRoute,
  type Caller,
  callerOf,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { below } from '../http-contract/csv-batches.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { z } from 'zod'
import { pageOf } from '../http/answer.ts'
import { idInPath, queryInt, queryPage, queryPageSize, queryText } from '../http/query.ts'
import type { NoticeStatus, NoticeTable, StoredNotice } from './notice-rows.ts'

export interface NoticeRouteDeps {
  readonly table: Pick<NoticeTable, 'page' | 'below' | 'retry'>
  readonly clock: Pick<Clock, 'now'>
  readonly onRetried: () => void
}

const STATUSES: readonly NoticeStatus[] = ['waiting', 'delivered', 'given-up', 'skipped']

/** Routes that list the state of notices to users, and have one tried again. */
export const noticeRoutes = ({ table, clock, onRetried }: NoticeRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/ledger/notices',
    access: 'admin',
    summary: 'Notices to users and what became of them, newest first; by status and user_id',
    query: z.object({
      status: queryText().meta({
        description: 'Notices in this state; absent = all',
        enum: STATUSES,
      }),
      user_id: queryInt().describe('Notices to this user; 0 = to all'),
      p: queryPage(1),
      page_size: queryPageSize(),
    }),
    answer: { data: pageOf(noticeEntity) },
    example: {
      query: { status: 'given-up' },
      data: {
        items: [
          {
            id: 12,
            user_id: 7,
            type: 'quota_exceed',
            title: '您的额度即将用尽',
            status: 'given-up',
            channel: 'webhook',
            attempts: 12,
            last_error: 'the webhook answered 500',
            happened_at: 1_767_225_600,
            recorded_at: 1_767_225_601,
            next_attempt_at: 1_767_238_000,
            ended_at: 1_767_238_005,
          },
        ],
        total: 1,
        page: 1,
        page_size: 10,
      },
    },
    csv: {
      name: 'notices',
      columns: Object.keys(noticeEntity.shape),
      refusal: ({ query }) => Promise.resolve(statusProblem(query)),
      async *batches(request) {
        const reader = callerOf(request)
        const search = searchOf(request.query)
        const batches = below(
          (before, limit) => table.below(search, before, limit),
          ({ id }) => id,
        )
        for await (const notices of batches) yield notices.map((notice) => entityOf(notice, reader))
      },
    },
    handle: async (request) => {
      const { query } = request
      const reader = callerOf(request)
      const problem = statusProblem(query)
      if (problem !== null) return problem
      const page = Math.max(1, query.p)
      const limit = query.page_size
      const search = searchOf(query)
      const { notices, total } = await table.page(search, { offset: (page - 1) * limit, limit })
      return {
        data: {
          items: notices.map((notice) => entityOf(notice, reader)),
          total,
          page,
          page_size: limit,
        },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/api/ledger/notices/:id/retry',
    access: 'admin',
    summary: 'Send a notice after all that was given up or skipped',
    params: idInPath('Id of the notice'),
    answer: {},
    example: { params: { id: '12' } },
    handle: async ({ params }) => {
      if (!(await table.retry(params.id, clock.now()))) {
        return failure('该通知不存在、正在发送或已经送达，请刷新列表')
      }
      onRetried()
      return {}
    },
  }),
]

interface Asked {
  readonly status: string
  readonly user_id: number
}

const searchOf = ({ status, user_id: userId }: Asked) => ({
  status: STATUSES.find((one) => one === status) ?? null,
  userId,
})

const statusProblem = (asked: Asked): ApiReply | null =>
  asked.status === '' || searchOf(asked).status !== null
    ? null
    : failure(`状态只能是 ${STATUSES.join('、')}`)

const noticeEntity = z.object({
  id: z.int(),
  user_id: z.int(),
  type: z.string(),
  title: z.string(),
  status: z.enum(['waiting', 'delivered', 'given-up', 'skipped']),
  channel: z.enum(['email', 'webhook']).nullable(),
  attempts: z.int(),
  last_error: z.string(),
  happened_at: z.int(),
  recorded_at: z.int(),
  next_attempt_at: z.int(),
  ended_at: z.int().nullable(),
})

/** The reason for a failure may name the notice's address: that of a user who is not below is not for an admin. */
const mayReadError = ({ userId, userRole }: StoredNotice, reader: Caller): boolean =>
  reader.role === 100 || userId === reader.userId || (userRole ?? 0) < reader.role

const entityOf = (notice: StoredNotice, reader: Caller): z.output<typeof noticeEntity> => ({
  id: notice.id,
  user_id: notice.userId,
  type: notice.type,
  title: notice.title,
  status: notice.status,
  channel: notice.channel,
  attempts: notice.attempts,
  last_error: mayReadError(notice, reader) ? notice.lastError : '',
  happened_at: seconds(notice.happenedAt),
  recorded_at: seconds(notice.recordedAt),
  next_attempt_at: seconds(notice.nextAttemptAt),
  ended_at: notice.endedAt === null ? null : seconds(notice.endedAt),
})

const seconds = (ms: number): number => Math.floor(ms / 1000)
