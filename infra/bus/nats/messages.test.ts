import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { channelId, noteId, requestId, tokenId, userId } from '@tollgate/domain/ids.ts'
import type { QuotaReturn, UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { describe, expect, test } from 'vitest'
import { ACCOUNT, HOLD, RELAY, report } from '@tollgate/tests/support/bus-under-test.ts'
import { accountCommandSchema } from './command-message.ts'
import { decodeUsage, encodeUsage } from './usage-message.ts'
import { decode, encode, MessageInvalid } from './messages.ts'
import { ownerRequestSchema } from './owner-message.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const amount = quota(5)
const token = tokenId(3)
const terms = {
  unlimited: false,
  expiresAt: null,
  group: 'vip',
  models: ['gpt-4o'],
  allowedIps: ['10.0.0.0/8'],
}
const grant = { need: quota(1), want: quota(2) }

/** One of each kind: a command that is added to the domain does not compile here until it is carried too. */
const COMMANDS: { readonly [Type in AccountCommand['type']]: AccountCommand & { type: Type } } = {
  OpenAccount: { type: 'OpenAccount' },
  SuspendAccount: { type: 'SuspendAccount' },
  ResumeAccount: { type: 'ResumeAccount' },
  CreditQuota: { type: 'CreditQuota', amount, source: 'top-up', reason: 'order 1' },
  DebitQuota: { type: 'DebitQuota', amount: quota(-5), reason: 'error' },
  AdjustQuota: {
    type: 'AdjustQuota',
    to: amount,
    from: quota(-4),
    note: noteId('7d9f4f0e-1f0a-4a51-9c1c-3b1b8f0a1c01'),
  },
  EarnAffiliateReward: { type: 'EarnAffiliateReward', amount, invitee: userId(8) },
  TransferAffiliateQuota: { type: 'TransferAffiliateQuota', amount },
  IssueToken: { type: 'IssueToken', token, remain: amount, ...terms, isFirst: true },
  ReviseToken: {
    type: 'ReviseToken',
    token,
    remainChange: quota(-7),
    ...terms,
    expiresAt: 1,
    models: null,
  },
  EnableToken: { type: 'EnableToken', token },
  DisableToken: { type: 'DisableToken', token },
  ExpireToken: { type: 'ExpireToken', token },
  DeleteToken: { type: 'DeleteToken', token },
  PlaceHold: { type: 'PlaceHold', token: null, relay: RELAY, nonce: 'n', ...grant },
  ExtendHold: { type: 'ExtendHold', hold: HOLD, number: 1, ...grant },
  ReturnHeldQuota: { type: 'ReturnHeldQuota', hold: HOLD, sequence: 2, amount },
  ReleaseHold: { type: 'ReleaseHold', hold: HOLD, finalSequence: 0 },
  ExpireHold: { type: 'ExpireHold', hold: HOLD, cause: 'silence' },
  ChargeUsage: {
    type: 'ChargeUsage',
    endedAt: 0,
    hold: HOLD,
    sequence: 1,
    token,
    amount,
    request: exampleUsage('r'),
    chargedBefore: null,
  },
  RefundUsage: {
    type: 'RefundUsage',
    request: requestId('r'),
    token: null,
    channel: channelId(3),
    reason: 'failed',
    failed: { platform: 'suno', task: 's-1' },
    charged: amount,
    refundedBefore: false,
  },
}

const REVISE_TO: AccountCommand = {
  ...COMMANDS.ReviseToken,
  remainChange: { to: amount },
}

test.each([
  { ...COMMANDS.ReviseToken, expiresAt: 1.5 },
  { ...COMMANDS.IssueToken, expiresAt: 1.5 },
  { ...COMMANDS.ChargeUsage, endedAt: 1.5 },
])(
  'given a moment of $type that is no whole number, when it arrives, then it is refused',
  (sent) => {
    expect(() => decode(accountCommandSchema, bytes(encode(sent)))).toThrow(MessageInvalid)
  },
)

test.each([...Object.values(COMMANDS), REVISE_TO])(
  'given the command $type, when it goes over the wire, then it arrives as it was',
  (command) => {
    expect(decode(accountCommandSchema, bytes(encode(command)))).toEqual(command)
  },
)

test('given a command once from a process of an older version, when it arrives, then it is recognised', () => {
  const cause = { actor: 'system', correlationId: 'r', causationId: 'c' }
  const onlyOnceFrom = { eventType: 'QuotaCredited', position: 7 }
  const sent = { type: 'execute', account: 5, command: COMMANDS.CreditQuota, cause, onlyOnceFrom }
  expect(decode(ownerRequestSchema, bytes(encode(sent)))).toMatchObject({ onlyOnceFrom })
})

describe('given a consumption event, when it goes over the wire,', () => {
  const byTokens: UsageMessage = {
    ...report(2),
    request: exampleUsage('r', {
      usage: { ...NO_USAGE, textIn: 12, textOut: 7, reasoningOut: 3 },
      price: {
        by: 'tokens',
        bookRevision: 4,
        groupRatio: '1.5',
        quotaPerUnit: '500000',
        modelRatio: '1.25',
        completionRatio: '4',
        cacheRatio: '0.5',
        cacheWriteRatio: '1.25',
        audioRatio: '20',
        audioCompletionRatio: '2',
        webSearchPrice: null,
        fileSearchPrice: '2.5',
      },
      firstByteMs: 120.5,
      stream: true,
    }),
  }
  const returned: QuotaReturn = {
    type: 'return',
    account: ACCOUNT,
    relay: RELAY,
    hold: HOLD,
    sequence: 3,
    amount,
    at: 1,
  }

  test.each([report(1), byTokens, returned])('then it arrives as it was (%#)', (message) => {
    expect(decodeUsage(bytes(encodeUsage(message)))).toEqual(message)
  })

  test('then what a newer relay says of the request is kept', () => {
    const newer = { ...report(1), request: { ...exampleUsage('r'), region: 'eu' } }
    expect(decodeUsage(bytes(encodeUsage(newer)))).toEqual(newer)
  })

  test('then what a relay of the version before says is read: the channels alone', () => {
    const { admittedAt: _, attempts, upstream, ...request } = exampleUsage('r')
    const path = attempts.map(({ channel }) => channel)
    const { endedAt: at, ...rest } = report(1)
    const sent = encode({ ...rest, at, request: { ...request, path } })
    expect(decodeUsage(bytes(sent))).toEqual({
      ...report(1),
      request: { ...request, admittedAt: null, attempts, upstream },
    })
  })

  test('then an owner of the version before finds the channels that it asks for', () => {
    expect(JSON.parse(encodeUsage(report(1)))).toMatchObject({ request: { path: [1] } })
  })

  test.each([
    ['a path that is none', { ...report(1), request: { id: 'r', path: 1 } }, /attempts/u],
    ['not JSON', '{', /not JSON/u],
    ['not UTF-8', new Uint8Array([0xff, 0xfe]), /not JSON in UTF-8/u],
    ['an unknown type', { ...report(1), type: 'gift' }, /type/u],
    ['a negative amount', { ...report(1), amount: -1 }, /amount/u],
    ['a fraction of quota', { ...report(1), amount: 1.5 }, /amount/u],
    ['quota beyond what is safe', { ...report(1), amount: 2 ** 53 }, /amount/u],
    ['no sequence', { ...report(1), sequence: 0 }, /sequence/u],
    ['a hold of no account', { ...report(1), hold: '0@1' }, /hold/u],
    ['a moment that is no whole number', { ...returned, at: 1.5 }, /at:/u],
    [
      'a start that is no whole number',
      { ...report(1), request: exampleUsage('r', { startedAt: 1.5 }) },
      /startedAt/u,
    ],
    ['no request', { ...report(1), request: null }, /request/u],
    ['no usage', { ...report(1), request: { ...exampleUsage('r'), usage: {} } }, /usage\.textIn/u],
  ])('then %s is refused with what is wrong', (_what, sent, problem) => {
    const data =
      sent instanceof Uint8Array ? sent : bytes(typeof sent === 'string' ? sent : encode(sent))
    expect(() => decodeUsage(data)).toThrow(MessageInvalid)
    expect(() => decodeUsage(data)).toThrow(problem)
  })
})
