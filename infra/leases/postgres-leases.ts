import {
  type LeaseAnswer,
  type LeaseRound,
  type Leases,
  LeasesUnavailable,
} from '@tollgate/domain/ports/leases.ts'
import type { Pool } from 'pg'
import { z } from 'zod'
import { messageOf } from '../event-store/message-of.ts'

/**
 * A server that does not answer for this long is unavailable; well below any ttl, so that a round can be tried again.
 */
const ANSWER_TIMEOUT_MS = 2_000

/**
 * Leases in PostgreSQL, one statement a round. Expiry goes by the database's clock alone: the clocks of processes need
 * not agree. Members are in the order of their ids. Give it a pool of its own with one or two connections, so that a
 * renewal never queues behind other work. All calls fail with LeasesUnavailable.
 */
export function postgresLeases(pool: Pool): Leases {
  const ask = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    // pg takes a query's own time limit (the connection is thrown away when it passes); its types do not know it.
    const query = { text, values: [...values], query_timeout: ANSWER_TIMEOUT_MS }
    try {
      return (await pool.query(query)).rows[0]
    } catch (error) {
      throw new LeasesUnavailable(`PostgreSQL did not renew the leases: ${messageOf(error)}`, error)
    }
  }
  return {
    async renew({ group, member, ttlMs, wanted }: LeaseRound): Promise<LeaseAnswer> {
      return leaseAnswer.parse(await ask(RENEW, [group, member, ttlMs, wanted]))
    },
    async leave(group, member) {
      await ask('select coordination.leave($1, $2)', [group, member])
    },
    async stepBack(group, member) {
      const row = await ask('select coordination.step_back($1, $2) as "isDone"', [group, member])
      return stepBackAnswer.parse(row).isDone
    },
  }
}

const RENEW = `
  select members, held from coordination.renew($1, $2, $3::integer * interval '1 millisecond', $4::text[])`

const stepBackAnswer = z.object({ isDone: z.boolean() })
const leaseAnswer = z.object({ members: z.array(z.string()), held: z.array(z.string()) })
