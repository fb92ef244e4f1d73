import { type RecordedEvent, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { type ApiRoute, route } from '../http-contract/api-route.ts'
import { defaultText, isOptionKey, ruleOf } from '@tollgate/domain/settings/catalogue.ts'
import { isSettingsEvent } from '@tollgate/domain/settings/events.ts'
import { type OptionText, optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { z } from 'zod'
import { queryText } from '../http/query.ts'
import {
  actorNames,
  HISTORY_QUERY,
  type HistoryDeps,
  readHistory,
  userOfActor,
} from '../aggregates/stream-history.ts'

/** The changes of options: user, time, old and new text. No event holds a secret's text. */
export const optionHistoryRoute = (deps: HistoryDeps): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/option/history',
    access: 'root',
    summary: 'Changes of one option, or of all, newest first; next_before continues',
    query: z.object({
      ...HISTORY_QUERY,
      key: queryText().describe('Changes of this option alone; empty = of all options'),
    }),
    answer: {
      data: z.strictObject({ items: z.array(CHANGE), next_before: z.int().nullable() }),
    },
    example: {
      query: { key: 'RetryTimes', limit: '20' },
      data: { items: [EXAMPLE_CHANGE], next_before: null },
    },
    handle: async ({ query }) => {
      const changesOf = (event: RecordedEvent): readonly OptionText[] =>
        // A settings stream holds these and events set aside, which change nothing.
        isSettingsEvent(event)
          ? optionChangesIn(event).filter(({ key }) => query.key === '' || key === query.key)
          : []
      const isWanted = (event: RecordedEvent): boolean => changesOf(event).length > 0
      const { events, nextBefore } = await readHistory(deps, SETTINGS_STREAM, query, isWanted)
      const names = await actorNames(deps, events)
      const items = events.flatMap((event) =>
        changesOf(event).map((change) => entityOf(event, change, names)),
      )
      return { data: { items, next_before: nextBefore } }
    },
  })

const CHANGE = z.strictObject({
  event_id: z.string(),
  revision: z.int(),
  /** Unix seconds. */
  changed_at: z.int(),
  key: z.string(),
  /** Null when Tollgate itself changed it. */
  user_id: z.int().nullable(),
  username: z.string(),
  is_secret: z.boolean(),
  /** Null for a secret: only that it changed is known. */
  old: z.string().nullable(),
  new: z.string().nullable(),
})

const EXAMPLE_CHANGE: z.infer<typeof CHANGE> = {
  event_id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  revision: 41,
  changed_at: 1_770_120_000,
  key: 'RetryTimes',
  user_id: 1,
  username: 'root',
  is_secret: false,
  old: '0',
  new: '3',
}

function entityOf(
  event: RecordedEvent,
  { key, value, previous }: OptionText,
  names: ReadonlyMap<number, string>,
): z.infer<typeof CHANGE> {
  const { at } = event.data
  const user = userOfActor(event)
  // An option that became a secret since keeps what older events say to itself, too.
  const isSecret = value === null || ruleOf(key).isSecret
  return {
    event_id: event.id,
    revision: event.revision,
    changed_at: Math.floor(at / 1000),
    key,
    user_id: user,
    username: names.get(user ?? 0) ?? '',
    is_secret: isSecret,
    old: isSecret ? null : (previous ?? (isOptionKey(key) ? defaultText(key) : '')),
    new: isSecret ? null : value,
  }
}
