import { expect, test } from 'vitest'
import { eachChannel } from './each-channel.ts'

function runtime() {
  const pauses: number[] = []
  const warnings: object[] = []
  return {
    pauses,
    warnings,
    bulkPauseMs: 2_000,
    clock: {
      now: () => 0,
      monotonicMs: () => 0,
      sleep: async (ms: number) => void pauses.push(ms),
    },
    log: { warn: (facts: object) => void warnings.push(facts) },
  }
}

test('given channels and a pause, when worked on, then they come one by one with the pause between', async () => {
  const deps = runtime()
  const steps: string[] = []
  await eachChannel(deps, [3, 5], new AbortController().signal, async (id) => {
    steps.push(`begin ${id}`)
    await Promise.resolve()
    steps.push(`end ${id}, ${deps.pauses.length} pauses`)
  })
  expect(steps).toEqual(['begin 3', 'end 3, 0 pauses', 'begin 5', 'end 5, 1 pauses'])
  expect(deps.pauses).toEqual([2_000])
})

test('given a channel that fails, when worked on, then it is logged and the next follows unless aborted', async () => {
  const deps = runtime()
  const ending = new AbortController()
  const seen: number[] = []
  await eachChannel(deps, [1, 2, 3], ending.signal, async (id) => {
    seen.push(id)
    if (id === 2) ending.abort()
    throw new Error('no')
  })
  expect(seen).toEqual([1, 2])
  expect(deps.warnings).toMatchObject([{ channel: 1 }, { channel: 2 }])
})
