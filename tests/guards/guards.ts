import { parseSync } from '@swc/core'

/** An `if` that leaves a function: one guard or branch of a decider. */
export interface Guard {
  /** Counted from 1. */
  readonly line: number
  /** The condition as written, in one line. */
  readonly condition: string
  /** The module's text without this statement. */
  readonly without: string
}

/** Each `if` of a module without `else` whose last statement is a `return`, from top to bottom. */
export function guardsOf(source: string): readonly Guard[] {
  const bytes = Buffer.from(source)
  const statements: IfStatement[] = []
  collect(parseSync(source, { syntax: 'typescript', target: 'es2022' }), statements)
  return statements.map(({ span, test }) => {
    const before = bytes.toString('utf8', 0, span.start - 1)
    const [condition, removed] = [test.span, span].map(({ start, end }) =>
      bytes.toString('utf8', start - 1, end - 1),
    )
    if (condition === undefined || removed?.startsWith('if (') !== true) {
      throw new Error(`no if statement stands at byte ${span.start - 1}`)
    }
    return {
      line: before.split('\n').length,
      condition: condition.replaceAll(/\s+/gu, ' '),
      without: `${before};${bytes.toString('utf8', span.end - 1)}`,
    }
  })
}

/** Bytes of the module, counted from 1; `end` exclusive. */
interface Span {
  readonly start: number
  readonly end: number
}

interface IfStatement {
  readonly span: Span
  readonly test: { readonly span: Span }
}

interface Statement {
  readonly type: string
  readonly stmts?: readonly Statement[]
}

function collect(node: unknown, found: IfStatement[]): void {
  if (typeof node !== 'object' || node === null) return
  if (isGuard(node)) found.push(node)
  for (const child of Object.values(node)) collect(child, found)
}

function isGuard(node: object): node is IfStatement {
  const { type, consequent, alternate } = node as {
    readonly type?: unknown
    readonly consequent: Statement
    readonly alternate: unknown
  }
  if (type !== 'IfStatement' || alternate !== null) return false
  return (consequent.stmts?.at(-1) ?? consequent).type === 'ReturnStatement'
}
