import {
  type ApiReply,
  type Caller,
  failure,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { distinctIds } from '../http/names.ts'
import { textInPath } from '../http/query.ts'
import type { ReplayRouteDeps } from './deps.ts'
import { expectedPositions } from './landmarks.ts'
import { type ReplayEntity, replayEntity } from './replay-entity.ts'
import { findReplay, lastPace, type Replay } from './replay-table.ts'
import { REPLAY_TEXTS as TEXTS } from './request-body.ts'

/** Administrators see all replays, others their own. */
export const ADMIN = 10

export const REPLAY_IN_PATH = textInPath('Id of the replay')

/** Reads replays for the routes. */
export interface ReplayReader {
  /** The caller's, or anybody's for administrators; null when there is none for them. */
  readonly findFor: (caller: Caller, id: string) => Promise<Replay | null>
  /** Replays as answers carry them, with their owners' names and the time that they still take. */
  readonly entitiesOf: (replays: readonly Replay[]) => Promise<readonly ReplayEntity[]>
  /** Answers a replay as it stands now; 404 when it was removed meanwhile. */
  readonly reply: (id: string) => Promise<ApiReply>
}

export function createReplayReader(
  deps: Pick<ReplayRouteDeps, 'pool' | 'store' | 'names' | 'now'>,
): ReplayReader {
  const { pool } = deps

  async function findFor(caller: Caller, id: string): Promise<Replay | null> {
    const found = await findReplay(pool, id)
    return found !== null && (caller.role >= ADMIN || found.owner === caller.userId) ? found : null
  }

  async function entitiesOf(replays: readonly Replay[]): Promise<readonly ReplayEntity[]> {
    const [users, head, positionsPerMs] = await Promise.all([
      deps.names.users(distinctIds(replays.map(({ owner }) => owner))),
      deps.store.headPosition(),
      lastPace(pool),
    ])
    const pace = { now: deps.now(), positionsPerMs }
    const expected = (one: Replay): Promise<number> | number =>
      one.positionsToRead ??
      (one.status === 'queued' || one.status === 'running'
        ? expectedPositions(pool, one.definition, head)
        : 0)
    return Promise.all(
      replays.map(async (one) =>
        replayEntity(one, users.get(one.owner) ?? '', {
          ...pace,
          expectedPositions: await expected(one),
        }),
      ),
    )
  }

  async function reply(id: string): Promise<ApiReply> {
    const found = await findReplay(pool, id)
    return found === null ? failure(TEXTS.unknown, 404) : { data: (await entitiesOf([found]))[0] }
  }

  return { findFor, entitiesOf, reply }
}
