import { TOOL_PRICES } from '../pricing/tool-price.ts'
import { hiddenNameProblem } from '../text.ts'

/** Shapes of the options that hold JSON. Each answers null, or the message to show. */
type Shape = (value: unknown, key: string) => string | null

/** Ratios and prices stay below this: beyond it no price is meant, and sums would leave the safe integers. */
const RATIO_MAX = 1_000_000_000

/** `{name: number ≥ 0}`. */
export const ratioTable: Shape = (value, key) =>
  tableProblem(value, key, (name, ratio) => {
    if (typeof ratio !== 'number') return `请输入数字：${name}`
    if (ratio < 0) return negativeMessage(key, name)
    return ratio <= RATIO_MAX ? null : `${key} 的值过大：${name}`
  })

/** `{tool: US dollars per 1,000 calls}`; a tool without an entry has its default price. */
export const toolTable: Shape = (value, key) =>
  tableProblem(value, key, (name) =>
    Object.hasOwn(TOOL_PRICES, name) ? null : `${key} 中有未知的名称：${name}`,
  ) ?? ratioTable(value, key)

const FACTORS = ['priority', 'flex', 'fast', 'geo']
/** No provider asks a thousand times its price for any terms. */
const FACTOR_MAX = 1_000

/** `{model: {priority, flex, fast, geo: factor, above: {tokens, in, out}}}`, each of them optional. */
export const factorTable: Shape = (value, key) =>
  tableProblem(value, key, (model, factors) =>
    tableProblem(factors, `${key}.${model}`, (name, factor) => {
      if (name === 'above') return aboveProblem(factor, key, model)
      if (!FACTORS.includes(name)) return `${key} 中有未知的名称：${model}.${name}`
      return isFactor(factor) ? null : factorMessage(key, `${model}.${name}`)
    }),
  )

function aboveProblem(above: unknown, key: string, model: string): string | null {
  const place = `${model}.above`
  if (!isTable(above) || Object.keys(above).toSorted().join() !== 'in,out,tokens') {
    return `${key} 格式不正确：${place} 应为 {"tokens":…,"in":…,"out":…}`
  }
  const { tokens, in: input, out } = above
  if (!isWhole(tokens) || tokens < 1) return `${key} 的值必须是不小于 1 的整数：${place}.tokens`
  if (!isFactor(input)) return factorMessage(key, `${place}.in`)
  return isFactor(out) ? null : factorMessage(key, `${place}.out`)
}

const isFactor = (value: unknown): boolean =>
  typeof value === 'number' && value > 0 && value <= FACTOR_MAX

const factorMessage = (key: string, place: string): string =>
  `${key} 的值必须大于 0 且不超过 ${FACTOR_MAX}：${place}`

/** `{name: text}`. */
export const textTable: Shape = (value, key) =>
  tableProblem(value, key, (name, text) =>
    typeof text === 'string' ? null : `${key} 的值必须是字符串：${name}`,
  )

/** `{model: whole number ≥ 1}`. */
export const tokenLimitTable: Shape = (value, key) =>
  tableProblem(value, key, (name, limit) =>
    isWhole(limit) && limit >= 1 ? null : `${key} 的值必须是不小于 1 的整数：${name}`,
  )

/** `{model: {header: [values]}}`. */
export const headerTable: Shape = (value, key) =>
  tableProblem(value, key, (name, headers) =>
    tableProblem(headers, `${key}.${name}`, (header, values) =>
      isTextList(values) ? null : `${key} 的值必须是字符串列表：${name}.${header}`,
    ),
  )

/** `{group: [requests ≥ 0, successes ≥ 1]}`. */
export const rateLimitTable: Shape = (value, key) =>
  tableProblem(value, key, (name, limits) => {
    const [requests, successes, ...rest]: readonly unknown[] = Array.isArray(limits) ? limits : []
    const isValid =
      isWhole(requests) &&
      requests >= 0 &&
      isWhole(successes) &&
      successes >= 1 &&
      rest.length === 0
    return isValid
      ? null
      : `${key} 格式不正确：${name} 应为 [最多请求次数, 最多请求完成次数]，且分别不小于 0 和 1`
  })

/** `[text]`. */
export const textList: Shape = (value, key) =>
  isTextList(value) ? null : `${key} 必须是字符串列表`

/** `[{name: address template}]`, one entry each. */
export const chatList: Shape = (value, key) => {
  const isValid =
    Array.isArray(value) &&
    value.every(
      (chat) =>
        isTable(chat) &&
        Object.keys(chat).length === 1 &&
        Object.values(chat).every((template) => typeof template === 'string'),
    )
  return isValid ? null : `${key} 格式不正确：应为 [{"名称": "链接"}]，每项只含一个名称`
}

/** The first thing wrong with a table's entries, or that it is no table at all. */
function tableProblem(
  value: unknown,
  key: string,
  problemOf: (name: string, entry: unknown) => string | null,
): string | null {
  if (!isTable(value)) return `${key} 必须是 JSON 对象`
  for (const [name, entry] of Object.entries(value)) {
    const problem = hiddenNameProblem(`${key} 中的名称`, name) ?? problemOf(name, entry)
    if (problem !== null) return problem
  }
  return null
}

const negativeMessage = (key: string, name: string): string =>
  key === 'GroupRatio'
    ? `group ratio must be not less than 0: ${name}`
    : `${key} 的值不能小于 0：${name}`

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)
const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')
