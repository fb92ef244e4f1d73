import { expect, test } from 'vitest'
import { planHistory } from './history.ts'
import { CHANNELS, PEOPLE } from './people.ts'

const from = Date.UTC(2026, 0, 5)
const to = Date.UTC(2026, 1, 2)
const options = { people: PEOPLE, requests: 20_000, from, to, seed: 7 }
const history = planHistory(options)

test('given the same seed, when planned twice, then the history is the same', () => {
  expect(planHistory(options)).toEqual(history)
})

test('given a history, when read, then it is in order and within its time', () => {
  expect(history).toHaveLength(20_000)
  expect(history.every(({ at }, index) => at >= (history[index - 1]?.at ?? from))).toBe(true)
  expect(history.at(-1)?.at).toBeLessThanOrEqual(to)
})

test('given its models, when routed, then some channel serves each', () => {
  const served = new Set(CHANNELS.flatMap(({ models }) => models.split(',')))
  expect(history.filter(({ model }) => !served.has(model))).toEqual([])
})

test('given office hours, when it is weekend, then traffic is low, and the last week is the busiest', () => {
  const office = history.filter(({ token }) => token === 'ide-plugin')
  const weekend = office.filter(({ at }) => [0, 6].includes(new Date(at).getUTCDay()))
  expect(weekend.length).toBeLessThan(office.length / 20)
  const week = (to - from) / 4
  const first = history.filter(({ at }) => at < from + week)
  const last = history.filter(({ at }) => at >= to - week)
  expect(last.length).toBeGreaterThan(first.length * 1.3)
})

test('given failures, when counted, then they are few but there', () => {
  const failed = history.filter(({ failure }) => failure !== null)
  expect(failed.length).toBeGreaterThan(200)
  expect(failed.length).toBeLessThan(1_000)
})
