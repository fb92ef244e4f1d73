import { expect, test } from 'vitest'
import { parseLoginSearch } from './login-search.ts'

test.each([
  [{ expired: true }, { expired: true }],
  [{ expired: 'true' }, { expired: true }],
  [{ next: '/log?type=2' }, { next: '/log?type=2' }],
  [{ next: '//evil.example' }, {}],
  [{ next: '/\\evil.example' }, {}],
  [{ next: 'https://evil.example' }, {}],
  [{ next: 5 }, {}],
])('given the address %j, when read, then %j', (raw, parsed) => {
  const nothing = { expired: undefined, next: undefined, aff: undefined }
  // As the router lays it over the address: nothing that was left out shows through.
  expect({ ...raw, ...parseLoginSearch(raw) }).toStrictEqual({ ...nothing, ...parsed })
})
