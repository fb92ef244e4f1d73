import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fairShare } from './fair-share.ts'

const memberIds = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 })
const names = Array.from({ length: 1_024 }, (_, i) => `work/${i}`)

test('given members in any order, when work is shared out, then everybody comes to the same answer', () => {
  fc.assert(
    fc.property(memberIds, fc.array(fc.string(), { maxLength: 40 }), (members, names) => {
      const share = fairShare(members, names)
      expect(new Set(share.keys())).toEqual(new Set(names))
      for (const member of share.values()) expect(members).toContain(member)
      expect(fairShare(members.toReversed(), names.toReversed())).toEqual(
        new Map([...share].toReversed()),
      )
    }),
  )
})

test('given members, when one joins, then nothing moves but to it', () => {
  fc.assert(
    fc.property(memberIds, fc.uuid(), (members, joining) => {
      fc.pre(!members.includes(joining))
      const before = fairShare(members, names)
      const after = fairShare([...members, joining], names)
      for (const [name, member] of after) {
        if (member !== joining) expect(member).toBe(before.get(name))
      }
    }),
  )
})

test('given members, when one leaves, then nothing moves but what it had', () => {
  fc.assert(
    fc.property(memberIds, fc.nat(), (members, pick) => {
      const leaver = members[pick % members.length]
      const before = fairShare(members, names)
      const after = fairShare(
        members.filter((member) => member !== leaver),
        names,
      )
      for (const [name, member] of before) {
        if (member !== leaver) expect(after.get(name)).toBe(member)
      }
    }),
  )
})

test('given many names, when they are shared out, then no share is far from the mean', () => {
  fc.assert(
    fc.property(memberIds, (members) => {
      const counts = new Map(members.map((member) => [member, 0]))
      for (const member of fairShare(members, names).values()) {
        counts.set(member, (counts.get(member) ?? 0) + 1)
      }
      const part = 1 / members.length
      const mean = names.length * part
      // Six standard deviations of a fair draw: a test that hits it by chance is rarer than one in a million runs.
      const bound = 6 * Math.sqrt(mean * (1 - part))
      for (const count of counts.values()) {
        expect(Math.abs(count - mean)).toBeLessThanOrEqual(bound)
      }
    }),
  )
})

test('given nobody, when work is shared out, then nobody has it', () => {
  expect(fairShare([], ['a']).size).toBe(0)
})
