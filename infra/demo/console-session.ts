import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const envelope = z.object({
  success: z.boolean(),
  message: z.string().default(''),
  data: z.unknown().optional(),
})

/** The console API, used as an operator's script would: session cookie, New-Api-User header, envelope. */
export interface ConsoleSession {
  readonly userId: number
  /** Data of an answer that has to be a success; throws with its message otherwise. */
  ask<Data>(method: string, path: string, data: z.ZodType<Data>, body?: unknown): Promise<Data>
  /** An answer as it is, for routes without envelope: what JSON says, else the text. */
  whole(method: string, path: string, body?: unknown): Promise<unknown>
}

/** Before anybody has signed in: for setup and login. */
export const visitor = (url: string, signal?: AbortSignal): ConsoleSession =>
  sessionOf({ url, signal }, -1, '')

/** Signs in; throws with the server's message when refused, and asks nothing more once the signal has aborted. */
export async function signIn(
  url: string,
  username: string,
  password: string,
  signal?: AbortSignal,
): Promise<ConsoleSession> {
  const server = { url, signal }
  const answer = await call(
    server,
    { userId: -1, cookie: '' },
    {
      method: 'POST',
      path: '/api/user/login',
      body: {
        username,
        password,
      },
    },
  )
  const { id } = z.object({ id: z.number() }).parse(dataOf('login', answer.body))
  return sessionOf(server, id, answer.cookie)
}

interface Server {
  readonly url: string
  readonly signal: AbortSignal | undefined
}

const sessionOf = (server: Server, userId: number, cookie: string): ConsoleSession => ({
  userId,
  async ask(method, path, data, body) {
    const answer = await call(server, { userId, cookie }, { method, path, body })
    return data.parse(dataOf(`${method} ${path}`, answer.body))
  },
  async whole(method, path, body) {
    return (await call(server, { userId, cookie }, { method, path, body })).body
  },
})

/** A server on a busy machine may not know yet what became of a call: it is asked again for about half a minute. */
const UNAVAILABLE_MOST = 120
const PAUSE_MS = 250

async function call(
  { url, signal }: Server,
  caller: { readonly userId: number; readonly cookie: string },
  {
    method,
    path,
    body,
  }: { readonly method: string; readonly path: string; readonly body: unknown },
) {
  const request = {
    method,
    headers: {
      'new-api-user': String(caller.userId),
      cookie: caller.cookie,
      'content-type': 'application/json',
      // Repeated, a call that changes something is done once.
      ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  signal?.throwIfAborted()
  let answer = await fetch(url + path, request)
  for (let asked = 1; answer.status === 503 && asked < UNAVAILABLE_MOST; asked += 1) {
    await answer.body?.cancel()
    await sleep(PAUSE_MS, undefined, signal === undefined ? {} : { signal })
    answer = await fetch(url + path, request)
  }
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  const told: unknown = isJson ? await answer.json() : await answer.text()
  return { cookie, body: told }
}

function dataOf(what: string, body: unknown): unknown {
  const answer = envelope.parse(body)
  if (!answer.success) throw new Error(`${what} was refused: ${answer.message}`)
  return answer.data
}
