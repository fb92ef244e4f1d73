import type { HoldId, RelayId, TokenId } from '../ids.ts'
import { type Quota, quota } from '../quota.ts'
import type {
  AcceptedSequences,
  AccountState,
  AccountStatus,
  HoldState,
  TokenState,
  TokenStatus,
} from './state.ts'

/**
 * The whole state as plain JSON, for BalanceCarriedForward. Tokens and holds are tuples, because an account may have
 * ten thousand tokens and one event must stay under 1 MiB.
 */
export interface AccountSnapshot {
  readonly status: AccountStatus
  readonly posted: Quota
  readonly affiliate: Quota
  readonly usedQuota: Quota
  readonly requestCount: number
  readonly tokens: readonly TokenTuple[]
  readonly holds: readonly HoldTuple[]
}

type TokenTuple = readonly [
  token: TokenId,
  status: TokenStatus,
  remain: Quota,
  used: Quota,
  unlimited: 0 | 1,
  expiresAt: number | null,
  group: string,
  models: readonly string[] | null,
  allowedIps: readonly string[],
]

type HoldTuple = readonly [
  hold: HoldId,
  token: TokenId | null,
  relay: RelayId,
  nonce: string,
  remaining: Quota,
  granted: Quota,
  accepted: AcceptedSequences,
  extensionNumber: number,
  extensionAmount: Quota,
]

export const snapshotOf = (state: AccountState): AccountSnapshot => ({
  status: state.status,
  posted: state.posted,
  affiliate: state.affiliate,
  usedQuota: state.usedQuota,
  requestCount: state.requestCount,
  tokens: [...state.tokens].map(tupleOfToken),
  holds: [...state.holds].map(tupleOfHold),
})

const tupleOfToken = ([id, token]: [TokenId, TokenState]): TokenTuple => [
  id,
  token.status,
  token.remain,
  token.used,
  token.terms.unlimited ? 1 : 0,
  token.terms.expiresAt,
  token.terms.group,
  token.terms.models,
  token.terms.allowedIps,
]

const tupleOfHold = ([id, hold]: [HoldId, HoldState]): HoldTuple => [
  id,
  hold.token,
  hold.relay,
  hold.nonce,
  hold.remaining,
  hold.granted,
  hold.accepted,
  hold.extension.number,
  hold.extension.amount,
]

/** The state that a snapshot was taken of; the held quota is summed from the holds again. */
export function stateOfSnapshot(snapshot: AccountSnapshot): AccountState {
  let held = 0
  const heldByToken = new Map<TokenId, number>()
  const holds = new Map<HoldId, HoldState>()
  for (const tuple of snapshot.holds) {
    const [id, token, relay, nonce, remaining, granted, accepted, number, amount] = tuple
    holds.set(id, {
      token,
      relay,
      nonce,
      remaining,
      granted,
      accepted,
      extension: { number, amount },
    })
    held += remaining
    if (token !== null) heldByToken.set(token, (heldByToken.get(token) ?? 0) + remaining)
  }
  const tokens = new Map<TokenId, TokenState>()
  let tokenBytes = 0
  for (const tuple of snapshot.tokens) {
    const [id, status, remain, used, unlimited, expiresAt, group, models, allowedIps] = tuple
    const terms = { unlimited: unlimited === 1, expiresAt, group, models, allowedIps }
    tokens.set(id, { status, terms, remain, used, held: quota(heldByToken.get(id) ?? 0) })
    tokenBytes += approximateTokenBytes(terms)
  }
  const { status, posted, affiliate, usedQuota, requestCount } = snapshot
  return {
    status,
    posted,
    held: quota(held),
    affiliate,
    usedQuota,
    requestCount,
    tokens,
    holds,
    ended: new Map(),
    tokenBytes,
  }
}

/** About the bytes of one open hold in a snapshot: its name alone has two UUIDs. */
const HOLD_BYTES = 300

/** About how many bytes the snapshot would take as JSON, without making it. */
export const approximateSnapshotBytes = ({ holds, tokenBytes }: AccountState): number =>
  150 + holds.size * HOLD_BYTES + tokenBytes

/** About how many bytes one token takes in a snapshot; never much less than it really does. */
export function approximateTokenBytes(terms: TokenState['terms']): number {
  let bytes = 120 + utf8Bytes(terms.group)
  for (const model of terms.models ?? []) bytes += utf8Bytes(model) + 3
  for (const range of terms.allowedIps) bytes += utf8Bytes(range) + 3
  return bytes
}

/** Bytes of a text in UTF-8, quotes and backslashes counted as JSON escapes them. */
function utf8Bytes(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) bytes += 6
    else if (code < 0x80) bytes += character === '"' || character === '\\' ? 2 : 1
    else if (code < 0x800) bytes += 2
    else bytes += code < 0x10000 ? 3 : 4
  }
  return bytes
}
