import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { ListedUser, Token } from '../../core/contract.ts'
import { type Choice, matching, named } from '../combobox/choices.ts'
import type { Suggested } from './filters.ts'

/** So many users are asked for: there may be a million. */
const USERS_MAX = 20

/** The choices for the words typed so far; a kind of null suggests nothing. */
export function suggestionsQuery(kind: Suggested | null, words: string, isAdmin: boolean) {
  return queryOptions({
    queryKey: ['suggestions', kind, isAdmin, words],
    queryFn: kind
      ? async ({ signal }) => matching(await SOURCES[kind]({ words, isAdmin, signal }), words)
      : skipToken,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  })
}

interface Asked {
  readonly words: string
  readonly isAdmin: boolean
  readonly signal: AbortSignal
}

const SOURCES: Readonly<Record<Suggested, (asked: Asked) => Promise<readonly Choice[]>>> = {
  group: async ({ isAdmin, signal }) => {
    if (isAdmin) return (await get('/api/group/', undefined, signal)).map(named)
    const groups = await get('/api/user/self/groups', undefined, signal)
    return Object.keys(groups).map(named)
  },
  model: async ({ signal }) => (await get('/api/user/models', undefined, signal)).map(named),
  token: async (asked) => [...new Set((await tokens(asked)).map(({ name }) => name))].map(named),
  tokenId: async (asked) =>
    (await tokens(asked)).map(({ id, name }) => ({ value: String(id), label: `${id} ${name}` })),
  channel: async ({ words, signal }) => {
    const channels = await get('/api/channel/search', { keyword: words }, signal)
    return channels.map(({ id, name }) => ({ value: String(id), label: `${id} ${name}` }))
  },
  user: async (asked) => (await users(asked)).map(({ username }) => named(username)),
  userId: async (asked) =>
    (await users(asked)).map(({ id, username }) => ({
      value: String(id),
      label: `${id} ${username}`,
    })),
}

const tokens = ({ words, signal }: Asked): Promise<readonly Token[]> =>
  get('/api/token/search', { keyword: words }, signal)

const users = async ({ words, signal }: Asked): Promise<readonly ListedUser[]> =>
  (await get('/api/user/search', { keyword: words, p: 1, page_size: USERS_MAX }, signal)).items
