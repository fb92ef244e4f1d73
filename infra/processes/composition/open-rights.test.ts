import { expect, test, vi } from 'vitest'
import type { Runtime } from '../runtime.ts'
import { watchOpenRights } from './open-rights.ts'

test('given rights that are open for a while, when checked often, then it is logged once and then cleared', async () => {
  let isOpen = true
  let asked = 0
  const warn = vi.fn<(text: string) => void>()
  const logger = { warn } as unknown as Runtime['logger']
  const readOpenRights = async (): Promise<string | null> => {
    asked += 1
    if (!isOpen) return null
    if (asked % 2 === 0) throw new Error('away')
    return 'open'
  }
  const watch = watchOpenRights({ readOpenRights }, { logger }, 5)
  await vi.waitFor(() => expect(watch.warning()).toBe('open'))
  await vi.waitFor(() => expect(asked).toBeGreaterThan(4))
  isOpen = false
  await vi.waitFor(() => expect(watch.warning()).toBeNull())
  await watch.stop()
  expect(warn.mock.calls).toEqual([['event-store: open']])
})
