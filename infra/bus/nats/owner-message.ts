import type {
  CommandOutcome,
  OutcomeEvent,
} from '@tollgate/command-api/accounts/command-outcome.ts'
import type { CommandCause } from '@tollgate/command-api/aggregates/cause.ts'
import type { Deduplication } from '@tollgate/command-api/accounts/processed-causes.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'
import type { Actor } from '@tollgate/domain/event.ts'
import { type HoldId, partsOfHold, type RelayId, type UserId } from '@tollgate/domain/ids.ts'
import type {
  ExpiredQuestion,
  ExtensionAnswer,
  ExtensionAsk,
  HoldAnswer,
  HoldAsk,
} from '@tollgate/domain/ports/hold-owner.ts'
import { NO_QUOTA } from '@tollgate/domain/quota.ts'
import { z } from 'zod'
import { accountCommandSchema } from './command-message.ts'
import {
  amountSchema,
  holdIdSchema,
  logMarkSchema,
  numberSchema,
  quotaSchema,
  relayIdSchema,
  tokenIdSchema,
  userIdSchema,
} from './messages.ts'

/** A request to the owner of a partition on `tollgate.owner.<partition>`. */
export type OwnerRequest =
  | { readonly type: 'place-hold'; readonly ask: HoldAsk }
  | { readonly type: 'extend-hold'; readonly ask: ExtensionAsk }
  | { readonly type: 'claim-holds'; readonly relay: RelayId; readonly holds: readonly HoldId[] }
  | { readonly type: 'finish-hold'; readonly hold: HoldId; readonly finalSequence: number }
  | ({ readonly type: 'execute' } & CommandRequest)
  | { readonly type: 'recall-idle-quota'; readonly account: UserId }

/** A command for any account, from a process that does not own it. */
export interface CommandRequest {
  readonly account: UserId
  readonly command: AccountCommand
  readonly cause: CommandCause
  /** `deduplicateFrom` of the command, by the name that processes of every version know; null = do it each time. */
  readonly onlyOnceFrom: Deduplication | null
  /** Unix milliseconds after which nobody waits for it: the owner drops it then. Null = never. */
  readonly deadline: number | null
}

/** The accounts that a request is about, all of one partition; none for a claim of nothing. */
export function accountsOf(request: OwnerRequest): readonly UserId[] {
  switch (request.type) {
    case 'place-hold':
      return [request.ask.account]
    case 'extend-hold':
      return [partsOfHold(request.ask.hold).account]
    case 'claim-holds':
      return request.holds.map((hold) => partsOfHold(hold).account)
    case 'finish-hold':
      return [partsOfHold(request.hold).account]
    case 'execute':
    case 'recall-idle-quota':
      return [request.account]
    default:
      return request satisfies never
  }
}

const actor = z
  .string()
  .regex(/^(user:\d+|relay:.+|system)$/u, 'is not an actor')
  .transform((text) => text as Actor)

const cause: z.ZodType<CommandCause> = z.object({
  actor,
  correlationId: z.string(),
  causationId: z.string().nullable(),
})

const deduplication: z.ZodType<Deduplication> = z.object({
  eventType: z
    .string()
    .transform((type) => type as AccountEvent['type'])
    .exactOptional(),
  revision: z.int().exactOptional(),
  position: z.int().exactOptional(),
})

const grant = {
  need: amountSchema,
  want: amountSchema,
  seen: logMarkSchema.exactOptional(),
  // A relay of an older version does not say it.
  deadline: z.number().exactOptional(),
}

/** Schema of a request, in JSON. */
export const ownerRequestSchema: z.ZodType<OwnerRequest> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('place-hold'),
    ask: z.object({
      account: userIdSchema,
      token: tokenIdSchema.nullable(),
      relay: relayIdSchema,
      nonce: z.string(),
      ...grant,
    }),
  }),
  z.object({
    type: z.literal('extend-hold'),
    ask: z.object({ relay: relayIdSchema, hold: holdIdSchema, number: numberSchema, ...grant }),
  }),
  z.object({ type: z.literal('claim-holds'), relay: relayIdSchema, holds: z.array(holdIdSchema) }),
  z.object({ type: z.literal('finish-hold'), hold: holdIdSchema, finalSequence: z.int() }),
  z.object({
    type: z.literal('execute'),
    account: userIdSchema,
    command: accountCommandSchema,
    cause,
    onlyOnceFrom: deduplication.nullable(),
    // A process of an older version does not say it.
    deadline: z.number().nullable().default(null),
  }),
  z.object({ type: z.literal('recall-idle-quota'), account: userIdSchema }),
])

const refusal = z.object({
  status: z.literal('refused'),
  reason: z.enum([
    'account-not-open',
    'account-suspended',
    'account-locked',
    'token-unknown',
    'token-not-active',
    'insufficient-quota',
    'insufficient-token-quota',
    'too-many-holds',
  ]),
  available: quotaSchema,
  /** An owner of an older version does not say it: then nobody waits. */
  balance: quotaSchema.default(NO_QUOTA),
})

const expired = z.object({ status: z.literal('expired'), now: z.number() })

/** Schema of the answers, in JSON. */
export const holdAnswerSchema: z.ZodType<HoldAnswer | ExpiredQuestion> = z.discriminatedUnion(
  'status',
  [
    z.object({
      status: z.literal('held'),
      hold: holdIdSchema,
      amount: amountSchema,
      seen: logMarkSchema.exactOptional(),
    }),
    refusal,
    expired,
  ],
)

export const extensionAnswerSchema: z.ZodType<ExtensionAnswer | ExpiredQuestion> =
  z.discriminatedUnion('status', [
    z.object({
      status: z.literal('extended'),
      amount: amountSchema,
      seen: logMarkSchema.exactOptional(),
    }),
    z.object({ status: z.literal('closed') }),
    refusal,
    expired,
  ])

export const claimsSchema = z.array(holdIdSchema)

/** The answer of a request that is done and says nothing. */
export const doneSchema = z.null().transform(() => undefined)

// Events and rejections come from the owner as it appended or decided them; their shapes are the log's concern.
const accountEvent = z
  .looseObject({ type: z.string(), data: z.looseObject({ at: z.number() }) })
  .transform((event) => event as unknown as OutcomeEvent)
const rejection = z
  .looseObject({ reason: z.string() })
  .transform((value) => value as unknown as AccountRejection)

export const outcomeSchema: z.ZodType<CommandOutcome> = z.discriminatedUnion('status', [
  z.object({ status: z.literal('done'), position: z.int(), events: z.array(accountEvent) }),
  z.object({ status: z.literal('rejected'), rejection }),
])
