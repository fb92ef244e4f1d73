import { type Effort, EFFORTS } from './chat-request.ts'

/**
 * The effort that a model knows next to the one that is asked for; of two that are as near, the lower. It thinks where
 * it is asked to, and as little as it can where it is asked not to. `known` is not empty.
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
