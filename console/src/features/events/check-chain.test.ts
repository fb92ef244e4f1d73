import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkChain } from './check-chain.ts'
import type { StoredEvent } from './stored-event.ts'

const sha = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** An event as the store keeps it, hashed by Node's own SHA-256. */
function stored(version: 1 | 2, prevHash: string): StoredEvent {
  const event = { stream: 'account-7', type: 'QuotaCredited', id: 'e-1' }
  const data = '{"at":1,"amount":5,"reason":"额度"}'
  const sealed = JSON.stringify({
    actor: 'system',
    ...event,
    ...(version === 2 ? { chainVersion: 2 } : {}),
    prevHash,
  })
  const hash =
    version === 1
      ? sha(prevHash, data, sealed)
      : sha(Buffer.from(prevHash || '0'.repeat(64), 'hex'), sha(data), sha(sealed))
  return {
    ...event,
    position: 9,
    revision: prevHash === '' ? 0 : 3,
    at: 1,
    recorded_at: 1,
    actor: 'system',
    actor_name: '',
    correlation_id: 'c',
    causation_id: null,
    data,
    metadata: `${sealed.slice(0, -1)},"hash":"${hash.toString('hex')}"}`,
  }
}

const BEFORE = 'ab'.repeat(32)

test.each([1, 2] as const)(
  'given an event of chain version %i, when checked, then bytes and link agree',
  (version) => {
    const first = checkChain(stored(version, ''), null)
    expect(first).toMatchObject({ version, isOwn: true, isLinked: true })
    const later = checkChain(stored(version, BEFORE), { position: 4, hash: BEFORE })
    expect(later).toMatchObject({ version, isOwn: true, isLinked: true, follows: BEFORE })
    expect(later.computed).toBe(later.stored)
  },
)

test('given a changed byte, another row or a missing neighbour, when checked, then each is found', () => {
  const event = stored(2, BEFORE)
  const previous = { position: 4, hash: BEFORE }
  const changed = { ...event, data: event.data.replace('5', '6') }
  expect(checkChain(changed, previous)).toMatchObject({ isOwn: false, isLinked: true })
  expect(checkChain({ ...event, stream: 'account-8' }, previous)).toMatchObject({ isOwn: false })
  expect(checkChain(event, { position: 4, hash: 'cd'.repeat(32) })).toMatchObject({
    isOwn: true,
    isLinked: false,
  })
  expect(checkChain(event, null)).toMatchObject({ isLinked: false })
  expect(checkChain({ ...event, metadata: '{}' }, previous)).toMatchObject({
    isOwn: false,
    stored: '',
  })
})
