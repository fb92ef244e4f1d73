import { userId } from '@tollgate/domain/ids.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KeptThought } from '../protocols/chat/kept-thought.ts'
import { ThoughtKeep } from './thought-keep.ts'

const HOUR_MS = 3_600_000
const ALICE = userId(7)
const BOB = userId(8)
const thought = (text: string): KeptThought => ({
  blocks: [{ type: 'reasoning', text, signature: 's' }],
  signature: '',
})
function keepAt(bounds: ConstructorParameters<typeof ThoughtKeep>[1] = {}) {
  const clock = { ms: 0, monotonicMs: () => clock.ms }
  return { clock, keep: new ThoughtKeep(clock, bounds) }
}

test('given a kept thought, when looked for, then its account alone finds it, for an hour', () => {
  const { clock, keep } = keepAt()
  keep.of(ALICE).keep('claude', 'call', thought('a'))
  clock.ms = HOUR_MS - 1
  expect(keep.of(ALICE).find('claude', ['other', 'call'])).toEqual(
    new Map([['call', thought('a')]]),
  )
  expect(keep.of(BOB).find('claude', ['call'])).toEqual(new Map())
  expect(keep.of(ALICE).find('gemini', ['call'])).toEqual(new Map())
  clock.ms = HOUR_MS
  expect(keep.of(ALICE).find('claude', ['call'])).toEqual(new Map())
  // The next that is kept lets go of what is too old.
  keep.of(BOB).keep('claude', 'call', thought('b'))
  keep.of(BOB).keep('claude', 'call', thought('b'))
  expect(keep.bytes).toBe(2 * ('claude:call'.length + 'bs'.length))
})

test('given too many thoughts of one account, when kept, then its own oldest go, and no other’s', () => {
  const { keep } = keepAt({ accountEntriesMax: 2 })
  keep.of(BOB).keep('claude', 'call-0', thought('bob'))
  for (const id of ['call-1', 'call-2', 'call-3']) keep.of(ALICE).keep('claude', id, thought(id))
  const found = keep.of(ALICE).find('claude', ['call-1', 'call-2', 'call-3'])
  expect([...found.keys()]).toEqual(['call-2', 'call-3'])
  expect(keep.of(BOB).find('claude', ['call-0']).size).toBe(1)
})

test('given a thought beyond the bound, when kept, then it is not', () => {
  const { keep } = keepAt({ entryBytesMax: 100 })
  keep.of(ALICE).keep('claude', 'call', thought('x'.repeat(60)))
  keep.of(ALICE).keep('claude', 'c'.repeat(300), thought('x'))
  expect(keep.bytes).toBe(0)
})

test('given any thoughts of any accounts, when kept, then the bounds hold and bytes add up', () => {
  const bounds = { entryBytesMax: 200, accountBytesMax: 500, accountEntriesMax: 4, bytesMax: 900 }
  const kept = fc.record({
    account: fc.integer({ min: 1, max: 5 }).map(userId),
    call: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    length: fc.integer({ min: 0, max: 120 }),
    afterMs: fc.integer({ min: 0, max: HOUR_MS / 2 }),
  })
  fc.assert(
    fc.property(fc.array(kept, { maxLength: 60 }), (all) => {
      const { clock, keep } = keepAt(bounds)
      for (const { account, call, length, afterMs } of all) {
        clock.ms += afterMs
        keep.of(account).keep('claude', call, thought('x'.repeat(length)))
        const found = [1, 2, 3, 4, 5].map((id) => [
          ...keep.of(userId(id)).find('claude', ['a', 'b', 'c', 'd', 'e', 'f']).entries(),
        ])
        const bytes = found.map((own) =>
          own.reduce(
            (sum, [key, { blocks }]) =>
              sum +
              2 *
                (`claude:${key}s`.length +
                  (blocks[0]?.type === 'reasoning' ? blocks[0].text.length : 0)),
            0,
          ),
        )
        expect(Math.max(...found.map((own) => own.length))).toBeLessThanOrEqual(4)
        expect(Math.max(...bytes)).toBeLessThanOrEqual(500)
        expect(keep.bytes).toBeLessThanOrEqual(900)
        // Thoughts that are too old may still be counted.
        expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(keep.bytes)
        const isTaken = 2 * (`claude:${call}s`.length + length) <= 200
        if (isTaken) expect(keep.of(account).find('claude', [call]).size).toBe(1)
      }
    }),
  )
})
