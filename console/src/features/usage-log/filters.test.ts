import { expect, test } from 'vitest'
import { logQuery, parseLogSearch } from './filters.ts'

test.each([
  [
    { type: 2, model: 'gpt', p: 3, size: 50 },
    { type: 2, model: 'gpt', p: 3, size: 50 },
  ],
  [
    { type: '5', range: '24h' },
    { type: 5, range: '24h' },
  ],
  [
    { start: 100, end: 200, channel: '7', distinct: true },
    { start: 100, end: 200, channel: 7, distinct: true },
  ],
  [{ type: 0, p: 1, distinct: false, token: '' }, {}],
  [{ type: 'all', range: 'forever', p: 0, channel: -1, start: 'now' }, {}],
])('given the address %j, when read, then %j', (raw, parsed) => {
  expect(parseLogSearch(raw)).toEqual(parsed)
})

test('given filters, when asked as a user, then channel and user name stay at home', () => {
  const filters = { model: 'gpt', channel: 3, username: 'alice', start: 10, end: 20 }
  expect(logQuery(filters, false, 100)).toEqual({
    type: 0,
    start_timestamp: 10,
    end_timestamp: 20,
    token_name: undefined,
    model_name: 'gpt',
    group: undefined,
    is_distance: undefined,
  })
  expect(logQuery(filters, true, 100)).toMatchObject({ channel: 3, username: 'alice' })
})

test.each([
  ['gpt-4o', 'gpt-4o'],
  ['gpt-4%', 'gpt-4%'],
  ['%mini', '%mini'],
])('given the model %s, when asked, then it goes as it was clicked or typed', (model, sent) => {
  expect(logQuery({ model }, false, 100)).toMatchObject({ model_name: sent })
})
