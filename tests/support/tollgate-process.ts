import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { productArguments } from './product-arguments.ts'
import { descendantsOf, isAlive, signal, until } from './processes.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const NODE = join(REPOSITORY, 'node_modules/.bin/node')
/** Architecture 9 wants 5 s; eight processes that start on a busy machine take ten times as long and more. */
const READY_TIMEOUT_MS = 100_000
const STOP_TIMEOUT_MS = 30_000

/** The kinds of process of Tollgate: the composition roots in infra/processes. */
export type Root = 'all-in-one' | 'api' | 'relay' | 'projector'

/** One process of Tollgate with the real Node, that can be ended and started again on the same port. */
export class TollgateProcess {
  readonly url: string
  readonly #root: Root
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | null = null
  #printed = ''

  constructor(root: Root, port: number, env: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${port}`
    this.#root = root
    this.#env = {
      ...process.env,
      // vitest sets NODE_ENV=test, which nobody runs a product with.
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      // Tests ask more often than people, all from one address.
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
      ...env,
    }
  }

  /** Everything it has printed, over all its runs. */
  logs = (): string => this.#printed
  /** Process id of the present run. */
  pid = (): number => this.#running().pid ?? 0

  get isRunning(): boolean {
    return this.#child !== null && !hasEnded(this.#child)
  }

  /** Starts it and waits until it says that it is ready; when it does not, throws with everything it has printed. */
  async start(): Promise<void> {
    const child = this.launch()
    const closed = once(child, 'close')
    await until(
      `the ${this.#root} is ready`,
      async () => {
        if (hasEnded(child)) {
          throw new Error(`the ${this.#root} ended with ${child.exitCode ?? child.signalCode}`)
        }
        return isReady(this.url)
      },
      READY_TIMEOUT_MS,
    ).catch(async (error: unknown) => {
      if (this.isRunning) await this.kill('everything')
      // A process can end before the last that it printed, which is the reason, has been read.
      await closed
      throw new Error(`the ${this.#root} did not start; it printed:\n${this.#printed}`, {
        cause: error,
      })
    })
  }

  /** Starts it and does not wait. */
  launch(): ChildProcess {
    if (this.isRunning) throw new Error(`the ${this.#root} runs already`)
    const script = join(REPOSITORY, `infra/processes/${this.#root}.ts`)
    const child = spawn(NODE, productArguments(script), {
      env: this.#env,
      cwd: REPOSITORY,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    running.add(this)
    child.once('exit', () => running.delete(this))
    // A test run that breaks off must not leave a process behind.
    const end = (): void => void child.kill('SIGTERM')
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    child.once('close', () => noteQueuedQueries(this.#printed))
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => (this.#printed += text))
    }
    return child
  }

  /** SIGTERM, and waits for the end; resolves with the exit code. */
  async terminate(withinMs = STOP_TIMEOUT_MS): Promise<number | null> {
    const child = this.#running()
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(withinMs) })
    child.kill('SIGTERM')
    await ended
    return child.exitCode
  }

  /** SIGKILL to the process alone or to everything it started. */
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

  #running(): ChildProcess {
    if (this.#child === null || hasEnded(this.#child)) {
      throw new Error(`the ${this.#root} does not run`)
    }
    return this.#child
  }
}

const running = new Set<TollgateProcess>()

/** Kills what still runs, with its descendants: a beforeAll that failed leaves what it had started to nobody. */
export const killLeftProcesses = async (): Promise<void> => {
  await Promise.all([...running].map((one) => one.kill('everything')))
}

const queuedQueries = new Set<string>()

function noteQueuedQueries(printed: string): void {
  for (const [line] of printed.matchAll(/^.*DeprecationWarning: .*client\.query.*$/gmu))
    queuedQueries.add(line)
}

/** Throws when a process that has ended sent a query before the one before was answered: pg 9 will refuse that. */
export function expectNoQueuedQuery(): void {
  const found = [...queuedQueries]
  queuedQueries.clear()
  if (found.length > 0) throw new Error(found.join('\n'))
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null

export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    // Not listening yet.
    return false
  }
}
