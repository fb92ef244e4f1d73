import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process of the bench that serves something and has printed where. */
export interface Served {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a file of this folder with the Node that runs the bench, and waits for the URL on its first line. */
export async function serve(file: string, ...args: readonly string[]): Promise<Served> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  return { url: await firstLine(child, file), pid: child.pid ?? 0, stop: () => end(child) }
}

async function firstLine(child: ChildProcess, file: string): Promise<string> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended before it served anything`)
  })
  const said = new Promise<string>((resolve) => {
    child.stdout?.once('data', (text: Buffer) => resolve(text.toString().trim()))
  })
  return Promise.race([said, ended])
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
