import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChannelId } from '../ids.ts'
import { channelId } from '../ids.ts'
import { chooseChannel, chooseTrial, isListed } from './choose-channel.ts'
import type { Operation } from './operation.ts'
import type { RoutedChannel } from './routing-table.ts'
import {
  modelsOf,
  NO_ROUTES,
  routingTableFrom,
  withChannel,
  withoutChannel,
} from './routing-table.ts'

const channel = (id: number, some: Partial<RoutedChannel> = {}): RoutedChannel => ({
  id: channelId(id),
  service: 'full',
  models: ['m'],
  operations: ['chat'],
  native: [],
  groups: ['g'],
  priority: 0,
  weight: 0,
  ...some,
})
const first = {
  group: 'g',
  model: 'm',
  operation: 'chat' as Operation,
  attempt: 0,
  failed: new Set<ChannelId>(),
  random: 0,
}

const models = ['m', 'n', 'gpt-4-gizmo-*']
const groups = ['g', 'h']
const channels = fc.array(
  fc.record({
    id: fc.integer({ min: 1, max: 8 }).map(channelId),
    service: fc.constantFrom('full', 'trial', 'none'),
    models: fc.subarray(models),
    operations: fc.subarray<Operation>(['chat', 'embeddings']),
    native: fc.subarray<Operation>(['chat', 'embeddings']),
    groups: fc.subarray(groups),
    priority: fc.integer({ min: -1, max: 1 }),
    weight: fc.integer({ min: 0, max: 30 }),
  }),
  { maxLength: 12 },
)
const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('choosing a channel', () => {
  test('given no channel for the group and model, when asked, then there is none', () => {
    const table = routingTableFrom([channel(1), channel(2, { models: ['n'], service: 'none' })])
    expect(chooseChannel(table, { ...first, model: 'n' })).toBeNull()
    expect(chooseChannel(table, { ...first, group: 'h' })).toBeNull()
    expect(chooseChannel(NO_ROUTES, first)).toBeNull()
    expect(chooseChannel(table, { ...first, operation: 'embeddings' })).toBeNull()
  })

  test('given weights, when drawn evenly, then shares are as weight + 10', () => {
    const table = routingTableFrom([
      channel(1),
      channel(2, { weight: 20 }),
      channel(3, { weight: 50 }),
    ])
    const draws = Array.from({ length: 1000 }, (_, n) =>
      chooseChannel(table, { ...first, random: (n + 0.5) / 1000 }),
    )
    const share = (id: number): number => draws.filter((chosen) => chosen === id).length
    expect([share(1), share(2), share(3)]).toEqual([100, 300, 600])
  })

  test('given tiers, when channels fail, then lower tiers follow, and at the end all once more from the top', () => {
    const table = routingTableFrom([
      channel(1, { priority: 5 }),
      channel(2, { priority: 5 }),
      channel(3, { priority: -1 }),
    ])
    const failed = new Set<ChannelId>()
    const path = Array.from({ length: 7 }, (_, attempt) => {
      const chosen = chooseChannel(table, { ...first, attempt, failed: new Set(failed) })
      if (chosen !== null) failed.add(chosen)
      return chosen
    })
    expect(path).toEqual([1, 2, 3, 1, 3, 1, 3])
  })

  test('given channels of one priority, when chosen, then native ones go before translated ones', () => {
    const table = routingTableFrom([
      channel(1, { weight: 90 }),
      channel(2, { native: ['chat'] }),
      channel(3, { native: ['embeddings'], priority: -1 }),
      channel(4, { native: ['chat'], priority: -1 }),
    ])
    const failed = new Set<ChannelId>()
    const path = Array.from({ length: 4 }, (_, attempt) => {
      const chosen = chooseChannel(table, { ...first, attempt, failed: new Set(failed) })
      if (chosen !== null) failed.add(chosen)
      return chosen
    })
    expect(path).toEqual([2, 1, 4, 3])
  })

  test('given a custom GPT, when asked, then the channels of its family serve it, unless one names it', () => {
    const table = routingTableFrom([
      channel(1, { models: ['gpt-4-gizmo-*'] }),
      channel(2, { models: ['gpt-4-gizmo-g-own'] }),
    ])
    expect(chooseChannel(table, { ...first, model: 'gpt-4-gizmo-g-abc' })).toBe(1)
    expect(chooseChannel(table, { ...first, model: 'gpt-4-gizmo-g-own' })).toBe(2)
  })

  test('given one that refused the request, when all have failed, then only the others are tried again', () => {
    const table = routingTableFrom([channel(1, { priority: 1 }), channel(2), channel(3)])
    const [one, two, three] = [channelId(1), channelId(2), channelId(3)]
    const tried = { ...first, attempt: 3, failed: new Set([one, two, three]) }
    expect(chooseChannel(table, tried)).toBe(one)
    expect(chooseChannel(table, { ...tried, refused: new Set([one]) })).toBe(two)
    for (const random of [0, 0.5, 0.99]) {
      expect(chooseChannel(table, { ...tried, random, refused: new Set([one, two]) })).toBe(three)
    }
    expect(chooseChannel(table, { ...tried, refused: new Set([one, two, three]) })).toBeNull()
  })

  test('given any channels, when drawn, then the chosen one serves, and has not failed while others remain', () => {
    const failures = fc.subarray([1, 2, 3, 4, 5, 6, 7, 8].map(channelId))
    const asked = fc.record({
      group: fc.constantFrom(...groups),
      model: fc.constantFrom(...models),
      operation: fc.constantFrom<Operation>('chat', 'embeddings'),
      attempt: fc.integer({ min: 0, max: 20 }),
      random: fractions,
    })
    fc.assert(
      fc.property(channels, failures, asked, (all, failures, question) => {
        const table = routingTableFrom(all)
        const failed = new Set(failures)
        const serving = [...table.channels.values()].filter(
          (one) =>
            one.service === 'full' &&
            one.groups.includes(question.group) &&
            one.operations.includes(question.operation) &&
            one.models.includes(question.model),
        )
        const untried = serving.filter((one) => !failed.has(one.id))
        const allowed = untried.length > 0 ? untried : serving
        const top = Math.max(...untried.map((one) => one.priority))
        const chosen = chooseChannel(table, { ...question, failed })
        const found = allowed.find((one) => one.id === chosen)
        expect(chosen === null).toBe(serving.length === 0)
        expect(found?.id ?? null).toBe(chosen)
        expect(untried.length === 0 || found?.priority === top).toBe(true)
        const isNative = (one?: RoutedChannel): boolean =>
          one?.native.includes(question.operation) === true
        const natives = untried.filter((one) => one.priority === top && isNative(one))
        expect(natives.length === 0 || isNative(found)).toBe(true)
      }),
    )
  })
})

describe('choosing a channel on trial', () => {
  const table = routingTableFrom([
    channel(1),
    channel(2, { service: 'trial', priority: -1 }),
    channel(3, { service: 'trial', models: ['gpt-4-gizmo-*'] }),
    channel(4, { service: 'trial', priority: 7, groups: ['h'] }),
  ])
  const free = (): boolean => true

  test('given channels on trial, when asked, then they are tried by priority and get no requests', () => {
    expect(chooseTrial(table, first, free)).toBe(2)
    expect(chooseTrial(table, { ...first, group: 'h' }, free)).toBe(4)
    expect(chooseTrial(table, { ...first, model: 'gpt-4-gizmo-x' }, free)).toBe(3)
    expect(chooseTrial(table, { ...first, model: 'n' }, free)).toBeNull()
    expect(chooseTrial(table, { ...first, operation: 'embeddings' }, free)).toBeNull()
    expect(chooseChannel(table, first)).toBe(1)
    expect(chooseChannel(table, { ...first, group: 'h' })).toBeNull()
    expect(modelsOf(table, ['g', 'h'])).toEqual(['m'])
  })

  test('given one that failed the request or has a trial going on, when asked, then it is not chosen', () => {
    const failed = new Set([channelId(2)])
    expect(chooseTrial(table, { ...first, failed }, free)).toBeNull()
    expect(chooseTrial(table, first, (id) => id !== channelId(2))).toBeNull()
  })
})

describe('a model that cannot be served', () => {
  test.each<Partial<RoutedChannel>>([
    {},
    { service: 'none' },
    { service: 'trial' },
    { groups: ['other'] },
    { groups: [] },
    { operations: [] },
    { models: ['gpt-4-gizmo-*', 'm'] },
  ])('given a channel %j that lists it, when asked, then it is listed', (some) => {
    const table = routingTableFrom([channel(1, some)])
    expect(isListed(table, 'm')).toBe(true)
    expect(isListed(table, 'n')).toBe(false)
    expect(isListed(withoutChannel(table, channelId(1)), 'm')).toBe(false)
    expect(isListed(table, 'gpt-4-gizmo-x')).toBe(some.models !== undefined)
  })
})

describe('the routing table', () => {
  test('given any changes, when made one by one, then the table is as if built at once', () => {
    const removals = fc.array(fc.integer({ min: 1, max: 8 }).map(channelId), { maxLength: 4 })
    fc.assert(
      fc.property(channels, channels, removals, (before, changes, removed) => {
        const stepwise = removed.reduce(
          withoutChannel,
          changes.reduce(withChannel, routingTableFrom(before)),
        )
        const current = new Map([...before, ...changes].map((one) => [one.id, one]))
        for (const id of removed) current.delete(id)
        const atOnce = routingTableFrom(current.values())
        // A model list that is empty leaves no route behind in either.
        const routes = (table: typeof atOnce): unknown =>
          [...table.groups]
            .filter(([, models]) => models.size > 0)
            .map(([group, models]) => [group, [...models].toSorted(byName)])
            .toSorted(byName)
        expect(routes(stepwise)).toEqual(routes(atOnce))
        expect(stepwise.channels).toEqual(atOnce.channels)
        expect(stepwise.onTrial).toEqual(atOnce.onTrial)
      }),
    )
  })

  test('given a table in use, when a channel is disabled, then the old table still stands', () => {
    const table = routingTableFrom([channel(1)])
    const changed = withChannel(table, channel(1, { service: 'none' }))
    expect(chooseChannel(changed, first)).toBeNull()
    expect(chooseChannel(table, first)).toBe(1)
    expect(changed.channels.get(channelId(1))?.service).toBe('none')
  })

  test('given groups, when models are listed, then they are distinct and sorted', () => {
    const table = routingTableFrom([
      channel(1, { models: ['b', 'a'] }),
      channel(2, { models: ['a', 'c'], groups: ['h', 'g'] }),
      channel(3, { models: ['d'], service: 'none' }),
      channel(4, { models: ['e'], groups: ['other'] }),
    ])
    expect(modelsOf(table, ['g', 'h'])).toEqual(['a', 'b', 'c'])
    expect(modelsOf(table, ['none'])).toEqual([])
  })
})

function byName(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a[0]).localeCompare(String(b[0]))
}
