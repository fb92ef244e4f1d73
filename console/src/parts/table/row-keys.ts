/** Where a key leads among rows: by how many, or to an end. */
export type RowStep = { readonly by: number } | { readonly to: 'first' | 'last' }

/** Rows that PageUp and PageDown pass over. */
const PAGE_ROWS = 10

const STEPS: Readonly<Record<string, RowStep>> = {
  j: { by: 1 },
  k: { by: -1 },
  ArrowDown: { by: 1 },
  ArrowUp: { by: -1 },
  PageDown: { by: PAGE_ROWS },
  PageUp: { by: -PAGE_ROWS },
  Home: { to: 'first' },
  End: { to: 'last' },
}

/** The step that a key asks for. j and k work from anywhere on the page, the others on a row alone. */
export function rowStep(event: KeyboardEvent, isOnRow: boolean): RowStep | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null
  const isLetter = event.key === 'j' || event.key === 'k'
  return isOnRow || isLetter ? (STEPS[event.key] ?? null) : null
}

/** The index that a step leads to from another; without one (-1) from before the first row. */
export function stepped(index: number, step: RowStep, count: number): number {
  if ('to' in step) return step.to === 'first' ? 0 : count - 1
  return Math.max(0, Math.min(count - 1, index + step.by))
}

/** True when a key belongs to something else: a field that is typed in, an open dialog or menu. */
export function isKeyTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || !(event.target instanceof Element)) return true
  if (event.target.closest('input:not([type=checkbox]), textarea, select, [contenteditable=true]'))
    return true
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null
}
