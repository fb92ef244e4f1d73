import type { AccountEvent, QuotaHeld } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import {
  type AccountState,
  type TokenState,
  unopenedAccount,
} from '@tollgate/domain/account/state.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import type { Recorded } from '../runner/projected-events.ts'
import {
  TOKEN_DISABLED,
  TOKEN_ENABLED,
  TOKEN_EXHAUSTED,
  TOKEN_EXPIRED,
} from '../tokens/projector.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

interface TokenDates {
  createdAt: number
  accessedAt: number
  deletedAt: number | null
}

const ENTITY_STATUS = {
  enabled: TOKEN_ENABLED,
  disabled: TOKEN_DISABLED,
  expired: TOKEN_EXPIRED,
  exhausted: TOKEN_EXHAUSTED,
} as const satisfies Record<TokenState['status'], number>

/**
 * The quota that each token has left and has used, by the domain's own fold. A deleted token leaves the domain's state
 * but keeps its row, which later charges still change: so the fold is spared the deletion.
 */
export function expectTokens(): ExpectedModel {
  const accounts = new Map<number, AccountState>()
  const dates = new Map<number, TokenDates>()

  function take(event: Recorded): void {
    if (!isOfToken(event)) return
    if (event.type === 'TokenDeleted') {
      const token = dates.get(event.data.token)
      if (token !== undefined) token.deletedAt = event.data.at
      return
    }
    if (event.type === 'TokenIssued') {
      const { token, at } = event.data
      dates.set(token, { createdAt: at, accessedAt: at, deletedAt: null })
    }
    if (event.type === 'UsageCharged') {
      const token = dates.get(event.data.token ?? 0)
      if (token !== undefined) token.accessedAt = Math.max(token.accessedAt, event.data.at)
    }
    const user = numberOfStream(event.stream)
    accounts.set(user, evolve(accounts.get(user) ?? unopenedAccount(), event))
  }

  async function compare(comparison: Comparison): Promise<void> {
    const expected = new Map<string, Readonly<Record<string, Figure>>>()
    for (const [user, { tokens }] of accounts) {
      for (const [id, token] of tokens) {
        const known = dates.get(id)
        if (known !== undefined) expected.set(`token ${id}`, tokenRow(user, token, known))
      }
    }
    await compareTable(comparison, 'tokens', {
      rows: comparison.rows<{ token_id: number }>('select * from tokens.tokens'),
      expected,
      keyOf: (row) => `token ${row.token_id}`,
    })
  }

  return { model: 'tokens', tables: ['tokens'], take, compare }
}

type TokenEvent = Extract<AccountEvent, { readonly data: { readonly token: unknown } }>

/** Holds leave no mark on a token's row. */
const isOfToken = (event: Recorded): event is Recorded<Exclude<TokenEvent, QuotaHeld>> =>
  event.type.startsWith('Token') || event.type === 'UsageCharged' || event.type === 'UsageRefunded'

const tokenRow = (
  user: number,
  { status, terms, remain, used }: TokenState,
  { createdAt, accessedAt, deletedAt }: TokenDates,
): Readonly<Record<string, Figure>> => ({
  user_id: user,
  status: ENTITY_STATUS[status],
  remain,
  used,
  unlimited: terms.unlimited,
  expires_at: terms.expiresAt,
  group_name: storableText(terms.group),
  models: terms.models === null ? null : terms.models.map(storableText),
  allowed_ips: terms.allowedIps.map(storableText),
  created_at: createdAt,
  accessed_at: accessedAt,
  deleted_at: deletedAt,
})
