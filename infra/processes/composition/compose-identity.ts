import { type AccessTokens, accessTokens } from '@tollgate/command-api/identity/access-tokens.ts'
import {
  type Authenticate,
  authenticator,
  rememberWrite,
} from '@tollgate/command-api/identity/authenticate.ts'
import { type EmailCodes, emailCodeRows } from '@tollgate/command-api/identity/email/email-codes.ts'
import { type Sessions, sessionRows } from '@tollgate/command-api/identity/sessions.ts'
import {
  type AdjustmentNotes,
  adjustmentNotes,
} from '@tollgate/command-api/identity/adjustment-notes.ts'
import {
  type TokenAddresses,
  tokenAddresses,
} from '@tollgate/command-api/identity/token-addresses.ts'
import { userNames, userStore } from '@tollgate/command-api/identity/user-store.ts'
import type { UserStore } from '@tollgate/command-api/identity/users.ts'
import {
  type UsedSignatures,
  usedSignatures,
} from '@tollgate/command-api/identity/used-signatures.ts'
import { visitorRows, type Visitors } from '@tollgate/command-api/identity/visitors.ts'
import {
  postedRequests,
  type PostedRequests,
} from '@tollgate/command-api/idempotency/posted-requests.ts'
import { followOptions, type LiveOptions } from '@tollgate/command-api/options/live-options.ts'
import {
  type ChannelSecrets,
  channelSecrets,
} from '@tollgate/command-api/secrets/channel-secrets.ts'
import { type OptionSecrets, optionSecrets } from '@tollgate/command-api/secrets/option-secrets.ts'
import {
  type RedemptionSecrets,
  redemptionSecrets,
} from '@tollgate/command-api/secrets/redemption-secrets.ts'
import { type TokenSecrets, tokenSecrets } from '@tollgate/command-api/secrets/token-secrets.ts'
import { openVault, type Vault } from '@tollgate/command-api/secrets/vault.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import type { Names } from '@tollgate/projections/http/names.ts'
import { projectedSettings } from '@tollgate/projections/options/projected-settings.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import { masterKey } from '../master-key.ts'
import { namesOf } from './names.ts'
import type { Runtime } from '../runtime.ts'

/** The users and their secrets, and the options in force: every process that answers requests knows them. */
export interface Identity {
  readonly vault: Vault
  readonly secrets: {
    readonly tokens: TokenSecrets
    readonly channels: ChannelSecrets
    readonly options: OptionSecrets
    readonly redemptions: RedemptionSecrets
  }
  readonly users: UserStore
  readonly sessions: Sessions
  readonly visitors: Visitors
  readonly usedSignatures: UsedSignatures
  readonly emailCodes: EmailCodes
  readonly accessTokens: AccessTokens
  readonly names: Names
  readonly notes: AdjustmentNotes
  readonly addresses: TokenAddresses
  /** Follows the log until `stop`. */
  readonly options: LiveOptions
  readonly postedRequests: PostedRequests
  readonly authenticate: Authenticate
  rememberWrite(caller: Caller, position: Position): Promise<void>
  readinessProblem(): string | null
  stop(): Promise<void>
}

export async function composeIdentity(
  config: Config,
  runtime: Runtime,
  { db, store }: Engines,
): Promise<Identity> {
  const { clock, randomness, entropy, logger } = runtime
  const ending = new AbortController()
  const vault = openVault(await masterKey(config.masterKey, config.dataDir), entropy)
  const tokens = tokenSecrets(db, vault, clock)
  const channels = channelSecrets(db, vault, clock)
  const secrets = {
    tokens,
    channels,
    options: optionSecrets(db, vault),
    redemptions: redemptionSecrets(db, vault, clock),
  }
  const notes = adjustmentNotes(db)
  const sessions = sessionRows({ db, clock, randomness, entropy })
  const access = accessTokens(db, vault, entropy)
  const options = await followOptions({
    store,
    secrets: secrets.options,
    projected: () => projectedSettings(db),
    clock,
    log: logger,
    signal: ending.signal,
  })
  return {
    vault,
    secrets,
    users: userStore(db),
    sessions,
    visitors: visitorRows({ db, clock, entropy }),
    usedSignatures: usedSignatures({ db, clock }),
    emailCodes: emailCodeRows({ db, vault, clock, entropy }),
    postedRequests: postedRequests({ db, store, vault, clock, randomness, log: logger }),
    accessTokens: access,
    names: namesOf({ users: userNames(db), tokens, channels, notes }),
    notes,
    addresses: tokenAddresses(db),
    options,
    authenticate: authenticator({ sessions, accessTokens: access }),
    rememberWrite: (caller, position) =>
      rememberWrite({ sessions, accessTokens: access }, caller, position),
    readinessProblem: () =>
      options.isFollowing() ? null : 'changes of options are lost and are followed again',
    async stop() {
      ending.abort()
      await options.ended
    },
  }
}
