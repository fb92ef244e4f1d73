import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { Facts } from '../../parts/facts.tsx'
import { suggestionsQuery } from '../../parts/list/suggestions.ts'
import { grouped } from '../../parts/quota-format.ts'
import type { Replay } from '../../parts/replays/replay-queries.ts'
import { FLAGS } from './replay-form.ts'

const KINDS = { users: 'userId', tokens: 'tokenId', channels: 'channel' } as const
/** Ids that are named, each by a call; a filter may have a thousand. */
const NAMED_MOST = 10

/** Filters of a replay; users, tokens and channels by number and, where it is known, name. */
export function ReplayFilters({ replay: { filters, positions } }: { replay: Replay }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const users = useNamed('users', filters)
  const tokens = useNamed('tokens', filters)
  const channels = useNamed('channels', filters)
  return (
    <Facts
      facts={[
        // A user's replay is always of their own usage.
        { label: t('replays.users'), value: isAdmin ? users : '' },
        { label: t('replays.groups'), value: listOf(filters['groups']).join(', ') },
        { label: t('replays.tokens'), value: tokens },
        { label: t('replays.models'), value: listOf(filters['models']).join(', ') },
        { label: t('replays.channels'), value: channels },
        { label: t('replays.endpoints'), value: listOf(filters['endpoints']).join(', ') },
        { label: t('replays.positions'), value: positions ? rangeOf(positions) : '' },
        ...FLAGS.map((flag) => ({
          label: t(`replays.${flag}`),
          value:
            typeof filters[flag] === 'boolean'
              ? t(`replays.${flag}_${filters[flag] ? 'true' : 'false'}`)
              : '',
        })),
      ]}
    />
  )
}

/** `1,200 – 5,400`; an end that is not given is left open. */
const rangeOf = ({ first, last }: NonNullable<Replay['positions']>): string =>
  [first, last].map((one) => (one === undefined ? '' : grouped(one, 0))).join(' – ')

const listOf = (filter: Replay['filters'][keyof Replay['filters']]): readonly string[] =>
  Array.isArray(filter) ? filter.map(String) : []

/** The ids of a filter as a text, `7 ann, 9 bob`. */
function useNamed(name: keyof typeof KINDS, filters: Replay['filters']): string {
  const isAdmin = useIsAdmin()
  const ids = listOf(filters[name])
  // The search for tokens goes by names; without a word it has all of one's own.
  const words = name === 'tokens' ? ids.slice(0, 1).map(() => '') : ids.slice(0, NAMED_MOST)
  const found = useQueries({
    queries: words.map((one) => suggestionsQuery(KINDS[name], one, isAdmin)),
  })
  const choices = found.flatMap(({ data }) => data ?? [])
  return ids.map((id) => choices.find(({ value }) => value === id)?.label ?? id).join(', ')
}
