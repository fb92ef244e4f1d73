import { type DraftField, type EntryMode, isCacheField } from './price-draft.ts'

/** The name of a field in a mode, as a key of the texts. */
export function labelOf(field: DraftField, mode: EntryMode) {
  if (field === 'call') return 'callPrice'
  if (isCacheField(field)) return `${field}_${mode}` as const
  if (mode === 'ratio') return field === 'input' ? 'modelRatio' : 'completionRatio'
  return field === 'input' ? 'inputPrice' : 'outputPrice'
}
