import { tokenId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { TEST_CAUSE } from '@tollgate/tests/support/users-under-test.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TokenAddresses, tokenAddresses } from '../identity/token-addresses.ts'
import { ORPHAN_AGE_SECONDS } from './orphan-recovery.ts'
import { tokenAddressRecovery } from './token-address-recovery.ts'

const user = userId(1)
const token = tokenId(1)
let fixture: CommandApiFixture
let addresses: TokenAddresses

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  addresses = tokenAddresses(fixture.db)
  await fixture.ledger.execute(user, { type: 'OpenAccount' }, TEST_CAUSE)
  await fixture.ledger.execute(
    user,
    { type: 'IssueToken', token, remain: quota(1), isFirst: true, ...terms([]) },
    TEST_CAUSE,
  )
})
afterAll(() => fixture.close())

const terms = (allowedIps: readonly string[]) => ({
  unlimited: true,
  expiresAt: null,
  group: '',
  models: null,
  allowedIps,
})
async function bind(address: string): Promise<readonly string[]> {
  const allowedIps = await addresses.keep(user, [address])
  await fixture.ledger.execute(
    user,
    { type: 'ReviseToken', token, remainChange: quota(0), ...terms(allowedIps) },
    TEST_CAUSE,
  )
  return allowedIps
}
const recover = () => recoverRows(fixture, [tokenAddressRecovery({ ...fixture, addresses })])
const age = (seconds: number) =>
  fixture.pool.query(
    'update identity.token_addresses set checked_at = checked_at - make_interval(secs => $1)',
    [seconds],
  )

test('given rules that bind no token, when they age, then they alone are forgotten', async () => {
  const lost = await addresses.keep(user, ['192.0.2.1'])
  const former = await bind('192.0.2.2')
  const present = await bind('192.0.2.3')
  await age(ORPHAN_AGE_SECONDS - 60)
  expect(await recover()).toBe(0)
  await age(120)
  expect(await recover()).toBe(3)
  expect(await addresses.read([lost, former, present])).toEqual([lost, former, ['192.0.2.3']])
  expect(await recover()).toBe(0)
})

test('given the rule of a token that is deleted since, when it is looked for again, then it is forgotten', async () => {
  const present = await bind('192.0.2.4')
  await age(ORPHAN_AGE_SECONDS + 60)
  await recover()
  expect(await addresses.read([present])).toEqual([['192.0.2.4']])
  await fixture.ledger.execute(user, { type: 'DeleteToken', token }, TEST_CAUSE)
  await age(ORPHAN_AGE_SECONDS + 60)
  await recover()
  expect(await addresses.read([present])).toEqual([present])
})
