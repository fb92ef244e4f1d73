import {
  type StandInUpstream,
  startStandInUpstream,
} from '@tollgate/infra/demo/stand-in-upstream.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { call } from '../api/seeded.ts'
import { addPerson, type Person, signIn } from '../api/people.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

/** Reading what belongs to others: an admin about root and peers, whoever holds a key, an admin inside the network. */
let whole: WholeTollgate
let upstream: StandInUpstream
let root: Person
let admin: Person
let peer: Person
let ann: Person
let channelId = 0

beforeAll(async () => {
  upstream = await startStandInUpstream({ models: ['gpt-4o', 'gpt-4o-mini'] })
  whole = await startWholeTollgate({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  channelId = await whole.root.addChannel({
    name: 'steady',
    key: 'sk-upstream',
    base_url: upstream.url,
    models: 'gpt-4o,gpt-4o-mini',
  })
  root = await signIn(whole, 'root')
  admin = await addPerson(whole, 'admin', 10)
  peer = await addPerson(whole, 'peer', 10)
  ann = await addPerson(whole, 'ann')
}, 60_000)
afterAll(async () => {
  await whole?.stop()
  await upstream?.stop()
}, 30_000)

const as = (person: Person | null, method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
  call({ whole }, person, method, path, body)

test('given everybody’s personal settings, when an admin lists users, then only those below tell theirs', async () => {
  for (const person of [root, admin, peer, ann]) {
    const saved = await as(person, 'PUT', '/api/user/setting', {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: `https://hook-${person.username}.example/secret-path`,
      webhook_secret: 'whsec-never-told',
      accept_unset_model_ratio_model: false,
    })
    expect(saved).toMatchObject({ success: true })
    await whole.database.pool.query('update identity.users set email = $2 where id = $1', [
      person.id,
      `${person.username}@mail.example`,
    ])
  }
  const heard = async (path: string) => JSON.stringify(await as(admin, 'GET', path))
  for (const path of [
    '/api/user/?page_size=100',
    '/api/user/search?keyword=&page_size=100',
    '/api/user/search?keyword=root&page_size=100',
    '/api/user/search?keyword=mail.example&page_size=100',
    `/api/user/${root.id}`,
    `/api/user/${peer.id}`,
    '/api/ledger/notices?page_size=100',
  ]) {
    const text = await heard(path)
    for (const secret of ['hook-root', 'hook-peer', 'root@mail', 'peer@mail', 'whsec']) {
      expect([path, text.includes(secret)]).toEqual([path, false])
    }
  }
  expect(await heard('/api/user/?page_size=100')).toContain('ann@mail.example')
  // A search that finds by an e-mail would tell it letter by letter.
  const totals = z.object({ data: z.object({ total: z.number() }) })
  for (const letters of ['root@', 'peer@m']) {
    const found = await as(admin, 'GET', `/api/user/search?keyword=${letters}`)
    expect(totals.parse(found).data.total).toBe(0)
  }
})

test('given a key bound to an address, when its log is read from another one, then nothing is told', async () => {
  await as(root, 'PUT', '/api/user', { id: ann.id, quota: 5_000_000 })
  const made = await as(ann, 'POST', '/api/token', {
    name: 'bound',
    unlimited_quota: true,
    expired_time: -1,
    allow_ips: '198.51.100.0/24',
  })
  expect(made).toMatchObject({ success: true })
  const { key } = await tokenNamed('bound', ann)
  const from = async (ip: string) => {
    const url = `${whole.tollgate.url}/api/log/token?key=sk-${key}`
    return (await fetch(url, { headers: { 'x-forwarded-for': ip } })).json()
  }
  expect(await from('203.0.113.9')).toMatchObject({ success: false, data: [] })
  expect(await from('198.51.100.7')).toEqual({ success: true, message: '', data: [] })
})

async function tokenNamed(name: string, person: Person) {
  const listed = z.object({ data: z.array(z.object({ name: z.string(), key: z.string() })) })
  const found = listed
    .parse(await as(person, 'GET', '/api/token'))
    .data.find((token) => token.name === name)
  if (found === undefined) throw new Error(`no token ${name}`)
  return found
}

test('given an admin’s key for one model, when it names its channel, then it is still limited', async () => {
  await as(root, 'PUT', '/api/user', { id: admin.id, quota: 5_000_000 })
  const made = await as(admin, 'POST', '/api/token', {
    name: 'one-model',
    unlimited_quota: true,
    expired_time: -1,
    model_limits_enabled: true,
    model_limits: 'gpt-4o-mini',
  })
  expect(made).toMatchObject({ success: true })
  const { key } = await tokenNamed('one-model', admin)
  const chat = (model: string) =>
    fetch(`${whole.tollgate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer sk-${key}-${channelId}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
    })
  expect((await chat('gpt-4o')).status).toBe(403)
  expect((await chat('gpt-4o-mini')).status).toBe(200)
})

test('given a private network, when an admin uses channels there, then upstream is never asked', async () => {
  const before = upstream.received()
  const inside = { type: 1, name: 'probe', key: 'sk-x', models: 'gpt-4o', group: 'default' }
  const { port } = new URL(upstream.url)
  for (const address of [
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://2130706433:${port}`,
    `http://[::ffff:127.0.0.1]:${port}`,
    `http://0.0.0.0:${port}`,
    'http://10.0.0.7',
  ]) {
    const body = { ...inside, base_url: address }
    expect(await as(admin, 'POST', '/api/channel', body)).toMatchObject({ success: false })
    const listing = { type: 1, key: 'sk-x', base_url: address }
    expect(await as(admin, 'POST', '/api/channel/fetch_models', listing)).toMatchObject({
      success: false,
    })
    const moved = { id: channelId, key: 'sk-x', base_url: address }
    if (address !== upstream.url) {
      expect(await as(admin, 'PUT', '/api/channel', moved)).toMatchObject({ success: false })
    }
  }
  for (const path of ['test', 'fetch_models', 'update_balance']) {
    expect(await as(admin, 'GET', `/api/channel/${path}/${channelId}`)).toMatchObject({
      success: false,
    })
  }
  expect(upstream.received()).toBe(before)
  expect(await as(root, 'GET', `/api/channel/test/${channelId}`)).toMatchObject({ success: true })
})
