import { HoldKeeper } from '@tollgate/relay/holds/hold-keeper.ts'
import { relayId } from '@tollgate/domain/ids.ts'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import type { Engines } from './engines.ts'
import type { ReadSide } from './read-side.ts'
import type { World } from './world.ts'
import type { WriteSide } from './write-side.ts'

/** The relay, composed. */
export interface RelaySide {
  register(app: FastifyInstance): void
  whyNotReady(): string | null
  stop(withinMs: number): Promise<void>
}

export async function composeRelaySide(
  _config: Config,
  world: World,
  _engines: Engines,
  writing: WriteSide,
  _reading: ReadSide,
): Promise<RelaySide> {
  const relay = relayId(world.randomness.uuid())
  const keeper = new HoldKeeper({
    relay,
    owner: writing.holds,
    journal: writing.holds,
    clock: world.clock,
    randomness: world.randomness,
  })
  writing.relays.add(keeper)
  keeper.start()
  return { register: () => undefined, whyNotReady: () => null, stop: (ms) => keeper.stop(ms) }
}
