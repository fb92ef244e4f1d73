import { type RecordedEvent, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { type ApiRoute, route } from '../http-contract/api-route.ts'
import { defaultText, isOptionKey, ruleOf } from '@tollgate/domain/settings/catalogue.ts'
import { isSettingsEvent } from '@tollgate/domain/settings/events.ts'
import { type OptionText, optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { z } from 'zod'
import { queryFlagOf } from '../http-contract/request-values.ts'
import { queryText } from '../http/query.ts'
import {
  actorNames,
  HISTORY_QUERY,
  type HistoryDeps,
  readHistory,
  userOfActor,
  wholeHistory,
} from '../aggregates/stream-history.ts'
import { newestChanges, type OptionChangeInEvent } from './newest-changes.ts'

interface OptionHistoryDeps extends HistoryDeps {
  /** Administrators' words by id; erased ones are left out. */
  readonly notes: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** The changes of options: user, time, old and new text. No event holds a secret's text. */
export const optionHistoryRoute = (deps: OptionHistoryDeps): ApiRoute => {
  const readNewest = newestChanges(deps.store)
  return route({
    method: 'GET',
    path: '/api/option/history',
    access: 'root',
    summary: 'Changes of one option, or of all, newest first; next_before continues',
    query: HISTORY_OF_OPTIONS,
    answer: {
      data: z.strictObject({ items: z.array(CHANGE), next_before: z.int().nullable() }),
    },
    example: {
      query: { key: 'RetryTimes', limit: '20' },
      data: { items: [EXAMPLE_CHANGE], next_before: null },
    },
    csv: {
      name: 'option-changes',
      columns: Object.keys(CHANGE.shape),
      async *batches({ query: { key, newest } }) {
        if (newest) yield await entitiesOf(deps, (await readNewest()).filter(isOfOption(key)))
        else yield* everyChange(deps, key)
      },
    },
    handle: async ({ query }) => {
      const { changes, nextBefore } = query.newest
        ? { changes: (await readNewest()).filter(isOfOption(query.key)), nextBefore: null }
        : await readChanges(deps, query)
      return { data: { items: await entitiesOf(deps, changes), next_before: nextBefore } }
    },
  })
}

const HISTORY_OF_OPTIONS = z.object({
  ...HISTORY_QUERY,
  key: queryText().describe('Changes of this option alone; empty = of all options'),
  newest: z
    .preprocess(queryFlagOf, z.boolean())
    .describe(
      'Only the newest change of each option, all in one answer: before and limit are ignored',
    ),
})

/** A page of the changes that are asked for. */
async function readChanges(
  deps: OptionHistoryDeps,
  query: z.output<typeof HISTORY_OF_OPTIONS>,
): Promise<{
  readonly changes: readonly OptionChangeInEvent[]
  readonly nextBefore: number | null
}> {
  const changesOf = changesOfOption(query.key)
  const isWanted = (event: RecordedEvent): boolean => changesOf(event).length > 0
  const { events, nextBefore } = await readHistory(deps, SETTINGS_STREAM, query, isWanted)
  return { changes: events.flatMap(changesOf), nextBefore }
}

async function* everyChange(
  deps: OptionHistoryDeps,
  key: string,
): AsyncGenerator<readonly Change[]> {
  const changesOf = changesOfOption(key)
  const isWanted = (event: RecordedEvent): boolean => changesOf(event).length > 0
  for await (const events of wholeHistory(deps, SETTINGS_STREAM, isWanted))
    yield await entitiesOf(deps, events.flatMap(changesOf))
}

/** Whether a change is of this option; the empty key takes those of all. */
const isOfOption =
  (key: string) =>
  ({ change }: OptionChangeInEvent): boolean =>
    key === '' || change.key === key

const changesOfOption =
  (key: string) =>
  (event: RecordedEvent): readonly OptionChangeInEvent[] =>
    // A settings stream holds these and events set aside, which change nothing.
    isSettingsEvent(event)
      ? optionChangesIn(event)
          .map((change) => ({ event, change }))
          .filter(isOfOption(key))
      : []

async function entitiesOf(
  deps: OptionHistoryDeps,
  changes: readonly OptionChangeInEvent[],
): Promise<readonly Change[]> {
  const names = await actorNames(
    deps,
    changes.map(({ event }) => event),
  )
  const notes = await deps.notes(changes.flatMap(({ event }) => noteOf(event) ?? []))
  return changes.map(({ event, change }) => ({
    ...entityOf(event, change, names),
    note: notes.get(noteOf(event) ?? '') ?? '',
  }))
}

/** The id of what was said of a change; null = nothing. */
const noteOf = (event: RecordedEvent): string | null =>
  isSettingsEvent(event) && 'note' in event.data ? event.data.note : null

type Change = z.infer<typeof CHANGE>

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
  /** Why, in the words of who changed it; empty = not said, or erased. */
  note: z.string(),
})

const EXAMPLE_CHANGE: Change = {
  event_id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  revision: 41,
  changed_at: 1_770_120_000,
  key: 'RetryTimes',
  user_id: 1,
  username: 'root',
  is_secret: false,
  old: '0',
  new: '3',
  note: 'one retry was too few',
}

function entityOf(
  event: RecordedEvent,
  { key, value, previous }: OptionText,
  names: ReadonlyMap<number, string>,
): Omit<Change, 'note'> {
  const { at } = event.data
  const user = userOfActor(event)
  // An option that became a secret since hides its values in older events, too.
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
