import { userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { TEST_CAUSE } from '@tollgate/tests/support/users-under-test.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ORPHAN_AGE_SECONDS } from './orphan-recovery.ts'
import { type TokenSecrets, tokenSecrets } from '../secrets/token-secrets.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { tokenRecovery } from './token-recovery.ts'

const user = userId(1)
const terms = { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] }
let fixture: CommandApiFixture
let tokens: TokenSecrets

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  tokens = tokenSecrets(fixture.db, fixture.vault, fixture.clock)
  await fixture.ledger.execute(user, { type: 'OpenAccount' }, TEST_CAUSE)
  const credit = { type: 'CreditQuota', amount: quota(9), source: 'grant', reason: '' } as const
  await fixture.ledger.execute(user, credit, TEST_CAUSE)
})
afterAll(() => fixture.close())

const issued = async (name: string) => {
  const wanted = { user, name, remain: quota(1), terms, cause: TEST_CAUSE }
  const outcome = await issueToken({ ...fixture, secrets: tokens }, wanted)
  if (outcome.status !== 'done') throw new Error('not issued')
  return outcome.token
}
const keyOf = async (id: number) => (await tokens.describe([id])).get(id)?.key
const recover = () => recoverRows(fixture, [tokenRecovery({ ...fixture, tokens })])
const age = (seconds: number) =>
  fixture.pool.query(
    'update secrets.tokens set touched_at = touched_at - make_interval(secs => $1)',
    [seconds],
  )

test('given a row whose event never came, when it ages, then its key is forgotten and not before', async () => {
  const lost = await tokens.insert({ userId: user, name: 'lost', key: 'k1' })
  const kept = await issued('kept')
  const key = await keyOf(kept)
  await age(ORPHAN_AGE_SECONDS - 60)
  expect(await recover()).toBe(0)
  expect(await keyOf(lost)).toBe('k1')
  await age(120)
  expect(await recover()).toBe(2)
  expect(await keyOf(lost)).toBe('')
  expect(await tokens.findByKey('k1')).toBeNull()
  expect(await keyOf(kept)).toBe(key)
  expect(await recover()).toBe(0)
})

test('given an orphan whose key cannot be decrypted, when it ages, then it is forgotten all the same', async () => {
  const lost = await tokens.insert({ userId: user, name: 'lost', key: 'k4' })
  await fixture.pool.query(
    String.raw`update secrets.tokens set key_ciphertext = '\x01' where id = $1`,
    [lost],
  )
  await age(ORPHAN_AGE_SECONDS + 60)
  expect(await recover()).toBe(1)
  expect(await keyOf(lost)).toBe('')
})

test('given a deletion cut off around its event, when rows age, then the token works on or is gone', async () => {
  const [before, after] = [await issued('before'), await issued('after')]
  await fixture.ledger.execute(user, { type: 'DeleteToken', token: after }, TEST_CAUSE)
  await age(ORPHAN_AGE_SECONDS + 60)
  await recover()
  expect(await keyOf(before)).not.toBe('')
  expect((await tokens.describe([after])).get(after)).toMatchObject({ name: 'after', key: '' })
})

test('given an account that cannot be asked, when its row ages, then it waits and others are done', async () => {
  const lost = await tokens.insert({ userId: user, name: 'lost', key: 'k2' })
  const locked = await tokens.insert({ userId: 2, name: 'locked', key: 'k3' })
  await age(ORPHAN_AGE_SECONDS + 60)
  const inspect: typeof fixture.ledger.inspect = (id, look) =>
    id === user ? fixture.ledger.inspect(id, look) : Promise.reject(new Error('no'))
  expect(await recoverRows(fixture, [tokenRecovery({ tokens, ledger: { inspect } })])).toBe(1)
  expect([await keyOf(lost), await keyOf(locked)]).toEqual(['', 'k3'])
})
