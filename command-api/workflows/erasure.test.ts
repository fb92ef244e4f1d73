import { accountStream, channelStream, userStream } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type ChangeOfUser, userDecider } from '@tollgate/domain/user/decider.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NEW_CHANNEL } from '../channels/channel-fields.ts'
import { insertSecrets, addChannel, executeOnChannel } from '../channels/channel-writer.ts'
import { executeOn } from '../aggregates/aggregate.ts'
import { type WorkflowManager, startWorkflowManager } from './manager/workflow-manager.ts'
import { workflowRows } from './manager/workflow-rows.ts'
import { channelSecrets } from '../secrets/channel-secrets.ts'
import { tokenSecrets } from '../secrets/token-secrets.ts'
import { taskPayloads } from '../tasks/payloads.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { registerUser } from '../users/project-user.ts'
import { userRecovery } from './user-recovery.ts'
import { accessTokens } from '../identity/access-tokens.ts'
import { adjustmentNotes } from '../identity/adjustment-notes.ts'
import { erasure } from './erasure.ts'
import { sessionRows } from '../identity/sessions.ts'
import { tokenAddresses } from '../identity/token-addresses.ts'
import { userStore } from '../identity/user-store.ts'
import type { User } from '../identity/users.ts'

let fixture: CommandApiFixture
let manager: WorkflowManager
let parts: ReturnType<typeof partsOf>
const cause = { actor: 'user:1', correlationId: 'test', causationId: null } as const

const partsOf = ({ db, vault, clock, entropy, ...rest }: CommandApiFixture) => ({
  users: userStore(db),
  sessions: sessionRows({ db, clock, entropy, ...rest }),
  access: accessTokens(db, vault, entropy),
  tokens: tokenSecrets(db, vault, clock),
  channels: channelSecrets(db, vault, clock),
  tasks: taskPayloads(db, clock),
  notes: adjustmentNotes(db),
  addresses: tokenAddresses(db),
})

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  parts = partsOf(fixture)
  manager = await startWorkflowManager({
    ...fixture,
    table: workflowRows(fixture.db),
    shareWork: singletonLease(fixture.clock),
    kinds: [...erasure(parts), ...userRecovery({ ...fixture, users: parts.users })],
    log: { warn: () => undefined },
  })
})
afterAll(async () => {
  await manager.stop()
  await fixture.close()
})

let made = 0
async function userWithSession(): Promise<{ readonly user: User; readonly session: string }> {
  const user = await parts.users.insert({
    username: `user${++made}`,
    passwordHash: 'hash',
    displayName: '',
    role: 1,
    openingQuota: 10,
    openingSource: 'sign-up',
  })
  await registerUser({ ...fixture, users: parts.users }, user.id, cause)
  return { user, session: (await parts.sessions.open(user.id)).token }
}

/** Writes the event, as a request does before it dies. */
const change = (user: User, command: ChangeOfUser) =>
  executeOn(fixture, { stream: userStream(user.id), decider: userDecider, command }, cause)

test('given a deletion that died, when the manager follows, then sessions, credentials and account end', async () => {
  const { user } = await userWithSession()
  const secret = await parts.access.renew(user.id)
  const drawing = {
    user: user.id,
    token: null,
    channel: channelId(1),
    platform: 'mj',
    action: 'IMAGINE',
    upstreamId: '1',
    code: 1,
    charge: null,
  } as const
  const { payload } = await parts.tasks.insert(drawing, { prompt: 'a cat' })
  const note = await parts.notes.keep(user.id, 'told by Ann')
  const ofAnother = await parts.notes.keep(user.id + 1_000, 'told by Bob')
  const bound = await parts.addresses.keep(user.id, ['192.0.2.1'])
  await change(user, { type: 'DeleteUser', by: null })
  const sessionsOf = async () => {
    const { rows } = await fixture.pool.query(
      'select 1 from identity.sessions where user_id = $1',
      [user.id],
    )
    return rows.length
  }
  await until('the sessions are gone', async () => (await sessionsOf()) === 0)
  await until('the credentials are gone', async () => {
    const row = await parts.users.byId(user.id, { isDeletedWanted: true })
    return row?.passwordHash === null && row.accessTokenCiphertext === null
  })
  await until('the prompt is gone', async () => {
    const contents = await parts.tasks.contents([payload.id])
    return contents.get(payload.id)?.prompt === ''
  })
  await until('the note is gone', async () => {
    const words = await parts.notes.byIds([note, ofAnother])
    return !words.has(note) && words.get(ofAnother) === 'told by Bob'
  })
  await until('the addresses are gone', async () => {
    const [read] = await parts.addresses.read([bound])
    return read?.[0] === bound[0]
  })
  expect(await parts.access.find(secret)).toBeNull()
  expect(await fixture.ledger.inspect(user.id, ({ status }) => status)).toBe('suspended')
  const types = (await fixture.eventsOf(accountStream(user.id))).map(({ type }) => type)
  expect(types.filter((type) => type === 'AccountSuspended')).toHaveLength(1)
  expect(await fixture.eventsOf(userStream(user.id))).toHaveLength(2)
})

test('given a user whose role was changed, when they sign in again, then only older sessions end', async () => {
  const { user, session } = await userWithSession()
  await change(user, { type: 'ChangeUserRole', by: null, role: 10 })
  fixture.pass(1)
  const later = await parts.sessions.open(user.id)
  await until('the old session is gone', async () => (await parts.sessions.find(session)) === null)
  expect(await parts.sessions.find(later.token)).toMatchObject({ userId: user.id, role: 10 })
})

test('given a token’s deletion that died, when the manager follows, then its key goes and its name stays', async () => {
  const { user } = await userWithSession()
  const terms = { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] }
  const wanted = { user: user.id, name: 'gone', remain: quota(1), terms, cause }
  const issued = await issueToken({ ...fixture, secrets: parts.tokens }, wanted)
  if (issued.status !== 'done') throw new Error('not issued')
  const { token } = issued
  await fixture.ledger.execute(user.id, { type: 'DeleteToken', token }, cause)
  await until('the key is gone', async () => {
    const described = await parts.tokens.describe([token])
    return described.get(token)?.key === ''
  })
  expect((await parts.tokens.describe([token])).get(token)?.name).toBe('gone')
})

test('given a channel whose deletion died after its event, when the manager follows, then its key is gone', async () => {
  const writer = { ...fixture, secrets: parts.channels }
  const secret = { name: 'c', key: 'k', proxy: '' }
  const terms = { ...NEW_CHANNEL, type: 1, models: ['m'] }
  const [id = channelId(0)] = await insertSecrets(writer, [secret], terms)
  await addChannel(writer, id, terms, cause)
  await executeOnChannel(writer, { id, command: { type: 'DeleteChannel' } }, cause)
  await until('the key is gone', async () => (await parts.channels.open(id)) === null)
  expect((await fixture.eventsOf(channelStream(id))).at(-1)?.type).toBe('ChannelDeleted')
})
