import { defaultText, isOptionKey, isPricingOption } from './catalogue.ts'
import type { PriceChange, SettingsEvent } from './events.ts'
import type { OptionsView } from './options.ts'
import { parseJson } from './rules.ts'
import type { PlannedRevision } from './state.ts'

/** An option's new text; null = a secret's. */
export interface OptionText {
  readonly key: string
  readonly value: string | null
  /** The text before; null for a secret one or when it stood at its default. */
  readonly previous: string | null
}

/** The options that an event changes the moment it is there; a planned revision changes nothing yet. */
export function optionChangesIn(event: SettingsEvent): readonly OptionText[] {
  switch (event.type) {
    case 'OptionChanged':
      return [event.data]
    case 'PriceBookRevised':
      return isPlanned(event.data) ? [] : event.data.changes
    case 'PriceRevisionTookEffect':
      return event.data.changes
    case 'PriceRevisionWithdrawn':
    case 'LogsCleared':
      return []
    default:
      return event satisfies never
  }
}

/** Whether a revision waits for its time. */
export const isPlanned = (revision: {
  readonly at: number
  readonly effectiveAt: number
}): boolean => revision.effectiveAt > revision.at

/** Whether an event makes a revision of prices by itself. */
export const isRevision = (event: SettingsEvent): boolean =>
  event.type === 'PriceBookRevised' ||
  (event.type === 'OptionChanged' && isPricingOption(event.data.key))

/** Planned revisions in the order in which they come into force. */
export const inOrderOfEffect = <Planned extends Pick<PlannedRevision, 'number' | 'effectiveAt'>>(
  planned: readonly Planned[],
): readonly Planned[] =>
  planned.toSorted((a, b) => a.effectiveAt - b.effectiveAt || a.number - b.number)

/** Options with texts in place of those they had. */
export const withTexts = (
  options: OptionsView,
  changes: readonly Pick<PriceChange, 'key' | 'value'>[],
): OptionsView => changes.reduce((so, { key, value }) => so.with(key, value), options)

/**
 * The changes that a revision makes to the present options. Of each table it changes only the revision's own entries,
 * so that others' changes since then stay. Entries that would change nothing are left out.
 */
export const rebased = (
  changes: readonly PriceChange[],
  present: OptionsView,
): readonly PriceChange[] =>
  changes
    .map((change) => ({
      key: change.key,
      value: textOver(change, present),
      previous: present.stored(change.key),
    }))
    .filter(({ key, value, previous }) => value !== (previous ?? defaultOf(key)))

function textOver({ key, value, previous }: PriceChange, present: OptionsView): string {
  const base = previous ?? defaultOf(key)
  const now = present.stored(key) ?? defaultOf(key)
  if (now === base || key === 'QuotaPerUnit') return value
  const entries = new Map(Object.entries(tableOf(now)))
  const wanted = tableOf(value)
  for (const { name, to } of priceDifference(key, base, value)) {
    if (to === null) entries.delete(name)
    else entries.set(name, wanted[name])
  }
  return JSON.stringify(Object.fromEntries(entries))
}

/** One entry of a pricing option that differs; decimal texts, JSON of factors, null = no entry. `name` is '' for an option of one number. */
export interface PriceDifference {
  readonly key: string
  readonly name: string
  readonly from: string | null
  readonly to: string | null
}

/** The differences between two texts of a pricing option, entry by entry, in order of name. */
export function priceDifference(key: string, from: string, to: string): readonly PriceDifference[] {
  if (key === 'QuotaPerUnit') return from === to ? [] : [{ key, name: '', from, to }]
  const before = tableOf(from)
  const after = tableOf(to)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .toSorted()
    .map((name) => ({ key, name, from: entryOf(before, name), to: entryOf(after, name) }))
    .filter((entry) => entry.from !== entry.to)
}

const entryOf = (table: Readonly<Record<string, unknown>>, name: string): string | null =>
  Object.hasOwn(table, name) ? entryText(table[name]) : null

/** The text of an entry: of factors their JSON, in order of name, so that the same factors are the same text. */
const entryText = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `{${Object.entries(value)
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, factor]) => `${JSON.stringify(name)}:${entryText(factor)}`)
        .join()}}`
    : String(value)

/** A text that is no table (stored by another version) has no entries. */
function tableOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = parseJson(text)?.value
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}

export const defaultOf = (key: string): string => (isOptionKey(key) ? defaultText(key) : '')
