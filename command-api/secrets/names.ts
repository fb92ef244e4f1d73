import type { UserStore } from '../identity/users.ts'
import type { ChannelSecrets } from './channel-secrets.ts'
import type { TokenSecrets } from './token-secrets.ts'

/** Names of users, tokens and channels for the read side, whose events know ids only; deleted ones are still named. */
export interface NameLookup {
  users(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  userIdByName(name: string): Promise<number | null>
  tokens(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  tokenIdsByName(name: string, userId: number | null): Promise<readonly number[]>
  channels(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
}

/** Names out of the tables of `identity` and `secrets`. */
export const nameLookup = (from: {
  readonly users: Pick<UserStore, 'names' | 'idByName'>
  readonly tokens: Pick<TokenSecrets, 'names' | 'idsByName'>
  readonly channels: Pick<ChannelSecrets, 'describe'>
}): NameLookup => ({
  users: (ids) => from.users.names(ids),
  userIdByName: (name) => from.users.idByName(name),
  tokens: (ids) => from.tokens.names(ids),
  tokenIdsByName: (name, userId) => from.tokens.idsByName(name, userId),
  channels: async (ids) => {
    const described = await from.channels.describe(ids)
    return new Map([...described].map(([id, { name }]) => [id, name]))
  },
})
