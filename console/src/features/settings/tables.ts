import type { JsonMember, JsonNode, JsonProblem } from '../../parts/form/json-text.ts'
import { doubleName, inLines, readJson } from '../../parts/form/json-text.ts'

/**
 * The shape of an option's JSON: `ratios` numbers by name, `texts` and `limits` likewise, `rates` two limits by group,
 * `headers` values by model and header, `factors` numbers by model and term (those of `above` within an object of their
 * own), `list` texts, `chats` one address by name in a list.
 */
export type TableShape =
  | 'ratios'
  | 'texts'
  | 'limits'
  | 'rates'
  | 'headers'
  | 'factors'
  | 'list'
  | 'chats'

/** One line of a table: its cells as typed, and where it stands in the JSON. */
export interface TableRow {
  readonly at: number
  readonly cells: readonly string[]
}

/** A problem in the JSON of a table, at a position of its text; `name` is the entry that it is about. */
export interface TableProblem {
  readonly at: number
  readonly problem: JsonProblem | ShapeProblem
  readonly name: string
}

type ShapeProblem =
  | 'object'
  | 'list'
  | 'nameMissing'
  | 'isNumber'
  | 'negative'
  | 'tooLarge'
  | 'whole'
  | 'isText'
  | 'rates'
  | 'headers'
  | 'factors'
  | 'chats'

/** The names of a table's columns. */
export type ColumnName =
  | 'name'
  | 'ratio'
  | 'text'
  | 'limit'
  | 'requests'
  | 'successes'
  | 'model'
  | 'header'
  | 'value'
  | 'term'
  | 'factor'
  | 'chat'
  | 'link'

/** The columns of each shape. */
export const COLUMNS: Readonly<Record<TableShape, readonly ColumnName[]>> = {
  ratios: ['name', 'ratio'],
  texts: ['name', 'text'],
  limits: ['model', 'limit'],
  rates: ['name', 'requests', 'successes'],
  headers: ['model', 'header', 'value'],
  factors: ['model', 'term', 'factor'],
  list: ['model'],
  chats: ['chat', 'link'],
}

/** Columns that hold numbers. */
export const isNumberColumn = (column: ColumnName): boolean =>
  ['ratio', 'limit', 'requests', 'successes', 'factor'].includes(column)

/** Greatest ratio or price that the server takes. */
const RATIO_MAX = 1_000_000_000

/** The first thing wrong with the text of a table, or null. */
export function tableProblem(shape: TableShape, text: string): TableProblem | null {
  const reading = readJson(text)
  if ('problem' in reading) return { ...reading, name: '' }
  const problem = shapeProblem(shape, reading.root)
  if (problem) return problem
  const double = doubleName(reading.root)
  return double ? { at: double.at, problem: 'twice', name: double.name } : null
}

/** The text as the lines of a table; null when it cannot be shown as one. */
export function tableRows(shape: TableShape, text: string): readonly TableRow[] | null {
  const reading = readJson(text)
  if ('problem' in reading) return null
  const { root } = reading
  switch (shape) {
    case 'ratios':
    case 'texts':
    case 'limits':
      return root.type === 'object'
        ? root.members.map(({ at, name, value }) => ({ at, cells: [name, cellOf(value)] }))
        : null
    case 'rates':
      return root.type === 'object'
        ? root.members.map(({ at, name, value }) => {
            const [requests, successes] = value.type === 'list' ? value.items : []
            return { at, cells: [name, cellOf(requests), cellOf(successes)] }
          })
        : null
    case 'headers':
      return root.type === 'object' ? root.members.flatMap(headerRows) : null
    case 'factors':
      return root.type === 'object' ? root.members.flatMap(factorRows) : null
    case 'list':
      return root.type === 'list'
        ? root.items.map((item) => ({ at: item.at, cells: [cellOf(item)] }))
        : null
    case 'chats':
      return root.type === 'list'
        ? root.items.map((item) => {
            const [chat] = item.type === 'object' ? item.members : []
            return { at: item.at, cells: [chat?.name ?? '', cellOf(chat?.value)] }
          })
        : null
    default:
      return shape satisfies never
  }
}

/** The JSON that the lines of a table make. What is no number where one belongs stays a text, which is then refused. */
export function tableText(shape: TableShape, rows: readonly (readonly string[])[]): string {
  return inLines(compactText(shape, rows))
}

function compactText(shape: TableShape, rows: readonly (readonly string[])[]): string {
  const named = (write: (cells: readonly string[]) => string) =>
    `{${rows.map(([name = '', ...cells]) => `${JSON.stringify(name)}:${write(cells)}`).join()}}`
  switch (shape) {
    case 'ratios':
    case 'limits':
      return named(([value]) => numberText(value))
    case 'texts':
      return named(([value = '']) => JSON.stringify(value))
    case 'rates':
      return named((cells) => `[${cells.map(numberText).join()}]`)
    case 'headers':
      return headersText(rows)
    case 'factors':
      return factorsText(rows)
    case 'list':
      return JSON.stringify(rows.map(([value = '']) => value))
    case 'chats':
      return JSON.stringify(rows.map(([name = '', link = '']) => ({ [name]: link })))
    default:
      return shape satisfies never
  }
}

/** Lines of the same model and header that follow each other make one list of values. */
function headersText(rows: readonly (readonly string[])[]): string {
  const models: { name: string; headers: { name: string; values: string[] }[] }[] = []
  for (const [model = '', header = '', value = ''] of rows) {
    if (models.at(-1)?.name !== model) models.push({ name: model, headers: [] })
    const headers = models.at(-1)?.headers ?? []
    if (headers.at(-1)?.name !== header) headers.push({ name: header, values: [] })
    headers.at(-1)?.values.push(value)
  }
  const inner = models.map(({ name, headers }) => {
    const own = headers.map(
      (header) => `${JSON.stringify(header.name)}:${JSON.stringify(header.values)}`,
    )
    return `${JSON.stringify(name)}:{${own.join()}}`
  })
  return `{${inner.join()}}`
}

function headerRows({ at, name, value }: JsonMember): readonly TableRow[] {
  if (value.type !== 'object' || value.members.length === 0) return [{ at, cells: [name, '', ''] }]
  return value.members.flatMap((header) => {
    const items = header.value.type === 'list' ? header.value.items : [header.value]
    if (items.length === 0) return [{ at: header.at, cells: [name, header.name, ''] }]
    return items.map((item) => ({ at: header.at, cells: [name, header.name, cellOf(item)] }))
  })
}

/** Terms that a model's price may have factors for, as a line of the table names them. */
const TERMS = ['priority', 'flex', 'fast', 'geo']
const ABOVE = ['tokens', 'in', 'out']
/** Greatest factor that the server takes. */
const FACTOR_MAX = 1_000

/** Lines of the same model that follow each other make one object. */
function factorsText(rows: readonly (readonly string[])[]): string {
  const models: { name: string; own: string[]; above: string[] }[] = []
  for (const [model = '', term = '', factor = ''] of rows) {
    if (models.at(-1)?.name !== model) models.push({ name: model, own: [], above: [] })
    const isAbove = term.startsWith('above.')
    const name = isAbove ? term.slice('above.'.length) : term
    const member = `${JSON.stringify(name)}:${numberText(factor)}`
    models.at(-1)?.[isAbove ? 'above' : 'own'].push(member)
  }
  const inner = models.map(({ name, own, above }) => {
    const members = above.length === 0 ? own : [...own, `"above":{${above.join()}}`]
    return `${JSON.stringify(name)}:{${members.join()}}`
  })
  return `{${inner.join()}}`
}

function factorRows({ at, name, value }: JsonMember): readonly TableRow[] {
  if (value.type !== 'object' || value.members.length === 0) return [{ at, cells: [name, '', ''] }]
  return value.members.flatMap((term) =>
    term.value.type === 'object'
      ? term.value.members.map((inner) => ({
          at: inner.at,
          cells: [name, `${term.name}.${inner.name}`, cellOf(inner.value)],
        }))
      : [{ at: term.at, cells: [name, term.name, cellOf(term.value)] }],
  )
}

function factorsProblem(root: JsonNode): TableProblem | null {
  const outer = inObject(root, ({ type }) => (type === 'object' ? null : 'factors'))
  if (outer || root.type !== 'object') return outer
  for (const { value } of root.members) {
    for (const term of value.type === 'object' ? value.members : []) {
      const isRight = term.name === 'above' ? isAbove(term.value) : isTerm(term)
      if (!isRight) return { at: term.at, problem: 'factors', name: term.name }
    }
  }
  return null
}

const isTerm = ({ name, value }: JsonMember): boolean => TERMS.includes(name) && isFactor(value)

const isAbove = (node: JsonNode): boolean =>
  node.type === 'object' &&
  node.members
    .map(({ name }) => name)
    .toSorted()
    .join() === ABOVE.toSorted().join() &&
  node.members.every(({ name, value }) =>
    name === 'tokens' ? wholeOf(value) >= 1 : isFactor(value),
  )

function isFactor(node: JsonNode): boolean {
  const factor = node.type === 'number' ? Number(node.text) : 0
  return factor > 0 && factor <= FACTOR_MAX
}

function cellOf(node: JsonNode | undefined): string {
  if (node?.type === 'text') return node.value
  return node?.type === 'number' ? node.text : ''
}

function numberText(cell = ''): string {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(cell) ? cell : JSON.stringify(cell)
}

function shapeProblem(shape: TableShape, root: JsonNode): TableProblem | null {
  switch (shape) {
    case 'ratios':
      return inObject(root, ratioProblem)
    case 'texts':
      return inObject(root, ({ type }) => (type === 'text' ? null : 'isText'))
    case 'limits':
      return inObject(root, (node) => (wholeOf(node) >= 1 ? null : 'whole'))
    case 'rates':
      return inObject(root, (node) => {
        const [requests, successes, ...rest] = node.type === 'list' ? node.items : []
        const isRight = wholeOf(requests) >= 0 && wholeOf(successes) >= 1 && rest.length === 0
        return isRight ? null : 'rates'
      })
    case 'headers':
      return headersProblem(root)
    case 'factors':
      return factorsProblem(root)
    case 'list':
      return inList(root, (item) => (item.type === 'text' ? null : 'isText'))
    case 'chats':
      return inList(root, (item) => {
        const members = item.type === 'object' ? item.members : []
        const isChat = members.length === 1 && members[0]?.value.type === 'text'
        return !isChat ? 'chats' : members[0]?.name.trim() === '' ? 'nameMissing' : null
      })
    default:
      return shape satisfies never
  }
}

function headersProblem(root: JsonNode): TableProblem | null {
  const isValues = (node: JsonNode) =>
    node.type === 'list' && node.items.every((item) => item.type === 'text')
  const outer = inObject(root, ({ type }) => (type === 'object' ? null : 'headers'))
  if (outer || root.type !== 'object') return outer
  for (const { value } of root.members) {
    const inner = inObject(value, (node) => (isValues(node) ? null : 'headers'))
    if (inner) return inner
  }
  return null
}

function ratioProblem(node: JsonNode): ShapeProblem | null {
  if (node.type !== 'number') return 'isNumber'
  if (Number(node.text) < 0) return 'negative'
  return Number(node.text) <= RATIO_MAX ? null : 'tooLarge'
}

function wholeOf(node: JsonNode | undefined): number {
  const value = node?.type === 'number' ? Number(node.text) : Number.NaN
  return Number.isSafeInteger(value) ? value : Number.NaN
}

function inObject(
  root: JsonNode,
  problemOf: (value: JsonNode) => ShapeProblem | null,
): TableProblem | null {
  if (root.type !== 'object') return { at: root.at, problem: 'object', name: '' }
  for (const { name, at, value } of root.members) {
    const problem = name.trim() === '' ? 'nameMissing' : problemOf(value)
    if (problem) return { at, problem, name }
  }
  return null
}

function inList(
  root: JsonNode,
  problemOf: (item: JsonNode) => ShapeProblem | null,
): TableProblem | null {
  if (root.type !== 'list') return { at: root.at, problem: 'list', name: '' }
  for (const item of root.items) {
    const problem = problemOf(item)
    if (problem) return { at: item.at, problem, name: cellOf(item) }
  }
  return null
}
