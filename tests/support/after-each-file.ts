import { flushCompileCache } from 'node:module'
import { aroundAll } from 'vitest'
import { expectNoQueuedQuery, killLeftProcesses } from './tollgate-process.ts'

// Not afterAll: when a beforeAll failed, the file's own afterAll often fails too, and then no other is called.
aroundAll(async (runFile) => {
  await runFile()
  // Workers are ended by a signal and would keep nothing: what one has compiled is there for the next.
  flushCompileCache()
  await killLeftProcesses()
  expectNoQueuedQuery()
})
