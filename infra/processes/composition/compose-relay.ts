import { concludeTrial, failureWatch } from '@tollgate/command-api/channels/automatic-status.ts'
import { aggregateMemory } from '@tollgate/command-api/aggregates/aggregate.ts'
import { EventFailureLog } from '@tollgate/command-api/aggregates/failure-log.ts'
import type { RelayId, TokenId, UserId } from '@tollgate/domain/ids.ts'
import { userFigures } from '@tollgate/projections/balances/queries.ts'
import { tokenFigures } from '@tollgate/projections/tokens/queries.ts'
import { FollowingDirectory } from '@tollgate/relay/directory/directory.ts'
import type { LogView } from '@tollgate/domain/timeline/log-view.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import type { ChargeSpool } from '@tollgate/relay/holds/charge-spool.ts'
import { HoldKeeper } from '@tollgate/relay/holds/hold-keeper.ts'
import { ThoughtKeep } from '@tollgate/relay/kept-thoughts/thought-keep.ts'
import { ExactPrompts } from '@tollgate/relay/metering/exact-prompts.ts'
import { OutputForecast } from '@tollgate/relay/metering/output-forecast.ts'
import { UnaskedWrites } from '@tollgate/relay/metering/unasked-writes.ts'
import { UncoveredRequests } from '@tollgate/relay/holds/uncovered-requests.ts'
import { makeTokenCounter } from '@tollgate/relay/metering/token-counter.ts'
import { makeWordCheck } from '@tollgate/relay/sensitive-words/word-check.ts'
import {
  type ChannelFailureReport,
  RELAY_LIMITS,
  type SessionAnswer,
  type TrialOutcome,
} from '@tollgate/relay/pipeline/deps.ts'
import { ModelRateLimiter } from '@tollgate/relay/pipeline/model-rate-limit.ts'
import { registerRelayRoutes } from '@tollgate/relay/routes.ts'
import { Stopping } from '@tollgate/relay/stopping.ts'
import { ResponseIds } from '@tollgate/relay/stored-responses/response-ids.ts'
import { BodyReader } from '@tollgate/relay/uploads/body-reader.ts'
import type { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestCounts } from '../../bus/nats/request-counts.ts'
import { refuseOnDemoSite } from '../../http/demo-playground.ts'
import { sessionTokenOf } from '../../http/cookies.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import { reading } from '../../postgres/reading.ts'
import { directorySource, findUserFacts } from './relay-directory.ts'
import type { Identity } from './compose-identity.ts'
import type { LedgerAccess } from './compose-ledger.ts'
import { responseSealing } from './response-sealing.ts'
import { repeating } from '../timers/repeating.ts'
import { within } from '../timers/within.ts'
import type { Runtime } from '../runtime.ts'
import type { Upstreams } from './upstreams.ts'

/** The relay, composed. */
export interface ComposedRelay {
  /** Mounts the relay's routes; `uploads` is the budget of the whole process. */
  register(app: FastifyInstance, uploads: Uploads): void
  /**
   * Turns new requests away, gives those under way `graceMs` to finish, then ends them and waits up to `endMs` until
   * what they delivered is charged. The HTTP server must still run.
   */
  endRequests(graceMs: number, endMs: number): Promise<void>
  readinessProblem(): string | null
  /** Requests counted for the rate limit, to be exchanged with other relays. */
  readonly requestCounts: RequestCounts
  /** Charges that were refused for good, since the start: each is in the log as an error, and in the spool. */
  lostCharges(): number
  /** Gives the holds back; what does not return in time is closed at the next start, and its charges are spooled. */
  stop(withinMs: number): Promise<void>
}

/** Failing channels whose streams are remembered. */
const WATCHED_MAX = 1_000
const FLUSH_FAILURES_MS = 60_000
/** How long failed requests may take to be written at the end: losing some while the log is unavailable is allowed. */
const STOP_FAILURES_MS = 1_000
/** Charges that wait for the journal; from here on the process says that it is not ready. */
const UNSETTLED_WORRYING = 1_000

/** The parts of a process that a relay is made of. */
export interface RelayParts {
  readonly relay: RelayId
  readonly engines: Engines
  readonly identity: Identity
  readonly access: LedgerAccess
  readonly spool: ChargeSpool
  readonly readModels: Pick<ProjectionRunner, 'waitFor'>
  readonly upstreams: Upstreams
  readonly log: LogView
}

export async function composeRelay(
  config: Config,
  runtime: Runtime,
  {
    relay,
    engines,
    identity,
    access,
    spool,
    readModels,
    upstreams: { dispatchers, publicDispatchers, answers },
    log,
  }: RelayParts,
): Promise<ComposedRelay> {
  const { clock, randomness, logger } = runtime
  const writer = { store: engines.store, clock, randomness }
  const holds = new HoldKeeper({
    relay,
    log,
    owner: access.owner,
    journal: access.journal,
    spool,
    clock: runtime.holdClock ?? clock,
    now: () => clock.now(),
    randomness,
    onFault: (err, what) => logger.error({ err, what }, 'a hold met something that should not be'),
  })
  const source = directorySource(engines, identity, readModels)
  const directory = new FollowingDirectory({
    store: engines.store,
    source,
    clock,
    randomness,
    log: logger,
  })
  await directory.start()
  const failures = new EventFailureLog({
    ...writer,
    relay,
    onDropped: (count, err) => logger.warn({ err, count }, 'failed requests were not logged'),
  })
  const flushing = repeating(
    FLUSH_FAILURES_MS,
    () => Promise.resolve(failures.flush()),
    (err) => logger.warn({ err }, 'relay: suppressed failures were not logged'),
  )
  const watching = {
    ...writer,
    memory: aggregateMemory(WATCHED_MAX),
    secrets: identity.secrets.channels,
    options: identity.options,
  }
  const considerFailure = failureWatch(watching)
  const counter = makeTokenCounter()
  const wordCheck = makeWordCheck()
  const bodies = new BodyReader()
  const stopping = new Stopping()
  const recalls = access.listen(relay, holds)
  // However the process ends by itself (a second signal, a stop that takes too long): no charge that is known is lost
  // with it. After a SIGKILL the client has not seen the end of what is not charged.
  const handOver = (): void => holds.handOver()
  process.once('exit', handOver)
  holds.start()
  const rateLimiter = new ModelRateLimiter(clock)
  const deps = {
    directory,
    holds,
    failures,
    dispatchers,
    publicDispatchers,
    answers,
    counter,
    exactPrompts: new ExactPrompts(counter),
    wordCheck,
    forecast: new OutputForecast(),
    unaskedWrites: new UnaskedWrites(),
    uncovered: new UncoveredRequests(),
    bodies,
    rateLimiter,
    clock,
    limits: { ...RELAY_LIMITS, bodyBytesMax: config.relayBodyBytesMax },
    log: logger,
    stopping,
    responseIds: new ResponseIds(responseSealing(identity.vault)),
    thoughts: new ThoughtKeep(clock),
    billing: {
      tokenFigures: (token: TokenId) => reading(() => tokenFigures(engines.db, token)),
      userFigures: (user: UserId) => reading(() => userFigures(engines.db, user)),
    },
    authenticateSession: (request: FastifyRequest) =>
      reading(() => whoPlays(request, engines, identity)),
    reportChannelFailure(report: ChannelFailureReport) {
      considerFailure(report).catch((err: unknown) =>
        logger.warn({ err, channel: report.channel }, 'a channel could not be disabled'),
      )
    },
    async reportTrial({ channel, ...conclusion }: TrialOutcome) {
      try {
        await concludeTrial(watching, channel, conclusion)
      } catch (err) {
        logger.warn({ err, channel }, 'the trial of a channel could not be concluded')
        throw err
      }
    },
  }
  return {
    register(app, uploads) {
      refuseOnDemoSite(app, () => identity.options.current().flag('DemoSiteEnabled'))
      registerRelayRoutes(app, { ...deps, uploads })
    },
    async endRequests(graceMs, endMs) {
      stopping.refuse()
      const isIdle = await stopping.idle(graceMs)
      if (!isIdle) logger.warn({ requests: stopping.running }, 'ending requests under way')
      stopping.endRunning()
      if (!(await stopping.idle(endMs))) {
        logger.error({ requests: stopping.running }, 'requests under way did not end in time')
      }
    },
    readinessProblem() {
      if (!directory.isFollowing) return 'the relay has lost the event log and follows it again'
      if (holds.unsettledCharges > UNSETTLED_WORRYING) {
        return `${holds.unsettledCharges} charges wait for the ledger`
      }
      return access.readinessProblem()
    },
    requestCounts: {
      take: () => rateLimiter.takeUntold(),
      hear: (counts) => rateLimiter.hear(counts, directory.settings.rateLimit),
    },
    lostCharges: () => holds.lostCharges,
    async stop(withinMs) {
      await holds.stop(withinMs)
      process.off('exit', handOver)
      await recalls.close()
      await directory.stop()
      await flushing.stop()
      await within(failures.settled(), STOP_FAILURES_MS)
      await counter.close()
      await wordCheck.close()
      await bodies.close()
    },
  }
}

/** The user who is signed in to the console, for the playground. */
async function whoPlays(
  request: FastifyRequest,
  engines: Engines,
  identity: Identity,
): Promise<SessionAnswer> {
  const { authorization } = request.headers
  const newApiUser = request.headers['new-api-user']
  const sessionToken = sessionTokenOf(request.headers.cookie)
  if (sessionToken === null && authorization !== undefined) return { status: 'access-token' }
  const authentication = await identity.authenticate(
    {
      sessionToken,
      authorization: null,
      newApiUser: typeof newApiUser === 'string' ? newApiUser : null,
    },
    'user',
  )
  if (authentication.status !== 'signed-in') return { status: 'anonymous' }
  const user = await findUserFacts(engines, identity, authentication.caller.userId)
  return user === null ? { status: 'anonymous' } : { status: 'signed-in', user }
}
