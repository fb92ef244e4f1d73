import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { CommonQueryMethods } from 'slonik'
import type { z } from 'zod'
import { distinctIds, type Names } from '../http/names.ts'
import { inOneState } from '../runner/reads.ts'
import { EXAMPLE_STATEMENT, type StatementAnswer, statementAnswer } from './answers.ts'
import { isFinalByNow, type LogEnd } from '../journal/final.ts'
import { tellLines } from './line-entity.ts'
import { InvalidCursor } from './lines.ts'
import { pageQuery, pageQueryOfUser, wantedOf } from './query.ts'
import { readStatement } from './read-statement.ts'

export interface StatementDeps extends LogEnd {
  readonly reads: CommonQueryMethods
  /** Has the service times of late charges. */
  readonly store: Pick<EventStore, 'newestAt'>
  readonly clock: Clock
  readonly names: Pick<Names, 'users' | 'tokens' | 'notes'>
}

export const NO_USER = '请用参数 user_id 指定账户'
const TEXTS = {
  cursor: '参数 after 无效，请原样传回上一页的 next',
} as const

export const STATEMENT_READS = ['journal'] as const

/** An account's statement: one's own, or (role 10) anybody's. */
export const statementRoutes = (deps: StatementDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/ledger/statement',
    access: 'admin',
    summary:
      'Statement of an account for [from, to): opening + credits − charges + refunds − deductions = closing, and lines in pages by after=<next>',
    reads: STATEMENT_READS,
    query: pageQueryOfUser,
    answer: { data: statementAnswer },
    example: { query: { user_id: '7', from: '2026-10-01T00:00:00Z' }, data: EXAMPLE_STATEMENT },
    handle: async ({ query }) =>
      query.user_id === 0 ? failure(NO_USER) : answerOf(deps, query, query.user_id, true),
  }),
  route({
    method: 'GET',
    path: '/api/ledger/statement/self',
    access: 'user',
    summary: 'The caller’s own statement; as for administrators, without channels and actors',
    reads: STATEMENT_READS,
    query: pageQuery,
    answer: { data: statementAnswer },
    example: { query: { from: '2026-10-01T00:00:00Z' }, data: EXAMPLE_STATEMENT },
    handle: async (request) => answerOf(deps, request.query, callerOf(request).userId, false),
  }),
]

async function answerOf(
  deps: StatementDeps,
  query: z.output<typeof pageQuery>,
  userId: number,
  isAdministrator: boolean,
): Promise<ApiReply> {
  const { reads, clock, names } = deps
  const after = query.after === '' ? null : query.after
  const { first_position: first, last_position: last, limit } = query
  const positions = { first, last }
  const wanted = { ...wantedOf(query, userId, clock.now()), positions, after, limit }
  try {
    const statement = await inOneState(reads, (snapshot) => readStatement(snapshot, wanted))
    const [lines, users] = await Promise.all([
      tellLines(names, deps, statement.lines, isAdministrator),
      names.users(distinctIds([userId])),
    ])
    const { filter, period, zone, group } = wanted
    const data: StatementAnswer = {
      user_id: userId,
      username: users.get(userId) ?? '',
      ...period,
      zone,
      group,
      filter: {
        term: filter.term,
        source: filter.source,
        token_id: filter.tokenId,
        model: filter.model,
      },
      ...statement,
      final:
        statement.final ||
        (await isFinalByNow(deps, statement.complete_to, { before: wanted.period.to })),
      debits: statement.charges + statement.deductions,
      lines: [...lines],
    }
    return { data }
  } catch (error) {
    if (error instanceof InvalidCursor) return failure(TEXTS.cursor)
    throw error
  }
}
