import type { DraftField, EntryMode, PriceChange, PriceDraft, PriceMaps } from './price-draft.ts'
import { draftIn, draftOf, draftProblems, priceChanges, withField } from './price-draft.ts'
import type { RefusedPrice } from './refused-price.ts'

/** How drafts are read: what is configured, and as ratios or as prices (`perRatio` = dollars a million tokens cost at ratio 1). */
export interface DraftTerms {
  readonly maps: PriceMaps
  readonly mode: EntryMode
  readonly perRatio: number
}

/**
 * The unsaved prices of the editor, by model, in the mode they were typed in. It lies outside React, so that a key
 * redraws the line that it was typed in and the button that counts the changes, and not two hundred lines.
 */
export interface DraftStore {
  readonly subscribe: (listener: () => void) => () => void
  /** Other drafts are another map; the same map, the same drafts. */
  readonly all: () => ReadonlyMap<string, PriceDraft>
  readonly typed: (model: string) => PriceDraft | undefined
  readonly edit: (model: string, field: DraftField, text: string, terms: DraftTerms) => void
  /** Puts the same draft into several models. */
  readonly setAll: (models: readonly string[], draft: PriceDraft, terms: DraftTerms) => void
  readonly revert: (model: string) => void
  readonly clear: () => void
  /** Keeps what the server refused, until something else is typed for its model. */
  readonly refuse: (price: RefusedPrice) => void
  readonly refused: (model: string) => RefusedPrice | undefined
}

/** A store without drafts. */
export function draftStore(): DraftStore {
  let drafts: ReadonlyMap<string, PriceDraft> = new Map()
  let refusal: RefusedPrice | undefined
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const put = (changes: readonly (readonly [string, PriceDraft | null])[]) => {
    const next = new Map(drafts)
    for (const [model, draft] of changes) {
      if (draft) next.set(model, draft)
      else next.delete(model)
      if (refusal?.model === model) refusal = undefined
    }
    drafts = next
    tell()
  }
  const shown = (model: string, terms: DraftTerms) => shownDraft(model, drafts.get(model), terms)
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    all: () => drafts,
    typed: (model) => drafts.get(model),
    edit: (model, field, text, terms) =>
      put([[model, withField(shown(model, terms), field, text)]]),
    setAll: (models, draft, terms) =>
      put(
        models.map((model) => {
          const before = shown(model, terms)
          const caches = { ...before.caches, ...draft.caches }
          return [model, { ...before, ...draft, ...(draft.caches && { caches }) }]
        }),
      ),
    revert: (model) => put([[model, null]]),
    clear: () => put([...drafts.keys()].map((model) => [model, null])),
    refuse: (price) => {
      refusal = price
      tell()
    },
    refused: (model) => (refusal?.model === model ? refusal : undefined),
  }
}

/** The draft that a model's fields show: the typed one, else the configured prices. */
export function shownDraft(
  model: string,
  typed: PriceDraft | undefined,
  { maps, mode, perRatio }: DraftTerms,
): PriceDraft {
  return draftIn(typed ?? draftOf(model, maps), mode, perRatio)
}

/** The changes that saving would make. */
export function changesIn(
  drafts: ReadonlyMap<string, PriceDraft>,
  { maps, perRatio }: DraftTerms,
): readonly PriceChange[] {
  return priceChanges(drafts, maps, perRatio)
}

/** True when some draft cannot be saved as it stands. */
export function hasProblem(drafts: ReadonlyMap<string, PriceDraft>): boolean {
  return [...drafts.values()].some((draft) => Object.keys(draftProblems(draft)).length > 0)
}
