import { channelDecider, type ChannelCommand } from '@tollgate/domain/channel/decider.ts'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import type { Decider } from '@tollgate/domain/decision.ts'
import { type DomainEvent, LOG_START, topUpStream } from '@tollgate/domain/event.ts'
import {
  channelId,
  holdId,
  logId,
  relayId,
  requestId,
  tokenId,
  tradeNo,
  userId,
  noteId,
} from '@tollgate/domain/ids.ts'
import { LOG_CLAIMS_STREAM, type LogClaimed } from '@tollgate/domain/log-claim/events.ts'
import type { RequestFailure } from '@tollgate/domain/ports/usage-journal.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type LedgerSealed, SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { type RedemptionCommand, redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import { settingsDecider, type SettingsCommand } from '@tollgate/domain/settings/decider.ts'
import { topUpDecider, type TopUpCommand } from '@tollgate/domain/top-up/decider.ts'
import type { TopUpTerms } from '@tollgate/domain/top-up/events.ts'
import { type TaskCommand, taskDecider } from '@tollgate/domain/task/decider.ts'
import {
  TIMELINE_STREAM,
  type TimelineCause,
  type TimelineOpened,
} from '@tollgate/domain/timeline/events.ts'
import type { TaskSubmission } from '@tollgate/domain/task/events.ts'
import { userDecider, type UserCommand } from '@tollgate/domain/user/decider.ts'
import { accountEvents, attemptsBefore } from './account-cases.ts'
import type { GoldenEvent } from './schemas.ts'

/** Events as they belong to one stream. */
export interface GoldenStream {
  readonly stream: string
  readonly events: readonly GoldenEvent[]
}

const AT = Date.UTC(2026, 1, 3, 4, 5, 6, 789)
const RELAY = relayId('0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001')

/** At least one event of every type, made by the real deciders, in every form that golden files must show. */
export const goldenCases = (): readonly GoldenStream[] => [
  { stream: 'account-7', events: accountEvents() },
  { stream: 'channel-3', events: decideAll(channelDecider, CHANNEL_COMMANDS) },
  { stream: 'channel-4', events: decideAll(channelDecider, OTHER_CHANNEL) },
  ...[userCommands(1), userCommands(10), ROOT_COMMANDS].map((commands, index) => ({
    stream: `user-${index + 7}`,
    events: decideAll(userDecider, commands),
  })),
  { stream: 'redemption-5', events: decideAll(redemptionDecider, CODE_COMMANDS) },
  ...TOP_UPS.map((commands, index) => ({
    stream: topUpStream(tradeNo(userId(7), `abcde${index}`, AT)),
    events: decideAll(topUpDecider, commands),
  })),
  { stream: 'settings', events: decideAll(settingsDecider, SETTINGS_COMMANDS) },
  {
    stream: `relay-failures-${RELAY}-20487`,
    events: FAILURES.map((data) => ({ type: 'RequestFailed', data })),
  },
  ...TASKS.map((commands, index) => ({
    stream: `task-${index + 12}`,
    events: decideAll(taskDecider, commands),
  })),
  { stream: SEALS_STREAM, events: SEALS.map((data) => ({ type: 'LedgerSealed', data })) },
  { stream: TIMELINE_STREAM, events: TIMELINES.map((data) => ({ type: 'TimelineOpened', data })) },
  {
    stream: 'account-8',
    events: [
      {
        type: 'EventsSetAside',
        data: { at: AT, revisions: [4], reason: 'written by the import script', by: 'operator' },
      },
    ],
  },
  {
    stream: LOG_CLAIMS_STREAM,
    events: [
      { type: 'LogClaimed', data: CLAIM },
      { type: 'LogClaimConfirmed', data: { ...CLAIM, at: AT + 2_000 } },
    ],
  },
]

const TERMS: ChannelTerms = {
  type: 1,
  openaiOrganization: 'org-1',
  testModel: 'gpt-4o-mini',
  baseUrl: 'https://api.example.com',
  other: '',
  models: ['gpt-4o', 'gpt-4o-mini'],
  groups: ['default', 'vip'],
  modelMapping: '{"gpt-4":"gpt-4o"}',
  statusCodeMapping: '{"404":"500"}',
  paramOverride: '{"temperature":0}',
  setting: '{"force_format":true}',
  priority: -1,
  weight: 5,
  autoBan: true,
  tag: 'main',
  maxInputTokens: 4096,
}

const DISABLE = {
  type: 'AutoDisableChannel',
  reason: 'invalid_api_key',
  upstreamStatus: 401,
  bodyExcerpt: '{"error":{"code":"invalid_api_key"}}',
  isSwitchedOn: true,
} as const
const HALF_OPEN = {
  type: 'HalfOpenChannel',
  reason: 'test passed',
  isSwitchedOn: true,
} as const
const TRIAL_FAILED = {
  type: 'ConcludeTrial',
  succeeded: false,
  reason: 'upstream answered 503',
  upstreamStatus: 503,
  bodyExcerpt: '{"error":{"message":"overloaded"}}',
} as const
const TRIAL_PASSED = { type: 'ConcludeTrial', succeeded: true } as const
const TESTED = {
  type: 'RecordTest',
  model: 'gpt-4o-mini',
  succeeded: true,
  durationMs: 812,
  error: '',
  promptTokens: 8,
  completionTokens: 1,
  testedBy: 1,
} as const

const CHANNEL_COMMANDS: readonly ChannelCommand[] = [
  { type: 'AddChannel', terms: TERMS },
  { type: 'ReviseChannel', changes: { ...TERMS, autoBan: false, tag: '' } },
  { type: 'ReviseChannel', changes: TERMS },
  { type: 'ReplaceChannelKey' },
  { type: 'DisableChannel', reason: 'maintenance' },
  { type: 'EnableChannel' },
  DISABLE,
  HALF_OPEN,
  TRIAL_FAILED,
  HALF_OPEN,
  { ...TRIAL_FAILED, upstreamStatus: null, bodyExcerpt: '' },
  HALF_OPEN,
  TRIAL_PASSED,
  { ...DISABLE, upstreamStatus: null, bodyExcerpt: '' },
  HALF_OPEN,
  TRIAL_PASSED,
  // A test is an event where it changes how the channel comes back.
  DISABLE,
  { type: 'ReplaceChannelKey' },
  TESTED,
  {
    ...TESTED,
    succeeded: false,
    error: 'upstream answered 503',
    promptTokens: null,
    completionTokens: null,
    testedBy: null,
  },
  { type: 'RecordBalance', balanceUsd: '-1.25' },
  { type: 'DeleteChannel' },
]
/** A channel is added once, so the other form of that event needs another channel. */
const OTHER_CHANNEL: readonly ChannelCommand[] = [
  { type: 'AddChannel', terms: { ...TERMS, autoBan: false } },
]

const userCommands = (role: 1 | 10): readonly UserCommand[] => [
  {
    type: 'RegisterUser',
    by: null,
    role,
    group: 'default',
    inviter: role === 1 ? 1 : null,
    invitation: role === 1 ? { inviteeReward: 1_000, inviterReward: 2_000 } : null,
  },
  { type: 'ChangeUserRole', by: null, role: role === 1 ? 10 : 1 },
  { type: 'ChangeUserGroup', by: null, group: 'vip' },
  { type: 'BanUser', by: null },
  { type: 'ReinstateUser', by: null },
  { type: 'DeleteUser', by: null },
]
const ROOT_COMMANDS: readonly UserCommand[] = [
  {
    type: 'RegisterUser',
    by: null,
    role: 100,
    group: 'default',
    inviter: null,
    invitation: null,
  },
]

const CODE_COMMANDS: readonly RedemptionCommand[] = [
  { type: 'IssueCode', quota: quota(100_000), creator: userId(1) },
  { type: 'ReviseCode', quota: quota(200_000) },
  { type: 'DisableCode' },
  { type: 'EnableCode' },
  { type: 'RedeemCode', user: userId(7) },
  { type: 'DeleteCode' },
]

const ORDER: TopUpTerms = {
  user: userId(7),
  quota: quota(5_000_000),
  money: '73.00',
  method: 'zfb',
  amount: 10,
  unit: 'usd',
  price: '7.3',
  group: 'default',
  groupRatio: '1',
  quotaPerUnit: '500000',
}
const TOP_UPS: readonly (readonly TopUpCommand[])[] = [
  [
    { type: 'RequestTopUp', terms: ORDER },
    { type: 'PayTopUp', money: '73', gatewayTradeNo: '2026020322001' },
    { type: 'PayTopUp', money: '73', gatewayTradeNo: '2026020322002' },
  ],
  [
    {
      type: 'RequestTopUp',
      terms: { ...ORDER, method: 'wx', unit: 'quota', amount: 5_000_000 },
    },
    { type: 'AbandonTopUp' },
  ],
]

const SETTINGS_COMMANDS: readonly SettingsCommand[] = [
  { type: 'ChangeOption', key: 'SystemName', text: 'Tollgate "北"' },
  {
    type: 'ChangeOption',
    key: 'SystemName',
    text: 'Tollgate',
    note: noteId('1c7d4f0e-5b0a-4c51-8c1c-6b1b8f0a1c02'),
  },
  { type: 'ChangeOption', key: 'SMTPToken', text: 'a secret that no event holds' },
  { type: 'ClearLogs', before: AT - 86_400_000 },
  {
    type: 'RevisePrices',
    options: { GroupRatio: '{"default":1,"北":0.5}', QuotaPerUnit: '400000' },
    effectiveAt: null,
    base: 0,
    note: noteId('5b0c1c9e-7f7a-4e3b-9b5e-0f1d2c3b4a59'),
  },
  ...[1, 2].map((hours): SettingsCommand => ({
    type: 'RevisePrices',
    options: { QuotaPerUnit: String(500_000 + hours) },
    effectiveAt: AT + hours * 3_600_000,
    base: null,
    note: null,
  })),
  { type: 'WithdrawPrices', number: 3 },
  {
    type: 'RevisePrices',
    options: { QuotaPerUnit: '450000', CacheRatio: '{"gpt-4o":0.5}' },
    effectiveAt: AT + 9,
    base: null,
    note: null,
  },
  { type: 'TakeEffect' },
]

const DRAWING: TaskSubmission = {
  user: userId(7),
  token: tokenId(70),
  channel: channelId(3),
  platform: 'mj',
  action: 'IMAGINE',
  upstreamId: '1712205491372224',
  code: 1,
  charge: {
    request: requestId('request-1'),
    hold: holdId(userId(7), 4, null),
    amount: quota(50_000),
  },
}
const SONG: TaskSubmission = {
  ...DRAWING,
  token: null,
  platform: 'suno',
  action: 'MUSIC',
  upstreamId: 'b4f1c6f0-5f0f-4a55-9f0e-0a8f0a4a7c11',
  charge: null,
}
const PROGRESS = {
  type: 'ProgressTask',
  status: 'in-progress',
  percent: 42,
  startedAt: AT,
} as const
const fail = (reason: 'reported' | 'timed-out' | 'channel-lost'): TaskCommand => ({
  type: 'FailTask',
  reason,
})

/** One list for each task. */
const TASKS: readonly (readonly TaskCommand[])[] = [
  [
    { type: 'SubmitTask', submission: DRAWING },
    { ...PROGRESS, status: 'not-started', percent: 0, startedAt: null },
    { ...PROGRESS, status: 'submitted', percent: 0 },
    { ...PROGRESS, status: 'queued', percent: 1 },
    PROGRESS,
    { ...PROGRESS, status: 'awaiting-input' },
    { ...PROGRESS, status: 'unknown' },
    { type: 'SucceedTask', startedAt: AT },
  ],
  [
    { type: 'SubmitTask', submission: SONG },
    { type: 'SucceedTask', startedAt: null },
  ],
  ...(['reported', 'timed-out', 'channel-lost'] as const).map((reason): readonly TaskCommand[] => [
    { type: 'SubmitTask', submission: DRAWING },
    fail(reason),
  ]),
]

const FAILURE: RequestFailure = {
  account: userId(7),
  token: tokenId(70),
  request: requestId('request-9'),
  at: AT,
  model: 'gpt-4o',
  group: 'default',
  channel: 3,
  channelType: 14,
  attempts: attemptsBefore(AT),
  stream: true,
  firstByteMs: 412,
  durationMs: 31_000,
  status: 503,
  errorType: 'upstream_error',
  errorCode: 'bad_response_status_code',
  message: 'upstream answered 503',
  suppressed: 0,
  clientRequestId: 'order-4712',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
}
const { clientRequestId: _client, traceId: _trace, ...UNTRACED } = FAILURE
const FAILURES: readonly RequestFailure[] = [
  FAILURE,
  {
    ...UNTRACED,
    suppressed: 1_980,
    token: null,
    channel: null,
    channelType: null,
    attempts: [],
    stream: false,
    firstByteMs: null,
  },
]

const FIRST_SEAL: LedgerSealed['data'] = {
  at: AT,
  number: 1,
  after: LOG_START,
  upTo: 41,
  events: 42,
  streams: 5,
  root: 'a'.repeat(64),
  order: 'b'.repeat(64),
  previous: null,
}
const LOGS = [1, 2, 3].map((n) => logId(`0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0f00${n}`))
const CAUSES: readonly TimelineCause[] = ['first-start', 'restore', 'accept-rollback']
const TIMELINES = LOGS.map((log, at): TimelineOpened['data'] => ({
  at: AT + at,
  log,
  cause: CAUSES[at] ?? 'restore',
  previous: LOGS[at - 1] ?? null,
}))

const CLAIM: LogClaimed['data'] = { at: AT, claim: '0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0c001' }

const SEALS: readonly LedgerSealed['data'][] = [
  FIRST_SEAL,
  {
    ...FIRST_SEAL,
    number: 2,
    after: 41,
    upTo: 50,
    previous: { root: FIRST_SEAL.root, hash: 'c'.repeat(64) },
  },
]

/** Every command must decide something, or the golden files would miss what it stands for. */
function decideAll<State, Command, Event extends DomainEvent, Rejection>(
  decider: Decider<State, Command, Event, Rejection>,
  commands: readonly Command[],
): readonly Event[] {
  const events: Event[] = []
  let state = decider.initial
  for (const command of commands) {
    const context = { at: AT + events.length, nextRevision: events.length }
    const decision = decider.decide(state, command, context)
    if (decision.status === 'rejected' || decision.events.length === 0) {
      throw new Error(`${JSON.stringify(command)} decided nothing: ${JSON.stringify(decision)}`)
    }
    events.push(...decision.events)
    state = decision.events.reduce((before, event) => decider.evolve(before, event), state)
  }
  return events
}
