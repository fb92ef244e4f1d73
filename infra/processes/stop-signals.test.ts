import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const MODULE = new URL('./stop-signals.ts', import.meta.url).href
/** Stops when it is told a second thing: an error begins the end, a signal is waited for in the middle of it. */
const PROGRAM = `
import { once } from 'node:events'
import { stopOnSignal } from '${MODULE}'
const logger = { fatal() {}, error() {} }
stopOnSignal(20_000, logger, async () => {
  process.stdout.write('stopping,')
  await once(process, 'SIGTERM')
  process.stdout.write('told,')
})
setImmediate(() => { throw new Error('unexpected') })
`

test('given an error, when a signal follows during closing, then all is closed once with the error’s code', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    printed += part
    if (printed === 'stopping,') child.kill('SIGTERM')
  })
  expect(await ended).toEqual([1, null])
  expect(printed).toBe('stopping,told,')
})

/** npm passes on to what it runs what a terminal has told both. */
const TOLD_TWICE = `
import { once } from 'node:events'
import { stopOnSignal } from '${MODULE}'
const logger = { fatal() {}, error() {} }
stopOnSignal(20_000, logger, async () => {
  process.stdout.write('stopping,')
  process.kill(process.pid, 'SIGINT')
  await once(process, 'SIGINT')
  process.stdout.write('told,')
})
process.kill(process.pid, 'SIGTERM')
`

test('given a signal, when another follows at once, then all is closed once, in order', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', TOLD_TWICE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
  expect(await once(child, 'close')).toEqual([0, null])
  expect(printed).toBe('stopping,told,')
})

/** Two promises fail unheard, while it works and while it stops. */
const UNHANDLED = `
import { stopOnSignal } from '${MODULE}'
const logger = {
  fatal({ err }) { process.stdout.write('fatal ' + err.message) },
  error({ err, rejections }) { process.stdout.write(err.message + ' ' + rejections + ',') },
}
const failUnheard = async (message) => {
  Promise.reject(new Error(message))
  await new Promise((resolve) => setImmediate(resolve))
}
stopOnSignal(20_000, logger, () => failUnheard('stopping'))
await failUnheard('working')
process.kill(process.pid, 'SIGTERM')
await new Promise(() => setInterval(() => undefined, 1_000))
`

test('given unhandled rejections, when they come, then each is logged and counted and the process goes on', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', UNHANDLED], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
  expect(await once(child, 'close')).toEqual([0, null])
  expect(printed).toBe('working 1,stopping 2,')
})
