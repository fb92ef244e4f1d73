import { z } from 'zod'
import { ACCOUNT_SCHEMAS, attempt, price, request, usage } from './account-schemas.ts'
import { NEWEST_SCHEMAS } from './newest-schemas.ts'

const {
  BalanceCarriedForward,
  HoldExpired,
  HoldReleased,
  QuotaCredited,
  QuotaDebited,
  TokenIssued,
  TokenRevised,
  UsageCharged,
  UsageRefunded,
} = ACCOUNT_SCHEMAS
const { ChannelAdded, ChannelRevised, OptionChanged, RequestFailed, UserRegistered } =
  NEWEST_SCHEMAS

const usageOfFewerKinds = usage.omit({
  cacheWrite1hIn: true,
  cachedAudioIn: true,
  cachedImageIn: true,
  imageOut: true,
})
const [byAnyTerms, byCall] = price.options
const byTokens = byAnyTerms.omit({
  tierFactor: true,
  speedFactor: true,
  geoFactor: true,
  longInFactor: true,
  longOutFactor: true,
})
const priceOfFewerKinds = z.union([
  byTokens.omit({
    cacheWrite1hRatio: true,
    cachedAudioRatio: true,
    cachedImageRatio: true,
    imageOutRatio: true,
  }),
  byCall,
])
const untraced = { clientRequestId: true, traceId: true } as const
const requestOfNoTerms = request.extend({ price: z.union([byTokens, byCall]) })
const requestOfThoughts = requestOfNoTerms.omit({ thinkingLost: true })
const requestUntraced = requestOfThoughts.omit(untraced)
const requestOfFewerKinds = requestUntraced.extend({
  usage: usageOfFewerKinds,
  price: priceOfFewerKinds,
  attempts: z.array(attempt.extend({ usage: usageOfFewerKinds.nullable() })),
})
const requestWithPath = requestOfFewerKinds
  .omit({ admittedAt: true, attempts: true, upstream: true })
  .extend({ path: z.array(z.int()) })
const chargedWithPath = UsageCharged.extend({ request: requestWithPath })
const failedWithPath = RequestFailed.omit({ attempts: true }).extend({ path: z.array(z.int()) })
const failedUntraced = failedWithPath.omit(untraced)
const failedWithoutFirstByte = failedUntraced.omit({ firstByteMs: true })
const failedUnsuppressed = failedWithoutFirstByte.omit({ suppressed: true })

const refundedForReason = UsageRefunded.omit({ failed: true })

/** By event type, the versions before the newest, from 1; UPCASTERS say what changed from each to the next. */
const OLDER_SCHEMAS: Readonly<Partial<Record<string, readonly z.ZodObject[]>>> = {
  BalanceCarriedForward: [BalanceCarriedForward.omit({ causes: true })],
  ChannelAdded: [ChannelAdded.omit({ maxInputTokens: true })],
  ChannelRevised: [ChannelRevised.omit({ maxInputTokens: true })],
  HoldExpired: [HoldExpired.omit({ accepted: true })],
  HoldReleased: [HoldReleased.omit({ accepted: true })],
  OptionChanged: [OptionChanged.omit({ note: true })],
  QuotaCredited: [QuotaCredited.omit({ adjustment: true })],
  QuotaDebited: [QuotaDebited.omit({ adjustment: true }).extend({ reason: z.string() })],
  RequestFailed: [
    failedUnsuppressed.omit({ channelType: true }),
    failedUnsuppressed,
    failedWithoutFirstByte,
    failedUntraced,
    failedWithPath,
  ],
  TokenIssued: [TokenIssued],
  TokenRevised: [TokenRevised],
  UsageCharged: [
    chargedWithPath.omit({ endedAt: true }),
    chargedWithPath,
    UsageCharged.extend({ request: requestOfFewerKinds }),
    UsageCharged.extend({ request: requestUntraced }),
    UsageCharged.extend({ request: requestOfThoughts }),
    UsageCharged.extend({ request: requestOfNoTerms }),
  ],
  UsageRefunded: [refundedForReason.omit({ channel: true }), refundedForReason],
  UserRegistered: [UserRegistered.omit({ invitation: true })],
}

/** The shape of the data of every event type, by its schema version less 1. */
export const SCHEMAS_BY_VERSION: ReadonlyMap<string, readonly z.ZodObject[]> = new Map(
  Object.entries(NEWEST_SCHEMAS).map(([type, newest]) => [
    type,
    [...(OLDER_SCHEMAS[type] ?? []), newest],
  ]),
)
