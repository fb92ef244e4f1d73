import { expect, test } from 'vitest'
import { createInFlight } from './in-flight.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('given more appends than may be under way, when some are done, then the next start in order', async () => {
  const inFlight = createInFlight()
  const started: number[] = []
  const gates = Array.from({ length: 300 }, () => Promise.withResolvers<number>())
  const all = gates.map((gate, index) =>
    inFlight.run(10, () => {
      started.push(index)
      return gate.promise
    }),
  )
  await turn()
  expect(started.length).toBe(256)
  gates[5]?.resolve(5)
  gates[6]?.reject(new Error('gone'))
  await Promise.allSettled([all[5], all[6]])
  await turn()
  expect(started.slice(256)).toEqual([256, 257])
  for (const [index, gate] of gates.entries()) gate.resolve(index)
  expect((await Promise.allSettled(all)).filter((one) => one.status === 'rejected').length).toBe(1)
})

test('given a large append above the bound, when nothing else is under way, then it goes alone', async () => {
  const inFlight = createInFlight()
  const gate = Promise.withResolvers<void>()
  const started: string[] = []
  const large = inFlight.run(100 * 1024 * 1024, () => {
    started.push('large')
    return gate.promise
  })
  const small = inFlight.run(1, async () => {
    started.push('small')
  })
  await turn()
  expect(started).toEqual(['large'])
  gate.resolve()
  await Promise.all([large, small])
  expect(started).toEqual(['large', 'small'])
})
