import {
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { z } from 'zod'
import { LIMITS, type ReplayRouteDeps } from './deps.ts'
import { EXAMPLE_REPLAY, replayAnswer } from './replay-entity.ts'
import { REPLAY_IN_PATH, type ReplayReader } from './replay-reader.ts'
import { cancelReplay, removeReplay, renameReplay, rerunReplay } from './replay-table.ts'
import { REPLAY_TEXTS as TEXTS, replayName } from './request-body.ts'

const { id: EXAMPLE_ID } = EXAMPLE_REPLAY

/** Reading, renaming, deleting, cancelling and running again one replay. */
export function oneReplayRoutes(
  deps: ReplayRouteDeps,
  { findFor, reply }: ReplayReader,
): readonly ApiRoute[] {
  const { pool, limits = LIMITS } = deps
  return [
    route({
      method: 'GET',
      path: '/api/replays/:id',
      access: 'user',
      summary: 'A replay with its definition and progress',
      params: REPLAY_IN_PATH,
      answer: { data: replayAnswer },
      failureStatuses: [404],
      example: { params: { id: EXAMPLE_ID }, data: EXAMPLE_REPLAY },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        return found === null ? failure(TEXTS.unknown, 404) : reply(found.id)
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/replays/:id',
      access: 'user',
      summary: 'Rename a replay',
      params: REPLAY_IN_PATH,
      body: z.object({ name: replayName }),
      answer: { data: replayAnswer },
      failureStatuses: [404],
      example: {
        params: { id: EXAMPLE_ID },
        body: { name: EXAMPLE_REPLAY.name },
        data: EXAMPLE_REPLAY,
      },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        await renameReplay(pool, found.id, request.body.name)
        return reply(found.id)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/replays/:id',
      access: 'user',
      summary: 'Delete a replay and its result; one that runs ends',
      params: REPLAY_IN_PATH,
      answer: {},
      failureStatuses: [404],
      example: { params: { id: EXAMPLE_ID } },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        await removeReplay(pool, found.id)
        return {}
      },
    }),
    route({
      method: 'POST',
      path: '/api/replays/:id/cancel',
      access: 'user',
      summary: 'Cancel a replay that waits or runs; what it counted so far stays',
      params: REPLAY_IN_PATH,
      answer: { data: replayAnswer },
      failureStatuses: [404, 409],
      example: {
        params: { id: EXAMPLE_ID },
        data: { ...EXAMPLE_REPLAY, status: 'cancelled', remaining_ms: null },
      },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        const isCancelled = await cancelReplay(pool, found.id, deps.now())
        return isCancelled ? reply(found.id) : failure(TEXTS.ended, 409)
      },
    }),
    route({
      method: 'POST',
      path: '/api/replays/:id/rerun',
      access: 'user',
      summary: 'Run a replay again, up to the present end of the log; the result is made anew',
      params: REPLAY_IN_PATH,
      answer: { data: replayAnswer, status: 202 },
      failureStatuses: [404, 409],
      example: { params: { id: EXAMPLE_ID }, data: { ...EXAMPLE_REPLAY, status: 'queued' } },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        const again = await rerunReplay(pool, found.id, limits.active)
        if (again === 'not-ended') return failure(TEXTS.notEnded, 409)
        if (again === 'too-many-active') return failure(TEXTS.tooManyActive(limits.active), 409)
        deps.onQueued()
        return { ...(await reply(found.id)), status: 202 }
      },
    }),
  ]
}
