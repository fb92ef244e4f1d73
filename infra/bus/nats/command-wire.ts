import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { z } from 'zod'
import { chargedUsageWire } from './usage-wire.ts'
import {
  channelIdWire,
  holdIdWire,
  numberWire,
  quotaWire,
  noteIdWire,
  relayIdWire,
  requestIdWire,
  tokenIdWire,
  userIdWire,
} from './wire.ts'

/** Everything that can be asked of an account, as it goes to the account's owner. What it means is for the decider. */

const terms = {
  unlimited: z.boolean(),
  expiresAt: z.int().nullable(),
  group: z.string(),
  models: z.array(z.string()).nullable(),
  allowedIps: z.array(z.string()),
}

const creditSource = z.enum(['sign-up', 'invitation', 'redemption', 'top-up', 'grant', 'refund'])

const alone = <Type extends 'OpenAccount' | 'SuspendAccount' | 'ResumeAccount'>(type: Type) =>
  z.object({ type: z.literal(type) })

const ofToken = <Type extends 'EnableToken' | 'DisableToken' | 'ExpireToken' | 'DeleteToken'>(
  type: Type,
) => z.object({ type: z.literal(type), token: tokenIdWire })

const grant = { need: quotaWire, want: quotaWire }

/** A command in JSON. */
export const accountCommandWire: z.ZodType<AccountCommand> = z.discriminatedUnion('type', [
  alone('OpenAccount'),
  alone('SuspendAccount'),
  alone('ResumeAccount'),
  z.object({
    type: z.literal('CreditQuota'),
    amount: quotaWire,
    source: creditSource,
    reason: z.string(),
  }),
  z.object({ type: z.literal('DebitQuota'), amount: quotaWire, reason: z.string() }),
  z.object({
    type: z.literal('AdjustQuota'),
    to: quotaWire,
    // An API of the version before names neither, and writes the texts of its edits itself.
    from: quotaWire.nullable().default(null),
    note: noteIdWire.nullable().default(null),
  }),
  z.object({ type: z.literal('EarnAffiliateReward'), amount: quotaWire, invitee: userIdWire }),
  z.object({ type: z.literal('TransferAffiliateQuota'), amount: quotaWire }),
  z.object({
    type: z.literal('IssueToken'),
    token: tokenIdWire,
    remain: quotaWire,
    isFirst: z.literal(true).optional(),
    ...terms,
  }),
  z.object({
    type: z.literal('ReviseToken'),
    token: tokenIdWire,
    remainChange: z.union([quotaWire, z.object({ to: quotaWire })]),
    ...terms,
  }),
  ofToken('EnableToken'),
  ofToken('DisableToken'),
  ofToken('ExpireToken'),
  ofToken('DeleteToken'),
  z.object({
    type: z.literal('PlaceHold'),
    token: tokenIdWire.nullable(),
    relay: relayIdWire,
    nonce: z.string(),
    ...grant,
  }),
  z.object({ type: z.literal('ExtendHold'), hold: holdIdWire, number: numberWire, ...grant }),
  z.object({
    type: z.literal('ReturnHeldQuota'),
    hold: holdIdWire,
    sequence: numberWire,
    amount: quotaWire,
  }),
  z.object({ type: z.literal('ReleaseHold'), hold: holdIdWire, finalSequence: z.int() }),
  z.object({ type: z.literal('ExpireHold'), hold: holdIdWire, cause: z.string() }),
  z.object({
    type: z.literal('ChargeUsage'),
    hold: holdIdWire,
    sequence: numberWire,
    token: tokenIdWire.nullable(),
    amount: quotaWire,
    request: chargedUsageWire,
    endedAt: z.int(),
    chargedBefore: z.boolean().nullable(),
  }),
  z.object({
    type: z.literal('RefundUsage'),
    request: requestIdWire,
    token: tokenIdWire.nullable(),
    channel: channelIdWire.nullable(),
    reason: z.string(),
    failed: z.object({ platform: z.enum(['mj', 'suno']), task: z.string() }).exactOptional(),
    charged: quotaWire.nullable(),
    refundedBefore: z.boolean(),
  }),
])
