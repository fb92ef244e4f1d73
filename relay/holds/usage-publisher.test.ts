import { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { report } from '@tollgate/infra/bus/nats/bus-under-test.ts'
import { expect, test } from 'vitest'
import { UsagePublisher } from './usage-publisher.ts'

test('given an account that is locked when its request ends, when it goes on, then the charge is taken once, and was never refused', async () => {
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
  expect({ asked, taken, refused, faults }).toEqual({
    asked: [false, true, true, true],
    taken: [charge],
    refused: [],
    faults: [],
  })
  expect(publisher.waiting).toBe(0)
})
