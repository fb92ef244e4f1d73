import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type ApiReply, failure } from '@tollgate/command-api/http-contract/api-route.ts'
import type pg from 'pg'
import { inTransaction, LONG_IDLE, ONE_STATE } from '../runner/session.ts'

const BUSY = '导出任务过多，请等待正在进行的导出完成后重试'

/** Each holds a connection while it is read. */
const ARCHIVES_AT_ONCE = 4

const BEGIN = `${ONE_STATE}; ${LONG_IDLE}`

/** The ZIPs that a process gives out. */
export interface Archives {
  /**
   * A ZIP as `pack` makes it, everything in it of one state of the database. Refused while the caller, or too many, have
   * one under way. `name` is the file's without its ending.
   */
  give(
    caller: number,
    name: string,
    pack: (client: pg.PoolClient) => Promise<Readable>,
  ): Promise<ApiReply>
}

/** One for all routes, so that they share the bound on what is under way. */
export function openArchives(pool: pg.Pool): Archives {
  /** Callers whose archive is under way. */
  const reading = new Set<number>()
  return {
    async give(caller, name, pack) {
      if (reading.has(caller) || reading.size >= ARCHIVES_AT_ONCE) return failure(BUSY, 429)
      reading.add(caller)
      return {
        whole: await inOneState(pool, pack, () => reading.delete(caller)),
        headers: {
          'content-type': 'application/zip',
          'content-disposition': `attachment; filename="${name}.zip"`,
        },
      }
    },
  }
}

/**
 * The transaction lasts until the reader has taken the whole, and ends with the stream where the reader goes away or
 * takes nothing for a minute. `onEnd` is called then.
 */
function inOneState(
  pool: pg.Pool,
  pack: (client: pg.PoolClient) => Promise<Readable>,
  onEnd: () => void,
): Promise<Readable> {
  return new Promise((resolve, reject) => {
    inTransaction(pool, BEGIN, async (client) => {
      const archive = await pack(client)
      // PostgreSQL ends a transaction in which nothing is asked for too long; no query is there then to fail by it.
      const breakOff = (error: Error): void => void archive.destroy(error)
      client.on('error', breakOff)
      resolve(archive)
      await finished(archive)
      client.off('error', breakOff)
    })
      // After the archive was handed over its stream tells of what failed.
      .catch(reject)
      .finally(onEnd)
  })
}
