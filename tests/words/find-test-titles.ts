import { parseSync } from 'oxc-parser'

/** The title of one test, table of tests or group. */
export interface TestTitle {
  readonly line: number
  /** Its literal text: without what a template literal puts in. */
  readonly text: string
}

/** Longest title that a report, a table or a line of the terminal shows whole. */
const TITLE_CHARACTERS_MAX = 99

/** The titles of a test file that are too long. */
export const longTitlesIn = (path: string, source: string): readonly TestTitle[] =>
  testTitlesIn(path, source).filter(({ text }) => text.length > TITLE_CHARACTERS_MAX)

const TITLED = new Set(['test', 'it', 'describe', 'suite'])

/** The titles written in a test file as literals, in the order of the source. */
function testTitlesIn(path: string, source: string): readonly TestTitle[] {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`)
  const titles: TestTitle[] = []
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk)
    if (!isNode(value)) return
    const [title] = value.type === 'CallExpression' ? (value.arguments ?? []) : []
    if (isNode(title) && TITLED.has(rootOf(value.callee) ?? '')) {
      const text = literalText(title)
      if (text !== null)
        titles.push({ line: source.slice(0, title.start).split('\n').length, text })
    }
    Object.values(value).forEach(walk)
  }
  walk(program)
  return titles
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
  readonly arguments?: readonly unknown[]
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** `test` of `test`, `test.skipIf(isRoot)` and `test.each(cases)`; null for other expressions. */
function rootOf(callee: unknown): string | null {
  if (!isNode(callee)) return null
  if (callee.type === 'Identifier') return String(callee['name'])
  if (callee.type === 'MemberExpression') return rootOf(callee['object'])
  if (callee.type === 'CallExpression') return rootOf(callee['callee'])
  if (callee.type === 'TaggedTemplateExpression') return rootOf(callee['tag'])
  return null
}

/** The text of a string, of a template literal without its values, or of a sum of them; null for anything else. */
function literalText(node: Node): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  if (node.type === 'TemplateLiteral')
    return (node['quasis'] as readonly { readonly value: { readonly cooked: string } }[])
      .map(({ value }) => value.cooked)
      .join('')
  if (node.type !== 'BinaryExpression') return null
  const parts = [node['left'], node['right']].map((side) =>
    isNode(side) ? literalText(side) : null,
  )
  return parts.every((part) => part === null) ? null : parts.join('')
}
