import { expect, test } from 'vitest'
import type { Channel } from '../../core/contract.ts'
import { modelsLeftWithout, shareOf } from './impact.ts'

const channel = (id: number, status: number, models: string) => ({ id, status, models }) as Channel

test('given channels that share models, when one goes off, then only what it alone served is named', () => {
  const channels = [channel(1, 1, 'a,b'), channel(2, 1, 'b'), channel(3, 2, 'a')]
  expect(modelsLeftWithout(channels, new Set([1]))).toEqual(['a'])
  expect(modelsLeftWithout(channels, new Set([1, 2]))).toEqual(['a', 'b'])
  expect(modelsLeftWithout(channels, new Set([3]))).toEqual([])
})

test('given requests by channel, when some go off, then their share is never rounded to none or all of it', () => {
  const traffic = {
    requests: 1000,
    channels: [
      { id: 1, requests: 410 },
      { id: 2, requests: 588 },
      { id: 3, requests: 2 },
    ],
  }
  const share = (...ids: number[]) => shareOf(traffic, new Set(ids))
  expect(share(1)).toEqual({ requests: 410, percent: 41 })
  expect(share(3)).toEqual({ requests: 2, percent: 1 })
  expect(share(1, 2)).toEqual({ requests: 998, percent: 99 })
  expect(share(1, 2, 3)).toEqual({ requests: 1000, percent: 100 })
  expect(share(9)).toEqual({ requests: 0, percent: 0 })
  expect(shareOf({ requests: 0, channels: [] }, new Set([1]))).toBeNull()
})
