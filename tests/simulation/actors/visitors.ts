import { relayId, type UserId } from '@tollgate/domain/ids.ts'
import { HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { Engines } from '../engines/engines.ts'
import { uncrashable } from './admin.ts'
import { remoteOwner, type Owners } from './relay.ts'

/** Relays that take one hold of an account, use nothing of it and go: so many, one after the other. */
export type Visit = (account: UserId, count: number) => Promise<void>

/** See `Visit`. A question that fails is not repeated. */
export function makeVisitors(runtime: Runtime, engines: Engines, owners: Owners): Visit {
  const owner = remoteOwner(engines, uncrashable(runtime, 'visitor'), owners)
  return async (account, count) => {
    for (let i = 0; i < count; i++) {
      const relay = relayId(runtime.uuid())
      const ask = { account, token: null, relay, nonce: runtime.uuid() }
      try {
        const answer = await owner.placeHold({ ...ask, need: quota(0), want: quota(1) })
        if (answer.status === 'held') await owner.finishHold(answer.hold, 0)
      } catch (error) {
        if (!(error instanceof HoldOwnerUnavailable)) throw error
      }
    }
  }
}
