import { setTimeout as sleep } from 'node:timers/promises'
import type { UserStore } from '@tollgate/command-api/identity/users.ts'
import { userSetting } from '@tollgate/command-api/users/user-setting.ts'
import { serviceOf } from '@tollgate/domain/channel/service.ts'
import { type ChannelId, channelId, userId } from '@tollgate/domain/ids.ts'
import {
  type DirectorySnapshot,
  findDirectoryToken,
  findDirectoryUser,
  loadDirectory,
} from '@tollgate/projections/directory/queries.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import type { UserFacts } from '@tollgate/relay/directory/facts.ts'
import type { DirectorySource, TokenLookup } from '@tollgate/relay/directory/source.ts'
import { TokenLookupUnavailable } from '@tollgate/relay/directory/token-lookup-unavailable.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'

/** How long a token that was just made may take to arrive in the read models. */
const TOKEN_ARRIVES_MS = 2_000

/**
 * Source that fills the relay's memory: read models for terms, `secrets` for keys, `identity` for addresses, users'
 * rows for their settings.
 */
export function directorySource(
  { db, store }: Engines,
  { secrets, users, addresses }: Identity,
  readModels: Pick<ProjectionRunner, 'waitFor'>,
): DirectorySource {
  async function findToken(key: string): Promise<TokenLookup> {
    const known = await secrets.tokens.findByKey(key)
    if (known === null) return { status: 'absent' }
    const head = await store.headPosition()
    const models = ['tokens', 'users', 'balances']
    const hasSeenHead = await readModels.waitFor(models, head, TOKEN_ARRIVES_MS)
    const found = await findDirectoryToken(db, known.id)
    if (found === null) return { status: hasSeenHead ? 'absent' : 'not-yet' }
    const { status, user, position } = found
    // Addresses are stored before the event that names them: what the read model names is there.
    const [allowedIps = []] = await addresses.read([found.terms.allowedIps])
    const terms = { ...found.terms, allowedIps }
    const acceptsUnsetRatio = await acceptsUnset(users, known.userId)
    const owner = { ...user, id: userId(known.userId), acceptsUnsetRatio }
    return {
      status: 'found',
      token: { id: known.id, status, terms, user: owner },
      asOf: position,
    }
  }
  return {
    async loadSnapshot() {
      const snapshot = await loadBuiltDirectory(db)
      return {
        position: snapshot.position,
        channels: snapshot.channels.map(({ id, state }) => ({
          id: channelId(id),
          service: serviceOf(state.status),
          terms: state.terms,
        })),
        options: snapshot.options.flatMap(([key, value]) =>
          value === null ? [] : [[key, value] as const],
        ),
        priceBookRevision: snapshot.pricingRevision,
        plannedPrices: snapshot.plannedPrices,
      }
    },
    async channelSecrets(ids) {
      const opened = await secrets.channels.openMany(ids)
      return new Map([...opened].map(([id, secret]) => [id as ChannelId, secret]))
    },
    findToken: (key) => findToken(key).catch(unavailable),
  }
}

/** Between looks at tables that are being built anew after an update, and for how long altogether. */
const LOOK_AGAIN_MS = 250
const BUILT_WITHIN_MS = 60_000

async function loadBuiltDirectory(db: Engines['db']): Promise<DirectorySnapshot> {
  for (let waitedMs = 0; waitedMs < BUILT_WITHIN_MS; waitedMs += LOOK_AGAIN_MS) {
    const snapshot = await loadDirectory(db)
    if (snapshot !== null) return snapshot
    await sleep(LOOK_AGAIN_MS)
  }
  throw new Error(
    'relay: the read model options is of an older version of Tollgate; the relay cannot know planned prices; start a projector of this version',
  )
}

/** A look-up that would succeed later is no fault of the request. */
function unavailable(error: unknown): never {
  if (error instanceof TokenLookupUnavailable || !isTransient(error)) throw error
  throw new TokenLookupUnavailable('what is known of the token cannot be read', error)
}

/** A signed-in user as the relay needs to know them; null when they have no account. */
export async function findUserFacts(
  { db }: Engines,
  { users }: Identity,
  id: number,
): Promise<UserFacts | null> {
  const user = await findDirectoryUser(db, id)
  if (user === null) return null
  return { ...user, id: userId(id), acceptsUnsetRatio: await acceptsUnset(users, id) }
}

/** The user's setting accept_unset_model_ratio_model. */
async function acceptsUnset(users: Pick<UserStore, 'byId'>, id: number): Promise<boolean> {
  const user = await users.byId(id)
  return user !== null && userSetting(user.setting).acceptsUnpricedModels
}
