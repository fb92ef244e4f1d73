import type { LedgerSealed } from '@tollgate/domain/seal/events.ts'
import type { LogClaimConfirmed, LogClaimed } from '@tollgate/domain/log-claim/events.ts'
import type { EventsSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { TimelineOpened } from '@tollgate/domain/timeline/events.ts'
import type { ProjectedEvent } from '@tollgate/projections/runner/projected-events.ts'
import { z } from 'zod'
import { ACCOUNT_SCHEMAS } from './account-schemas.ts'
import type { AreSame, NoneOf, Plain } from './same-types.ts'

/**
 * The shape of every event's data once more, as zod schemas, because types are gone when a program runs. The compiler
 * holds them equal to the domain's types (below, by `DIFFERENT`); golden.test.ts holds them equal to the golden files.
 * So a field cannot come, go or change its type in domain/*\/events.ts unless its event gets a new schema version.
 */

const at = z.int()
const role = z.union([z.literal(1), z.literal(10), z.literal(100)])
const only = z.strictObject({ at })

const channelTerms = z.strictObject({
  at,
  type: z.int(),
  openaiOrganization: z.string(),
  testModel: z.string(),
  baseUrl: z.string(),
  other: z.string(),
  models: z.array(z.string()),
  groups: z.array(z.string()),
  modelMapping: z.string(),
  statusCodeMapping: z.string(),
  paramOverride: z.string(),
  setting: z.string(),
  priority: z.int(),
  weight: z.int(),
  autoBan: z.boolean(),
  tag: z.string(),
  maxInputTokens: z.int(),
})

const whatUpstreamSaid = z.strictObject({
  at,
  reason: z.string(),
  upstreamStatus: z.int().nullable(),
  bodyExcerpt: z.string(),
})

/** By event type; what is written in the newest schema version. */
export const SCHEMAS = {
  ...ACCOUNT_SCHEMAS,
  ChannelAdded: channelTerms,
  ChannelRevised: channelTerms,
  ChannelKeyReplaced: only,
  ChannelEnabled: only,
  ChannelDisabled: z.strictObject({ at, reason: z.string() }),
  ChannelAutoDisabled: whatUpstreamSaid,
  ChannelHalfOpened: z.strictObject({ at, reason: z.string() }),
  ChannelTrialFailed: whatUpstreamSaid,
  ChannelAutoEnabled: z.strictObject({ at, reason: z.string() }),
  ChannelTested: z.strictObject({
    at,
    model: z.string(),
    succeeded: z.boolean(),
    durationMs: z.number(),
    error: z.string(),
    promptTokens: z.int().nullable(),
    completionTokens: z.int().nullable(),
    testedBy: z.int().nullable(),
  }),
  ChannelBalanceRead: z.strictObject({ at, balanceUsd: z.string() }),
  ChannelDeleted: only,
  UserRegistered: z.strictObject({
    at,
    role,
    group: z.string(),
    inviter: z.int().nullable(),
    invitation: z.strictObject({ inviteeReward: z.int(), inviterReward: z.int() }).nullable(),
  }),
  UserRoleChanged: z.strictObject({ at, role }),
  UserBanned: only,
  UserReinstated: only,
  UserGroupChanged: z.strictObject({ at, group: z.string() }),
  UserDeleted: only,
  CodeIssued: z.strictObject({ at, quota: z.int(), creator: z.int() }),
  CodeRevised: z.strictObject({ at, quota: z.int() }),
  CodeDisabled: only,
  CodeEnabled: only,
  CodeRedeemed: z.strictObject({ at, user: z.int(), quota: z.int() }),
  CodeDeleted: only,
  TopUpRequested: z.strictObject({
    at,
    user: z.int(),
    quota: z.int(),
    money: z.string(),
    method: z.enum(['zfb', 'wx']),
    amount: z.int(),
    unit: z.enum(['usd', 'quota']),
    price: z.string(),
    group: z.string(),
    groupRatio: z.string(),
    quotaPerUnit: z.string(),
  }),
  TopUpPaid: z.strictObject({
    at,
    user: z.int(),
    quota: z.int(),
    money: z.string(),
    gatewayTradeNo: z.string(),
  }),
  TopUpPaidAgain: z.strictObject({
    at,
    user: z.int(),
    money: z.string(),
    gatewayTradeNo: z.string(),
  }),
  TopUpAbandoned: only,
  OptionChanged: z.strictObject({
    at,
    key: z.string(),
    value: z.string().nullable(),
    previous: z.string().nullable(),
  }),
  LogsCleared: z.strictObject({ at, before: z.int() }),
  TaskSubmitted: z.strictObject({
    at,
    user: z.int(),
    token: z.int().nullable(),
    channel: z.int(),
    platform: z.enum(['mj', 'suno']),
    action: z.string(),
    upstreamId: z.string(),
    code: z.int(),
    charge: z.strictObject({ request: z.string(), hold: z.string(), amount: z.int() }).nullable(),
  }),
  TaskProgressed: z.strictObject({
    at,
    status: z.enum([
      'not-started',
      'submitted',
      'queued',
      'in-progress',
      'awaiting-input',
      'unknown',
    ]),
    percent: z.int(),
    startedAt: z.int().nullable(),
  }),
  TaskSucceeded: z.strictObject({ at, startedAt: z.int().nullable() }),
  TaskFailed: z.strictObject({ at, reason: z.enum(['reported', 'timed-out', 'channel-lost']) }),
  RequestFailed: z.strictObject({
    account: z.int(),
    token: z.int().nullable(),
    request: z.string(),
    at,
    model: z.string(),
    group: z.string(),
    channel: z.int().nullable(),
    channelType: z.int().nullable(),
    path: z.array(z.int()),
    stream: z.boolean(),
    firstByteMs: z.number().nullable(),
    durationMs: z.number(),
    status: z.int(),
    errorType: z.string(),
    errorCode: z.string(),
    message: z.string(),
    suppressed: z.int(),
  }),
  LedgerSealed: z.strictObject({
    at,
    number: z.int(),
    after: z.int(),
    upTo: z.int(),
    events: z.int(),
    streams: z.int(),
    root: z.string(),
    order: z.string(),
    previous: z.strictObject({ root: z.string(), hash: z.string() }).nullable(),
  }),
  TimelineOpened: z.strictObject({
    at,
    log: z.string(),
    cause: z.enum(['first-start', 'restore', 'accept-rollback']),
    previous: z.string().nullable(),
  }),
  EventsSetAside: z.strictObject({
    at,
    revisions: z.array(z.int()),
    reason: z.string(),
    by: z.literal('operator'),
  }),
  LogClaimed: z.strictObject({ at, claim: z.string() }),
  LogClaimConfirmed: z.strictObject({ at, claim: z.string() }),
} satisfies Readonly<Record<GoldenType, z.ZodType>>

/** Every event that is written to the log. A type that no read model is made of is added here. */
export type GoldenEvent =
  | ProjectedEvent
  | LedgerSealed
  | TimelineOpened
  | EventsSetAside
  | LogClaimed
  | LogClaimConfirmed
export type GoldenType = GoldenEvent['type']

type DataOf<Type extends GoldenType> = Extract<GoldenEvent, { type: Type }>['data']

type Different = {
  [Type in GoldenType]: AreSame<
    Plain<DataOf<Type>>,
    Plain<z.output<(typeof SCHEMAS)[Type]>>
  > extends true
    ? never
    : Type
}[GoldenType]

/**
 * Does not compile where types of the domain and their schemas above are not the same, and names an event.
 * @public
 */
export type Differences = NoneOf<Different>
