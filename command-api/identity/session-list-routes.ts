import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { z } from 'zod'
import { idInPath } from '../http/query.ts'
import { isAbove, MAY_NOT_UPDATE } from '../users/admin/is-above.ts'
import type { OpenSession, Sessions } from './sessions.ts'
import type { UserStore } from './users.ts'

export interface SessionListDeps {
  readonly users: Pick<UserStore, 'byId'>
  readonly sessions: Pick<Sessions, 'list' | 'revoke' | 'revokeAll'>
}

const TEXTS = {
  notFound: 'record not found',
  noSession: '该会话不存在或已结束，请刷新列表',
  mayNotSee: '无权获取同级或更高等级用户的信息',
} as const

/** The sessions of a user, and how they are ended: one's own, and those of users below. */
export const sessionListRoutes = (deps: SessionListDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'Where one is signed in, the session used last first',
    answer: { data: z.array(SESSION) },
    example: { data: [EXAMPLE_SESSION] },
    csv: {
      ...CSV,
      async *batches(request) {
        yield await listed(deps, callerOf(request).userId, request)
      },
    },
    handle: async (request) => ({ data: await listed(deps, callerOf(request).userId, request) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'Sign out everywhere but here; answers of how many sessions',
    answer: { data: z.int() },
    example: { data: 2 },
    handle: async (request) => {
      const { userId, sessionId } = callerOf(request)
      return { data: await deps.sessions.revokeAll(userId, sessionId) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/user/sessions/:session',
    access: 'user',
    summary: 'Sign out of one session, of the present one too',
    params: z.object({ session: SESSION_IN_PATH }),
    answer: {},
    example: { params: { session: EXAMPLE_SESSION.id } },
    handle: async (request) => {
      const { userId, sessionId } = callerOf(request)
      const { session } = request.params
      const refusal = await revoked(deps, userId, session)
      return refusal ?? (session.toLowerCase() === sessionId ? { session: null } : {})
    },
  }),
  route({
    method: 'GET',
    path: '/api/user/:id/sessions',
    access: 'admin',
    summary: 'Where a user below is signed in',
    params: idInPath(USER_IN_PATH),
    answer: { data: z.array(SESSION) },
    example: { params: { id: '7' }, data: [{ ...EXAMPLE_SESSION, is_current: false }] },
    csv: {
      ...CSV,
      refusal: (request) => rankProblem(deps, request.params.id, request, TEXTS.mayNotSee),
      async *batches(request) {
        yield await listed(deps, request.params.id, request)
      },
    },
    handle: async (request) => {
      const { id } = request.params
      const refusal = await rankProblem(deps, id, request, TEXTS.mayNotSee)
      return refusal ?? { data: await listed(deps, id, request) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/user/:id/sessions',
    access: 'admin',
    summary: 'Sign a user below out everywhere; answers of how many sessions',
    params: idInPath(USER_IN_PATH),
    answer: { data: z.int() },
    example: { params: { id: '7' }, data: 3 },
    handle: async (request) => {
      const { id } = request.params
      const refusal = await rankProblem(deps, id, request, MAY_NOT_UPDATE)
      return refusal ?? { data: await deps.sessions.revokeAll(id, callerOf(request).sessionId) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/user/:id/sessions/:session',
    access: 'admin',
    summary: 'Sign a user below out of one session',
    params: idInPath(USER_IN_PATH).extend({ session: SESSION_IN_PATH }),
    answer: {},
    example: { params: { id: '7', session: EXAMPLE_SESSION.id } },
    handle: async (request) => {
      const { id, session } = request.params
      const refusal =
        (await rankProblem(deps, id, request, MAY_NOT_UPDATE)) ?? (await revoked(deps, id, session))
      return refusal ?? {}
    },
  }),
]

const USER_IN_PATH = 'Id of the user, whose role is below the caller’s'
const SESSION_IN_PATH = z.string().describe('Id of the session, from the list of sessions')

/** A session as answers carry it. */
export const SESSION = z.strictObject({
  id: z.uuid(),
  /** Unix seconds. */
  created_at: z.int(),
  /** Unix seconds, to the minute. */
  last_seen_at: z.int(),
  expires_at: z.int(),
  /** '' = opened before addresses were noted. */
  ip: z.string(),
  user_agent: z.string(),
  is_current: z.boolean(),
})

const CSV = { name: 'sessions', columns: Object.keys(SESSION.shape) }

const EXAMPLE_SESSION: z.infer<typeof SESSION> = {
  id: '0b8a7c5e-6f6d-4b0e-9a53-0d9a4c1f2e77',
  created_at: 1_767_225_600,
  last_seen_at: 1_767_229_200,
  expires_at: 1_769_817_600,
  ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  is_current: true,
}

async function listed(
  { sessions }: SessionListDeps,
  userId: number,
  request: ApiRequest,
): Promise<readonly z.infer<typeof SESSION>[]> {
  const { sessionId } = callerOf(request)
  const open = await sessions.list(userId)
  return open.map((session) => entityOf(session, sessionId))
}

const entityOf = (session: OpenSession, currentId: string | null): z.infer<typeof SESSION> => ({
  id: session.id,
  created_at: secondsOf(session.createdAt),
  last_seen_at: secondsOf(session.lastSeenAt),
  expires_at: secondsOf(session.expiresAt),
  ip: session.ip,
  user_agent: session.userAgent,
  is_current: session.id === currentId,
})

const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1000)

/** Ends it; the refusal when there is no such session of this user. */
async function revoked(
  { sessions }: SessionListDeps,
  userId: number,
  session: string,
): Promise<ApiReply | null> {
  const isId = z.uuid().safeParse(session).success
  const isEnded = isId && (await sessions.revoke(userId, session))
  return isEnded ? null : failure(TEXTS.noSession)
}

async function rankProblem(
  { users }: SessionListDeps,
  id: number,
  request: ApiRequest,
  refusal: string,
): Promise<ApiReply | null> {
  const user = id > 0 ? await users.byId(id) : null
  if (user === null) return failure(TEXTS.notFound)
  return isAbove(callerOf(request).role, user) ? null : failure(refusal)
}
