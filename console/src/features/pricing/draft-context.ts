import { createContext, useContext } from 'react'
import type { DraftField, EntryMode, PriceDraft } from './price-draft.ts'

/** The drafts of the price editor, for the cells of its table: columns stay the same while one types. */
export interface Drafts {
  readonly mode: EntryMode
  /** The model's draft in the chosen mode: what was typed, else what is configured. */
  readonly draftFor: (model: string) => PriceDraft
  readonly isEdited: (model: string) => boolean
  readonly edit: (model: string, field: DraftField, text: string) => void
  readonly revert: (model: string) => void
}

const context = createContext<Drafts | null>(null)

/** Gives the drafts to the cells below. */
export const DraftsProvider = context.Provider

/** The drafts of the editor around this cell. */
export function useDrafts(): Drafts {
  const drafts = useContext(context)
  if (!drafts) throw new Error('a price field stands outside the price editor')
  return drafts
}
