import { expect, test } from 'vitest'
import type { Channel } from '../../core/contract.ts'
import { modelsLeftWithout } from './impact.ts'

const channel = (id: number, status: number, models: string) => ({ id, status, models }) as Channel

test('given channels that share models, when one goes off, then only what it alone served is named', () => {
  const channels = [channel(1, 1, 'a,b'), channel(2, 1, 'b'), channel(3, 2, 'a')]
  expect(modelsLeftWithout(channels, new Set([1]))).toEqual(['a'])
  expect(modelsLeftWithout(channels, new Set([1, 2]))).toEqual(['a', 'b'])
  expect(modelsLeftWithout(channels, new Set([3]))).toEqual([])
})
