import { expect, test } from 'vitest'
import { filledHtml, filledText } from './filled-content.ts'

const LINK = 'https://gate.example.com/topup?a=1&b=2'
const WARNING = {
  title: 'x',
  content: `{{value}}, {{value}} left.<br/>Here: <a href='{{value}}'>{{value}}</a>`,
  values: ['Running out', '＄0.002000', LINK, LINK],
}

test('given content with a link, when filled, then HTML has the link and text its address once', () => {
  const escaped = 'https://gate.example.com/topup?a=1&#38;b=2'
  expect(filledHtml(WARNING)).toBe(
    `Running out, ＄0.002000 left.<br/>Here: <a href='${escaped}'>${escaped}</a>`,
  )
  expect(filledText(WARNING)).toBe(`Running out, ＄0.002000 left.\nHere: ${LINK}`)
})

test('given values that look like markup or placeholders, when filled, then they are text', () => {
  const text = {
    title: 'x',
    content: '{{value}}：{{value}}',
    values: [`<img src=x onerror="alert('1')">`, '{{value}}&amp;'],
  }
  expect(filledHtml(text)).toBe(
    '&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;：{{value}}&#38;amp;',
  )
  expect(filledText(text)).toBe(`<img src=x onerror="alert('1')">：{{value}}&amp;`)
})

test('given fewer values than places, when filled, then the rest stays empty', () => {
  const text = { title: 'x', content: '{{value}}-{{value}}', values: ['a'] }
  expect(filledHtml(text)).toBe('a-')
  expect(filledText(text)).toBe('a-')
})
