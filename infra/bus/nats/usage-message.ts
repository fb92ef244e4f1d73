import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { Attempt, UpstreamFacts } from '@tollgate/domain/account/request-facts.ts'
import { type RequestWithPath, withAttempts } from '@tollgate/domain/account/request-with-path.ts'
import type { UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { z } from 'zod'
import {
  amountSchema,
  channelIdSchema,
  decode,
  encode,
  holdIdSchema,
  logMarkSchema,
  numberSchema,
  relayIdSchema,
  requestIdSchema,
  tokenIdSchema,
  userIdSchema,
} from './messages.ts'

/** Sent again, a message has the same id, by which JetStream and the ledger know it. */
export const messageIdOf = ({ hold, sequence }: UsageMessage): string => `${hold}/${sequence}`

/**
 * Encodes a message; its `at` is, for a charge, when its request ended: the name that it has had from the beginning.
 */
export function encodeUsage(message: UsageMessage): string {
  if (message.type === 'return') return encode(message)
  const { endedAt, request, ...rest } = message
  // An owner that is still of the version before asks for the channels alone.
  const path = request.attempts.map(({ channel }) => channel)
  return encode({ ...rest, request: { ...request, path }, at: endedAt })
}

/** Throws MessageInvalid. */
export function decodeUsage(data: Uint8Array): UsageMessage {
  const message = decode(usageMessage, data)
  if (message.type === 'return') return message
  const { at: endedAt, ...rest } = message
  return { ...rest, endedAt }
}

const count = z.int().nonnegative()
/** Unix milliseconds, whole as the log wants them: an account with an event of another form could not be read any more. */
const moment = z.int()
/** Milliseconds; relays measure fractions. */
const ms = z.number()

// Members that a newer relay adds are kept, so that they reach the log: hence loose.
const usage: z.ZodType<Usage> = z.looseObject({
  textIn: count,
  cachedIn: count,
  cacheWriteIn: count,
  audioIn: count,
  imageIn: count,
  textOut: count,
  audioOut: count,
  reasoningOut: count,
  webSearchCalls: count,
  fileSearchCalls: count,
  cacheWrite1hIn: count.exactOptional(),
  cachedAudioIn: count.exactOptional(),
  cachedImageIn: count.exactOptional(),
  imageOut: count.exactOptional(),
})

const priceBase = { bookRevision: z.int(), groupRatio: z.string(), quotaPerUnit: z.string() }

const price: z.ZodType<Price> = z.discriminatedUnion('by', [
  z.looseObject({
    by: z.literal('tokens'),
    ...priceBase,
    modelRatio: z.string(),
    completionRatio: z.string(),
    cacheRatio: z.string(),
    cacheWriteRatio: z.string(),
    audioRatio: z.string(),
    audioCompletionRatio: z.string(),
    webSearchPrice: z.string().nullable(),
    fileSearchPrice: z.string().nullable(),
    cacheWrite1hRatio: z.string().exactOptional(),
    cachedAudioRatio: z.string().exactOptional(),
    cachedImageRatio: z.string().exactOptional(),
    imageOutRatio: z.string().exactOptional(),
    tierFactor: z.string().exactOptional(),
    speedFactor: z.string().exactOptional(),
    geoFactor: z.string().exactOptional(),
    longInFactor: z.string().exactOptional(),
    longOutFactor: z.string().exactOptional(),
  }),
  z.looseObject({ by: z.literal('call'), ...priceBase, callPrice: z.string() }),
])

const attempt: z.ZodType<Attempt> = z.looseObject({
  channel: channelIdSchema,
  startedAt: ms.nullable(),
  ms: ms.nullable(),
  status: z.int().nullable(),
  code: z.string().nullable(),
  why: z.string().nullable(),
  usage: usage.nullable(),
})

const told = z.string().nullable()
const upstream: z.ZodType<UpstreamFacts> = z.looseObject({
  requestId: told,
  responseId: told,
  model: told,
  serviceTier: told,
  speed: told,
  region: told,
  usage: told,
  isUsageCut: z.boolean(),
})

/** The part of a charge about its request. */
export const chargedUsageSchema: z.ZodType<ChargedUsage> = z.preprocess(
  withoutPath,
  z.looseObject({
    id: requestIdSchema,
    channel: channelIdSchema,
    model: z.string(),
    upstreamModel: z.string(),
    group: z.string(),
    endpoint: z.string(),
    usage,
    price,
    stream: z.boolean(),
    startedAt: moment,
    firstByteMs: ms.nullable(),
    durationMs: ms,
    admittedAt: ms.nullable(),
    attempts: z.array(attempt),
    upstream,
    estimated: z.boolean(),
    cancelled: z.boolean(),
    cutShort: z.boolean(),
    reasoningEffort: z.string().nullable(),
    clientRequestId: z.string().exactOptional(),
    traceId: z.string().exactOptional(),
    thinkingLost: z.literal(true).exactOptional(),
  }),
)

/** A relay of the version before says the path alone, also in what it left in the journal or in a spool file. */
function withoutPath(request: unknown): unknown {
  if (typeof request !== 'object' || request === null) return request
  if (!('path' in request) || !Array.isArray(request.path)) return request
  if (!('attempts' in request)) return withAttempts(request as RequestWithPath)
  const { path: _, ...rest } = request
  return rest
}

const common = {
  account: userIdSchema,
  relay: relayIdSchema,
  hold: holdIdSchema,
  sequence: numberSchema,
  amount: amountSchema,
  at: moment,
  seen: logMarkSchema.exactOptional(),
}

const usageMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('usage'),
    ...common,
    token: tokenIdSchema.nullable(),
    request: chargedUsageSchema,
    final: z.boolean(),
  }),
  z.object({ type: z.literal('return'), ...common }),
])
