import { chromium } from 'playwright-core'
import { windowlessChromiumOptions } from './chromium.ts'

/**
 * A process that serves one Chromium to the run's workers: it prints where, and ends with its standard input, which the
 * run's set-up holds open. Not in vitest's own process, whose loading of modules would make pages wait.
 */
const server = await chromium.launchServer({ ...windowlessChromiumOptions(), host: '127.0.0.1' })
process.stdout.write(`${server.wsEndpoint()}\n`)
process.stdin.once('end', () => void server.close().finally(() => process.exit()))
process.stdin.resume()
