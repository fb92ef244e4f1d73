import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { z } from 'zod'
import { chargedUsageSchema } from './usage-message.ts'
import {
  channelIdSchema,
  holdIdSchema,
  numberSchema,
  quotaSchema,
  noteIdSchema,
  relayIdSchema,
  requestIdSchema,
  tokenIdSchema,
  userIdSchema,
} from './messages.ts'

/** Everything that can be asked of an account, as it goes to the account's owner. The decider knows what it means. */

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
) => z.object({ type: z.literal(type), token: tokenIdSchema })

const grant = { need: quotaSchema, want: quotaSchema }

/** A command in JSON. */
export const accountCommandSchema: z.ZodType<AccountCommand> = z.discriminatedUnion('type', [
  alone('OpenAccount'),
  alone('SuspendAccount'),
  alone('ResumeAccount'),
  z.object({
    type: z.literal('CreditQuota'),
    amount: quotaSchema,
    source: creditSource,
    reason: z.string(),
  }),
  z.object({ type: z.literal('DebitQuota'), amount: quotaSchema, reason: z.string() }),
  z.object({
    type: z.literal('AdjustQuota'),
    to: quotaSchema,
    // An API of the version before names neither, and writes the texts of its edits itself.
    from: quotaSchema.nullable().default(null),
    note: noteIdSchema.nullable().default(null),
  }),
  z.object({ type: z.literal('EarnAffiliateReward'), amount: quotaSchema, invitee: userIdSchema }),
  z.object({ type: z.literal('TransferAffiliateQuota'), amount: quotaSchema }),
  z.object({
    type: z.literal('IssueToken'),
    token: tokenIdSchema,
    remain: quotaSchema,
    isFirst: z.literal(true).optional(),
    ...terms,
  }),
  z.object({
    type: z.literal('ReviseToken'),
    token: tokenIdSchema,
    remainChange: z.union([quotaSchema, z.object({ to: quotaSchema })]),
    ...terms,
  }),
  ofToken('EnableToken'),
  ofToken('DisableToken'),
  ofToken('ExpireToken'),
  ofToken('DeleteToken'),
  z.object({
    type: z.literal('PlaceHold'),
    token: tokenIdSchema.nullable(),
    relay: relayIdSchema,
    nonce: z.string(),
    ...grant,
  }),
  z.object({ type: z.literal('ExtendHold'), hold: holdIdSchema, number: numberSchema, ...grant }),
  z.object({
    type: z.literal('ReturnHeldQuota'),
    hold: holdIdSchema,
    sequence: numberSchema,
    amount: quotaSchema,
  }),
  z.object({ type: z.literal('ReleaseHold'), hold: holdIdSchema, finalSequence: z.int() }),
  z.object({ type: z.literal('ExpireHold'), hold: holdIdSchema, cause: z.string() }),
  z.object({
    type: z.literal('ChargeUsage'),
    hold: holdIdSchema,
    sequence: numberSchema,
    token: tokenIdSchema.nullable(),
    amount: quotaSchema,
    request: chargedUsageSchema,
    endedAt: z.int(),
    chargedBefore: z.boolean().nullable(),
  }),
  z.object({
    type: z.literal('RefundUsage'),
    request: requestIdSchema,
    token: tokenIdSchema.nullable(),
    channel: channelIdSchema.nullable(),
    reason: z.string(),
    failed: z.object({ platform: z.enum(['mj', 'suno']), task: z.string() }).exactOptional(),
    charged: quotaSchema.nullable(),
    refundedBefore: z.boolean(),
  }),
])
