/** Custom GPTs, whose names share a beginning and one entry of the prices. */
export const MODEL_FAMILIES = [
  { beginning: 'gpt-4-gizmo', name: 'gpt-4-gizmo-*' },
  { beginning: 'gpt-4o-gizmo', name: 'gpt-4o-gizmo-*' },
] as const

/**
 * The name a model is priced, routed and logged by: all of a family share one entry (`gpt-4-gizmo-g-abc` is
 * `gpt-4-gizmo-*`), every other name is its own.
 */
export const pricedName = (model: string): string =>
  MODEL_FAMILIES.find(({ beginning }) => model.startsWith(beginning))?.name ?? model
