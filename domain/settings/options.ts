import type { OptionKey } from './catalogue.ts'
import { defaultText, OPTION_KEYS } from './catalogue.ts'
import { entriesOf, parseJson } from './rules.ts'

/**
 * All options as they stand at one moment: immutable, typed by key, defaults filled in. A stored text that does not fit
 * its kind (it was stored by another version) reads as the default.
 */
export interface OptionsView {
  text(key: OptionKey): string
  number(key: OptionKey): number
  flag(key: OptionKey): boolean
  /** Entries of a text of lines or of a comma list: trimmed, without empty ones. */
  lines(key: OptionKey): readonly string[]
  /** The parsed value; its shape was checked when it was stored. Parsed once, so do not change it. */
  json(key: OptionKey): unknown
  /** `json` as entries with values that are numbers or texts; other values are left out. */
  table(key: OptionKey): ReadonlyMap<string, number | string>
  /** The text that was stored under any key, known or not; null when none was. */
  stored(key: string): string | null
  /** Every known option and every other that was stored, by key. */
  entries(): Iterable<readonly [key: string, text: string]>
  /** A view in which one option stands at another text; null = at its default. */
  with(key: string, text: string | null): OptionsView
}

/** The view of stored options; an option that is not among them has its default. */
export function optionsFrom(entries: Iterable<readonly [key: string, text: string]>): OptionsView {
  return viewOf(new Map(entries))
}

function viewOf(stored: ReadonlyMap<string, string>): OptionsView {
  const parsed = new Map<OptionKey, unknown>()
  const text = (key: OptionKey): string => stored.get(key) ?? defaultText(key)
  const json = (key: OptionKey): unknown => {
    if (!parsed.has(key)) parsed.set(key, jsonOf(text(key)) ?? jsonOf(defaultText(key)))
    return parsed.get(key)
  }
  return {
    text,
    number: (key) => numberOf(text(key)) ?? numberOf(defaultText(key)) ?? 0,
    flag: (key) => text(key) === 'true',
    lines: (key) => entriesOf(text(key), key === 'EmailDomainWhitelist' ? ',' : '\n'),
    json,
    table: (key) => tableOf(json(key)),
    stored: (key) => stored.get(key) ?? null,
    entries: () => new Map([...OPTION_KEYS.map((key) => [key, text(key)] as const), ...stored]),
    with: (key, value) => {
      const next = new Map(stored)
      if (value === null) next.delete(key)
      else next.set(key, value)
      return viewOf(next)
    },
  }
}

const jsonOf = (text: string): unknown => parseJson(text)?.value

function numberOf(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

function tableOf(value: unknown): ReadonlyMap<string, number | string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map()
  return new Map(
    Object.entries(value).filter(
      (entry): entry is [string, number | string] =>
        typeof entry[1] === 'number' || typeof entry[1] === 'string',
    ),
  )
}
