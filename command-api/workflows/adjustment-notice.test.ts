import { accountStream } from '@tollgate/domain/event.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from './manager/run-steps.ts'
import type { EventTriggeredWorkflow } from './manager/workflow.ts'
import { adjustmentNotes } from '../identity/adjustment-notes.ts'
import { notificationOutbox } from '../notifications/outbox.ts'
import { adjustmentNotice } from './adjustment-notice.ts'

let fixture: CommandApiFixture
let kind: EventTriggeredWorkflow
const account = userId(7)
const BY_ADMIN = { actor: 'user:1', correlationId: 'request', causationId: null } as const
const BY_SYSTEM = { ...BY_ADMIN, actor: 'system' } as const
const GRANT = { type: 'CreditQuota', source: 'grant', amount: quota(500_000) } as const

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  kind = adjustmentNotice({
    notifier: notificationOutbox(fixture.db, fixture.clock),
    notes: adjustmentNotes(fixture.db),
    options: { current: () => optionsFrom([]) },
  })
  const { ledger } = fixture
  await ledger.execute(account, { type: 'OpenAccount' }, BY_SYSTEM)
  // The credits that an account opens with: by the system, or by an administrator in the name of the user's row.
  await ledger.execute(account, { ...GRANT, reason: '' }, BY_SYSTEM)
  const ofRow = { ...BY_ADMIN, causationId: 'identity.users/7' }
  await ledger.execute(account, { ...GRANT, reason: '' }, ofRow)
  await ledger.execute(account, { ...GRANT, source: 'refund', reason: '' }, BY_ADMIN)
  await ledger.execute(account, { ...GRANT, reason: '' }, BY_ADMIN)
  const debit = { type: 'DebitQuota', amount: quota(3), reason: '管理员将…' } as const
  // An edit that may be posted again names its request as the cause.
  const posted = { ...BY_ADMIN, causationId: '0b0c4a52-6a31-4c0f-9a8b-0f2f8a6a3f11' }
  await ledger.execute(account, debit, posted)
  const note = await adjustmentNotes(fixture.db).keep(account, '误充')
  const edit = { type: 'AdjustQuota', from: quota(500_000), to: quota(1_000_000), note } as const
  await ledger.execute(account, edit, BY_ADMIN)
})
afterAll(() => fixture.close())

const adjustments = async (): Promise<readonly RecordedEvent[]> =>
  (await fixture.eventsOf(accountStream(account))).filter((event) => kind.isDecidedBy(event))

test('given an account, when its events are read, then only administrators’ changes are adjustments', async () => {
  expect((await adjustments()).map(({ type, revision }) => [type, revision])).toEqual([
    ['QuotaCredited', 4],
    ['QuotaDebited', 5],
    ['QuotaCredited', 6],
  ])
})

test('given adjustments, when driven again, then each is told to its user once, as in its log row', async () => {
  for (const event of [...(await adjustments()), ...(await adjustments())]) {
    const driven = await runSteps(kind.steps(event), '', {
      clock: fixture.clock,
      signal: fixture.signal,
    })
    expect(driven).toEqual({ status: 'done' })
  }
  const { rows } = await fixture.pool.query(
    `select user_id::int, type, causation_id, content, content_values, delivered_at
     from identity.notifications order by id`,
  )
  const [grant, debit, edit] = await adjustments()
  const title = '您的额度已被管理员调整'
  const common = { user_id: 7, type: 'quota_adjusted', content: '{{value}}：{{value}}' }
  expect(rows).toEqual([
    {
      ...common,
      causation_id: grant?.id,
      content_values: JSON.stringify([title, '管理员增加用户额度 ＄1.000000 额度']),
      delivered_at: null,
    },
    {
      ...common,
      causation_id: debit?.id,
      content_values: JSON.stringify([title, '管理员将…']),
      delivered_at: null,
    },
    {
      ...common,
      causation_id: edit?.id,
      content_values: JSON.stringify([
        title,
        '管理员将用户额度从 ＄1.000000 额度修改为 ＄2.000000 额度，原因：误充',
      ]),
      delivered_at: null,
    },
  ])
})
