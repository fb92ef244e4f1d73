import {
  type Attempt,
  bareAttempt,
  UNTOLD,
  type UpstreamFacts,
} from '@tollgate/domain/account/request-facts.ts'
import { exampleTimelines } from '../example-timelines.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { decide } from '@tollgate/domain/account/decider.ts'
import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { type AccountState, unopenedAccount } from '@tollgate/domain/account/state.ts'
import {
  accountStream,
  channelStream,
  type DomainEvent,
  SETTINGS_STREAM,
  taskStream,
  userStream,
} from '@tollgate/domain/event.ts'
import {
  type ChannelId,
  channelId,
  holdId,
  relayId,
  requestId,
  tokenId,
  type UserId,
  userId,
} from '@tollgate/domain/ids.ts'
import { charge } from '@tollgate/domain/pricing/charge.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { walletHistory } from './wallet-history.ts'
import { type TaskCommand, taskDecider } from '@tollgate/domain/task/decider.ts'
import type { TaskSubmission } from '@tollgate/domain/task/events.ts'
import { evolveTask } from '@tollgate/domain/task/evolve.ts'
import type { TaskState } from '@tollgate/domain/task/state.ts'

/** One event of a made-up history, in log order. */
export interface HistoryEvent {
  readonly stream: string
  readonly event: DomainEvent
}

export interface History {
  readonly events: readonly HistoryEvent[]
  /** The state that each account's events fold to. */
  readonly accounts: ReadonlyMap<UserId, AccountState>
}

export interface HistoryOptions {
  readonly seed: number
  readonly steps: number
  readonly users?: number
  /** Unix milliseconds of the first event; each step moves on by up to `stepMs`. */
  readonly from?: number
  readonly stepMs?: number
  /** Only charges after the beginning: what a projector meets in bulk. */
  readonly onlyCharges?: boolean
}

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'o3-mini', 'claude-3-opus', 'deepseek\u0000-chat']
const PRICE: Price = {
  by: 'tokens',
  bookRevision: 3,
  groupRatio: '1',
  quotaPerUnit: '500000',
  modelRatio: '1.25',
  completionRatio: '4',
  cacheRatio: '0.5',
  cacheWriteRatio: '1.25',
  audioRatio: '1',
  audioCompletionRatio: '1',
  webSearchPrice: null,
  fileSearchPrice: null,
}

/**
 * A plausible random history made by the domain's own deciders: users, channels, codes, options, tokens, holds,
 * charges, refunds, tasks, failures and cleared logs. The same seed gives the same history.
 */
export function randomHistory(options: HistoryOptions): History {
  const { seed, steps, users = 3, from = Date.UTC(2026, 9, 31), stepMs = 600_000 } = options
  const random = randomOf(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const events: HistoryEvent[] = []
  const accounts = new Map<UserId, AccountState>()
  const revisions = new Map<UserId, number>()
  const sequences = new Map<string, number>()
  const tasks = new Map<number, TaskState>()
  let at = from
  let requests = 0

  const emit = (stream: string, event: DomainEvent): void => void events.push({ stream, event })
  const command = (account: UserId, wanted: AccountCommand): void => {
    const state = accounts.get(account) ?? unopenedAccount()
    const nextRevision = revisions.get(account) ?? 0
    const decision = decide(state, wanted, {
      account,
      at,
      nextRevision,
      timelines: exampleTimelines,
    })
    if (decision.status === 'rejected') return
    for (const event of decision.events) emit(accountStream(account), event)
    accounts.set(account, decision.events.reduce(evolve, state))
    revisions.set(account, nextRevision + decision.events.length)
  }

  for (let user = 1; user <= users; user += 1) {
    emit(userStream(user), {
      type: 'UserRegistered',
      data: {
        at,
        role: user === 1 ? 100 : 1,
        group: 'default',
        inviter: user === 1 ? null : 1,
        invitation: null,
      },
    } as DomainEvent)
    command(userId(user), { type: 'OpenAccount' })
    command(userId(user), {
      type: 'CreditQuota',
      amount: quota(100_000_000),
      source: 'grant',
      reason: 'opening',
    })
    for (const token of [user * 10, user * 10 + 1]) {
      command(userId(user), {
        type: 'IssueToken',
        token: tokenId(token),
        remain: quota(40_000_000),
        unlimited: token % 2 === 0,
        expiresAt: null,
        group: '',
        models: token % 2 === 0 ? null : ['gpt-4o', 'a,"b\\'],
        allowedIps: [],
      })
    }
    placeHold(userId(user))
  }
  for (const channel of [1, 2, 3]) emit(channelStream(channel), channelAdded(channel))
  for (const { stream, event } of walletHistory(at)) emit(stream, event)

  function placeHold(account: UserId): void {
    command(account, {
      type: 'PlaceHold',
      token: random() < 0.2 ? null : tokenId(account * 10 + below(2)),
      relay: relayId('relay-1'),
      nonce: `n${requests}-${below(1_000_000)}`,
      need: quota(0),
      want: quota(1_000 + below(100_000)),
    })
  }

  function chargeUsage(account: UserId): void {
    const holds = [...(accounts.get(account)?.holds ?? [])]
    const [hold, open] = holds[below(holds.length)] ?? [holdId(account, 2, null), undefined]
    const sequence = (sequences.get(hold) ?? 0) + 1
    sequences.set(hold, sequence)
    requests += 1
    const request = requestOf(requests)
    command(account, {
      type: 'ChargeUsage',
      endedAt: 0,
      hold,
      sequence,
      token: open?.token ?? null,
      amount: charge(request.price, request.usage).amount,
      request,
      chargedBefore: false,
    })
  }

  function requestOf(number: number): ChargedUsage {
    const channel = channelId(1 + below(3))
    const model = MODELS[below(MODELS.length)] ?? 'gpt-4o'
    return {
      id: requestId(`request-${seed}-${number}`),
      channel,
      model,
      upstreamModel: model,
      group: below(4) === 0 ? 'vip' : 'default',
      endpoint: '/v1/chat/completions',
      usage: { ...NO_USAGE, textIn: below(2000), cachedIn: below(500), textOut: below(1500) },
      price: PRICE,
      stream: below(2) === 0,
      startedAt: at,
      firstByteMs: 80 + below(300),
      durationMs: 200 + below(4000),
      ...(number % 3 === 0
        ? { admittedAt: at + 2, attempts: retried(channel), upstream: told(number) }
        : { admittedAt: null, attempts: [bareAttempt(channel)], upstream: UNTOLD }),
      estimated: below(10) === 0,
      cancelled: false,
      cutShort: false,
      reasoningEffort: null,
    }
  }

  /** Another channel failed before this one answered. */
  function retried(channel: ChannelId): readonly Attempt[] {
    const failed = bareAttempt(channelId(1 + (channel % 3)))
    const why = 'The server had an error'
    return [
      { ...failed, startedAt: at + 3, ms: 40, status: 500, code: 'server_error', why },
      { ...bareAttempt(channel), startedAt: at + 44, ms: 150, status: 200 },
    ]
  }

  const told = (number: number): UpstreamFacts => ({
    ...UNTOLD,
    requestId: `req_${number}`,
    serviceTier: 'default',
    usage: '{"prompt_tokens":1}',
  })

  function channelAdded(channel: number): DomainEvent {
    const terms = {
      type: 1,
      openaiOrganization: '',
      testModel: '',
      baseUrl: '',
      other: '',
      models: MODELS.slice(0, 1 + channel),
      groups: channel === 2 ? ['default', 'vip'] : ['default'],
      modelMapping: '',
      statusCodeMapping: '',
      paramOverride: '',
      setting: '',
      priority: below(3),
      weight: below(5),
      autoBan: true,
      tag: channel === 3 ? 'backup' : '',
      maxInputTokens: 0,
    }
    return { type: 'ChannelAdded', data: { at, ...terms } }
  }

  function rareStep(account: UserId): void {
    const token = tokenId(account * 10 + below(2))
    const terms = {
      unlimited: below(2) === 0,
      expiresAt: at + 1000,
      group: 'vip',
      models: null,
      allowedIps: ['10.0.0.0/8'],
    }
    const hold = [...(accounts.get(account)?.holds.keys() ?? [])][0]
    const changes: (() => void)[] = [
      () => command(account, { type: 'ReviseToken', token, remainChange: quota(500), ...terms }),
      () => command(account, { type: 'DisableToken', token }),
      () => command(account, { type: 'EnableToken', token }),
      () => command(account, { type: 'EarnAffiliateReward', amount: quota(700), invitee: account }),
      () => command(account, { type: 'TransferAffiliateQuota', amount: quota(300) }),
      () => command(account, { type: 'DebitQuota', amount: quota(10), reason: 'correction' }),
      () =>
        command(account, {
          type: 'CreditQuota',
          amount: quota(25_000),
          source: 'redemption',
          reason: '7',
        }),
      () => hold && command(account, { type: 'ExpireHold', hold, cause: 'silent' }),
      () => hold && sequences.get(hold) !== undefined && release(account, hold),
      () =>
        command(account, {
          type: 'RefundUsage',
          request: requestId(`request-${seed}-${requests}`),
          token,
          channel: channelId(1 + (requests % 3)),
          reason: 'task failed',
          charged: quota(50),
          refundedBefore: false,
        }),
      () => emit(SETTINGS_STREAM, optionChanged('LogConsumeEnabled', String(below(6) > 0))),
      () => emit(SETTINGS_STREAM, optionChanged('DisplayInCurrencyEnabled', String(below(2) > 0))),
      () =>
        emit(SETTINGS_STREAM, {
          type: 'LogsCleared',
          data: { at, before: at - stepMs * 40 },
        } as DomainEvent),
      () => emit(channelStream(1 + below(3)), channelAdded(1 + below(3))),
      () =>
        emit(channelStream(1 + below(3)), {
          type: AUTOMATIC[requests % AUTOMATIC.length],
          data: { at, reason: 'invalid key', upstreamStatus: 401, bodyExcerpt: '' },
        } as DomainEvent),
      () =>
        emit(channelStream(1 + below(3)), {
          type: 'ChannelTested',
          data: {
            at,
            model: 'gpt-4o',
            succeeded: below(2) === 0,
            durationMs: 321.5,
            error: '',
            promptTokens: 1,
            completionTokens: 2,
            testedBy: 1,
          },
        } as DomainEvent),
      () => emit('relay-failures-r1-2026-11-01', requestFailed(account, token)),
      () =>
        emit(userStream(account), {
          type: 'UserGroupChanged',
          data: { at, group: 'vip' },
        } as DomainEvent),
      () => emit(accountStream(account + 500), { type: 'SomethingNewer', data: { at } }),
    ]
    changes[below(changes.length)]?.()
  }

  function release(account: UserId, hold: ReturnType<typeof holdId>): void {
    command(account, { type: 'ReleaseHold', hold, finalSequence: sequences.get(hold) ?? 0 })
  }

  /** Takes drawings (odd numbers) and songs (even) through their lives one after another; every fourth stays open. */
  function taskStep(number: number, account: UserId): void {
    const id = 1 + Math.floor(number / 5)
    const progress = {
      type: 'ProgressTask',
      status: 'in-progress',
      percent: 10,
      startedAt: at,
    } as const
    const end: TaskCommand =
      id % 3 === 0
        ? { type: 'FailTask', reason: id % 2 === 0 ? 'reported' : 'timed-out' }
        : { type: 'SucceedTask', startedAt: null }
    const life: readonly TaskCommand[] = [
      { type: 'SubmitTask', submission: submissionOf(id, account) },
      { ...progress, status: 'queued', percent: 0, startedAt: null },
      progress,
      ...(id % 4 === 0 ? [{ ...progress, percent: 60 }] : [end]),
      { ...progress, percent: 90 },
    ]
    const wanted = life[number % 5]
    const state = tasks.get(id) ?? taskDecider.initial
    const decision =
      wanted === undefined ? null : taskDecider.decide(state, wanted, { at, nextRevision: 0 })
    if (decision === null || decision.status === 'rejected') return
    for (const event of decision.events) emit(taskStream(id), event)
    tasks.set(id, decision.events.reduce(evolveTask, state))
  }

  const submissionOf = (id: number, account: UserId): TaskSubmission => ({
    user: account,
    token: id % 5 === 0 ? null : tokenId(account * 10),
    channel: channelId(1 + (id % 3)),
    platform: id % 2 === 0 ? 'suno' : 'mj',
    action: id % 2 === 0 ? 'MUSIC' : 'IMAGINE',
    upstreamId: `upstream-${id}\u0000`,
    code: 1,
    charge:
      id % 7 === 0
        ? null
        : {
            request: requestId(`request-${seed}-${id}`),
            hold: holdId(account, 4, null),
            amount: quota(50_000),
          },
  })

  function requestFailed(account: UserId, token: number): DomainEvent {
    return {
      type: 'RequestFailed',
      data: {
        at,
        account,
        token,
        request: `failed-${seed}-${below(1_000_000)}`,
        model: `no-such-${'x'.repeat(below(400))}\ud800`,
        group: 'default',
        channel: null,
        channelType: null,
        attempts: [],
        stream: false,
        firstByteMs: null,
        durationMs: 12.5,
        status: 404,
        errorType: 'invalid_request_error',
        errorCode: 'model_not_found',
        message: 'The model does not exist "\\ \u0000',
        suppressed: Math.max(0, below(100) - 90),
      },
    } as DomainEvent
  }

  const optionChanged = (key: string, value: string): DomainEvent =>
    ({ type: 'OptionChanged', data: { at, key, value, previous: null, note: null } }) as DomainEvent

  for (let step = 0; step < steps; step += 1) {
    at += below(stepMs)
    const account = userId(1 + below(users))
    const dice = random()
    if (options.onlyCharges === true || dice < 0.7) chargeUsage(account)
    else if (dice < 0.8) placeHold(account)
    else rareStep(account)
    if (options.onlyCharges !== true && step % 7 === 0) taskStep(step / 7, account)
  }
  return { events, accounts }
}

/** Mulberry32: small, seeded, good enough for made-up histories. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Events that happen to channels by themselves. */
const AUTOMATIC = [
  'ChannelAutoDisabled',
  'ChannelHalfOpened',
  'ChannelTrialFailed',
  'ChannelAutoEnabled',
] as const
