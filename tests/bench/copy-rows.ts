import type { Connection, PoolClient, Submittable } from 'pg'

/**
 * COPY … FROM STDIN through pg's wire connection: the fastest way of rows into PostgreSQL, which the event store is
 * measured against. Resolves when the server has committed.
 */
export function copyRows(client: PoolClient, statement: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy: CopyIn = {
      submit: (connection) => connection.query(statement),
      handleCopyInResponse(connection) {
        for (let at = 0; at < rows.length; at += CHUNK_BYTES) {
          connection.sendCopyFromChunk(rows.subarray(at, at + CHUNK_BYTES))
        }
        connection.endCopyFrom()
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: (error) => reject(error),
    }
    client.query(copy as unknown as Submittable)
  })
}

const CHUNK_BYTES = 64 * 1024

/** The methods that pg calls on anything that it is given as a query; its declarations leave COPY out. */
interface CopyIn {
  submit(connection: Connection & CopyConnection): void
  handleCopyInResponse(connection: CopyConnection): void
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

interface CopyConnection {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}
