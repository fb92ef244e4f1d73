import { expect, test } from 'vitest'
import { listQuery } from '../../parts/list/filters.ts'
import { LOG_FILTERS, parseLogSearch } from './filters.ts'

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
  [
    { row: '0b9d', at: '1790000000' },
    { row: '0b9d', at: 1_790_000_000 },
  ],
  [{ type: 0, p: 1, distinct: false, token: '' }, {}],
  [{ type: 'all', range: 'forever', p: 0, channel: -1, start: 'now' }, {}],
  [{ type: 6 }, {}],
])('given the address %j, when read, then %j', (raw, parsed) => {
  expect(parseLogSearch(raw)).toEqual(parsed)
})

const query = (raw: Record<string, unknown>, isAdmin: boolean) =>
  listQuery(LOG_FILTERS, parseLogSearch(raw), { isAdmin, nowSeconds: 100 })

test('given filters, when asked as a user, then channel and user name stay at home', () => {
  const filters = {
    model: 'gpt',
    channel: 3,
    username: 'alice',
    distinct: true,
    start: 10,
    end: 20,
  }
  expect(query(filters, false)).toEqual({
    type: undefined,
    start_timestamp: 10,
    end_timestamp: 20,
    token_name: undefined,
    model_name: 'gpt',
    group: undefined,
  })
  expect(query(filters, true)).toMatchObject({ channel: 3, username: 'alice', is_distance: true })
})

test.each(['gpt-4o', 'gpt-4%', '%mini'])(
  'given the model %s, when asked, then it goes as it was clicked or typed',
  (model) => {
    expect(query({ model }, false)).toMatchObject({ model_name: model })
  },
)
