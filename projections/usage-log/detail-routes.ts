import {
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { storableText } from '@tollgate/domain/text.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { queryInt } from '../http/query.ts'
import { EXAMPLE_LOG, logAnswer } from './answers.ts'
import { CHARGE, chargeEntity, EXAMPLE_CHARGE } from './charge-entity.ts'
import { adminEntity, selfEntity } from './entity.ts'
import { rowOfEvent, rowsOfRequest } from './queries.ts'
import { type TellingDeps, tellRows } from './tell-rows.ts'

const NOT_FOUND = 'record not found'
const READS = ['usage-log'] as const
const ADMINISTRATOR = 10

/** Single rows and charges, which lists and statements link to: one's own, or from role 10 anybody's. */
export const logDetailRoutes = (
  deps: TellingDeps & { readonly reads: CommonQueryMethods },
): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/log/:event_id',
    access: 'user',
    summary:
      'The log row of an event; created_at (seconds, as lists have it) says where to look, without it the newest rows are searched',
    reads: READS,
    params: z.object({
      event_id: z.string().describe('Id of the event that made the row, a UUID'),
    }),
    query: z.object({
      created_at: queryInt().describe(
        'The row’s created_at in unix seconds; 0 = the newest rows are searched',
      ),
    }),
    answer: { data: logAnswer },
    example: {
      params: { event_id: EXAMPLE_LOG.event_id },
      query: { created_at: String(EXAMPLE_LOG.created_at) },
      data: EXAMPLE_LOG,
    },
    handle: async (request) => {
      const { event_id } = request.params
      const { userId, role } = callerOf(request)
      const isId = z.uuid().safeParse(event_id).success
      const isAdministrator = role >= ADMINISTRATOR
      const where = {
        createdAt: request.query.created_at,
        userId: isAdministrator ? null : userId,
      }
      const row = isId ? await rowOfEvent(deps.reads, event_id, where) : null
      if (row === null) return failure(NOT_FOUND)
      const [entity] = await tellRows(deps, [row], isAdministrator ? adminEntity : selfEntity)
      return { data: entity }
    },
  }),
  route({
    method: 'GET',
    path: '/api/ledger/charges/:request_id',
    access: 'user',
    summary: 'What a request was charged: usage, price, arithmetic, channels tried, event',
    reads: READS,
    params: z.object({
      request_id: z
        .string()
        .overwrite(storableText)
        .describe('Id of the request, as its answer and the log have it'),
    }),
    answer: { data: CHARGE },
    example: { params: { request_id: EXAMPLE_CHARGE.request_id }, data: EXAMPLE_CHARGE },
    handle: async (request) => {
      const { userId, role } = callerOf(request)
      const isAdministrator = role >= ADMINISTRATOR
      const rows = await rowsOfRequest(deps.reads, request.params.request_id)
      const visible = rows.filter((row) => isAdministrator || row.user_id === userId)
      const charges = await tellRows(deps, visible, (row, names) =>
        chargeEntity(row, names, isAdministrator),
      )
      const found = charges.find((charge) => charge !== null)
      return found === undefined ? failure(NOT_FOUND) : { data: found }
    },
  }),
]
