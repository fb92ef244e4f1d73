import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { usePages } from '../../parts/table/use-pages.ts'
import type { PricedModel } from './contract.ts'
import type { PriceMaps } from './price-draft.ts'
import { PRICE_OPTIONS } from './price-draft.ts'
import { matchesFuzzily } from './price-rows.ts'
import { completionRatiosQuery } from './queries.ts'

/** A line of the price editor. */
export interface EditorRow {
  readonly model: string
  /** Served by an enabled channel, and refused because nothing says what it costs. */
  readonly isUnset: boolean
  /** The completion ratio that holds while none is set; missing = not known. */
  readonly completionRatio?: number
}

interface Sources {
  /** The models without a price, or all. */
  readonly view: 'unset' | 'visual'
  readonly maps: PriceMaps
  readonly models: readonly PricedModel[]
}

/** The lines of the price editor as they were searched for and added to. */
export type EditorList = ReturnType<typeof useEditorRows>

/** Keeps which lines the price editor shows: those of its view and the added ones, by words and by pages. */
export function useEditorRows({ view, maps, models }: Sources) {
  const [typedWords, search] = useState('')
  const [added, setAdded] = useState<readonly string[]>([])
  const { data: ratios = NO_RATIOS, isPending } = useQuery(completionRatiosQuery(added))
  const all = useMemo(
    () => editorRows({ maps, models, ratios, added }),
    [maps, models, ratios, added],
  )
  const rows = useMemo(
    () =>
      all.filter(
        (row) =>
          (view === 'visual' || row.isUnset || added.includes(row.model)) &&
          matchesFuzzily(row.model, typedWords),
      ),
    [all, view, added, typedWords],
  )
  return {
    rows,
    /** The ratios that hold without an entry were answered or refused. */
    isSettled: !isPending,
    ...usePages(rows),
    typedWords,
    search,
    isKnown: (name: string): boolean =>
      added.includes(name) || PRICE_OPTIONS.some((option) => name in maps[option]),
    add: (name: string) => setAdded([name, ...added]),
    clearAdded: () => setAdded([]),
  }
}

const NO_RATIOS: Readonly<Record<string, number>> = {}

/** Every model that is served or has a price: added ones first, then those without a price, then those that are served. */
export function editorRows(of: {
  readonly maps: PriceMaps
  readonly models: readonly Pick<PricedModel, 'model_name' | 'has_price'>[]
  readonly ratios: Readonly<Record<string, number>>
  readonly added: readonly string[]
}): readonly EditorRow[] {
  const { maps, models, ratios, added } = of
  const served = new Set(models.map((model) => model.model_name))
  const unset = new Set(models.filter((model) => !model.has_price).map((model) => model.model_name))
  const named = PRICE_OPTIONS.flatMap((option) => Object.keys(maps[option]))
  return [...new Set([...added, ...served, ...named])]
    .map((model) => {
      const completionRatio = ratios[model]
      return {
        model,
        isUnset: unset.has(model),
        ...(completionRatio === undefined ? {} : { completionRatio }),
      }
    })
    .sort((a, b) => rank(b) - rank(a) || a.model.localeCompare(b.model))

  function rank(row: EditorRow): number {
    if (added.includes(row.model)) return 3
    return row.isUnset ? 2 : Number(served.has(row.model))
  }
}
