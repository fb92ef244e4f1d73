/**
 * In place of `@emotion/use-insertion-effect-with-fallbacks`, under which name the build puts it: a component's rules go
 * into the page while React draws, in the small steps of a transition, instead of all at once as it shows the result.
 * With emotion's own way, a slow phone could not answer for 0.28 s at the first page, 0.16 s of it for rules.
 */
import { useInsertionEffect } from 'react'

/** Inserts at once. A rule of a drawing that React gives up stays in the page unused, as those of past screens do. */
export function useInsertionEffectAlwaysWithSyncFallback(insert: () => void): void {
  insert()
}

/** For rules of the whole page, which are taken away again with their component. */
export const useInsertionEffectWithLayoutFallback = useInsertionEffect
