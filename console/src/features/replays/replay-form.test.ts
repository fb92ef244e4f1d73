import { expect, test, vi } from 'vitest'
import { setTimeZone } from '../../core/time-zone.ts'
import {
  lastMonth,
  newReplay,
  pairsFor,
  replayBody,
  replayProblems,
  type ReplayForm,
} from './replay-form.ts'

const form = { ...newReplay(1_770_000_000, 'UTC', true), name: 'a week' }

test('given a new form with a name, when checked, then it can be sent', () => {
  expect(replayProblems(form)).toEqual({})
  expect(replayBody(form, true)).toMatchObject({
    from: 1_769_395_260_000,
    to: 1_770_000_060_000,
    prices: 'today',
    zone: 'UTC',
    filters: {},
    by: ['model', 'group', 'token', 'user', 'channel'],
  })
})

test.each([1_770_000_000, 1_770_000_000.25, 1_770_000_059.999])(
  'given a form of second %d, when sent, then it ends with the running minute and is seven days long',
  (now) => {
    const body = replayBody({ ...newReplay(now, 'UTC', true), name: 'a week' }, true)
    expect(body).toMatchObject({ from: 1_769_395_260_000, to: 1_770_000_060_000 })
  },
)

test('given a moment of a month, when the last month is chosen, then the form has the whole of it', () => {
  vi.stubGlobal('localStorage', { setItem: () => undefined })
  setTimeZone('Asia/Shanghai')
  // In Shanghai it is December already.
  const chosen = { ...form, ...lastMonth(Date.UTC(2026, 10, 30, 20) / 1000) }
  expect(chosen).toMatchObject({ from: '2026-11-01 00:00:00', to: '2026-12-01 00:00:00' })
  expect(replayBody(chosen, true)).toMatchObject({
    from: Date.UTC(2026, 9, 31, 16),
    to: Date.UTC(2026, 10, 30, 16),
  })
  setTimeZone('')
  vi.unstubAllGlobals()
})

test.each<[Partial<ReplayForm>, object]>([
  [{ name: ' ' }, { name: 'name' }],
  [{ from: '' }, { from: 'from' }],
  [{ to: form.from }, { to: 'order' }],
  [{ prices: 'revision' }, { revision: 'revision' }],
  [
    { first: 'x', last: '-1' },
    { first: 'position', last: 'position' },
  ],
  [{ first: '12', last: '11' }, { last: 'positionOrder' }],
  [{ users: ['12', 'nobody'] }, { users: 'unknown' }],
  [{ users: Array.from({ length: 1_001 }, (_, id) => String(id)) }, { users: 'many' }],
  [{ zone: 'Mars/Olympus' }, { zone: 'zone' }],
])('given %j, when checked, then the field says why', (part, problems) => {
  expect(replayProblems({ ...form, ...part })).toEqual(problems)
})

test('given filters and breakdowns, when a body is made, then it asks for these alone', () => {
  const typed = {
    users: ['12', '13'],
    groups: ['vip', 'svip'],
    models: ['gpt-4o'],
    endpoints: ['/v1/messages'],
    first: ' 12 ',
    stream: 'true',
    late: 'false',
    by: ['user'],
  }
  expect(replayBody({ ...form, ...typed, pair: 'user+channel' }, true)).toMatchObject({
    filters: {
      users: [12, 13],
      groups: ['vip', 'svip'],
      models: ['gpt-4o'],
      endpoints: ['/v1/messages'],
      stream: true,
      late: false,
    },
    positions: { first: 12 },
    by: ['user', 'user+channel'],
  })
})

test('given a user, when a body is made, then nothing in it is what only administrators see', () => {
  const own = { ...form, ...newReplay(1_770_000_000, '', false), name: 'mine', users: ['1'] }
  expect(replayBody(own, false)).toMatchObject({ filters: {}, by: ['model', 'group', 'token'] })
  expect(pairsFor(false)).toEqual(['model+group', 'model+token', 'group+token'])
})

test('given a revision of prices, when a form is made for it, then it asks for that revision’s prices', () => {
  const form14 = { ...newReplay(1_770_000_000, 'UTC', true, 812), name: 'a week' }
  expect(replayProblems(form14)).toEqual({})
  expect(replayBody(form14, true)).toMatchObject({ prices: 812 })
})
