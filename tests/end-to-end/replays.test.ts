import { replayAnswer } from '@tollgate/projections/replays/replay-entity.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { call, chat, type SeededProduct, seedAccounts } from '../api/seeded.ts'
import type { Person } from '../api/people.ts'
import { until } from '../support/processes.ts'

let seeded: SeededProduct
beforeAll(async () => {
  seeded = await seedAccounts()
  await chat(seeded)
}, 60_000)
afterAll(() => seeded.stop(), 30_000)

/** A replay's thread loads its modules first. */
const ENDED_MS = 30_000

type Told = z.infer<typeof replayAnswer>

const estimate = z.object({ charges: z.int(), duration_ms: z.int().nullable() })

const all = () => ({ name: 'all', from: 0, to: Date.now() + 60_000, by: ['model'] })

async function ended(who: Person, id: string): Promise<Told> {
  let seen: Told | null = null
  const hasEnded = async (): Promise<boolean> => {
    const { data } = await call(seeded, who, 'GET', `/api/replays/${id}`)
    seen = replayAnswer.parse(data)
    return seen.status !== 'queued' && seen.status !== 'running'
  }
  await until('the replay has ended', hasEnded, ENDED_MS)
  if (seen === null) throw new Error('never seen')
  return seen
}

async function replayed(who: Person, body: object): Promise<Told> {
  const answered = await call(seeded, who, 'POST', '/api/replays', body)
  expect(answered).toMatchObject({ success: true, data: { status: 'queued' } })
  return ended(who, replayAnswer.parse(answered.data).id)
}

const items = z.object({
  items: z.array(z.looseObject({ key: z.string(), requests: z.number(), quota: z.number() })),
})

test('given charges, when replayed over HTTP, then sums are the ledger’s and the result can be managed', async () => {
  const { admin, whole } = seeded
  const done = await replayed(admin, all())
  const sql = `select count(*)::int as charges, sum((data::jsonb->>'amount')::bigint)::bigint as quota
    from ledger.events where type = 'UsageCharged'`
  const { rows } = await whole.database.pool.query<{ charges: number; quota: number }>(sql)
  expect(done).toMatchObject({ status: 'done', charges: rows[0]?.charges, problem: null })
  const path = `/api/replays/${done.id}`
  const total = await call(seeded, admin, 'GET', `${path}/data?sum=true`)
  expect(items.parse(total.data).items).toMatchObject([{ key: '', quota: rows[0]?.quota }])
  const file = await fetch(`${whole.tollgate.url}${path}/export?by=model&format=jsonl`, {
    headers: admin.headers,
  })
  expect(file.headers.get('content-type')).toBe('application/x-ndjson')
  expect(JSON.parse((await file.text()).split('\n')[0] ?? '')).toMatchObject({ key: 'gpt-4o-mini' })
  const renamed = await call(seeded, admin, 'PATCH', path, { name: 'renamed' })
  expect(renamed).toMatchObject({ data: { name: 'renamed' } })
  const cancelled = await call(seeded, admin, 'POST', `${path}/cancel`)
  expect(cancelled).toMatchObject({ success: false, code: 'replay_ended' })
  expect(await call(seeded, admin, 'POST', `${path}/rerun`)).toMatchObject({ success: true })
  expect(await ended(admin, done.id)).toMatchObject({ status: 'done', charges: rows[0]?.charges })
  expect(await call(seeded, admin, 'DELETE', path)).toMatchObject({ success: true })
  expect(await call(seeded, admin, 'GET', path)).toMatchObject({ code: 'replay_unknown' })
})

test('given a time, when its replay is estimated, then all charges count, a user’s own for them', async () => {
  const { admin, ann, bob, whole } = seeded
  const path = `/api/replays/estimate?from=0&to=${Date.now() + 60_000}`
  const { rows } = await whole.database.pool.query<{ charges: number }>(
    `select count(*)::int as charges from ledger.events where type = 'UsageCharged'`,
  )
  await until(
    'the dashboard has counted',
    async () => {
      const { data } = await call(seeded, admin, 'GET', path)
      return estimate.parse(data).charges === rows[0]?.charges
    },
    ENDED_MS,
  )
  const own = estimate.parse((await call(seeded, ann, 'GET', path)).data)
  expect(own.charges).toBeGreaterThan(0)
  expect(await call(seeded, bob, 'GET', path)).toMatchObject({ data: { charges: 0 } })
  const reversed = await call(seeded, admin, 'GET', '/api/replays/estimate?from=2&to=1')
  expect(reversed).toMatchObject({ success: false, code: 'replay_range_invalid' })
})

test('given replays of others, when a user replays, then it is their own usage and all that they see', async () => {
  const { ann, bob, admin } = seeded
  const ofAnn = await replayed(ann, { ...all(), prices: 'today' })
  expect(ofAnn).toMatchObject({ owner: ann.id, filters: { users: [ann.id] } })
  expect(ofAnn.charges).toBeGreaterThan(0)
  expect((await replayed(bob, all())).charges).toBe(0)
  const listed = await call(seeded, bob, 'GET', '/api/replays')
  expect(listed).toMatchObject({ data: { total: 1, items: [{ owner_name: 'bob' }] } })
  expect(await call(seeded, bob, 'GET', `/api/replays/${ofAnn.id}`)).toMatchObject({
    code: 'replay_unknown',
  })
  expect(await call(seeded, admin, 'GET', `/api/replays/${ofAnn.id}`)).toMatchObject({
    success: true,
  })
  for (const more of [{ by: ['user'] }, { by: ['model+channel'] }, { filters: { users: [1] } }]) {
    const refused = await call(seeded, ann, 'POST', '/api/replays', { ...all(), ...more })
    expect(refused).toMatchObject({ success: false, code: 'replay_own_only' })
  }
})

test.each([
  [{ to: 0 }, 'replay_range_invalid'],
  [{ from: 'yesterday' }, 'replay_range_invalid'],
  [{ zone: 'Mars' }, 'replay_zone_invalid'],
  [{ bucket: 'minute' }, 'replay_bucket_invalid'],
  [{ by: ['user+model', 'user+group'] }, 'replay_by_invalid'],
  [{ by: ['color'] }, 'replay_by_invalid'],
  [{ name: ' ' }, 'replay_name_invalid'],
  [{ filters: { colour: 1 } }, 'replay_filters_invalid'],
  [{ positions: { first: 2, last: 1 } }, 'replay_positions_invalid'],
  [{ positions: { first: -1 } }, 'replay_positions_invalid'],
  [{ prices: 'cheap' }, 'replay_prices_invalid'],
  [{ prices: { options: { SystemName: 'x' } } }, 'replay_draft_not_pricing'],
  [{ prices: { options: { ModelRatio: '{"x": -1}' } } }, 'replay_draft_invalid'],
])('given %j, when a replay is asked for, then %s says what is wrong', async (more, code) => {
  const refused = await call(seeded, seeded.admin, 'POST', '/api/replays', {
    ...all(),
    ...more,
  })
  expect(refused).toMatchObject({ success: false, code })
})
