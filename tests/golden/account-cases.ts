import { exampleTimelines } from '../support/example-timelines.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { carryForward } from '@tollgate/domain/account/carry-forward.ts'
import { decide } from '@tollgate/domain/account/decider.ts'
import type { AccountEvent, CreditSource } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { exampleUsage } from '../support/example-usage.ts'
import { unopenedAccount } from '@tollgate/domain/account/state.ts'
import { addressRule, type TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import {
  channelId,
  holdId,
  noteId,
  relayId,
  requestId,
  tokenId,
  userId,
} from '@tollgate/domain/ids.ts'
import { type Attempt, bareAttempt } from '@tollgate/domain/account/request-facts.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import type { TokenPrice } from '@tollgate/domain/pricing/price.ts'
import { quota } from '@tollgate/domain/quota.ts'

const ACCOUNT = userId(7)
const RELAY = relayId('0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001')
const BEGIN = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const HOUR_MS = 3_600_000
const CREDIT_SOURCES: readonly CreditSource[] = [
  'sign-up',
  'invitation',
  'redemption',
  'top-up',
  'grant',
  'refund',
]

const LIMITED: TokenTerms = {
  unlimited: false,
  expiresAt: BEGIN + HOUR_MS,
  group: 'vip',
  models: ['gpt-4o', '模型 "x"'],
  allowedIps: [addressRule('2f0c9a54-8a8e-4e5f-9a55-7c1f8c1d2b10')],
}
const FREE: TokenTerms = {
  unlimited: true,
  expiresAt: null,
  group: '',
  models: null,
  allowedIps: [],
}

const BY_TOKENS: TokenPrice = {
  by: 'tokens',
  bookRevision: 12,
  groupRatio: '1',
  quotaPerUnit: '500000',
  modelRatio: '1.25',
  completionRatio: '4',
  cacheRatio: '0.5',
  cacheWriteRatio: '1.25',
  audioRatio: '16',
  audioCompletionRatio: '2',
  webSearchPrice: '10',
  fileSearchPrice: '2.5',
}

const LATER_KINDS = { cacheWrite1hIn: 8, cachedAudioIn: 9, cachedImageIn: 10, imageOut: 11 }

/** Events of every kind that an account can have, in every form, decided by the domain's own decider. */
export function accountEvents(): readonly AccountEvent[] {
  const events: AccountEvent[] = [carryForward(unopenedAccount(), BEGIN)]
  let state = unopenedAccount()
  let revision = 0
  let at = BEGIN

  const command = (wanted: AccountCommand): void => {
    const decision = decide(state, wanted, {
      account: ACCOUNT,
      at,
      nextRevision: revision,
      timelines: exampleTimelines,
    })
    if (decision.status === 'rejected' || decision.events.length === 0) {
      throw new Error(`${wanted.type} decided nothing: ${JSON.stringify(decision)}`)
    }
    events.push(...decision.events)
    state = decision.events.reduce(evolve, state)
    revision += decision.events.length
    at += 1
  }
  const hold = (token: number | null, want: number) => {
    const opened = holdId(ACCOUNT, revision, { log: exampleTimelines[0].log, relay: RELAY })
    const id = token === null ? null : tokenId(token)
    const nonce = `nonce-${revision}`
    command({
      type: 'PlaceHold',
      token: id,
      relay: RELAY,
      nonce,
      need: quota(1),
      want: quota(want),
    })
    return opened
  }
  const issue = (token: number, remain: number, terms: TokenTerms): void =>
    command({ type: 'IssueToken', token: tokenId(token), remain: quota(remain), ...terms })

  command({ type: 'OpenAccount' })
  for (const source of CREDIT_SOURCES) {
    command({
      type: 'CreditQuota',
      amount: quota(500_000),
      source,
      reason: `${source}: "原因"\n\u2028`,
    })
  }
  command({ type: 'DebitQuota', amount: quota(1), reason: '' })
  command({ type: 'DebitQuota', amount: quota(1), reason: 'as older versions say it' })
  const note = noteId('7d9f4f0e-1f0a-4a51-9c1c-3b1b8f0a1c01')
  for (const [from, to, why] of [
    [10, 15, note],
    [10, 12, null],
    [15, 10, note],
    [12, 10, null],
  ] as const) {
    command({ type: 'AdjustQuota', from: quota(from), to: quota(to), note: why })
  }
  command({ type: 'EarnAffiliateReward', amount: quota(200), invitee: userId(8) })
  command({ type: 'TransferAffiliateQuota', amount: quota(150) })
  command({ type: 'SuspendAccount' })
  events.push(carryForward(state, at))
  command({ type: 'ResumeAccount' })

  issue(70, 100_000, LIMITED)
  issue(71, 0, FREE)
  issue(72, 50, { ...LIMITED, expiresAt: null })
  issue(73, -5, LIMITED)
  command({ type: 'DisableToken', token: tokenId(71) })
  command({ type: 'EnableToken', token: tokenId(71) })
  command({ type: 'ReviseToken', token: tokenId(70), remainChange: quota(-10), ...LIMITED })
  command({ type: 'ReviseToken', token: tokenId(71), remainChange: quota(0), ...FREE })

  const ofToken = hold(70, 5_000)
  const ofPlayground = hold(null, 6_000)
  const short = hold(71, 7)
  command({ type: 'ExtendHold', hold: ofToken, number: 1, need: quota(1), want: quota(2_000) })
  command({ type: 'ReturnHeldQuota', hold: ofToken, sequence: 2, amount: quota(500) })
  command({
    type: 'ChargeUsage',
    endedAt: 0,
    hold: ofToken,
    sequence: 1,
    token: tokenId(70),
    amount: quota(1_234),
    request: exampleUsage('request-1', {
      model: 'gpt-4o-audio-preview',
      upstreamModel: 'gpt-4o-audio-preview-2024-12-17',
      usage: {
        textIn: 1,
        cachedIn: 2,
        cacheWriteIn: 3,
        audioIn: 4,
        imageIn: 5,
        textOut: 6,
        audioOut: 7,
        reasoningOut: 3,
        webSearchCalls: 1,
        fileSearchCalls: 2,
        ...LATER_KINDS,
      },
      price: {
        ...BY_TOKENS,
        cacheWrite1hRatio: '2',
        cachedAudioRatio: '0.4',
        cachedImageRatio: '0.125',
        imageOutRatio: '6',
        tierFactor: '2',
        speedFactor: '6',
        geoFactor: '1.1',
        longInFactor: '2',
        longOutFactor: '1.5',
      },
      stream: true,
      startedAt: at - 1_500,
      firstByteMs: 210,
      durationMs: 1_500,
      admittedAt: at - 1_490,
      attempts: attemptsBefore(at),
      upstream: {
        requestId: 'req_7f3c',
        responseId: 'chatcmpl-1',
        model: 'gpt-4o-audio-preview-2024-12-17',
        serviceTier: 'default',
        speed: 'standard',
        region: 'East US',
        usage: '{"prompt_tokens":15,"completion_tokens":13}',
        isUsageCut: true,
      },
      estimated: true,
      cancelled: true,
      cutShort: true,
      reasoningEffort: 'high',
      thinkingLost: true,
      clientRequestId: 'order-4711',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    }),
    chargedBefore: null,
  })
  command({
    type: 'ChargeUsage',
    endedAt: 0,
    hold: ofPlayground,
    sequence: 1,
    token: null,
    amount: quota(50_000),
    request: exampleUsage('request-2'),
    chargedBefore: null,
  })
  events.push(carryForward(state, at))
  command({ type: 'ReleaseHold', hold: ofToken, finalSequence: 2 })
  command({ type: 'ExpireHold', hold: short, cause: 'relay silent for 30 s' })
  const lost = hold(71, 9)
  command({
    type: 'ChargeUsage',
    endedAt: 0,
    hold: lost,
    sequence: 3,
    token: tokenId(71),
    amount: quota(1),
    request: exampleUsage('request-4', { admittedAt: null }),
    chargedBefore: null,
  })
  command({ type: 'ExpireHold', hold: lost, cause: 'relay silent for 30 s' })
  // As older versions are read: they did not say what was accepted.
  const unsaid = { at, hold: ofToken, amount: quota(0), accepted: null }
  events.push({ type: 'HoldReleased', data: unsaid })
  events.push({ type: 'HoldExpired', data: { ...unsaid, cause: 'relay silent for 30 s' } })
  command({
    type: 'ChargeUsage',
    endedAt: 0,
    hold: short,
    sequence: 1,
    token: tokenId(72),
    amount: quota(60),
    request: exampleUsage('request-3', {
      price: { ...BY_TOKENS, webSearchPrice: null, fileSearchPrice: null },
    }),
    chargedBefore: false,
  })
  const refund = { type: 'RefundUsage', reason: 'task failed', refundedBefore: false } as const
  command({
    ...refund,
    request: requestId('request-1'),
    token: tokenId(70),
    channel: channelId(3),
    charged: quota(1_234),
  })
  command({
    ...refund,
    reason: '构图失败 mj-1',
    failed: { platform: 'mj', task: 'mj-1' },
    request: requestId('request-2'),
    token: null,
    channel: null,
    charged: quota(50_000),
  })
  command({
    ...refund,
    reason: '异步任务执行失败 s-1',
    failed: { platform: 'suno', task: 's-1' },
    request: requestId('request-3'),
    token: null,
    channel: null,
    charged: quota(60),
  })

  at += 2 * HOUR_MS
  command({ type: 'ExpireToken', token: tokenId(70) })
  command({ type: 'DisableToken', token: tokenId(73) })
  events.push(carryForward(state, at, { after: 3, fingerprints: 'q80+/w12Zm9vYmFy' }))
  command({ type: 'DeleteToken', token: tokenId(70) })
  return events
}

/** One that failed, one of which little was noted, and the one that answered. */
export const attemptsBefore = (at: number): readonly Attempt[] => [
  {
    channel: channelId(3),
    startedAt: at - 1_480,
    ms: 400,
    status: 500,
    code: 'server_error',
    why: 'The server had an error',
    usage: { ...NO_USAGE, textIn: 9 },
  },
  { ...bareAttempt(channelId(3)), usage: { ...NO_USAGE, ...LATER_KINDS } },
  { ...bareAttempt(channelId(1)), startedAt: at - 1_080, ms: 1_080, status: 200 },
]
