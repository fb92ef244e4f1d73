import { useCallback, useMemo, useState } from 'react'
import type { Drafts } from './draft-context.ts'
import type { EntryMode, PriceDraft, PriceMaps } from './price-draft.ts'
import { draftIn, draftOf, draftProblems, priceChanges } from './price-draft.ts'

/** The editor's unsaved prices: what was typed by model, in the mode it was typed in. */
export function usePriceDrafts(maps: PriceMaps, mode: EntryMode, perRatio: number) {
  const [typed, setTyped] = useState<ReadonlyMap<string, PriceDraft>>(new Map())
  const change = useCallback(
    (models: readonly string[], next: (draft: PriceDraft) => PriceDraft | null) =>
      setTyped((old) => {
        const changed = new Map(old)
        for (const model of models) {
          const draft = next(draftIn(old.get(model) ?? draftOf(model, maps), mode, perRatio))
          if (draft) changed.set(model, draft)
          else changed.delete(model)
        }
        return changed
      }),
    [maps, mode, perRatio],
  )
  const drafts = useMemo(
    (): Drafts => ({
      mode,
      draftFor: (model) => draftIn(typed.get(model) ?? draftOf(model, maps), mode, perRatio),
      isEdited: (model) => typed.has(model),
      edit: (model, field, text) => change([model], (draft) => ({ ...draft, [field]: text })),
      revert: (model) => change([model], () => null),
    }),
    [typed, maps, mode, perRatio, change],
  )
  return {
    drafts,
    typed,
    changes: useMemo(() => priceChanges(typed, maps, perRatio), [typed, maps, perRatio]),
    isWrong: [...typed.values()].some((draft) => Object.keys(draftProblems(draft)).length > 0),
    setAll: (models: readonly string[], draft: PriceDraft) =>
      change(models, (old) => ({ ...old, ...draft })),
    clear: () => setTyped(new Map()),
  }
}
