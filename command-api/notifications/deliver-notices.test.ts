import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  csvBatches,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { insertRegistered, setUserStatus } from '@tollgate/tests/support/user-status.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { userStore } from '../identity/user-store.ts'
import type { UserStore } from '../identity/users.ts'
import { type Mail, MailFailed } from '../mail/mailer.ts'
import { type NoticeDelivery, startNoticeDelivery } from './deliver-notices.ts'
import { noticeRows, type NoticeTable } from './notice-rows.ts'
import type { Notice } from './notifier.ts'
import { notificationOutbox } from './outbox.ts'
import { recipientRows } from './recipient.ts'
import { noticeRoutes } from './routes.ts'

const MINUTE = 60_000
let fixture: CommandApiFixture
let users: UserStore
let table: NoticeTable
const running: NoticeDelivery[] = []

/** Mails and posts that arrived, and the receivers' next answers. */
let mails: Mail[] = []
let posts: { readonly url: string; readonly key: string | null; readonly body: string }[] = []
let mailFails: Error | null = null
let webhookAnswers = 200

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  users = userStore(fixture.db)
  table = noticeRows(fixture.db)
})
afterAll(() => fixture.close())
beforeEach(async () => {
  mails = []
  posts = []
  mailFails = null
  webhookAnswers = 200
  await fixture.pool.query('delete from identity.notifications')
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((delivery) => delivery.stop()))
})

function startDelivery(changed: { readonly table?: NoticeTable } = {}): NoticeDelivery {
  const delivery = startNoticeDelivery({
    table,
    findRecipient: recipientRows(fixture.db, fixture.vault),
    mailer: {
      async send(mail) {
        if (mailFails !== null) throw mailFails
        mails.push(mail)
      },
    },
    async fetch(url, init = {}) {
      const headers = new Headers(init.headers)
      posts.push({
        url: String(url),
        key: headers.get('idempotency-key'),
        body: init.body as string,
      })
      return new Response(null, { status: webhookAnswers })
    },
    options: { current: () => optionsFrom([]), secret: () => '' },
    limit: { count: 2, windowMs: 10 * MINUTE },
    shareWork: singletonLease(fixture.clock),
    clock: fixture.clock,
    log: { warn() {} },
    everyMs: 10,
    ...changed,
  })
  running.push(delivery)
  return delivery
}

let names = 0
async function userWith(setting: object, email = ''): Promise<number> {
  const user = await insertRegistered(users, {
    username: `user${++names}`,
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
  })
  await fixture.pool.query('update identity.users set email = $2 where id = $1', [user.id, email])
  await users.update(user.id, {
    setting: JSON.stringify(setting),
    webhookSecret: fixture.vault.seal('webhook-secret', 'hush'),
  })
  return user.id
}
const WEBHOOK = { notify_type: 'webhook', webhook_url: 'https://hooks.example.com/in' }

let causes = 0
const noticeTo = (userId: number, type: Notice['type'] = 'quota_exceed'): Notice => ({
  userId,
  type,
  causationId: `cause-${++causes}`,
  title: '您的额度即将用尽',
  content: '{{value}}：{{value}}',
  values: ['您的额度即将用尽', '<b>1</b>'],
  english: { title: 'Running out', content: '{{value}}: {{value}}', values: ['Running out', '1'] },
  at: fixture.clock.now(),
})
const notify = (notice: Notice) => notificationOutbox(fixture.db, fixture.clock).notify(notice)

const all = async () =>
  (await table.page({ status: null, userId: 0 }, { offset: 0, limit: 100 })).notices
const ended = (count: number) =>
  until(
    `${count} notices have ended`,
    async () => (await all()).filter(({ status }) => status !== 'waiting').length === count,
  )
const tried = (attempts: number) =>
  until(`${attempts} attempts have failed`, async () => {
    const [notice] = await all()
    return notice?.attempts === attempts && notice.lastError !== ''
  })

test('given notices for mail and webhook, when delivered, then each goes where its user wants it, once', async () => {
  const ofMail = await userWith({}, 'ann@example.com')
  const elsewhere = await userWith(
    { notification_email: 'other@example.com', language: 'en' },
    'bob@example.com',
  )
  const ofWebhook = await userWith(WEBHOOK)
  for (const id of [ofMail, elsewhere, ofWebhook]) await notify(noticeTo(id))
  startDelivery()
  await ended(3)
  expect(mails.toSorted((a, b) => a.to.localeCompare(b.to))).toMatchObject([
    {
      to: 'ann@example.com',
      subject: '您的额度即将用尽',
      html: expect.stringContaining('<p>您的额度即将用尽：&#60;b&#62;1&#60;/b&#62;</p>'),
      text: expect.stringContaining('您的额度即将用尽：<b>1</b>\n\nTollgate'),
    },
    {
      to: 'other@example.com',
      subject: 'Running out',
      text: expect.stringMatching(/The user “.+” of Tollgate has asked for notices/),
    },
  ])
  expect(mails.find(({ to }) => to === 'ann@example.com')?.text).not.toContain('联系管理员')
  expect(posts).toHaveLength(1)
  expect(posts[0]?.url).toBe('https://hooks.example.com/in')
  expect(
    (await all()).map(({ status, channel, attempts }) => ({ status, channel, attempts })),
  ).toEqual([
    { status: 'delivered', channel: 'webhook', attempts: 1 },
    { status: 'delivered', channel: 'email', attempts: 1 },
    { status: 'delivered', channel: 'email', attempts: 1 },
  ])
})

test('given users who cannot be told, when delivered, then their notices are skipped with the reason', async () => {
  const nowhere = await userWith({})
  const noAddress = await userWith({ notify_type: 'webhook' }, 'ann@example.com')
  const deleted = await userWith({}, 'gone@example.com')
  await setUserStatus(users, deleted, { deletedAt: new Date() })
  for (const id of [nowhere, noAddress, deleted]) await notify(noticeTo(id))
  startDelivery()
  await ended(3)
  expect(
    (await all()).map(({ status, lastError, attempts }) => [status, lastError, attempts]),
  ).toEqual([
    ['skipped', 'the user is deleted', 0],
    ['skipped', 'the user has no webhook address', 0],
    ['skipped', 'the user has no e-mail address', 0],
  ])
  expect(mails).toEqual([])
  expect(posts).toEqual([])
})

test('given more of a type than the limit, when delivered, then only that user’s rest is skipped', async () => {
  const one = await userWith({}, 'ann@example.com')
  const other = await userWith({}, 'bob@example.com')
  for (let i = 0; i < 4; i++) await notify(noticeTo(one))
  await notify(noticeTo(one, 'channel_test'))
  await notify(noticeTo(other))
  startDelivery()
  await ended(6)
  expect(mails.map(({ to }) => to).sort()).toEqual([
    'ann@example.com',
    'ann@example.com',
    'ann@example.com',
    'bob@example.com',
  ])
  const skipped = (await all()).filter(({ status }) => status === 'skipped')
  expect(skipped.map(({ lastError }) => lastError)).toEqual(
    Array.from({ length: 2 }, () => 'more than 2 of its type within 10 min'),
  )
  fixture.pass(10 * MINUTE)
  await notify(noticeTo(one))
  await ended(7)
  expect(mails).toHaveLength(5)
})

test('given a receiver that fails, when tried again with growing pauses, then it gets the notice, one key', async () => {
  await notify(noticeTo(await userWith(WEBHOOK)))
  webhookAnswers = 500
  startDelivery()
  await tried(1)
  expect((await all())[0]).toMatchObject({
    status: 'waiting',
    lastError: 'the webhook answered 500',
    nextAttemptAt: fixture.clock.now() + 10_000,
  })
  fixture.pass(10_000)
  await tried(2)
  // An attempt that is under way is counted, too.
  await expect.poll(async () => (await all())[0]?.nextAttemptAt).toBe(fixture.clock.now() + 20_000)
  webhookAnswers = 204
  fixture.pass(20_000)
  await ended(1)
  expect((await all())[0]).toMatchObject({ status: 'delivered', attempts: 3, lastError: '' })
  expect(new Set(posts.map(({ key }) => key)).size).toBe(1)
  expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
})

test('given a receiver that never succeeds, when tried to the end, then an administrator can retry it', async () => {
  await notify(noticeTo(await userWith(WEBHOOK)))
  webhookAnswers = 404
  startDelivery()
  for (let attempt = 1; attempt < 12; attempt++) {
    await tried(attempt)
    fixture.pass(60 * MINUTE)
  }
  await ended(1)
  const [given] = await all()
  expect(given).toMatchObject({ status: 'given-up', attempts: 12 })
  expect(posts).toHaveLength(12)

  webhookAnswers = 200
  const routes = noticeRoutes({ table, clock: fixture.clock, onRetried() {} })
  const retry = (id: number) =>
    callRoute(routes, 'POST /api/ledger/notices/:id/retry', {
      params: { id: String(id) },
      caller: callerWith(1, 10),
    })
  expect(await retry(given?.id ?? 0)).toEqual({})
  await until('it is delivered', async () => (await all())[0]?.status === 'delivered')
  expect(posts).toHaveLength(13)
  expect(await retry(given?.id ?? 0)).toMatchObject({ success: false })
})

test('given a mail that no server will ever take, when tried, then it is given up at once', async () => {
  await notify(noticeTo(await userWith({}, 'ann@example.com')))
  mailFails = new MailFailed('MAIL_NOT_CONFIGURED', 'SMTP 服务器未配置', false)
  startDelivery()
  await ended(1)
  expect((await all())[0]).toMatchObject({
    status: 'given-up',
    attempts: 1,
    lastError: 'SMTP 服务器未配置',
  })
})

test('given a crash between sending and recording, when another takes over, then it sends with that key', async () => {
  await notify(noticeTo(await userWith(WEBHOOK)))
  const dying: NoticeTable = { ...table, end: () => new Promise(() => undefined) }
  const first = startDelivery({ table: dying })
  await until('it is sent', () => posts.length === 1)
  await first.stop()
  startDelivery()
  // The attempt that was cut off still counts as under way.
  expect((await all())[0]).toMatchObject({ status: 'waiting', attempts: 1 })
  fixture.pass(MINUTE)
  await ended(1)
  expect(posts).toHaveLength(2)
  expect(posts[1]?.key).toBe(posts[0]?.key)
  expect((await all())[0]).toMatchObject({ status: 'delivered', attempts: 2 })
})

test('given a failure at any boundary, when tried again, then the notice arrives, with one key if twice', async () => {
  const boundaries = ['due', 'deliveredSince', 'claim', 'end', 'postpone'] as const
  for (const boundary of boundaries) {
    await fixture.pool.query('delete from identity.notifications')
    posts = []
    await notify(noticeTo(await userWith(WEBHOOK)))
    let failures = 0
    const failing = (): Promise<never> | null =>
      failures++ === 0 ? Promise.reject(new Error(`no ${boundary}`)) : null
    // To postpone something, it has to fail first.
    webhookAnswers = boundary === 'postpone' ? 500 : 200
    const delivery = startDelivery({
      table: {
        ...table,
        [boundary]: (...given: never[]) =>
          failing() ?? (table[boundary] as (...all: never[]) => Promise<unknown>)(...given),
      },
    })
    await until(`${boundary} has failed`, () => failures > 0)
    webhookAnswers = 200
    await until(`it is delivered in spite of ${boundary}`, async () => {
      fixture.pass(MINUTE)
      return (await all())[0]?.status === 'delivered'
    })
    await delivery.stop()
    expect(posts.length).toBeLessThanOrEqual(2)
    expect(new Set(posts.map(({ key }) => key)).size).toBe(1)
  }
})

test('given two processes that both believe to send, when there is much to send, then each goes once', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, i) => userWith({}, `many${i}@example.com`)),
  )
  for (const id of ids) await notify(noticeTo(id))
  startDelivery()
  startDelivery()
  await ended(20)
  expect(mails).toHaveLength(20)
  expect(new Set(mails.map(({ id }) => id)).size).toBe(20)
})

test('given notices from before anybody sent them, when delivery starts, then they are no news any more', async () => {
  await notify(noticeTo(await userWith({}, 'ann@example.com')))
  fixture.pass(25 * 60 * MINUTE)
  startDelivery()
  await ended(1)
  expect((await all())[0]).toMatchObject({ status: 'skipped', lastError: 'too old' })
})

test('given what ended long ago, when delivery starts, then it is forgotten', async () => {
  await notify(noticeTo(await userWith({})))
  startDelivery()
  await ended(1)
  fixture.pass(91 * 24 * 60 * MINUTE)
  startDelivery()
  await until('it is gone', async () => (await all()).length === 0)
})

test('given notices, when an administrator lists them, then pages, filters and no contents are answered', async () => {
  const id = await userWith({})
  await notify(noticeTo(id))
  await notify(noticeTo(await userWith({}, 'ann@example.com')))
  startDelivery()
  await ended(2)
  const routes = noticeRoutes({ table, clock: fixture.clock, onRetried() {} })
  const list = (query: Record<string, string>) =>
    callRoute(routes, 'GET /api/ledger/notices', { query, caller: callerWith(1, 10) })
  const peer = await userWith({})
  await fixture.pool.query('update identity.users set role = 10 where id = $1', [peer])
  await notify(noticeTo(peer))
  startDelivery()
  await ended(3)
  expect((await list({ user_id: String(peer) })).data).toMatchObject({
    items: [{ status: 'skipped', last_error: '' }],
  })
  await fixture.pool.query('delete from identity.notifications where user_id = $1', [peer])
  expect(await list({ page_size: '1' })).toMatchObject({
    data: { total: 2, page: 1, page_size: 1, items: [{ status: 'delivered', channel: 'email' }] },
  })
  expect((await list({ status: 'skipped' })).data).toEqual({
    total: 1,
    page: 1,
    page_size: 10,
    items: [
      {
        id: expect.any(Number),
        user_id: id,
        type: 'quota_exceed',
        title: '您的额度即将用尽',
        status: 'skipped',
        channel: null,
        attempts: 0,
        last_error: 'the user has no e-mail address',
        happened_at: expect.any(Number),
        recorded_at: expect.any(Number),
        next_attempt_at: expect.any(Number),
        ended_at: expect.any(Number),
      },
    ],
  })
  expect(await list({ user_id: String(id) })).toMatchObject({ data: { total: 1 } })
  expect(await list({ status: 'lost' })).toMatchObject({ success: false })
})

test('given waiting notices that are sent during their export, when it goes on, then no other is skipped', async () => {
  await fixture.pool.query(
    `insert into identity.notifications
       (user_id, type, causation_id, title, content, content_values, happened_at, recorded_at)
     select 5, 'quota_exceed', 'cause ' || n, 't', 'c', '[]', now(), now()
     from generate_series(1, 1500) n`,
  )
  const routes = noticeRoutes({ table, clock: fixture.clock, onRetried() {} })
  const seen: unknown[] = []
  const batches = csvBatches(routes, 'GET /api/ledger/notices', {
    query: { status: 'waiting' },
    caller: callerWith(1, 10),
  })
  for await (const rows of batches) {
    seen.push(...rows.map((row) => row['id']))
    await fixture.pool.query(
      'update identity.notifications set delivered_at = now() where id = any($1)',
      [seen.slice(0, 500)],
    )
  }
  expect([seen.length, new Set(seen).size]).toEqual([1_500, 1_500])
})
