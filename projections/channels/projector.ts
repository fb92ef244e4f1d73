import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import { evolveChannel } from '@tollgate/domain/channel/evolve.ts'
import {
  type ChannelState,
  isLive,
  type LiveChannel,
  NO_CHANNEL,
} from '@tollgate/domain/channel/state.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { z } from 'zod'
import { keyText } from '../runner/columns.ts'
import { insertRows, upsertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Recorded } from '../runner/projected-events.ts'
import type { Projector } from '../runner/projector.ts'
import { addStates, STATES_TABLE } from './states.ts'

/** `terms` is the JSON of ChannelTerms; the columns beside it are what lists are filtered and ordered by. */
const tables = `
  create table channels (
    channel_id bigint primary key,
    status text not null,
    terms text not null,
    reason text not null,
    status_at bigint not null,
    recovery_failures bigint,
    retry_at bigint,
    test_at bigint,
    test_succeeded boolean,
    test_ms bigint,
    balance_at bigint,
    balance_usd text,
    created_at bigint not null,
    used_quota bigint not null,
    priority bigint not null,
    tag text not null,
    models text not null,
    groups text not null
  );
  create table abilities (
    group_name text collate "C" not null,
    model text collate "C" not null,
    channel_id bigint not null,
    enabled boolean not null,
    priority bigint not null,
    weight bigint not null,
    tag text not null,
    primary key (group_name, model, channel_id)
  );
  ${STATES_TABLE}`

const indexes = `
  create index on channels (priority desc, channel_id desc);
  create index on abilities (channel_id);
  create index on abilities (model) where enabled`

const comparison = `
  select 'channel ' || channel_id as key, jsonb_build_object('status', status, 'used_quota', used_quota) as figures
  from {channels}
  union all
  select 'abilities of channel ' || channel_id, jsonb_build_object('count', count(*),
    'enabled', count(*) filter (where enabled))
  from {abilities} group by channel_id`

const eventTypes = [
  'ChannelAdded',
  'ChannelRevised',
  'ChannelKeyReplaced',
  'ChannelEnabled',
  'ChannelDisabled',
  'ChannelAutoDisabled',
  'ChannelHalfOpened',
  'ChannelTrialFailed',
  'ChannelAutoEnabled',
  'ChannelTested',
  'ChannelBalanceRead',
  'ChannelDeleted',
  'UsageCharged',
  'UsageRefunded',
] as const

/** A row of `channels.channels`. */
export const channelRow = z.object({
  channel_id: z.number(),
  status: z.enum(['enabled', 'disabled', 'auto-disabled', 'half-open']),
  terms: z.string(),
  reason: z.string(),
  status_at: z.number(),
  recovery_failures: z.number().nullable(),
  retry_at: z.number().nullable(),
  test_at: z.number().nullable(),
  test_succeeded: z.boolean().nullable(),
  test_ms: z.number().nullable(),
  balance_at: z.number().nullable(),
  balance_usd: z.string().nullable(),
  created_at: z.number(),
  used_quota: z.number(),
})
export type ChannelRow = Readonly<z.output<typeof channelRow>>

interface Channel {
  state: ChannelState
  createdAt: number
}

/**
 * Every channel that is not deleted, which models it serves to which groups, and what was spent through it less what
 * was refunded; and how each channel went in and out of service, deleted ones too.
 */
export const channels: Projector<(typeof eventTypes)[number]> = {
  name: 'channels',
  // 3: terms have max_input_tokens. 4: the states that channels were in. 5: as 4, which waited for an operator beside
  // tables of 3 and before: it was compared by its states, which those do not have.
  version: 5,
  streamPrefixes: ['channel-', 'account-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const spent = new Map<number, number>()
    const changes: Recorded<ChannelEvent>[] = []
    for (const event of batch) {
      if (event.type === 'UsageCharged') {
        const { request, amount } = event.data
        spent.set(request.channel, (spent.get(request.channel) ?? 0) + amount)
      } else if (event.type === 'UsageRefunded') {
        const { channel, amount } = event.data
        if (channel !== null) spent.set(channel, (spent.get(channel) ?? 0) - amount)
      } else {
        changes.push(event)
      }
    }
    if (changes.length > 0) await applyChanges(changes, tx)
    await addStates(changes, tx)
    if (spent.size > 0) await addSpent(spent, tx)
  },
}

async function addSpent(spent: ReadonlyMap<number, number>, tx: ModelTables): Promise<void> {
  await tx.query(
    `update {channels} as c set used_quota = used_quota + spent.amount
     from unnest($1::bigint[], $2::bigint[]) as spent (channel_id, amount)
     where c.channel_id = spent.channel_id`,
    [[...spent.keys()], [...spent.values()]],
  )
}

async function applyChanges(
  events: readonly Recorded<ChannelEvent>[],
  tx: ModelTables,
): Promise<void> {
  const ids = [...new Set(events.map((event) => numberOfStream(event.stream)))]
  const rows = await tx.query<ChannelRow>('select * from {channels} where channel_id = any($1)', [
    ids,
  ])
  const present = new Map<number, Channel>(
    rows.map((row) => [row.channel_id, { state: stateOf(row), createdAt: row.created_at }]),
  )
  for (const event of events) {
    const id = numberOfStream(event.stream)
    const channel = present.get(id) ?? { state: NO_CHANNEL, createdAt: event.data.at }
    channel.state = evolveChannel(channel.state, event)
    present.set(id, channel)
  }
  const gone = [...present].filter(([, { state }]) => !isLive(state)).map(([id]) => id)
  if (gone.length > 0) await tx.query('delete from {channels} where channel_id = any($1)', [gone])
  const live = [...present].flatMap(([id, { state, createdAt }]) =>
    isLive(state) ? [{ id, channel: state, createdAt }] : [],
  )
  await storeChannels(live, tx)
  await tx.query('delete from {abilities} where channel_id = any($1)', [ids])
  await storeAbilities(live, tx)
}

/** The domain's state of a row. */
export function stateOf(row: ChannelRow): LiveChannel {
  return {
    status: row.status,
    terms: JSON.parse(row.terms) as LiveChannel['terms'],
    reason: row.reason,
    statusAt: row.status_at,
    recovery:
      row.retry_at === null
        ? null
        : { failures: row.recovery_failures ?? 0, retryAt: row.retry_at },
    test:
      row.test_at === null
        ? null
        : {
            at: row.test_at,
            succeeded: row.test_succeeded ?? false,
            durationMs: row.test_ms ?? 0,
          },
    balance: row.balance_at === null ? null : { at: row.balance_at, usd: row.balance_usd ?? '0' },
  }
}

interface StoredChannel {
  readonly id: number
  readonly channel: LiveChannel
  readonly createdAt: number
}

const CHANNEL_COLUMNS = {
  channel_id: 'bigint',
  status: 'text',
  terms: 'text',
  reason: 'text',
  status_at: 'bigint',
  recovery_failures: 'bigint',
  retry_at: 'bigint',
  test_at: 'bigint',
  test_succeeded: 'boolean',
  test_ms: 'bigint',
  balance_at: 'bigint',
  balance_usd: 'text',
  created_at: 'bigint',
  used_quota: 'bigint',
  priority: 'bigint',
  tag: 'text',
  models: 'text',
  groups: 'text',
} as const

async function storeChannels(live: readonly StoredChannel[], tx: ModelTables): Promise<void> {
  const rows = live.map(({ id, channel, createdAt }) => ({
    channel_id: id,
    status: channel.status,
    terms: JSON.stringify(channel.terms),
    reason: channel.reason,
    status_at: channel.statusAt,
    recovery_failures: channel.recovery?.failures ?? null,
    retry_at: channel.recovery?.retryAt ?? null,
    test_at: channel.test?.at ?? null,
    test_succeeded: channel.test?.succeeded ?? null,
    test_ms: channel.test === null ? null : Math.round(channel.test.durationMs),
    balance_at: channel.balance?.at ?? null,
    balance_usd: channel.balance?.usd ?? null,
    created_at: createdAt,
    used_quota: 0,
    priority: channel.terms.priority,
    tag: channel.terms.tag,
    models: channel.terms.models.join(','),
    groups: channel.terms.groups.join(','),
  }))
  await upsertRows(
    tx,
    'channels',
    {
      columns: CHANNEL_COLUMNS,
      key: 'channel_id',
      changing: [
        'status',
        'terms',
        'reason',
        'status_at',
        'recovery_failures',
        'retry_at',
        'test_at',
        'test_succeeded',
        'test_ms',
        'balance_at',
        'balance_usd',
        'priority',
        'tag',
        'models',
        'groups',
      ],
    },
    rows,
  )
}

const ABILITY_COLUMNS = {
  group_name: 'text',
  model: 'text',
  channel_id: 'bigint',
  enabled: 'boolean',
  priority: 'bigint',
  weight: 'bigint',
  tag: 'text',
} as const

/** One ability for each group and model of each channel. */
async function storeAbilities(live: readonly StoredChannel[], tx: ModelTables): Promise<void> {
  const rows = live.flatMap(({ id, channel: { status, terms } }) =>
    distinct(terms.groups).flatMap((group) =>
      distinct(terms.models).map((model) => ({
        group_name: group,
        model,
        channel_id: id,
        enabled: status === 'enabled',
        priority: terms.priority,
        weight: terms.weight,
        tag: terms.tag,
      })),
    ),
  )
  await insertRows(tx, 'abilities', ABILITY_COLUMNS, rows)
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names.map(keyText))]
