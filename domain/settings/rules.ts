import { withoutTrailing } from '../text.ts'

/**
 * A kind of options. A rule knows the default text, how a text is normalised before it is stored, and the problem of a
 * normalised text: null, or the message for the admin.
 */
export interface OptionRule {
  readonly kind: OptionKind
  readonly defaultText: string
  /** Left out of GET /api/option/. */
  readonly isHidden: boolean
  /** Kept encrypted outside the events; null stands for its value there. */
  readonly isSecret: boolean
  readonly normalise: (text: string) => string
  readonly check: (text: string, key: string) => string | null
}

export type OptionKind = 'flag' | 'number' | 'text' | 'lines' | 'list' | 'json'

/** Both values of a changed option go into one event, which stays under 1 MiB even at four bytes a character. */
const TEXT_LENGTH_MAX = 100_000

export const flag = (isOn: boolean): OptionRule =>
  rule('flag', String(isOn), {
    normalise: (text) => text.trim().toLowerCase(),
    check: (text, key) =>
      text === 'true' || text === 'false' ? null : `${key} 只能是 true 或 false`,
  })

/** Bounds are inclusive; `above` is an exclusive lower one. */
interface Range {
  readonly min?: number
  readonly above?: number
  readonly max?: number
}

export const whole = (defaultValue: number, range: Range): OptionRule =>
  numeric(defaultValue, range, '整数', Number.isSafeInteger)

export const decimal = (defaultValue: number, range: Range): OptionRule =>
  numeric(defaultValue, range, '数字', Number.isFinite)

export const text = (defaultText = ''): OptionRule => rule('text', defaultText, {})

/** Text of one line: it goes into a mail's header, a request's or a page's title, where a line break would begin another. */
export const line = (defaultText = ''): OptionRule =>
  rule('text', defaultText, {
    normalise: (text) => text.trim(),
    check: (text, key) =>
      /\p{Cc}/u.test(text) ? `${key} 只能是一行文字，请去掉换行和其他控制字符` : null,
  })

/** One line, stored encrypted. An empty text keeps the stored one. */
export const secret = (): OptionRule => ({ ...line(), isHidden: true, isSecret: true })

/** As secret, of any form: the client that stores an option unknown to Tollgate knows its form. */
export const unknownSecret = (): OptionRule => ({
  ...rule('text', '', { normalise: (text) => text.trim() }),
  isHidden: true,
  isSecret: true,
})

/** Public, though its name ends like a secret's: hidden from the list of options only. */
export const hiddenLine = (): OptionRule => ({ ...line(), isHidden: true })

export const oneOf = (defaultText: string, choices: readonly string[]): OptionRule =>
  rule('text', defaultText, {
    check: (text, key) => (choices.includes(text) ? null : `${key} 只能是 ${choices.join('、')}`),
  })

/** An http(s) address without a trailing slash; '' = none. */
export const address = (defaultText = ''): OptionRule =>
  rule('text', defaultText, {
    normalise: (text) => withoutTrailing(text.trim(), '/'),
    check: (text, key) =>
      text === '' || isHttpAddress(text)
        ? null
        : `${key} 不是有效的地址，请以 http:// 或 https:// 开头`,
  })

/** As address, but the path is kept as it stands. */
export const endpoint = (): OptionRule => ({
  ...address(),
  normalise: (text) => text.trim(),
})

/** An https address, kept as it stands; '' = none. Pages under https show no pictures of other addresses. */
export const httpsAddress = (): OptionRule => ({
  ...rule('text', '', {
    check: (text, key) =>
      text === '' || (/^https:/i.test(text) && isHttpAddress(text))
        ? null
        : `${key} 不是有效的地址，请以 https:// 开头`,
  }),
  normalise: (text) => text.trim(),
})

/** One entry a line; lines are trimmed, empty ones dropped. */
export const lines = (
  defaultText: string,
  { isLowerCase }: { isLowerCase: boolean } = { isLowerCase: false },
): OptionRule =>
  rule('lines', defaultText, {
    normalise: (text) => {
      const kept = entriesOf(text, '\n').join('\n')
      return isLowerCase ? kept.toLowerCase() : kept
    },
  })

/** Mail domains, separated by commas. */
export const domains = (defaultText: string): OptionRule =>
  rule('list', defaultText, {
    normalise: (text) => entriesOf(text.toLowerCase(), ',').join(','),
    check: (text) => {
      const entries = entriesOf(text, ',')
      if (!entries.every((entry) => DOMAIN.test(entry))) {
        return '邮箱域名格式不正确，请输入有效的域名，如 gmail.com'
      }
      return new Set(entries).size === entries.length ? null : '该域名已存在于白名单中'
    },
  })

/** JSON of a shape; `shape` answers the problem of the parsed value, or null. */
export const json = (
  defaultText: string,
  shape: (value: unknown, key: string) => string | null,
  messageWhenMalformed = '不是合法的 JSON 字符串',
): OptionRule =>
  rule('json', defaultText, {
    // An emptied field means none, where none is the default; the price tables must be given as they shall be.
    normalise: (text) =>
      text.trim() === '' && EMPTY_JSON.includes(defaultText) ? defaultText : text.trim(),
    check: (text, key) => {
      const parsed = parseJson(text)
      return parsed === undefined ? messageWhenMalformed : shape(parsed.value, key)
    },
  })

/** JSON of a table of ratios or prices; one too small for a number would become 0, which is free. */
export function ratios(
  defaultText: string,
  shape: (value: unknown, key: string) => string | null,
  messageWhenMalformed?: string,
): OptionRule {
  const table = json(defaultText, shape, messageWhenMalformed)
  return {
    ...table,
    check: (text, key) => {
      const problem = table.check(text, key)
      if (problem !== null) return problem
      const vanishing = vanishingEntry(text)
      return vanishing === undefined ? null : `${key} 的值过小，会被当作 0：${vanishing}`
    },
  }
}

/** The first name in a table of numbers whose number has a digit other than 0 and is 0 all the same. */
function vanishingEntry(table: string): string | undefined {
  for (const [, name = '', number = ''] of table.matchAll(JSON_ENTRY)) {
    const [digits = ''] = number.split(/e/i)
    if (Number(number) === 0 && /[1-9]/.test(digits)) return String(parseJson(name)?.value)
  }
  return undefined
}

/** As ratios, by model names, none of which may stand in it twice: of two prices, one would be lost unseen. */
export function modelTable(
  defaultText: string,
  shape: (value: unknown, key: string) => string | null,
): OptionRule {
  const table = ratios(defaultText, shape)
  return {
    ...table,
    check: (text, key) => {
      const problem = table.check(text, key)
      if (problem !== null) return problem
      const twice = repeatedName(text)
      return twice === undefined ? null : `模型名称已存在：${twice}`
    },
  }
}

/** The first name that stands twice in a table of numbers, in which every text is a name. */
function repeatedName(table: string): string | undefined {
  const names = (table.match(JSON_TEXT) ?? []).map((name) => String(parseJson(name)?.value))
  const seen = new Set<string>()
  return names.find((name) => seen.size === seen.add(name).size)
}

/** A table in which the entry `default` is put back when it was left out. */
export const withDefaultEntry = (table: OptionRule): OptionRule => ({
  ...table,
  normalise: (text) => {
    const given = tableOf(text)
    const usual = tableOf(table.defaultText)
    return given === null || usual === null || Object.hasOwn(given, 'default')
      ? table.normalise(text)
      : JSON.stringify({ ...given, default: usual['default'] })
  },
})

/** The entries of a text of lines or a comma list: trimmed, without empty ones. */
export const entriesOf = (text: string, separator: '\n' | ','): readonly string[] =>
  text
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

function tableOf(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text)?.value
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isTable ? { ...value } : null
}

const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g
const JSON_ENTRY = /("(?:[^"\\]|\\.)*")\s*:\s*([\d.eE+-]+)/g
const EMPTY_JSON: readonly string[] = ['{}', '[]']
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/
const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/

const isHttpAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

function numeric(
  defaultValue: number,
  range: Range,
  noun: string,
  isOfKind: (value: number) => boolean,
): OptionRule {
  return rule('number', String(defaultValue), {
    // `500000.000000` and `5e5` are stored as 500000.
    normalise: (text) => (NUMBER.test(text.trim()) ? String(Number(text)) : text.trim()),
    check: (text, key) => {
      if (!NUMBER.test(text) || !isOfKind(Number(text)))
        return `${key} 必须是${noun}，请输入${noun}`
      return isWithin(Number(text), range) ? null : `${key} 必须是${rangeText(range)}的${noun}`
    },
  })
}

const isWithin = (value: number, { min, above, max }: Range): boolean =>
  (min === undefined || value >= min) &&
  (above === undefined || value > above) &&
  (max === undefined || value <= max)

function rangeText({ min, above, max }: Range): string {
  if (min !== undefined && max !== undefined) return ` ${min} 到 ${max} 之间`
  if (min !== undefined) return `不小于 ${min} `
  if (above !== undefined) return `大于 ${above} `
  return max === undefined ? '' : `不大于 ${max} `
}

function rule(
  kind: OptionKind,
  defaultText: string,
  { normalise, check }: Partial<Pick<OptionRule, 'normalise' | 'check'>>,
): OptionRule {
  return {
    kind,
    defaultText,
    isHidden: false,
    isSecret: false,
    normalise: normalise ?? ((text) => text),
    check: (text, key) =>
      text.length > TEXT_LENGTH_MAX
        ? `${key} 内容过长，最多 ${TEXT_LENGTH_MAX} 个字符`
        : (check?.(text, key) ?? null),
  }
}
