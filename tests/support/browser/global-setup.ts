import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { findChromium, NO_CHROMIUM } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's Chromium answers, or why there is none; tests take it by `openChromium`. */
    chromium: { readonly endpoint: string } | { readonly missing: string }
  }
}

const SERVER = fileURLToPath(new URL('serve-chromium.ts', import.meta.url))
const START_MS = 60_000

/** One Chromium for the whole run: a file has its own contexts in it, and its start is paid once. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (findChromium(process.env) === null) {
    project.provide('chromium', { missing: NO_CHROMIUM })
    return async () => undefined
  }
  const server = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const [printed] = (await Promise.race([
    once(server.stdout.setEncoding('utf8'), 'data', { signal: AbortSignal.timeout(START_MS) }),
    ended.then(([code]) => Promise.reject(new Error(`Chromium's server ended with ${code}`))),
  ])) as [string]
  project.provide('chromium', { endpoint: printed.trim() })
  return async () => {
    server.stdin.end()
    await ended
  }
}
