import { expect, test } from 'vitest'
import { toCsv } from './csv.ts'

test('given commas, quotes and line breaks, when written, then a reader gets the same cells', () => {
  expect(toCsv(['a', 'b'], [['x,y', 'say "hi"\nnow']])).toBe(
    '\uFEFFa,b\r\n"x,y","say ""hi""\nnow"\r\n',
  )
})

test('given a text that looks like a formula, when written, then it cannot run; numbers stay numbers', () => {
  expect(toCsv(['a', 'b'], [['=HYPERLINK("x")', -5]])).toBe(
    '\uFEFFa,b\r\n"\'=HYPERLINK(""x"")",-5\r\n',
  )
})
