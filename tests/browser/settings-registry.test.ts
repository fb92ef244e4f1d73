import { expect, test } from 'vitest'
import { defaultText, OPTION_KEYS, ruleOf } from '@tollgate/domain/settings/catalogue.ts'
import { isSameText, optionProblem } from '../../console/src/features/settings/option-form.ts'
import type { OptionKey } from '../../console/src/features/settings/options.ts'
import { OPTIONS, specOf } from '../../console/src/features/settings/options.ts'

/** Kept because scripts read them; they do nothing, so no screen shows them. */
const WITHOUT_EFFECT = [
  'FileUploadPermission',
  'FileDownloadPermission',
  'ImageUploadPermission',
  'ImageDownloadPermission',
]

const KEYS = Object.keys(OPTIONS) as OptionKey[]

test('given the options of the server, when the settings are read, then each has its place in them', () => {
  const shown = new Set<string>([...KEYS, ...WITHOUT_EFFECT])
  expect([...OPTION_KEYS].filter((key) => !shown.has(key))).toEqual([])
  expect(KEYS.filter((key) => !(OPTION_KEYS as readonly string[]).includes(key))).toEqual([])
})

test.each(KEYS)(
  'given %s, when compared with the server, then kind and default are the same',
  (key) => {
    const spec = specOf(key)
    const { isHidden, kind, check } = ruleOf(key)
    expect(spec.kind === 'secret').toBe(isHidden)
    if (spec.kind === 'switch') expect(kind).toBe('flag')
    if (spec.kind === 'table') expect(kind).toBe('json')
    if (spec.initial === null) return
    expect(isSameText(spec, spec.initial, defaultText(key))).toBe(true)
    expect(optionProblem(spec, spec.initial)).toBeNull()
    if (spec.kind !== 'number') return
    // The least and the greatest value, and what lies just outside, are judged alike.
    const step = spec.isWhole ? 1 : 0.01
    const edges = [spec.min - step, spec.min, ...(spec.max ? [spec.max, spec.max + step] : [])]
    for (const value of edges) {
      const text = String(Math.round(value * 100) / 100)
      expect([text, optionProblem(spec, text) === null]).toEqual([text, check(text, key) === null])
    }
  },
)
