import { randomBytes, randomUUID } from 'node:crypto'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { PostedRequests } from '@tollgate/command-api/idempotency/posted-requests.ts'
import { openVault } from '@tollgate/command-api/secrets/vault.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  type Caller,
  type CsvRow,
  type SentFrom,
  UNNAMED_COMMAND,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { Language } from '@tollgate/command-api/http-contract/language.ts'
import { exampleTimelines } from './example-timelines.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { handleOnce } from '@tollgate/infra/http/handle-once.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { createMigratedDatabase } from './engines/database.ts'

/** The moment at which a test's clock starts: 2026-01-01 00:00 UTC. */
export const TEST_START = Date.UTC(2026, 0, 1)

/** The fixtures that command-api's parts need, real but for the clock, which only moves when told to. */
export async function openCommandApiFixture() {
  const database = await createMigratedDatabase()
  const { pool, db } = database
  let now = TEST_START
  const clock = { ...systemClock, now: () => now, monotonicMs: () => now - TEST_START }
  const randomness = { uuid: () => randomUUID(), fraction: () => 0.5 }
  const store = openPostgresEventStore({ pool, databaseUrl: database.url, logger, clock })
  const ledger = new AccountLedger({ store, clock, randomness, timelines: exampleTimelines })
  const vault = openVault(Buffer.alloc(32, 1), randomBytes)
  const stopping = new AbortController()
  return {
    pool,
    db,
    store,
    ledger,
    vault,
    clock,
    randomness,
    timelines: exampleTimelines,
    entropy: randomBytes,
    log: logger,
    signal: stopping.signal,
    /** Nothing is projected here. */
    projected: () => Promise.resolve(null),
    /** Moves the clock on. */
    pass(ms: number): void {
      now += ms
    },
    async eventsOf(stream: string): Promise<readonly RecordedEvent[]> {
      return Array.fromAsync(store.readStream(stream))
    },
    async close(): Promise<void> {
      stopping.abort()
      ledger.stop()
      await store.close()
      await database.drop()
    },
  }
}

export type CommandApiFixture = Awaited<ReturnType<typeof openCommandApiFixture>>

export interface RouteCall {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  readonly params?: Readonly<Record<string, string>>
  readonly caller?: Caller | null
  readonly sessionToken?: string | null
  readonly language?: Language
  readonly visitorToken?: string | null
  readonly knownBrowserToken?: string | null
  readonly sentFrom?: SentFrom
  readonly newApiUser?: string
  readonly isNavigation?: boolean
  readonly ip?: string
  readonly userAgent?: string
  readonly origin?: string
  /** The header Idempotency-Key, and what knows requests by it. */
  readonly idempotency?: { readonly key: string; readonly requests: Pick<PostedRequests, 'begin'> }
}

/** Calls a route of a list as the HTTP server would: validates params, query and body by its schemas, then handles. */
export async function callRoute(
  routes: readonly ApiRoute[],
  name: `${ApiRoute['method']} ${string}`,
  call: RouteCall = {},
): Promise<ApiReply> {
  const found = routeNamed(routes, name)
  const read = async (schema: ApiRoute['body'], value: unknown) =>
    schema === undefined ? { value: undefined } : schema['~standard'].validate(value)
  const params = await read(found.params, call.params ?? {})
  if (params.issues !== undefined) {
    return { success: false, message: params.issues[0]?.message ?? '' }
  }
  const query = await read(found.query, call.query ?? {})
  const body = await read(found.body, call.body)
  if (query.issues !== undefined || body.issues !== undefined) {
    const [issue] = [...(query.issues ?? []), ...(body.issues ?? [])]
    return { success: false, message: found.invalidBodyMessage ?? issue?.message ?? '' }
  }
  const asked = requestOf(call, {
    params: params.value,
    query: query.value,
    body: body.value,
  })
  if (call.idempotency === undefined) return found.handle(asked)
  const { key, requests } = call.idempotency
  const contents = JSON.stringify([call.params, call.query, call.body])
  return handleOnce(found, asked, { key, contents }, requests)
}

/** The rows of a list's CSV file, batch by batch as they are read. */
export async function* csvBatches(
  routes: readonly ApiRoute[],
  name: `${ApiRoute['method']} ${string}`,
  call: Pick<RouteCall, 'params' | 'query' | 'caller'> = {},
): AsyncGenerator<readonly CsvRow[]> {
  const found = routeNamed(routes, name)
  const params = await found.params?.['~standard'].validate(call.params ?? {})
  const query = await found.query?.['~standard'].validate(call.query ?? {})
  if (params?.issues !== undefined || query?.issues !== undefined || found.csv === undefined)
    throw new Error(`no CSV of ${name}`)
  yield* found.csv.batches(
    requestOf(call, { params: params?.value, query: query?.value, body: undefined }),
  )
}

function routeNamed(routes: readonly ApiRoute[], name: string): ApiRoute {
  const found = routes.find((one) => `${one.method} ${one.path}` === name)
  if (found === undefined) throw new Error(`no route ${name}`)
  return found
}

const requestOf = (
  call: RouteCall,
  values: Pick<ApiRequest, 'params' | 'query' | 'body'>,
): ApiRequest => ({
  ...values,
  caller: call.caller ?? null,
  ip: call.ip ?? '127.0.0.1',
  userAgent: call.userAgent ?? '',
  requestId: randomUUID(),
  command: UNNAMED_COMMAND,
  sessionToken: call.sessionToken ?? null,
  visitorToken: call.visitorToken ?? null,
  knownBrowserToken: call.knownBrowserToken ?? null,
  sentFrom: call.sentFrom ?? 'own-page',
  newApiUser: call.newApiUser ?? null,
  isNavigation: call.isNavigation ?? false,
  origin: call.origin ?? 'http://localhost:3000',
  language: call.language ?? 'zh',
})

export const callerWith = (userId: number, role: Caller['role'] = 1): Caller => ({
  userId,
  username: `user${userId}`,
  role,
  group: 'default',
  sessionId: null,
})

const logger = { info() {}, warn() {}, error() {} }
