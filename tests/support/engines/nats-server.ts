import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNatsServer, NATS_SERVER_ADVICE } from './find-nats-server.ts'
import { freePort } from '../free-port.ts'
import { signal, until } from '../processes.ts'

/** A nats-server with JetStream of its own: on one port and one folder however often it is started again. */
export interface NatsServer {
  readonly url: string
  readonly port: number
  readonly pid: () => number
  /** Ends it as an operator would; what it was sent is on disk. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** After stop or kill: the same port and, unless `loseState` was called, the same store. */
  start(): Promise<void>
  /** SIGSTOP: connections stay open and nothing answers. Resolves when it has stopped. */
  pause(): Promise<void>
  resume(): void
  /** While it is down: forgets streams, consumers and messages. */
  loseState(): Promise<void>
  /** Ends it and removes its folder. */
  dispose(): Promise<void>
}

export interface NatsServerOptions {
  /** More lines of nats-server's configuration, such as a max_payload. */
  readonly config?: string
  /** Default: true. */
  readonly jetStream?: boolean
}

/** Starts nats-server and waits until it listens. Throws with advice when the machine has none. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const binary = findNatsServer(process.env)
  if (binary === null) throw new Error(`no nats-server on this machine: ${NATS_SERVER_ADVICE}`)
  const home = await mkdtemp(join(tmpdir(), 'tollgate-nats-'))
  const port = await freePort()
  const store = join(home, 'store')
  const configFile = join(home, 'nats.conf')
  await writeFile(configFile, configOf(port, store, options))
  let child: ChildProcess | null = null

  const start = async (): Promise<void> => {
    const started = spawn(binary, ['-c', configFile], { stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    let said = ''
    started.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-4_000)))
    await until(`nats-server listens on port ${port}`, () => {
      if (started.exitCode !== null) throw new Error(`nats-server ended:\n${said}`)
      return listens(port)
    })
  }
  const end = async (name: NodeJS.Signals): Promise<void> => {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill(name)
    // A paused process takes no other signal before this one.
    ending.kill('SIGCONT')
    await ended
  }
  // A test run that is ended early must not leave servers behind.
  const endAtExit = (): void => void child?.kill('SIGKILL')
  process.once('exit', endAtExit)
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid ?? -1,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async pause() {
      const { pid } = child ?? {}
      if (pid === undefined) throw new Error('there is no nats-server to pause')
      signal(pid, 'SIGSTOP')
      // Its threads may go on for a moment after the signal was sent.
      await until('nats-server has stopped', () => stateOf(pid).startsWith('T'))
    },
    resume: () => void child?.kill('SIGCONT'),
    loseState: () => rm(store, { recursive: true, force: true }),
    async dispose() {
      await end('SIGKILL')
      process.off('exit', endAtExit)
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** One letter, T = stopped; from /proc where there is one (a slim container has no ps). */
function stateOf(pid: number): string {
  if (!existsSync('/proc/self/stat')) {
    return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  }
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2)
}

const configOf = (port: number, store: string, { config, jetStream }: NatsServerOptions): string =>
  `listen: "127.0.0.1:${port}"
${jetStream === false ? '' : `jetstream { store_dir: "${store}" }`}
${config ?? ''}
`

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
