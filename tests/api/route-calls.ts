import { parseSync } from '@swc/core'

/** A request that a test makes, as far as its text says: `${…}` within the path stands as `{}`. */
export interface RouteCall {
  readonly method: string
  readonly path: string
}

/**
 * The console and relay requests that a test file makes: by callRoute, fetch, inject or one of the clients, by
 * functions of its own around these, and by rows of tables that such calls are made from. A request that is only
 * compared, listed or named in a comment is none.
 */
export function callsIn(text: string): readonly RouteCall[] {
  if (!MAY_CALL.test(text)) return []
  const program: unknown = parseSync(text, { syntax: 'typescript', target: 'es2022' })
  const constants = constantsOf(program)
  const callers = callersOf(program, constants)
  const found: RouteCall[] = []
  visit(program, '', (node, within) => {
    if (node.type === 'CallExpression') {
      const name = calleeOf(node)
      const method = callers.get(name)
      if (method !== undefined) found.push(...readCall(argumentsOf(node), constants, method))
    }
    const isTable = TABLE_HOLDERS.has(within)
    if (isTable && node.type === 'ArrayExpression') {
      found.push(...readRow(expressionsOf(node['elements']), constants))
    }
    if (isTable && node.type === 'ObjectExpression') found.push(...namedRoute(node, constants))
  })
  return found
}

/** Whether a request reaches a route, written `/api/token/{id}`. */
export function isCallOf(call: RouteCall, route: RouteCall): boolean {
  const asked = call.path.split('/')
  const served = route.path.split('/')
  return (
    call.method === route.method &&
    asked.length === served.length &&
    served.every((part, index) =>
      part.startsWith('{') ? PARAMETER.test(asked[index] ?? '') : part === asked[index],
    )
  )
}

const MAY_CALL = /\/(?:api|pg|dashboard|mj)\//
const PARAMETER = /^(?:\{\}|:\w+|[+-]?\d[\w.-]*|[0-9a-f-]{36})$/
const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE)$/
const NAMED_ROUTE = /^(GET|POST|PUT|PATCH|DELETE) (\/\S+)$/
const PATH = /^(?:\{\}|https?:\/\/[^/]+)?(\/(?:api|pg|v1|dashboard|mj)\/.*)$/
/** Functions that send requests, and by which method unless they say so. */
const SENDERS = [
  'callRoute',
  'call',
  'handle',
  'fetch',
  'inject',
  'send',
  'ask',
  'comeBack',
  'gateway.relay',
] as const
/** Tables may stand at the top of a file, or in what sets up or repeats tests; elsewhere lists are compared. */
const TABLE_HOLDERS: ReadonlySet<string> = new Set(['', 'each', 'test', 'describe', 'beforeAll'])

interface Node extends Readonly<Record<string, unknown>> {
  readonly type: string
}

type Constants = ReadonlyMap<string, string>

/** Names of functions that send requests, with the method of those that say none. */
function callersOf(program: unknown, constants: Constants): ReadonlyMap<string, string> {
  const callers = new Map([
    ...SENDERS.map((name) => [name, 'GET'] as const),
    ['relay.post', 'POST'],
  ])
  const own = functionsOf(program)
  // Each round finds those that call what the round before has found.
  for (let before = -1; before !== callers.size;) {
    before = callers.size
    for (const [name, body] of own) {
      if (!callers.has(name)) {
        const method = methodSentBy(body, callers, constants)
        if (method !== null) callers.set(name, method)
      }
    }
  }
  return callers
}

function methodSentBy(
  body: unknown,
  callers: ReadonlyMap<string, string>,
  constants: Constants,
): string | null {
  let sent: string | null = null
  visit(body, '', (node) => {
    const usual = node.type === 'CallExpression' ? callers.get(calleeOf(node)) : undefined
    if (usual !== undefined) sent ??= methodAmong(argumentsOf(node), constants) ?? usual
  })
  return sent
}

function functionsOf(program: unknown): ReadonlyMap<string, unknown> {
  const own = new Map<string, unknown>()
  visit(program, '', (node) => {
    if (node.type === 'FunctionDeclaration') own.set(nameOf(node['identifier']), node['body'])
    if (node.type !== 'VariableDeclarator') return
    const value = node['init']
    if (isNode(value) && value.type === 'ArrowFunctionExpression') {
      own.set(nameOf(node['id']), value['body'])
    }
  })
  return own
}

/** Texts by the names of constants, and of parameters whose default they are. */
function constantsOf(program: unknown): Constants {
  const constants = new Map<string, string>()
  visit(program, '', (node) => {
    const [name, said] =
      node.type === 'AssignmentPattern'
        ? [node['left'], node['right']]
        : node.type === 'VariableDeclarator'
          ? [node['id'], node['init']]
          : []
    const value = textOf(said, constants)
    if (value !== null) constants.set(nameOf(name), value)
  })
  return constants
}

function readCall(args: readonly Node[], constants: Constants, usual: string): RouteCall[] {
  const named = args.flatMap((arg) => routeNamed(textOf(arg, constants)))
  if (named.length > 0) return named
  const texts = [...args, ...args.flatMap((arg) => valuesOf(arg, ['url', 'path']))]
  const path = texts.map((arg) => pathIn(textOf(arg, constants))).find((one) => one !== null)
  return path === undefined || path === null
    ? []
    : [{ method: methodAmong(args, constants) ?? usual, path }]
}

/** A row that names a route, or holds a method and a path. */
function readRow(cells: readonly Node[], constants: Constants): RouteCall[] {
  const named = cells.flatMap((cell) => routeNamed(textOf(cell, constants)))
  if (named.length > 0) return named
  const method = methodAmong(cells, constants)
  return method === null ? [] : readCall(cells, constants, method)
}

const namedRoute = (node: Node, constants: Constants): RouteCall[] =>
  valuesOf(node, ['route', 'call']).flatMap((value) => routeNamed(textOf(value, constants)))

function methodAmong(args: readonly Node[], constants: Constants): string | null {
  const said = [...args, ...args.flatMap((arg) => valuesOf(arg, ['method']))].map((arg) =>
    textOf(arg, constants),
  )
  const routes = said.flatMap((text) => routeNamed(text))
  return said.find((text) => text !== null && METHOD.test(text)) ?? routes[0]?.method ?? null
}

function routeNamed(text: string | null): RouteCall[] {
  const [, method, path] = NAMED_ROUTE.exec(text ?? '') ?? []
  return method === undefined || path === undefined ? [] : [{ method, path: bare(path) }]
}

function pathIn(text: string | null): string | null {
  const [, path] = PATH.exec(text ?? '') ?? []
  return path === undefined ? null : bare(path)
}

/** Without query, what may be one, and the trailing slash. */
const bare = (path: string): string =>
  path
    .replace(/\?.*$/, '')
    .replace(/(?<=\w)\{\}$/, '')
    .replace(/\/$/, '')

/** The text of a node, with `{}` for parts that only a run would know; null when it is no text. */
function textOf(node: unknown, constants: Constants): string | null {
  if (!isNode(node)) return null
  switch (node.type) {
    case 'StringLiteral':
      return String(node['value'])
    case 'TemplateLiteral':
      return nodesIn(node['quasis'])
        .flatMap(({ cooked }, index) => {
          const before = nodesIn(node['expressions'])[index - 1]
          return index === 0 ? [cooked] : [textOf(before, constants) ?? '{}', cooked]
        })
        .join('')
    case 'Identifier':
      return constants.get(nameOf(node)) ?? null
    case 'BinaryExpression': {
      const [left, right] = [textOf(node['left'], constants), textOf(node['right'], constants)]
      return left === null && right === null ? null : `${left ?? '{}'}${right ?? '{}'}`
    }
    case 'TsAsExpression':
    case 'TsConstAssertion':
      return textOf(node['expression'], constants)
    default:
      return null
  }
}

const valuesOf = (node: Node, keys: readonly string[]): readonly Node[] =>
  node.type === 'ObjectExpression'
    ? nodesIn(node['properties']).flatMap(({ key, value }) =>
        keys.includes(nameOf(key)) && isNode(value) ? [value] : [],
      )
    : []

/** `name`, the last name of a chain, or with the first for those of `relay` and `gateway`. */
function calleeOf(call: Node): string {
  const { callee } = call
  if (!isNode(callee) || callee.type !== 'MemberExpression') return nameOf(callee)
  const name = nameOf(callee['property'])
  const whole = `${nameOf(callee['object'])}.${name}`
  return whole === 'relay.post' || whole === 'gateway.relay' ? whole : name
}

/** A choice between two counts as both. */
const argumentsOf = (call: Node): readonly Node[] =>
  expressionsOf(call['arguments']).flatMap((one) =>
    one.type === 'ConditionalExpression' ? nodesIn([one['consequent'], one['alternate']]) : [one],
  )

const expressionsOf = (list: unknown): readonly Node[] =>
  Array.isArray(list)
    ? list.flatMap((one: unknown) =>
        hasExpression(one) && isNode(one.expression) ? [one.expression] : [],
      )
    : []

const hasExpression = (value: unknown): value is { readonly expression: unknown } =>
  typeof value === 'object' && value !== null && 'expression' in value

const nodesIn = (list: unknown): readonly Node[] => (Array.isArray(list) ? list.filter(isNode) : [])

const nameOf = (node: unknown): string =>
  isNode(node) && typeof node['value'] === 'string' ? node['value'] : ''

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Every node, with the name of the call that it is an argument of, however deep; '' at the top of a file. */
function visit(value: unknown, within: string, each: (node: Node, within: string) => void): void {
  if (Array.isArray(value)) {
    for (const one of value) visit(one, within, each)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (isNode(value)) each(value, within)
  const inside = isNode(value) && value.type === 'CallExpression' ? calleeOf(value) : within
  for (const [key, child] of Object.entries(value)) {
    visit(child, key === 'arguments' ? inside : within, each)
  }
}
