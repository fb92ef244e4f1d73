import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { channelId, tokenId, userId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { FailedRequest } from '@tollgate/domain/ports/usage-journal.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { QuotaFigures } from '@tollgate/relay/billing/billing-source.ts'
import { servedBy } from '@tollgate/relay/channel-types.ts'
import { channelFacts } from '@tollgate/relay/directory/channel-facts.ts'
import type {
  ChannelFacts,
  ChannelQuestion,
  RelayDirectory,
  RelaySettings,
  TokenFacts,
  Trial,
  UserFacts,
} from '@tollgate/relay/directory/facts.ts'
import { relaySettings } from '@tollgate/relay/directory/relay-settings.ts'
import { Trials } from '@tollgate/relay/directory/trials.ts'
import type { Reservation, DrawResult, LackOfQuota } from '@tollgate/relay/holds/reservation.ts'
import { ExactPrompts } from '@tollgate/relay/metering/exact-prompts.ts'
import { OutputForecast } from '@tollgate/relay/metering/output-forecast.ts'
import { UnaskedWrites } from '@tollgate/relay/metering/unasked-writes.ts'
import { UncoveredRequests } from '@tollgate/relay/holds/uncovered-requests.ts'
import { ThoughtKeep } from '@tollgate/relay/kept-thoughts/thought-keep.ts'
import { makeTokenCounter } from '@tollgate/relay/metering/token-counter.ts'
import { makeAnswerReader } from '@tollgate/relay/protocols/answer-reader.ts'
import { makeWordCheck } from '@tollgate/relay/sensitive-words/word-check.ts'
import { Stopping } from '@tollgate/relay/stopping.ts'
import { ResponseIds, type Sealing } from '@tollgate/relay/stored-responses/response-ids.ts'
import { registerRelayRoutes } from '@tollgate/relay/routes.ts'
import { BodyReader } from '@tollgate/relay/uploads/body-reader.ts'
import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads, type UploadsOptions } from '@tollgate/relay/uploads/uploads.ts'
import { makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import type {
  ChannelFailureReport,
  RelayDeps,
  RelayLimits,
  SessionAnswer,
  TrialOutcome,
} from '@tollgate/relay/pipeline/deps.ts'
import { ModelRateLimiter } from '@tollgate/relay/pipeline/model-rate-limit.ts'

/** For tests: the relay on a real port between a real client and a real upstream, with fakes where the ledger would be. */
export interface RelayUnderTest {
  readonly url: string
  readonly holds: FakeHolds
  readonly failures: FailedRequest[]
  readonly reports: ChannelFailureReport[]
  readonly trials: TrialOutcome[]
  /** Settles when a trial's outcome is stored, or is not. */
  trialStored: Promise<void>
  readonly directory: FakeDirectory
  readonly app: FastifyInstance
  session: SessionAnswer
  /** Errors that the relay logged; those left at the end fail the test. */
  readonly logged: unknown[]
  /** The facts that were logged with those errors. */
  readonly loggedFacts: Array<Readonly<Record<string, unknown>>>
  readonly stopping: Stopping
  readonly uploads: Uploads
  /** The figures of every token and of every user; null = not there yet. */
  figures: { token: QuotaFigures | null; user: QuotaFigures }
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

export const KEY = 'k'.repeat(48)
export const USER: UserFacts = {
  id: userId(7),
  isActive: true,
  role: 1,
  group: 'default',
  acceptsUnsetRatio: false,
}
export const TOKEN: TokenFacts = {
  id: tokenId(3),
  status: 'enabled',
  user: USER,
  terms: { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] },
}

/** A charge as the purse got it. */
interface Settled {
  readonly amount: Quota
  readonly request: ChargedUsage
}

/** Stands for the hold keeper: a sum of quota, drawn and settled in memory; no request waits for quota. */
export class FakeHolds {
  available = 1_000_000_000
  reserved = 0
  isUnavailable = false
  /** Requests that run get no more. */
  isUnavailableForMore = false
  /** Settling waits for it. */
  journal: Promise<void> = Promise.resolve()
  readonly settled: Settled[] = []
  readonly draws: Quota[] = []

  draw(_account: unknown, _token: unknown, estimate: Quota): DrawResult {
    this.draws.push(estimate)
    if (this.isUnavailable) return { status: 'unavailable', retryAfterSeconds: 2 }
    if (estimate > this.available) {
      const available = quota(this.available)
      const balance = quota(this.available + this.reserved)
      return { status: 'refused', reason: 'insufficient-quota', available, balance }
    }
    this.available -= estimate
    this.reserved += estimate
    return { status: 'drawn', reservation: new FakeReservation(this, estimate) }
  }

  drawOnceFreed(_request: unknown, lack: LackOfQuota): Promise<DrawResult> {
    return Promise.resolve(lack)
  }
}

class FakeReservation implements Reservation {
  reserved: Quota
  readonly #holds: FakeHolds
  constructor(holds: FakeHolds, estimate: Quota) {
    this.#holds = holds
    this.reserved = estimate
  }
  cover(total: Quota): boolean | Promise<boolean> {
    if (this.#holds.isUnavailableForMore) return Promise.reject(new HoldOwnerUnavailable('away'))
    const missing = Math.max(0, total - this.reserved)
    if (missing > this.#holds.available) return false
    this.#holds.available -= missing
    this.#holds.reserved += missing
    this.reserved = quota(this.reserved + missing)
    return true
  }
  async settle(amount: Quota, request: ChargedUsage): Promise<void> {
    this.release()
    this.#holds.available -= amount
    this.#holds.settled.push({ amount, request })
    await this.#holds.journal
  }
  release(): void {
    this.#holds.reserved -= this.reserved
    this.#holds.available += this.reserved
  }
}

/** Stands for the directory: tokens, channels and settings that a test sets directly. */
export class FakeDirectory implements RelayDirectory {
  settings: RelaySettings = { ...relaySettings(optionsFrom([]), -1), firstByteMs: 2_000 }
  readonly tokens = new Map<string, TokenFacts>([[KEY, TOKEN]])
  readonly channels = new Map<number, ChannelFacts>()
  /** Not among `channels`. */
  readonly halfOpen = new Set<ChannelFacts>()
  readonly trials = new Trials()

  findToken(key: string): TokenFacts | null | Promise<TokenFacts | null> {
    return this.tokens.get(key) ?? null
  }
  channel(id: number): ChannelFacts | null {
    return this.channels.get(id) ?? null
  }
  choose(question: ChannelQuestion): ChannelFacts | null {
    const { failed, refused } = question
    const serving = [...this.channels.values()].filter(
      (channel) =>
        channel.isEnabled && doesServe(channel, question) && refused?.has(channel.id) !== true,
    )
    return serving.find(({ id }) => !failed.has(id)) ?? serving[0] ?? null
  }
  mayTry(question: ChannelQuestion): boolean {
    return this.#trialFor(question) !== null
  }
  beginTrial(question: ChannelQuestion): Trial | null {
    const channel = this.#trialFor(question)
    return channel && { channel, giveBack: this.trials.begin(channel.id) }
  }
  #trialFor(question: ChannelQuestion): ChannelFacts | null {
    const { failed } = question
    const serving = [...this.halfOpen].filter(
      (channel) => doesServe(channel, question) && this.trials.isFree(channel.id),
    )
    return serving.find(({ id }) => !failed.has(id)) ?? null
  }
  modelsOf(group: string): readonly string[] {
    const channels = [...this.channels.values()].filter(({ terms }) => terms.groups.includes(group))
    return channels.flatMap(({ terms }) => terms.models)
  }
  isListed(model: string): boolean {
    return [...this.channels.values(), ...this.halfOpen].some(({ terms }) =>
      terms.models.includes(model),
    )
  }

  set(options: Readonly<Record<string, string>>): void {
    const settings = relaySettings(optionsFrom(Object.entries(options)), -1)
    this.settings = { ...settings, firstByteMs: 2_000 }
  }

  /** Adds a channel that is tried with one request at a time. */
  addHalfOpen(id: number, terms: Partial<ChannelTerms>, more: { key?: string } = {}): void {
    this.add(id, terms, more)
    const channel = this.channels.get(id)
    if (channel !== undefined) this.halfOpen.add({ ...channel, isEnabled: false })
    this.channels.delete(id)
  }

  add(id: number, terms: Partial<ChannelTerms>, more: { key?: string; proxy?: string } = {}): void {
    const facts = channelFacts({
      id: channelId(id),
      isEnabled: true,
      key: more.key ?? `upstream-key-${id}`,
      proxy: more.proxy ?? '',
      terms: { ...PLAIN_TERMS, ...terms },
    })
    if (facts === null) throw new Error('no such type')
    this.channels.set(id, facts)
  }
}

const doesServe = (
  { terms }: ChannelFacts,
  { group, model, operation }: ChannelQuestion,
): boolean =>
  terms.groups.includes(group) &&
  terms.models.includes(model) &&
  servedBy(terms.type).includes(operation)

export const PLAIN_TERMS: ChannelTerms = {
  type: 1,
  openaiOrganization: '',
  testModel: '',
  baseUrl: '',
  other: '',
  models: ['gpt-4o-mini'],
  groups: ['default'],
  modelMapping: '',
  statusCodeMapping: '',
  paramOverride: '',
  setting: '',
  priority: 0,
  weight: 0,
  autoBan: true,
  tag: '',
  maxInputTokens: 0,
}

const REAL_CLOCK: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** Resets the relay to its start, with one channel at `upstream` and no memory of earlier requests. */
export function startAfresh(relay: RelayUnderTest, upstream: FakeUpstream): void {
  const { directory, holds, failures, reports } = relay
  directory.channels.clear()
  directory.set({})
  directory.add(1, { baseUrl: upstream.url })
  holds.available = 1_000_000
  holds.isUnavailable = false
  holds.isUnavailableForMore = false
  for (const list of [holds.settled, holds.draws, failures, reports, upstream.asked]) {
    list.length = 0
  }
}

/** Starts it; channels are added by the test. */
export async function startRelay(
  limits: Partial<RelayLimits> = {},
  {
    serverFactory,
    ...uploadOptions
  }: Partial<UploadsOptions> & Pick<FastifyServerOptions, 'serverFactory'> = {},
): Promise<RelayUnderTest> {
  const holds = new FakeHolds()
  const directory = new FakeDirectory()
  const failures: FailedRequest[] = []
  const reports: ChannelFailureReport[] = []
  const trials: TrialOutcome[] = []
  const dispatchers = makeDispatchers(2_000)
  const counter = makeTokenCounter()
  const answers = makeAnswerReader()
  const wordCheck = makeWordCheck()
  const bodies = new BodyReader()
  const uploads = new Uploads({
    limits: bodyBudgetLimits(limits.bodyBytesMax ?? 1_000_000),
    addressKey: (ip) => ip,
    ...uploadOptions,
  })
  const stopping = new Stopping()
  const deps: RelayDeps = {
    directory,
    holds: holds,
    failures: { record: (failure) => failures.push(failure) },
    dispatchers,
    publicDispatchers: dispatchers,
    answers,
    counter,
    exactPrompts: new ExactPrompts(counter),
    wordCheck,
    forecast: new OutputForecast(),
    unaskedWrites: new UnaskedWrites(),
    uncovered: new UncoveredRequests(),
    uploads,
    bodies,
    rateLimiter: new ModelRateLimiter(REAL_CLOCK),
    clock: REAL_CLOCK,
    limits: {
      bodyBytesMax: 1_000_000,
      firstByteMs: 2_000,
      idleMs: 1_000,
      headHeldMs: 15_000,
      settleWaitMs: 300,
      clientStallMs: 60_000,
      ...limits,
    },
    stopping,
    responseIds: new ResponseIds(PLAIN_SEALING),
    thoughts: new ThoughtKeep(REAL_CLOCK),
    billing: {
      tokenFigures: async () => relay.figures.token,
      userFigures: async () => relay.figures.user,
    },
    log: {
      warn: () => undefined,
      error: ({ err, ...facts }) => {
        unexpected.push(err)
        loggedFacts.push(facts)
      },
    },
    authenticateSession: async () => relay.session,
    reportChannelFailure: (report) => reports.push(report),
    reportTrial: async (outcome) => {
      trials.push(outcome)
      await relay.trialStored
    },
  }
  const unexpected: unknown[] = []
  const loggedFacts: RelayUnderTest['loggedFacts'] = []
  let requests = 0
  const app = Fastify({
    genReqId: () => `request-${(requests += 1)}`,
    // Else a connection that Node does not count as idle holds up closing until its keep-alive ends, after 72 s.
    forceCloseConnections: true,
    ...(serverFactory && { serverFactory }),
  })
  registerRelayRoutes(app, deps)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const relay: RelayUnderTest = {
    url,
    holds,
    failures,
    reports,
    trials,
    trialStored: Promise.resolve(),
    directory,
    app,
    session: { status: 'anonymous' },
    logged: unexpected,
    loggedFacts,
    figures: { token: null, user: { remaining: 0, used: 0 } },
    stopping,
    uploads,
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer sk-${KEY}`,
          'content-type': 'application/json',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async close() {
      await app.close()
      await dispatchers.close()
      await counter.close()
      await answers.close()
      await wordCheck.close()
      await bodies.close()
      if (unexpected.length > 0) throw new AggregateError(unexpected, 'the relay logged errors')
    },
  }
  return relay
}

/** Seals nothing, so that tests see the contents of an id. */
const PLAIN_SEALING: Sealing = {
  seal: (text) => Buffer.from(text).toString('base64url'),
  open: (sealed) => Buffer.from(sealed, 'base64url').toString(),
}

/** A request as an upstream received it. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly request: IncomingMessage
}
type Behaviour = (response: ServerResponse, asked: Asked) => void

/** A tiny upstream that a test scripts. */
export interface FakeUpstream {
  readonly url: string
  readonly asked: Asked[]
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

/** Starts one; it answers 500 until a test scripts it. */
export async function startUpstream(): Promise<FakeUpstream> {
  let behaviour: Behaviour = (response) => void response.writeHead(500).end('{}')
  const asked: Asked[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one: Asked = {
        path: request.url ?? '',
        headers: request.headers,
        text: Buffer.concat(chunks).toString(),
        request,
      }
      asked.push(one)
      behaviour(response, one)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    behave: (next) => {
      behaviour = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** All of a stream that fails: its text until the connection breaks. Throws if the body ends in order instead. */
export async function textUntilBreak(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true })
  } catch {
    return text
  }
  throw new Error(`the body ended as if it were complete: ${text.slice(-500)}`)
}

/** Waits until a condition holds; fails after twenty seconds. */
export async function eventually(holds: () => boolean): Promise<void> {
  const until = performance.now() + 20_000
  while (!holds()) {
    if (performance.now() > until) throw new Error(`never became true: ${holds.toString()}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}
