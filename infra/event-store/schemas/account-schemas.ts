import { z } from 'zod'

/** The data of every account event; see newest-schemas.ts. */

const at = z.int()
const id = z.int()
const quota = z.int()
const name = z.string()

const only = z.object({ at })
const ofToken = z.object({ at, token: id })

const terms = {
  unlimited: z.boolean(),
  expiresAt: z.int().nullable(),
  group: z.string(),
  models: z.array(z.string()).nullable(),
  allowedIps: z.array(z.string()),
}

const adjustment = z
  .union([
    z.object({
      from: quota,
      to: quota,
      reasonCode: z.literal('balance_edited'),
      note: name.nullable(),
    }),
    z.object({ legacyText: z.string() }),
  ])
  .exactOptional()

export const usage = z.object({
  textIn: z.int(),
  cachedIn: z.int(),
  cacheWriteIn: z.int(),
  audioIn: z.int(),
  imageIn: z.int(),
  textOut: z.int(),
  audioOut: z.int(),
  reasoningOut: z.int(),
  webSearchCalls: z.int(),
  fileSearchCalls: z.int(),
  cacheWrite1hIn: z.int().exactOptional(),
  cachedAudioIn: z.int().exactOptional(),
  cachedImageIn: z.int().exactOptional(),
  imageOut: z.int().exactOptional(),
})

const priceBase = { bookRevision: z.int(), groupRatio: z.string(), quotaPerUnit: z.string() }
export const price = z.union([
  z.object({
    ...priceBase,
    by: z.literal('tokens'),
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
  z.object({ ...priceBase, by: z.literal('call'), callPrice: z.string() }),
])

export const attempt = z.object({
  channel: id,
  startedAt: z.number().nullable(),
  ms: z.number().nullable(),
  status: z.int().nullable(),
  code: z.string().nullable(),
  why: z.string().nullable(),
  usage: usage.nullable(),
})

const told = z.string().nullable()
const upstream = z.object({
  requestId: told,
  responseId: told,
  model: told,
  serviceTier: told,
  speed: told,
  region: told,
  usage: told,
  isUsageCut: z.boolean(),
})

const causes = z.object({ after: z.int(), fingerprints: z.string() })

/** How a client calls its request; see ClientTrace. */
export const clientTrace = {
  clientRequestId: z.string().exactOptional(),
  traceId: z.string().exactOptional(),
}

export const request = z.object({
  id: name,
  channel: id,
  model: z.string(),
  upstreamModel: z.string(),
  group: z.string(),
  endpoint: z.string(),
  usage,
  price,
  stream: z.boolean(),
  startedAt: z.int(),
  firstByteMs: z.number().nullable(),
  durationMs: z.number(),
  admittedAt: z.number().nullable(),
  attempts: z.array(attempt),
  upstream,
  estimated: z.boolean(),
  cancelled: z.boolean(),
  cutShort: z.boolean(),
  reasoningEffort: z.string().nullable(),
  thinkingLost: z.literal(true).exactOptional(),
  ...clientTrace,
})

const tokenTuple = z.tuple([
  id,
  z.enum(['enabled', 'disabled', 'expired', 'exhausted']),
  quota,
  quota,
  z.union([z.literal(0), z.literal(1)]),
  z.int().nullable(),
  z.string(),
  z.array(z.string()).nullable(),
  z.array(z.string()),
])

const endOfHold = {
  hold: name,
  amount: quota,
  accepted: z.array(z.tuple([z.int(), z.int()])).nullable(),
}

const holdTuple = z.tuple([
  name,
  id.nullable(),
  name,
  z.string(),
  quota,
  quota,
  z.array(z.tuple([z.int(), z.int()])),
  z.int(),
  quota,
])

const snapshot = z.object({
  status: z.enum(['unopened', 'active', 'suspended']),
  posted: quota,
  affiliate: quota,
  usedQuota: quota,
  requestCount: z.int(),
  tokens: z.array(tokenTuple),
  holds: z.array(holdTuple),
})

export const ACCOUNT_SCHEMAS = {
  AccountOpened: only,
  AccountSuspended: only,
  AccountResumed: only,
  QuotaCredited: z.object({
    at,
    amount: quota,
    source: z.enum(['sign-up', 'invitation', 'redemption', 'top-up', 'grant', 'refund']),
    reason: z.string(),
    adjustment,
  }),
  QuotaDebited: z.object({
    at,
    amount: quota,
    source: z.literal('adjustment'),
    adjustment,
  }),
  QuotaHeld: z.object({
    at,
    hold: name,
    token: id.nullable(),
    relay: name,
    nonce: z.string(),
    amount: quota,
  }),
  HoldExtended: z.object({ at, hold: name, number: z.int(), amount: quota }),
  HoldReduced: z.object({ at, hold: name, sequence: z.int(), amount: quota }),
  HoldReleased: z.object({ at, ...endOfHold }),
  HoldExpired: z.object({ at, ...endOfHold, cause: z.string() }),
  UsageCharged: z.object({
    at,
    hold: name,
    sequence: z.int(),
    token: id.nullable(),
    amount: quota,
    fromHold: quota,
    fromWallet: quota,
    late: z.boolean(),
    request,
    endedAt: at,
  }),
  UsageRefunded: z.object({
    at,
    amount: quota,
    request: name,
    token: id.nullable(),
    channel: id.nullable(),
    reason: z.string(),
    failed: z.object({ platform: z.enum(['mj', 'suno']), task: name }).exactOptional(),
  }),
  AffiliateRewardEarned: z.object({ at, amount: quota, invitee: id }),
  AffiliateQuotaTransferred: z.object({ at, amount: quota }),
  TokenIssued: z.object({ at, token: id, remain: quota, ...terms }),
  TokenRevised: z.object({ at, token: id, remainChange: quota, ...terms }),
  TokenEnabled: ofToken,
  TokenDisabled: ofToken,
  TokenExpired: ofToken,
  TokenExhausted: ofToken,
  TokenDeleted: ofToken,
  BalanceCarriedForward: z.object({ at, account: snapshot, causes: causes.nullable() }),
}
