import { randomBytes } from 'node:crypto'
import { openVault } from '@tollgate/command-api/secrets/vault.ts'
import { channelId, userId } from '@tollgate/domain/ids.ts'
import { ResponseIds } from '@tollgate/relay/stored-responses/response-ids.ts'
import { expect, test } from 'vitest'
import { responseSealing } from './response-sealing.ts'

const KEY = Buffer.alloc(32, 7)
const idsUnder = (key: Buffer): ResponseIds =>
  new ResponseIds(responseSealing(openVault(key, (bytes) => randomBytes(bytes))))
const STORED = { channel: channelId(4), id: 'resp_0123 456', tokens: 1_200 }

test('given an id of a response, when its account shows it to any process, then it opens', () => {
  const id = idsUnder(KEY).seal(userId(7), STORED)
  expect(id).toMatch(/^resp_[\w-]+$/)
  expect(id).not.toContain('0123')
  expect(idsUnder(KEY).open(userId(7), id)).toEqual(STORED)
})

test('given an id of a response, when anybody else shows it or changes it, then it is unknown', () => {
  const ids = idsUnder(KEY)
  const id = ids.seal(userId(7), STORED)
  expect(ids.open(userId(8), id)).toBeNull()
  expect(idsUnder(Buffer.alloc(32, 8)).open(userId(7), id)).toBeNull()
  for (const other of [
    'resp_0123',
    'resp_',
    id.slice(0, -4),
    id.slice(5),
    `${id}A`,
    `resp_${'A'.repeat(5_000)}`,
  ]) {
    expect(ids.open(userId(7), other)).toBeNull()
  }
})
