import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { urlOfRunningPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { Client } from 'pg'
import { descendantsOf, isAlive, signal, until } from './processes.ts'

/** Tollgate as people run it: a process of its own, with a data folder and a port of its own. */
export interface Product {
  /** Such as `http://127.0.0.1:40123`; the same after a restart. */
  readonly url: string
  readonly dataDir: string
  /** Of the present run. */
  readonly pid: () => number
  /** Everything it has printed, over all its runs. */
  readonly logs: () => string
  /** SIGTERM, and waits for the end; resolves with the exit code. */
  terminate(): Promise<number | null>
  /** SIGKILL to the process alone (its database is orphaned) or to everything it started. */
  kill(what?: 'alone' | 'everything'): Promise<void>
  /** Starts it again on the same data and port, and waits until it is ready. */
  start(): Promise<void>
  /** Rows of a query on its database. */
  query(sql: string): Promise<unknown[]>
  /** Ends it and removes its data. */
  dispose(): Promise<void>
}

export interface ProductOptions {
  /** Added to the environment; PORT and DATA_DIR are given. */
  readonly env?: Readonly<Record<string, string>>
}

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const NODE = join(REPOSITORY, 'node_modules/.bin/node')
/** Architecture 9 wants 5 s; a machine that runs other tests beside may take longer. */
const READY_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 30_000

/** Starts Tollgate (infra/processes/all-in-one.ts) with the real Node on an empty data folder. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-product-'))
  const port = await freePort()
  const product = new SpawnedProduct(dataDir, port, options.env ?? {})
  await product.start()
  return product
}

class SpawnedProduct implements Product {
  readonly url: string
  readonly dataDir: string
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | null = null
  #printed = ''

  constructor(dataDir: string, port: number, env: Readonly<Record<string, string>>) {
    this.dataDir = dataDir
    this.url = `http://127.0.0.1:${port}`
    this.#env = {
      ...process.env,
      // vitest sets NODE_ENV=test, which nobody runs a product with.
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      ...env,
    }
  }

  pid = (): number => this.#running().pid ?? 0
  logs = (): string => this.#printed

  async start(): Promise<void> {
    if (this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null) {
      throw new Error('the product runs already')
    }
    const child = spawn(NODE, [join(REPOSITORY, 'infra/processes/all-in-one.ts')], {
      env: this.#env,
      cwd: REPOSITORY,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    // A test run that breaks off must not leave a product behind.
    const end = (): void => void child.kill('SIGTERM')
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => (this.#printed += text))
    }
    await until(
      'the product is ready',
      async () => {
        if (hasEnded(child)) {
          throw new Error(
            `the product ended with ${child.exitCode} at its start:\n${this.#printed}`,
          )
        }
        return isReady(this.url)
      },
      READY_TIMEOUT_MS,
    ).catch((error: unknown) => {
      child.kill('SIGKILL')
      throw new Error(`the product did not start; it printed:\n${this.#printed}`, { cause: error })
    })
  }

  async terminate(): Promise<number | null> {
    const child = this.#running()
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) })
    child.kill('SIGTERM')
    await ended
    return child.exitCode
  }

  async kill(what: 'alone' | 'everything' = 'alone'): Promise<void> {
    const child = this.#running()
    const pid = this.pid()
    const others = what === 'everything' ? descendantsOf(pid) : []
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    for (const other of others) signal(other, 'SIGKILL')
    await ended
    await until('all killed processes are gone', () => !others.some(isAlive))
  }

  async query(sql: string): Promise<unknown[]> {
    const url = await urlOfRunningPostgres(this.dataDir)
    if (url === null) throw new Error('the product has no database yet')
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  async dispose(): Promise<void> {
    const child = this.#child
    if (child !== null && !hasEnded(child)) await this.terminate()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  #running(): ChildProcess {
    if (this.#child === null || hasEnded(this.#child)) throw new Error('the product does not run')
    return this.#child
  }
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    // Not listening yet.
    return false
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  if (address === null || typeof address === 'string') throw new TypeError('no port to be had')
  probe.close()
  await once(probe, 'close')
  return address.port
}
