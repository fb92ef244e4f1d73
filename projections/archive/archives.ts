import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type ApiReply, failure } from '@tollgate/command-api/http-contract/api-route.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { inOneState } from '../runner/reads.ts'

const BUSY = '导出任务过多，请等待正在进行的导出完成后重试'

/** Each holds a connection while it is read. */
const ARCHIVES_AT_ONCE = 4

/** Makes a ZIP out of what it reads. */
export type PackArchive = (reads: CommonQueryMethods) => Promise<Readable>

/** The ZIPs that a process gives out. */
export interface Archives {
  /**
   * A ZIP as `pack` makes it, everything in it of one state of the database. Refused while the caller, or too many, have
   * one under way. `name` is the file's without its ending.
   */
  give(caller: number, name: string, pack: PackArchive): Promise<ApiReply>
}

/** One for all routes, so that they share the bound on what is under way. */
export function openArchives(reads: CommonQueryMethods): Archives {
  /** Callers whose archive is under way. */
  const reading = new Set<number>()
  return {
    async give(caller, name, pack) {
      if (reading.has(caller) || reading.size >= ARCHIVES_AT_ONCE) return failure(BUSY, 429)
      reading.add(caller)
      return {
        whole: await packed(reads, pack, () => reading.delete(caller)),
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
function packed(
  reads: CommonQueryMethods,
  pack: PackArchive,
  onEnd: () => void,
): Promise<Readable> {
  return new Promise((resolve, reject) => {
    let archive: Readable | null = null
    inOneState(reads, async (snapshot) => {
      await snapshot.query(sql.unsafe`set local idle_in_transaction_session_timeout = '1min'`)
      archive = await pack(snapshot)
      resolve(archive)
      await finished(archive)
    })
      .catch((error: unknown) => {
        // PostgreSQL ends a transaction in which nothing is asked for too long; no query is there then to fail by it.
        archive?.destroy(error instanceof Error ? error : new Error('the archive broke off'))
        reject(error)
      })
      .finally(onEnd)
  })
}
