import { parseSync } from 'oxc-parser'
import { OLD_HEADS, OLD_NAMES, OLD_OPENINGS, type OldWord } from './old-words.ts'

/** One old word in a file. */
export interface Found {
  readonly path: string
  /** 1 for what concerns the path. */
  readonly line: number
  readonly kind: 'path' | 'name' | 'opening'
  /** The name, or the first words of the comment. */
  readonly text: string
  readonly use: string
}

/** Characters of a comment in the report. */
const OPENING_CHARACTERS = 40

/** Old words in the path, the declared names and the openings of the comments of one TypeScript file. */
export function oldWordsIn(path: string, source: string): readonly Found[] {
  const { program, comments, errors } = parseSync(path, source)
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`)
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length
  const names = declaredNames(program).flatMap(({ name, start }) => {
    const old = oldName(name, path)
    return old === null
      ? []
      : [{ path, line: lineOf(start), kind: 'name', text: name, use: old.use } as const]
  })
  const openings = comments.flatMap(({ value, start }) => {
    const text = openingOf(value)
    const old = OLD_OPENINGS.find(({ old: word }) => text.startsWith(`${word} `))
    return old === undefined
      ? []
      : [
          {
            path,
            line: lineOf(start),
            kind: 'opening',
            text: text.slice(0, OPENING_CHARACTERS),
            use: old.use,
          } as const,
        ]
  })
  return [...oldWordsInPath(path), ...names, ...openings]
}

function oldWordsInPath(path: string): readonly Found[] {
  return path.split('/').flatMap((part) => {
    const old = oldName(part.replace(/(\.test)?\.tsx?$/u, ''), path)
    return old === null ? [] : [{ path, line: 1, kind: 'path', text: part, use: old.use } as const]
  })
}

/** The row of the table that forbids a name in a file; null when it may be used. */
function oldName(name: string, path: string): OldWord | null {
  const words = wordsOf(name)
  const spaced = ` ${words.join(' ')} `
  const isHere = ({ exceptIn = [], onlyIn = '' }: OldWord): boolean =>
    path.startsWith(onlyIn) && !exceptIn.some((folder) => path.startsWith(folder))
  return (
    OLD_NAMES.find((row) => spaced.includes(` ${row.old} `) && isHere(row)) ??
    OLD_HEADS.find((row) => words.length > 1 && words[0] === row.old && isHere(row)) ??
    null
  )
}

/** The words of a name in lower case: `whyRefused`, `why-refused` and `WHY_REFUSED` alike. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .split(/[^A-Za-z0-9]+/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')

/** A comment's text from its first word on, without the stars of a block. */
const openingOf = (comment: string): string =>
  comment
    .replaceAll(/^[\s*/]+|\n\s*\*?/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()

interface Node {
  readonly type: string
  readonly start: number
}

interface DeclaredName {
  readonly name: string
  readonly start: number
}

/** Members of a syntax node that hold a name it declares. */
const DECLARING: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  TSInterfaceDeclaration: ['id'],
  TSTypeAliasDeclaration: ['id'],
  TSPropertySignature: ['key'],
  TSMethodSignature: ['key'],
  PropertyDefinition: ['key'],
  MethodDefinition: ['key'],
}

function declaredNames(program: unknown): readonly DeclaredName[] {
  const found: DeclaredName[] = []
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk)
    if (!isNode(value)) return
    for (const member of DECLARING[value.type] ?? [])
      found.push(...boundNames((value as unknown as Record<string, unknown>)[member]))
    Object.values(value).forEach(walk)
  }
  walk(program)
  return found
}

/** The names that a pattern binds; a member that is only read from another object keeps its name there. */
function boundNames(pattern: unknown): readonly DeclaredName[] {
  if (Array.isArray(pattern)) return pattern.flatMap(boundNames)
  if (!isNode(pattern)) return []
  const node = pattern as Node & Record<string, unknown>
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier')
    return [{ name: String(node['name']), start: node.start }]
  if (node.type === 'ArrayPattern') return boundNames(node['elements'])
  if (node.type === 'ObjectPattern') return boundNames(node['properties'])
  if (node.type === 'Property') return boundNames(node['value'])
  if (node.type === 'AssignmentPattern') return boundNames(node['left'])
  if (node.type === 'RestElement') return boundNames(node['argument'])
  return []
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
