import { isDeepStrictEqual } from 'node:util'
import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import { evolveChannel } from '@tollgate/domain/channel/evolve.ts'
import {
  type ChannelState,
  isLive,
  type LiveChannel,
  NO_CHANNEL,
} from '@tollgate/domain/channel/state.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { keyText } from '../runner/columns.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { jsonOf } from './json-of.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

interface ExpectedChannel {
  state: ChannelState
  createdAt: number
  usedQuota: number
}

/**
 * Every live channel by the domain's own fold, what was charged through it since it was added less what was refunded,
 * and its abilities.
 */
export function expectChannels(): ExpectedModel {
  const channels = new Map<number, ExpectedChannel>()

  function take(event: Recorded): void {
    if (event.type === 'UsageCharged') {
      spend(event.data.request.channel, event.data.amount)
    } else if (event.type === 'UsageRefunded') {
      if (event.data.channel !== null) spend(event.data.channel, 0 - event.data.amount)
    } else if (isChannelEvent(event)) {
      const id = numberOfStream(event.stream)
      const before = channels.get(id)
      const state = evolveChannel(before?.state ?? NO_CHANNEL, event)
      const isThere = before !== undefined && isLive(before.state)
      channels.set(id, {
        state,
        createdAt: isThere ? before.createdAt : event.data.at,
        usedQuota: isThere ? before.usedQuota : 0,
      })
    }
  }

  function spend(id: number, amount: number): void {
    const channel = channels.get(id)
    if (channel !== undefined && isLive(channel.state)) channel.usedQuota += amount
  }

  async function compare(comparison: Comparison): Promise<void> {
    const rows = new Map<string, Readonly<Record<string, Figure>>>()
    const abilities = new Map<string, Readonly<Record<string, Figure>>>()
    const terms = new Map<string, unknown>()
    for (const [id, { state, createdAt, usedQuota }] of channels) {
      if (!isLive(state)) continue
      rows.set(`channel ${id}`, channelRow(state, createdAt, usedQuota))
      terms.set(`channel ${id}`, state.terms)
      for (const [key, ability] of abilityRows(id, state)) abilities.set(key, ability)
    }
    await compareTable(comparison, 'channels', {
      rows: comparison.rows<{ channel_id: number }>('select * from channels.channels'),
      expected: rows,
      keyOf: (row) => `channel ${row.channel_id}`,
    })
    await compareTable(comparison, 'abilities', {
      rows: comparison.rows<Ability>('select * from channels.abilities'),
      expected: abilities,
      keyOf: ({ channel_id: id, group_name: group, model }) => abilityKey(id, group, model),
    })
    await compareTerms(comparison, terms)
  }

  return { model: 'channels', tables: ['channels', 'abilities'], take, compare }
}

const isChannelEvent = (event: Recorded): event is Recorded<ChannelEvent> =>
  event.type.startsWith('Channel')

const channelRow = (
  { status, reason, statusAt, recovery, terms, test, balance }: LiveChannel,
  createdAt: number,
  usedQuota: number,
): Readonly<Record<string, Figure>> => ({
  used_quota: usedQuota,
  status,
  reason: storableText(reason),
  status_at: statusAt,
  recovery_failures: recovery?.failures ?? null,
  retry_at: recovery?.retryAt ?? null,
  test_at: test?.at ?? null,
  test_succeeded: test?.succeeded ?? null,
  test_ms: test === null ? null : Math.round(test.durationMs),
  balance_at: balance?.at ?? null,
  balance_usd: balance === null ? null : storableText(balance.usd),
  created_at: createdAt,
  priority: terms.priority,
  tag: storableText(terms.tag),
  models: storableText(terms.models.join(',')),
  groups: storableText(terms.groups.join(',')),
})

interface Ability {
  readonly channel_id: number
  readonly group_name: string
  readonly model: string
}

const abilityKey = (id: number, group: string, model: string): string =>
  `channel ${id}, group ${group}, model ${model}`

function* abilityRows(
  id: number,
  { status, terms }: LiveChannel,
): Generator<[string, Readonly<Record<string, Figure>>]> {
  const ability = {
    enabled: status === 'enabled',
    priority: terms.priority,
    weight: terms.weight,
    tag: storableText(terms.tag),
  }
  for (const group of terms.groups) {
    for (const model of terms.models) {
      yield [abilityKey(id, keyText(group), keyText(model)), ability]
    }
  }
}

/** Terms are kept as JSON, whose members may stand in any order. */
async function compareTerms(
  comparison: Comparison,
  expected: ReadonlyMap<string, unknown>,
): Promise<void> {
  const sql = 'select channel_id, terms from channels.channels'
  for await (const { channel_id: id, terms } of comparison.rows<{
    channel_id: number
    terms: string
  }>(sql)) {
    const wanted = expected.get(`channel ${id}`)
    if (wanted === undefined || isDeepStrictEqual(jsonOf(terms), wanted)) continue
    comparison.differs({
      table: 'channels',
      key: `channel ${id}`,
      column: 'terms',
      ledger: JSON.stringify(wanted),
      found: terms,
    })
  }
}
