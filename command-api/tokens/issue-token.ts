import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { TokenId, UserId } from '@tollgate/domain/ids.ts'
import { type RequestCommand, UNNAMED_COMMAND } from '../http-contract/api-route.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { type Entropy, randomAlphanumeric } from '../secrets/entropy.ts'
import type { TokenSecrets } from '../secrets/token-secrets.ts'

/** Characters of a key, without `sk-` (console-api 4). */
const KEY_CHARACTERS = 48

export interface TokenWanted {
  readonly user: UserId
  readonly name: string
  readonly remain: Quota
  readonly terms: TokenTerms
  /** The list of models in its form, whether it limits or not. Default: empty. */
  readonly modelList?: readonly string[]
  /** It comes with the account, whether or not there is a balance yet. */
  readonly isFirst?: true
  /** The causation id under which an account issues one token, however often it is asked for; left out: any number. */
  readonly deduplicateAs?: string
  readonly cause: CommandCause
  /** `reserve` of the request that asks for the token; left out where none does. */
  readonly reserve?: RequestCommand['reserve']
}

export type IssuedToken =
  | { readonly status: 'done'; readonly token: TokenId; readonly position: Position }
  | { readonly status: 'rejected'; readonly rejection: AccountRejection }

/**
 * Makes a token: the row with name and key first, then the event, without which the row means nothing. A token that was
 * issued before (`deduplicateAs`) is not answered: the token of the answer is then one that never was.
 */
export async function issueToken(
  deps: {
    readonly ledger: Pick<AccountLedger, 'execute' | 'inspect'>
    readonly secrets: Pick<TokenSecrets, 'insert' | 'describe' | 'remove'>
    readonly entropy: Entropy
  },
  wanted: TokenWanted,
): Promise<IssuedToken> {
  const { user, name, remain, terms, modelList = [], isFirst, deduplicateAs, cause } = wanted
  const { reserve = UNNAMED_COMMAND.reserve } = wanted
  const token = await reserve(
    () => {
      const key = randomAlphanumeric(deps.entropy, KEY_CHARACTERS)
      return deps.secrets.insert({ userId: user, name, key, modelList })
    },
    async (id) => ((await deps.secrets.describe([id])).get(id)?.key ?? '') !== '',
  )
  const outcome = await deps.ledger.execute(
    user,
    { type: 'IssueToken', token, remain, ...terms, ...(isFirst && { isFirst }) },
    { ...cause, causationId: deduplicateAs ?? `secrets.tokens/${token}` },
    deduplicateAs === undefined ? {} : { deduplicateFrom: { eventType: 'TokenIssued' } },
  )
  if (outcome.status === 'rejected') {
    if (outcome.rejection.reason === 'token-already-issued') {
      // By the same request, whose process died before it could answer.
      return { status: 'done', token, position: LOG_START }
    }
    await deps.secrets.remove(token)
    return outcome
  }
  const isIssued =
    deduplicateAs === undefined ||
    (await deps.ledger.inspect(user, ({ tokens }) => tokens.has(token)))
  if (!isIssued) await deps.secrets.remove(token)
  return { status: 'done', token, position: outcome.position }
}
