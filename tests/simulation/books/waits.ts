import type { Runtime } from '../core/simulated-runtime.ts'
import type { SimulatedRequest } from './requests.ts'

/** The requests of one relay that wait for quota: each is served before those that came later and need no less. */
export interface Waits {
  /** A request begins to wait. To be called when it ends: whether it got its quota. */
  begin(request: SimulatedRequest): (isServed: boolean) => void
}

/** See `Waits`. */
export function makeWaits({ violate }: Runtime): Waits {
  const waiting: SimulatedRequest[] = []
  return {
    begin(request) {
      waiting.push(request)
      return (isServed) => {
        const before = waiting.splice(0, waiting.indexOf(request) + 1).slice(0, -1)
        waiting.unshift(...before)
        if (!isServed) return
        const passed = before.find(
          ({ account, token, estimate, hasLeft }) =>
            account === request.account &&
            token === request.token &&
            estimate <= request.estimate &&
            !hasLeft,
        )
        if (passed !== undefined) violate('served-out-of-turn', `${request.id} before ${passed.id}`)
      }
    },
  }
}
