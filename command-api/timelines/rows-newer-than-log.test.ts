import { userStore } from '../identity/user-store.ts'
import { redemptionWorkflows } from '../workflows/redemption-credit.ts'
import { type ChannelSecrets, channelSecrets } from '../secrets/channel-secrets.ts'
import { type RedemptionSecrets, redemptionSecrets } from '../secrets/redemption-secrets.ts'
import { type TokenSecrets, tokenSecrets } from '../secrets/token-secrets.ts'
import { channelRecovery } from '../workflows/channel-recovery.ts'
import { registerUser } from '../users/project-user.ts'
import { userRecovery } from '../workflows/user-recovery.ts'
import type { UserStore } from '../identity/users.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { tokenRecovery } from '../workflows/token-recovery.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { redemptionId } from '@tollgate/domain/ids.ts'
import { NO_QUOTA } from '@tollgate/domain/quota.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { setUserStatus } from '@tollgate/tests/support/user-status.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptRollback } from './accept-rollback.ts'

/** Rows are written before the events that name them: a log that was put back may not have those any more. */
const places = { log: 'the log', database: 'the database', isLogInDatabase: true }
let fixture: CommandApiFixture
let deps: CommandApiFixture & { readonly users: UserStore }
let channels: ChannelSecrets
let tokens: TokenSecrets
let codes: RedemptionSecrets
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const terms = { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] }

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  deps = {
    ...fixture,
    users: userStore(fixture.db),
  }
  channels = channelSecrets(fixture.db, fixture.vault, fixture.clock)
  tokens = tokenSecrets(fixture.db, fixture.vault, fixture.clock)
  codes = redemptionSecrets(fixture.db, fixture.vault, fixture.clock)
})
afterAll(() => fixture.close())

const recover = (): Promise<number> =>
  recoverRows(fixture, [
    ...userRecovery(deps, 0, 0),
    ...channelRecovery({ ...fixture, secrets: channels }, 0, 0),
    tokenRecovery({ tokens, ledger: fixture.ledger }, 0),
    ...redemptionWorkflows({ ...deps, secrets: codes }, 0),
  ])

const insertUser = (username: string) =>
  deps.users.insert({
    username,
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 500,
    openingSource: 'sign-up',
  })
const typesOf = async (stream: string) => (await fixture.eventsOf(stream)).map(({ type }) => type)

test('given rows newer than the log, when a rollback is accepted and rows swept, then they agree with it', async () => {
  // In the log and in the rows: touched since, but nothing may happen to them.
  const old = await insertUser('old')
  await registerUser(deps, old.id, cause)
  const issued = await issueToken(
    { ...fixture, secrets: tokens },
    { user: old.id, name: 'old', remain: NO_QUOTA, terms, cause },
  )
  if (issued.status !== 'done') throw new Error(JSON.stringify(issued))
  const { token } = issued
  const key = (await tokens.describe([token])).get(token)?.key ?? ''
  const before = await typesOf(accountStream(old.id))

  // A ban of the lost part, which the row still has.
  await setUserStatus(deps.users, old.id, { isBanned: true, revision: 7 })
  // In the rows alone, and there as if all had gone well.
  const recent = await insertUser('recent')
  const older = await insertUser('older')
  const lost = await tokens.insert({ userId: old.id, name: 'lost', key: 'k1' })
  const channel = await channels.insert({ name: 'lost', key: 'k2', proxy: '' }, '1 ')
  const [code = redemptionId(1)] = await codes.insert('lost', ['k3'])
  await fixture.pool.query(
    `update identity.users set is_pending = false, is_opened = true, revision = greatest(revision, 0)`,
  )
  // As a process of before revisions writes it.
  await fixture.pool.query('update identity.users set revision = -1 where id = $1', [older.id])
  await fixture.pool.query(`update secrets.tokens set is_pending = false`)
  await fixture.pool.query(`update secrets.channels set is_pending = false`)
  await codes.settle(code)

  await acceptRollback(fixture, fixture.db, places)
  expect(await recover()).toBe(7)

  for (const { id } of [recent, older]) {
    expect(await typesOf(accountStream(id))).toEqual(['AccountOpened', 'QuotaCredited'])
  }
  expect(await deps.users.byId(old.id)).toMatchObject({ isBanned: false })
  expect(await tokens.findByKey('k1')).toBeNull()
  expect((await tokens.describe([lost])).get(lost)).toMatchObject({ key: '' })
  expect(await channels.open(channel)).toBeNull()
  expect(await codes.findByCode('k3')).toBeNull()
  expect((await codes.describe([code])).get(code)).toMatchObject({ code: '' })
  expect(await typesOf(accountStream(old.id))).toEqual(before)
  expect(await tokens.findByKey(key)).toEqual({ id: token, userId: old.id })
  expect(await recover()).toBe(0)
})
