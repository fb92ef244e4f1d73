/**
 * The name a model is priced and routed by: all custom GPTs of a family share one entry (`gpt-4-gizmo-g-abc` is
 * `gpt-4-gizmo-*`), every other name is its own.
 */
export function pricedName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*'
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*'
  return model
}
