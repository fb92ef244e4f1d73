import { ChakraProvider } from '@chakra-ui/react'
import { createInstance } from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { I18nextProvider } from 'react-i18next'
import { beforeAll, expect, test } from 'vitest'
import { createConsoleSystem } from '../../core/system.ts'
import first from '../../locales/zh/first.json'
import Markdown from './markdown.tsx'

const system = createConsoleSystem()
const i18n = createInstance()

beforeAll(async () => {
  await i18n.init({ lng: 'zh', resources: { zh: { translation: first } } })
})

const drawn = (...texts: readonly string[]): string =>
  renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <ChakraProvider value={system}>
        {texts.map((text) => (
          <Markdown key={text} text={text} />
        ))}
      </ChakraProvider>
    </I18nextProvider>,
  )

const values = (html: string, attribute: string): readonly string[] =>
  [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'gu'))].flatMap(
    ([, value]) => value ?? [],
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

test('given a table in Markdown, when drawn, then it keeps its alignment and its cells are sanitised', () => {
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

test('given footnotes in two texts, when drawn, then each link leads to an id of its own text, there once', () => {
  const text =
    'Prices[^1] and limits[^limits], again[^1].\n\n[^1]: By token.\n[^limits]: By minute.'
  const html = drawn(text, `${text} `)
  const ids = values(html, 'id')
  const links = values(html, 'href')
  expect(links).toHaveLength(2 * 6)
  expect(new Set(ids).size).toBe(ids.length)
  expect(links.filter((link) => !ids.includes(link.slice(1)))).toEqual([])
  expect(values(html, 'aria-describedby').filter((id) => !ids.includes(id))).toEqual([])
  expect(html).toContain('>脚注</h2>')
  expect(values(html, 'aria-label').slice(0, 2)).toEqual(['返回引用处 1', '返回引用处 1-2'])
})

test('given ids in an operator’s HTML, when drawn, then its own links work and no page id is taken', () => {
  const html = drawn(
    '[down](#part) [top](#) [out](/about#part)\n\n<p id="part" name="content">here</p>',
  )
  const [id = ''] = values(html, 'id')
  expect(id).toMatch(/^user-content-\w+-part$/u)
  expect(values(html, 'href')).toEqual([`#${id}`, '#', '/about#part'])
  expect(html).not.toMatch(/(?:id|name)="(?:part|content)"/u)
})
