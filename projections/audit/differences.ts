import type { Figure } from './expected-model.ts'

/** One figure that is not what the ledger says. */
export interface Difference {
  readonly model: string
  /** Without its schema; in parentheses where the ledger disagrees with itself. */
  readonly table: string
  readonly key: string
  readonly column: string
  readonly ledger: Figure
  readonly found: Figure
}

interface OfModel {
  rows: number
  differences: number
}

/** Counts all differences and keeps the first. */
export function gatherDifferences(most: number) {
  const first: Difference[] = []
  const models = new Map<string, OfModel>()
  let total = 0
  const ofModel = (model: string): OfModel => {
    const counts = models.get(model) ?? { rows: 0, differences: 0 }
    models.set(model, counts)
    return counts
  }
  return {
    add(difference: Difference): void {
      total += 1
      ofModel(difference.model).differences += 1
      if (first.length < most) first.push(difference)
    },
    looked(model: string, rows: number): void {
      ofModel(model).rows += rows
    },
    ofModel: (model: string): Readonly<OfModel> => ({ ...ofModel(model) }),
    total: (): number => total,
    first: (): readonly Difference[] => first,
  }
}
