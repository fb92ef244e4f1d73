import { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { report } from '@tollgate/tests/support/bus-under-test.ts'
import { setTimeout } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { UsagePublisher } from './usage-publisher.ts'

test('given an account locked at a request’s end, when it goes on, then the charge is taken once', async () => {
  const asked: boolean[] = []
  const taken: UsageReport[] = []
  const refused: UsageReport[] = []
  const faults: unknown[] = []
  const publisher = new UsagePublisher({
    journal: {
      publish: (message, isRepeated = false) => {
        asked.push(isRepeated)
        if (asked.length < 4)
          return Promise.reject(new ForeignEvent('account-7', 3, 'it cannot be read'))
        if (message.type === 'usage') taken.push(message)
        return Promise.resolve()
      },
    },
    spool: {
      save: () => Promise.resolve(true),
      saveNow: () => undefined,
      delivered: () => undefined,
      setAside: (charge) => Promise.resolve(void refused.push(charge)),
    },
    clock: { sleep: () => Promise.resolve(), monotonicMs: () => 0 },
    onFault: (error) => faults.push(error),
  })
  const charge = report(1)
  await publisher.publish(charge)
  await vi.waitFor(() => expect(publisher.waiting).toBe(0))
  expect({ asked, taken, refused, faults }).toEqual({
    asked: [false, true, true, true],
    taken: [charge],
    refused: [],
    faults: [],
  })
})

test('given a locked account, when its charge is on disk, then its client waits no longer, else it does', async () => {
  let isLocked = true
  let hasRoom = false
  let saves = 0
  const waiting = new AbortController()
  const publisher = new UsagePublisher({
    journal: {
      publish: () =>
        isLocked
          ? Promise.reject(new ForeignEvent('account-7', 3, 'it cannot be read'))
          : Promise.resolve(),
    },
    spool: {
      save: () => {
        saves += 1
        return Promise.resolve(hasRoom)
      },
      saveNow: () => undefined,
      delivered: () => undefined,
      setAside: () => Promise.resolve(),
    },
    clock: { sleep: () => setTimeout(5), monotonicMs: () => 0 },
    onFault: (error) => expect.unreachable(String(error)),
  })
  const answered = publisher.publish(report(1)).finally(() => waiting.abort())
  await vi.waitFor(() => expect(saves).toBeGreaterThan(3))
  expect(waiting.signal.aborted).toBe(false)
  hasRoom = true
  await answered
  expect(publisher.waiting).toBe(1)
  isLocked = false
  await vi.waitFor(() => expect(publisher.waiting).toBe(0))
})
