import type { AdjustmentNotes } from '@tollgate/command-api/identity/adjustment-notes.ts'
import type { UserNames } from '@tollgate/command-api/identity/users.ts'
import type { ChannelSecrets } from '@tollgate/command-api/secrets/channel-secrets.ts'
import type { TokenSecrets } from '@tollgate/command-api/secrets/token-secrets.ts'
import type { Names } from '@tollgate/projections/http/names.ts'

export interface NameSources {
  readonly users: UserNames
  readonly tokens: TokenSecrets
  readonly channels: ChannelSecrets
  readonly notes: AdjustmentNotes
}

/** Lets the read side name users, tokens and channels, which the command API's tables know. */
export const namesOf = ({ users, tokens, channels, notes }: NameSources): Names => ({
  users: (ids) => users.byIds(ids),
  userIdByName: (name) => users.idOf(name),
  tokens: (ids) => tokens.names(ids),
  tokenIdsByName: (name, userId) => tokens.idsByName(name, userId),
  channels: async (ids) => namesIn(await channels.describe(ids)),
  notes: (ids) => notes.byIds(ids),
})

const namesIn = (
  rows: ReadonlyMap<number, { readonly name: string }>,
): ReadonlyMap<number, string> => new Map([...rows].map(([id, { name }]) => [id, name]))
