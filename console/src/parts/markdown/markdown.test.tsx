import { ChakraProvider } from '@chakra-ui/react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createConsoleSystem } from '../../core/system.ts'
import Markdown from './markdown.tsx'

const system = createConsoleSystem()

const drawn = (text: string): string =>
  renderToStaticMarkup(
    <ChakraProvider value={system}>
      <Markdown text={text} />
    </ChakraProvider>,
  )

test('given Markdown with HTML in it, when drawn, then both become elements', () => {
  const html = drawn('# Hello\n\n[docs](https://docs.example.com) and <b>bold</b>\n\n- one')
  expect(html).toContain('<h1>Hello</h1>')
  expect(html).toContain('<a href="https://docs.example.com">docs</a>')
  expect(html).toContain('<b>bold</b>')
  expect(html).toContain('<li>one</li>')
})

test('given HTML that could do harm, when drawn, then nothing of it is left', () => {
  const html = drawn(
    [
      'Before <img src="x" onerror="alert(1)"> <a href="javascript:alert(2)">go</a> after',
      '<script>alert(3)</script>',
      '<iframe src="https://evil.example"></iframe>',
      '<p style="position:fixed">over all</p>',
      '[here](javascript:alert(4))',
    ].join('\n\n'),
  )
  expect(html).toContain('Before')
  expect(html).toContain('over all')
  expect(html).not.toMatch(/onerror|javascript:|<script|alert\(3\)|<iframe|position:fixed/)
})

test('given a table in Markdown, when drawn, then it is a table with its alignment, and its cells are as safe', () => {
  const html = drawn(
    [
      '| Plan | Price |',
      '| --- | ---: |',
      '| ~~Basic~~ | <img src="x" onerror="alert(1)">$1 |',
      '| [go](javascript:alert(2)) | $9 |',
    ].join('\n'),
  )
  expect(html).toContain('<th>Plan</th>')
  expect(html).toMatch(/<td style="text-align:right">.*\$1<\/td>/u)
  expect(html).toContain('<del>Basic</del>')
  expect(html.match(/<tr>/gu)).toHaveLength(3)
  expect(html).not.toMatch(/onerror|javascript:/u)
})
