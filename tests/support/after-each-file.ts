import { aroundAll } from 'vitest'
import { expectNoDeprecation, killLeftProcesses } from './tollgate-process.ts'

// Not afterAll: when a beforeAll failed, the file's own afterAll often fails too, and then no other is called.
aroundAll(async (runFile) => {
  await runFile()
  await killLeftProcesses()
  expectNoDeprecation()
})
