import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import type { ChargeUsage } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { unopenedAccount } from '@tollgate/domain/account/state.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { holdId, userId } from '@tollgate/domain/ids.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { describe, expect, test } from 'vitest'
import { LateCharges } from './late-charges.ts'

const hold = holdId(userId(7), 1, null)
const other = holdId(userId(7), 2, null)
const charge = (sequence: number, of = hold): ChargeUsage => ({
  type: 'ChargeUsage',
  endedAt: 0,
  hold: of,
  sequence,
  token: null,
  amount: quota(1),
  request: exampleUsage(`r${sequence}`),
  chargedBefore: null,
})
const charged = (sequence: number, of = hold): AccountEvent => {
  const amount = quota(1)
  const paid = { amount, fromHold: amount, fromWallet: quota(0), late: false }
  const request = exampleUsage(`r${sequence}`)
  return {
    type: 'UsageCharged',
    data: { at: 1, hold: of, sequence, token: null, ...paid, request, endedAt: 1 },
  }
}
const ended = (accepted: readonly (readonly [number, number])[] | null): AccountEvent => ({
  type: 'HoldExpired',
  data: { at: 1, hold, amount: quota(0), cause: 'silence', accepted },
})
const filler: AccountEvent = { type: 'AccountResumed', data: { at: 1 } }

/** A stream of these events, that notes which revisions were read. */
function streamOf(events: readonly AccountEvent[]) {
  const read: number[] = []
  async function* readStream(): AsyncGenerator<RecordedEvent> {
    for (const [at, event] of [...events.entries()].toReversed()) {
      read.push(at)
      yield { ...event, revision: at, metadata: { hash: `h${at}` } } as unknown as RecordedEvent
    }
  }
  const head = { revision: events.length - 1, hash: `h${events.length - 1}` }
  return { store: { readStream } as Pick<EventStore, 'readStream'>, head, read }
}

async function judged(events: readonly AccountEvent[], sequences: readonly number[]) {
  const { store, head, read } = streamOf(events)
  const late = new LateCharges(exampleTimelines)
  const chargedBefore: unknown[] = []
  for (const sequence of sequences) {
    await late.scan(store, 'account-7', { head, state: unopenedAccount() }, charge(sequence))
    chargedBefore.push(Reflect.get(late.informed(charge(sequence)), 'chargedBefore'))
  }
  return { chargedBefore, read }
}

describe('given a hold that has ended,', () => {
  test('when its end says what was accepted, then a late charge is judged without reading further back', async () => {
    const before = Array.from({ length: 100 }, () => filler)
    const { chargedBefore, read } = await judged(
      [...before, charged(1), ended([[1, 2]]), filler, charged(5), charged(9, other)],
      [1, 2, 3, 5, 9],
    )
    expect(chargedBefore).toEqual([true, true, false, true, false])
    expect(read).toEqual([104, 103, 102, 101])
  })

  test('when its end is of version 1, then the stream is read back to the opening of the hold', async () => {
    const { chargedBefore, read } = await judged(
      [filler, filler, charged(1), ended(null), charged(4)],
      [1, 2, 4],
    )
    expect(chargedBefore).toEqual([true, false, true])
    expect(read).toEqual([4, 3, 2, 1, 0])
  })

  test('when the state remembers its end, then nothing is read', async () => {
    const { store, head, read } = streamOf([filler, filler, ended([[1, 1]])])
    const late = new LateCharges(exampleTimelines)
    const state = { ...unopenedAccount(), ended: new Map([[hold, [[1, 1]]] as const]) }
    await late.scan(store, 'account-7', { head, state }, charge(1))
    expect(read).toEqual([])
    expect(late.informed(charge(1))).toEqual(charge(1))
  })

  test('when the reader lacks the event at which the account ends, then the charge is not judged', async () => {
    const events = [filler, charged(1), ended(null), charged(2)]
    const { store } = streamOf(events.slice(0, 3))
    const late = new LateCharges(exampleTimelines)
    const { head } = streamOf(events)
    await expect(
      late.scan(store, 'account-7', { head, state: unopenedAccount() }, charge(2)),
    ).rejects.toBeInstanceOf(StoreUnavailable)
  })
})
