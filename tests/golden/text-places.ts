import type { GoldenType } from './schemas.ts'

/**
 * The kinds of text that an event may hold. None of these names a person, and none of them is a person's own words:
 * `name`: of a model, a group, a kind of thing, a code that Tollgate knows; `number`: a decimal number or a ratio;
 * `id`: of a request, a hold, a relay, a log, a payment, or a hash; `terms`: what an admin set on a channel or an
 * option; `system`: a sentence that Tollgate makes; `upstream`: what upstream said, cut and without credentials.
 */
type TextKind = 'name' | 'number' | 'id' | 'terms' | 'system' | 'upstream'

/**
 * Texts that may still be a person's: the sentence of an adjustment before version 2, the addresses that a token's
 * owner allowed before version 2, which carry-forwards repeat, what an operator wrote beside events set aside.
 * domain/README.md says so. This list grows no more.
 */
type PersonsText = 'note' | 'addresses'

const CHANNEL_TERMS = {
  baseUrl: 'terms',
  'groups[]': 'name',
  modelMapping: 'terms',
  'models[]': 'name',
  openaiOrganization: 'terms',
  other: 'terms',
  paramOverride: 'terms',
  setting: 'terms',
  statusCodeMapping: 'terms',
  tag: 'terms',
  testModel: 'name',
} as const
const TOKEN_TERMS = { 'allowedIps[]': 'id', group: 'name', 'models[]': 'name' } as const
const ADJUSTMENT = { 'adjustment.legacyText': 'note', 'adjustment.note': 'id' } as const
const SAID = { bodyExcerpt: 'upstream', reason: 'upstream' } as const

/** Every place of a text in an event, by its type: a place that is not here cannot be in an event. */
export const TEXT_PLACES: {
  readonly [Type in GoldenType]?: Readonly<Record<string, TextKind | PersonsText>>
} = {
  QuotaCredited: { ...ADJUSTMENT, reason: 'id' },
  QuotaDebited: ADJUSTMENT,
  QuotaHeld: { hold: 'id', nonce: 'id', relay: 'id' },
  HoldExtended: { hold: 'id' },
  HoldReduced: { hold: 'id' },
  HoldReleased: { hold: 'id' },
  HoldExpired: { cause: 'name', hold: 'id' },
  UsageCharged: {
    hold: 'id',
    'request.attempts[].code': 'name',
    'request.attempts[].why': 'upstream',
    'request.clientRequestId': 'id',
    'request.endpoint': 'name',
    'request.group': 'name',
    'request.id': 'id',
    'request.model': 'name',
    'request.price.audioCompletionRatio': 'number',
    'request.price.audioRatio': 'number',
    'request.price.cacheRatio': 'number',
    'request.price.cacheWrite1hRatio': 'number',
    'request.price.cacheWriteRatio': 'number',
    'request.price.cachedAudioRatio': 'number',
    'request.price.cachedImageRatio': 'number',
    'request.price.callPrice': 'number',
    'request.price.completionRatio': 'number',
    'request.price.fileSearchPrice': 'number',
    'request.price.groupRatio': 'number',
    'request.price.imageOutRatio': 'number',
    'request.price.geoFactor': 'number',
    'request.price.longInFactor': 'number',
    'request.price.longOutFactor': 'number',
    'request.price.speedFactor': 'number',
    'request.price.tierFactor': 'number',
    'request.price.modelRatio': 'number',
    'request.price.quotaPerUnit': 'number',
    'request.price.webSearchPrice': 'number',
    'request.reasoningEffort': 'name',
    'request.traceId': 'id',
    'request.upstream.model': 'upstream',
    'request.upstream.region': 'upstream',
    'request.upstream.requestId': 'upstream',
    'request.upstream.responseId': 'upstream',
    'request.upstream.serviceTier': 'upstream',
    'request.upstream.speed': 'upstream',
    'request.upstream.usage': 'upstream',
    'request.upstreamModel': 'name',
  },
  UsageRefunded: { 'failed.task': 'id', reason: 'system', request: 'id' },
  TokenIssued: TOKEN_TERMS,
  TokenRevised: TOKEN_TERMS,
  // Holds, then tokens, as tuples.
  BalanceCarriedForward: {
    'account.holds[][0]': 'id',
    'account.holds[][2]': 'id',
    'account.holds[][3]': 'id',
    'account.tokens[][6]': 'name',
    'account.tokens[][7][]': 'name',
    'account.tokens[][8][]': 'addresses',
    'causes.fingerprints': 'id',
  },
  ChannelAdded: CHANNEL_TERMS,
  ChannelRevised: CHANNEL_TERMS,
  ChannelDisabled: { reason: 'system' },
  ChannelAutoDisabled: SAID,
  ChannelHalfOpened: { reason: 'system' },
  ChannelTrialFailed: SAID,
  ChannelAutoEnabled: { reason: 'system' },
  ChannelTested: { error: 'upstream', model: 'name' },
  ChannelBalanceRead: { balanceUsd: 'number' },
  UserRegistered: { group: 'name' },
  UserGroupChanged: { group: 'name' },
  TopUpRequested: {
    group: 'name',
    groupRatio: 'number',
    money: 'number',
    price: 'number',
    quotaPerUnit: 'number',
  },
  TopUpPaid: { gatewayTradeNo: 'id', money: 'number' },
  TopUpPaidAgain: { gatewayTradeNo: 'id', money: 'number' },
  PriceBookRevised: {
    'changes[].key': 'name',
    'changes[].previous': 'terms',
    'changes[].value': 'terms',
    note: 'id',
  },
  PriceRevisionTookEffect: {
    'changes[].key': 'name',
    'changes[].previous': 'terms',
    'changes[].value': 'terms',
  },
  OptionChanged: { key: 'name', note: 'id', previous: 'terms', value: 'terms' },
  TaskSubmitted: { action: 'name', 'charge.hold': 'id', 'charge.request': 'id', upstreamId: 'id' },
  RequestFailed: {
    'attempts[].code': 'name',
    'attempts[].why': 'upstream',
    clientRequestId: 'id',
    errorCode: 'name',
    errorType: 'name',
    group: 'name',
    message: 'upstream',
    model: 'name',
    request: 'id',
    traceId: 'id',
  },
  LedgerSealed: { order: 'id', 'previous.hash': 'id', 'previous.root': 'id', root: 'id' },
  TimelineOpened: { log: 'id', previous: 'id' },
  EventsSetAside: { reason: 'note' },
  LogClaimed: { claim: 'id' },
  LogClaimConfirmed: { claim: 'id' },
}
