import { expect, test } from 'vitest'
import { documentTokens, FILE_ELSEWHERE, videoTokens } from './file-tokens.ts'

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')
const page = '5 0 obj << /Type /Page /Parent 2 0 R /Contents 6 0 R >> endobj\n'
const pdf = (pages: number, more = ''): string =>
  `%PDF-1.4\n2 0 obj << /Type /Pages /Kids [] ${more} >> endobj\n${page.repeat(pages)}%%EOF`

test.each([
  ['one page', pdf(1), 1],
  ['thirty pages', pdf(30), 30],
  ['a count beyond its pages', pdf(3, '/Count 12'), 12],
  ['a count below its pages', pdf(3, '/Count 1'), 3],
  ['more pages than any vendor reads', pdf(1_200), 400],
  ['its pages compressed', `%PDF-1.7 << /Type /ObjStm >> ${'x'.repeat(19_970)}`, 10],
  ['nothing that shows a page', `%PDF-1.7 ${'x'.repeat(5_991)}`, 3],
])('given a PDF with %s, when bounded, then each page counts', (_what, text, pages) => {
  const { bound, counted } = documentTokens(base64(text))
  expect(bound).toBe(pages * 5_000)
  expect(documentTokens(`data:application/pdf;base64,${base64(text)}`)).toEqual({ bound, counted })
})

test('given another document, when bounded, then it has no more tokens than bytes', () => {
  expect(documentTokens(base64('x'.repeat(9_000))).bound).toBe(9_000)
  expect(documentTokens(base64('x'.repeat(3_000_000))).bound).toBe(2_000_000)
  expect(documentTokens('')).toEqual(FILE_ELSEWHERE)
})

test('given a video, when bounded, then it is by the seconds that its bytes are at most', () => {
  // 150,000 bytes are ten seconds of 300 tokens.
  expect(videoTokens(base64('x'.repeat(150_000)))).toBe(3_000)
  expect(videoTokens('')).toBe(5_000)
})
