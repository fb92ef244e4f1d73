import { expect, test } from 'vitest'
import { csvLine } from './csv-line.ts'

test.each([
  [-12_500_000, '-12500000'],
  ['-12500000', '-12500000'],
  ['-0.55', '-0.55'],
  ['9007199254740993', '9007199254740993'],
  [false, 'false'],
])('given the number %j, when written, then a spreadsheet reads a number', (value, cell) => {
  expect(csvLine([value, 1])).toBe(`${cell},1\r\n`)
})

test.each([
  ['=1+2', "'=1+2"],
  ['-2+3', "'-2+3"],
  ['-1\n=2', `"'-1\n=2"`],
  ['-5\n', `"'-5\n"`],
  ['-', "'-"],
  ['-.5', "'-.5"],
  ['-1e3', "'-1e3"],
  ['- 1', "'- 1"],
  ['+12', "'+12"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ["-1|'cmd'!A0", `'-1|'cmd'!A0`],
])('given the text %j, when written, then a spreadsheet does not run it', (value, cell) => {
  expect(csvLine([value, 1])).toBe(`${cell},1\r\n`)
})
