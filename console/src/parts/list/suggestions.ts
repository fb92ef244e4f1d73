import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Channel, ListedUser, Page, Token, UserGroups } from '../../core/contract.ts'
import type { Suggested } from './filters.ts'

/** Something a filter can be set to. */
export interface Suggestion {
  readonly value: string
  readonly label: string
}

/** So many fit below a field. */
const SHOWN_MAX = 8

/** What can be chosen for the words typed so far. */
export function suggestionsQuery(kind: Suggested, words: string, isAdmin: boolean) {
  return queryOptions({
    queryKey: ['suggestions', kind, isAdmin, words],
    queryFn: async ({ signal }) => {
      const found = await SOURCES[kind]({ words, isAdmin, signal })
      const wanted = words.toLowerCase()
      return found.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, SHOWN_MAX)
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  })
}

interface Asked {
  readonly words: string
  readonly isAdmin: boolean
  readonly signal: AbortSignal
}

const SOURCES: Readonly<Record<Suggested, (asked: Asked) => Promise<readonly Suggestion[]>>> = {
  group: async ({ isAdmin, signal }) => {
    if (isAdmin) return (await get<string[]>('/api/group/', undefined, signal)).map(named)
    const groups = await get<UserGroups>('/api/user/self/groups', undefined, signal)
    return Object.keys(groups).map(named)
  },
  model: async ({ signal }) =>
    (await get<string[]>('/api/user/models', undefined, signal)).map(named),
  token: async ({ words, signal }) => {
    const tokens = await get<Token[]>('/api/token/search', { keyword: words }, signal)
    return [...new Set(tokens.map(({ name }) => name))].map(named)
  },
  channel: async ({ words, signal }) => {
    const channels = await get<Channel[]>('/api/channel/search', { keyword: words }, signal)
    return channels.map(({ id, name }) => ({ value: String(id), label: `${id} ${name}` }))
  },
  user: async (asked) => (await users(asked)).map(({ username }) => named(username)),
  userId: async (asked) =>
    (await users(asked)).map(({ id, username }) => ({
      value: String(id),
      label: `${id} ${username}`,
    })),
}

const named = (name: string): Suggestion => ({ value: name, label: name })

const users = async ({ words, signal }: Asked): Promise<readonly ListedUser[]> =>
  (
    await get<Page<ListedUser>>(
      '/api/user/search',
      { keyword: words, p: 1, page_size: SHOWN_MAX },
      signal,
    )
  ).items
