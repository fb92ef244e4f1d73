import { expect, test } from 'vitest'
import { optionsFrom } from './options.ts'
import { usableGroups, VISITOR_GROUP } from './usable-groups.ts'

const options = optionsFrom([['UserUsableGroups', '{"vip":"贵宾"}']])

test.each([
  ['vip', [['vip', '贵宾']]],
  [
    'svip',
    [
      ['vip', '贵宾'],
      ['svip', '用户分组'],
    ],
  ],
  [
    VISITOR_GROUP,
    [
      ['vip', '贵宾'],
      ['', '用户分组'],
      ['default', 'default'],
    ],
  ],
])(
  'given a user of group "%s", when asked, then the usable groups include their own',
  (group, expected) => {
    expect([...usableGroups(options, group)]).toEqual(expected)
  },
)
