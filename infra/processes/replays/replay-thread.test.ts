import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ReplayNews, ReplayThreadData } from './replay-thread.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createMigratedDatabase()
})
afterEach(() => database.drop())

const THREAD = new URL('./replay-thread.ts', import.meta.url)

test('given a rejection in the thread that nobody handles, when it comes, then it is logged only', async () => {
  const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(
    `import(${JSON.stringify(THREAD.href)})
     const look = () => {
       if (process.listenerCount('unhandledRejection') === 0) setImmediate(look)
       else void Promise.reject(new Error('unheard'))
     }
     look()`,
    {
      eval: true,
      workerData: {
        databaseUrl: database.url,
        eventStoreUrl: null,
        busy,
      } satisfies ReplayThreadData,
    },
  )
  const told: string[] = []
  worker.on('message', ({ level, message }: ReplayNews) => told.push(`${level} ${message}`))
  expect(await once(worker, 'exit')).toEqual([0])
  expect(told).toEqual(['error process: nobody handled a rejection; the process goes on'])
})
