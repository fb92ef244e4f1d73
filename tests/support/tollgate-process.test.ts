import { expect, test } from 'vitest'
import { isAlive } from './processes.ts'
import { freePort } from './free-port.ts'
import { killLeftProcesses, TollgateProcess } from './tollgate-process.ts'

test('given a setting that is wrong, when started, then the error holds what the process printed', async () => {
  const misled = new TollgateProcess('all-in-one', await freePort(), { LOG_LEVEL: 'nonsense' })
  await expect(misled.start()).rejects.toThrow(/it printed:\n[^]*LOG_LEVEL/u)
})

test('given a process that nobody ended, when a file is over, then it is killed', async () => {
  const left = new TollgateProcess('relay', await freePort(), {})
  const pid = left.launch().pid ?? 0
  expect(isAlive(pid)).toBe(true)
  await killLeftProcesses()
  expect(isAlive(pid)).toBe(false)
})
