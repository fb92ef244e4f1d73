import { isSameJson } from '../../parts/form/json-text.ts'
import type { OptionKey, OptionSpec } from './options.ts'
import { specOf } from './options.ts'
import type { TableProblem } from './tables.ts'
import { tableProblem } from './tables.ts'

/** Typed texts that are not saved yet, by option. */
export type Drafts = Readonly<Partial<Record<OptionKey, string>>>

/** One option and the text to put. */
export interface OptionChange {
  readonly key: OptionKey
  readonly value: string
}

/** A problem of an option's text that is found before the server is asked, with the values of its message. */
export type OptionProblem =
  | { readonly type: 'number' | 'whole' | 'address' | 'domain' | 'domainTwice' }
  | { readonly type: 'range' | 'least' | 'above'; readonly min: number; readonly max: number }
  | { readonly type: 'json'; readonly found: TableProblem }

/** The text of an option as it is stored; what the server does not list has none, and a secret never has one. */
export function storedText(key: OptionKey, options: ReadonlyMap<string, string>): string {
  return specOf(key).kind === 'secret' ? '' : (options.get(key) ?? '')
}

/** True when two texts of an option mean the same: spaces around a text and the layout of JSON do not count. */
export function isSameText(spec: OptionSpec, one: string, other: string): boolean {
  if (spec.kind === 'table') return isSameJson(one, other)
  if (spec.kind === 'number' && one.trim() !== '' && other.trim() !== '')
    return one.trim() === other.trim() || Number(one) === Number(other)
  if (spec.kind === 'lines' && spec.isCaseless)
    return one.trim().toLowerCase() === other.trim().toLowerCase()
  return one.trim() === other.trim()
}

/**
 * The options of a section that differ from what is stored, in the order in which they are put: what a switch needs
 * goes before the switch, and a demo site, where nothing else can be changed, is made last. An emptied secret stays as
 * it is.
 */
export function changesOf(
  keys: readonly OptionKey[],
  drafts: Drafts,
  options: ReadonlyMap<string, string>,
): readonly OptionChange[] {
  const changes = keys.flatMap((key): readonly OptionChange[] => {
    const draft = drafts[key]
    if (draft === undefined || isSameText(specOf(key), draft, storedText(key, options))) return []
    return [{ key, value: draft.trim() }]
  })
  return changes.toSorted((one, other) => turnOf(one) - turnOf(other))
}

function turnOf({ key }: OptionChange): number {
  if (key === 'DemoSiteEnabled') return 2
  return specOf(key).kind === 'switch' ? 1 : 0
}

/** The problem of a text, or null; the server checks again and knows more. */
export function optionProblem(spec: OptionSpec, text: string): OptionProblem | null {
  const trimmed = text.trim()
  if (spec.kind === 'table') {
    const found = tableProblem(spec.shape, text)
    return found && { type: 'json', found }
  }
  if (spec.kind === 'address')
    return trimmed === '' || isHttpAddress(trimmed) ? null : { type: 'address' }
  if (spec.kind === 'domains') return domainProblem(trimmed)
  if (spec.kind !== 'number') return null
  if (!/^-?\d+(\.\d+)?$/.test(trimmed)) return { type: 'number' }
  const value = Number(trimmed)
  if (spec.isWhole && !Number.isSafeInteger(value)) return { type: 'whole' }
  const { min, max = Infinity } = spec
  const isRight = (spec.isAbove ? value > min : value >= min) && value <= max
  if (isRight) return null
  const type = max < Infinity ? 'range' : spec.isAbove ? 'above' : 'least'
  return { type, min, max }
}

/** True when a stored text is not what an option is from the start; unknown for secrets and the long tables. */
export function isChanged(key: OptionKey, text: string): boolean {
  const spec = specOf(key)
  return spec.kind !== 'secret' && spec.initial !== null && !isSameText(spec, text, spec.initial)
}

/** The domains of a list, trimmed and without empty ones. */
export function domainsOf(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((domain) => domain.trim())
    .filter(Boolean)
}

function domainProblem(text: string): OptionProblem | null {
  const domains = domainsOf(text.toLowerCase())
  if (!domains.every((domain) => DOMAIN.test(domain))) return { type: 'domain' }
  return new Set(domains).size === domains.length ? null : { type: 'domainTwice' }
}

function isHttpAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/
