import { expect, test } from 'vitest'
import { isEditOutdated } from './words.ts'

const edited = { from: 100, to: 600, reason_code: 'balance_edited', note: '' }
const facts = (adjustment: Parameters<typeof isEditOutdated>[0]['facts']['adjustment']) => ({
  reason: '',
  adjustment,
  late: false,
  service_at: null,
})

test.each([
  ['set to the balance of its line', facts(edited), 600, false],
  ['set while charges came in', facts(edited), 590, true],
  ['told by an old text', facts({ legacy_text: '管理员将用户额度从 1 修改为 2' }), 590, false],
  ['not set', facts(null), 590, false],
])(
  'given a balance %s, when its line is written, then it names entries in between only if any were',
  (_, told, balance, is) => {
    expect(isEditOutdated({ facts: told, balance })).toBe(is)
  },
)
