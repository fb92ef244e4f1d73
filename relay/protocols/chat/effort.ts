import { type Effort, EFFORTS } from './chat-request.ts'

/**
 * The known effort nearest to the requested one; of two that are as near, the lower. It thinks where thinking is
 * requested, and as little as it can where it is not. `known` is not empty.
 */
export function nearestEffort(effort: Effort, known: readonly [Effort, ...Effort[]]): Effort {
  const place = EFFORTS.indexOf(effort)
  const distance = (one: Effort): number => Math.abs(EFFORTS.indexOf(one) - place)
  const thinking = known.filter((one) => one === effort || one !== 'none')
  return thinking.reduce(
    (best, one) => (distance(one) < distance(best) ? one : best),
    thinking[0] ?? known[0],
  )
}
