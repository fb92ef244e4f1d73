import { afterEach, expect, test, vi } from 'vitest'
import { saveRedemption } from './mutations.ts'
import { newRedemption } from './redemption-form.ts'

const UNIT = { unit: 'quota', quotaPerUnit: 500_000 } as const
const form = { ...newRedemption('quota', 500_000), name: 'spring' }
const code = { id: 7 } as Parameters<typeof saveRedemption>[1]

afterEach(() => vi.unstubAllGlobals())

/** Stands in for the server; gives the bodies that it was sent. */
function bodiesSent(): unknown[] {
  const bodies: unknown[] = []
  vi.stubGlobal('fetch', async (_address: unknown, { body }: { body: string }) => {
    bodies.push(JSON.parse(body))
    return Response.json({ success: true, message: '', data: ['a code'] })
  })
  return bodies
}

test('given whole numbers, when codes are made and changed, then they are sent as numbers', async () => {
  const bodies = bodiesSent()
  expect(await saveRedemption({ ...form, count: '2' }, null, UNIT)).toEqual(['a code'])
  expect(await saveRedemption({ ...form, quota: '5,000' }, code, UNIT)).toEqual([])
  expect(bodies).toEqual([
    { name: 'spring', quota: 100_000, count: 2 },
    { id: 7, name: 'spring', quota: 5_000 },
  ])
})

test.each([
  ['', '1'],
  ['ten', '1'],
  ['1.5', '1'],
  ['99999999999999999999', '1'],
  ['5', 'many'],
  ['5', '1.5'],
])('given the amount %j and %j codes, when saved, then nothing is sent', async (quota, count) => {
  const bodies = bodiesSent()
  await expect(saveRedemption({ ...form, quota, count }, null, UNIT)).rejects.toThrow(/^not an? /u)
  expect(bodies).toEqual([])
})
