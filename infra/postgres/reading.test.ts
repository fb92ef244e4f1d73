import { expect, test } from 'vitest'
import { reading } from './reading.ts'

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))

test.each(['53300', '57P03', '57P01', 'ECONNREFUSED'])(
  'given a database that fails with %s, when read, then the failure says that it passes',
  async (code) => {
    await expect(reading(failing(code))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      cause: { code },
    })
  },
)

test('given a query that is wrong, when read, then its failure is left as it is', async () => {
  await expect(reading(failing('42P01'))).rejects.toMatchObject({ code: '42P01' })
  expect(await reading(() => Promise.resolve(7))).toBe(7)
})
