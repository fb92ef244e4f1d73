import { EventStoreDBClient } from '@eventstore/db-client'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '@tollgate/tests/support/engines/eventstoredb-double/double.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRights, type ReadOpenRights } from './open-rights.ts'

let double: EventStoreDbDouble
let client: EventStoreDBClient

beforeEach(async () => {
  double = await startEventStoreDbDouble()
  client = EventStoreDBClient.connectionString(double.connectionString)
})
afterEach(async () => {
  await client.dispose()
  await double.close()
})

const SECURE = { isSecure: true, user: 'tollgate' }
/** As docs/eventstoredb.md has it. */
const SINGLE_NODE = {
  $r: 'tollgate',
  $w: 'tollgate',
  $d: '$admins',
  $mr: '$admins',
  $mw: '$admins',
}

/** As an administrator does it over HTTP. */
const setDefaults = (acl: object): unknown =>
  double.log.append('$settings', 'any', [
    {
      id: crypto.randomUUID(),
      type: 'update-default-acl',
      contentType: 'application/json',
      data: Buffer.from(JSON.stringify({ $userStreamAcl: acl })),
      metadata: new Uint8Array(),
    },
  ])

const ask = (read: ReadOpenRights): Promise<string | null> =>
  read(Number(double.log.records.at(-1)?.position))

test('given a secured server, when its default ACL lets others in or not, then it is told each time', async () => {
  const read = openRights(client, SECURE)
  expect(await ask(read)).toMatch(/^other users of EventStoreDB may .*default ACL: \$all/)
  setDefaults(SINGLE_NODE)
  expect(await ask(read)).toBeNull()
  setDefaults({ ...SINGLE_NODE, $w: ['tollgate', 'reporting'] })
  expect(await ask(read)).toContain('default ACL: reporting')
  setDefaults(SINGLE_NODE)
  expect(await ask(read)).toBeNull()
})

// A real server's reading of a right that is left out was not seen: the test holds the careful reading.
test.each(['$w', '$d', '$mw'] as const)(
  'given a default ACL without %s, when asked, then everybody has that right, in own ACLs as well',
  async (right) => {
    const read = openRights(client, SECURE)
    const { [right]: own, ...others } = SINGLE_NODE
    setDefaults(others)
    expect(await ask(read)).toContain('default ACL: $all')
    double.log.setMetadata('account-7', { $acl: { [right]: own } })
    expect(await ask(read)).toContain('default ACL: $all')
    setDefaults(SINGLE_NODE)
    double.log.setMetadata('account-7', { $acl: { $r: '$all' } })
    expect(await ask(read)).toBeNull()
  },
)

test('given a default ACL for Tollgate, when a stream lets others write, then it is named until fixed', async () => {
  const read = openRights(client, SECURE)
  setDefaults(SINGLE_NODE)
  double.log.setMetadata('orders-1', { $acl: { $w: '$all' } })
  expect(await ask(read)).toBeNull()
  double.log.setMetadata('account-7', { $acl: { $w: '$all' } })
  expect(await ask(read)).toContain('by the ACL of account-7')
  double.log.setMetadata('account-7', {})
  expect(await ask(read)).toBeNull()
})

test('given a server without TLS, or a user by certificate, when asked, then it says what is open', async () => {
  expect(await ask(openRights(client, { ...SECURE, isSecure: false }))).toMatch(/^whoever reaches/)
  const read = openRights(client, { isSecure: true, user: null })
  expect(await ask(read)).toContain('$all')
  setDefaults(SINGLE_NODE)
  expect(await ask(read)).toBeNull()
})
