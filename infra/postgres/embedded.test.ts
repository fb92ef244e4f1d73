import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { installedBinaries } from './binaries.ts'
import type { ClusterUser } from './cluster-user.ts'
import type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded.ts'
import { startEmbeddedPostgres, urlOfRunningPostgres } from './embedded.ts'
import { EmbeddedPostgresFailure } from './failure.ts'
import { addressByPort } from './socket-folder.ts'

const isRoot = process.geteuid?.() === 0
const run = promisify(execFile)

/** mkdtemp makes folders with mode 0700, so every test runs below one that only its maker may enter. */
let root: string
let dataDir: string
const running: EmbeddedPostgres[] = []
const others: ChildProcess[] = []

/** A data folder that has been used once; copying it is quicker than making a cluster for every test. */
let used: string

beforeAll(async () => {
  used = await mkdtemp(join(tmpdir(), 'tollgate-embedded-used-'))
  const postgres = await startEmbeddedPostgres({ dataDir: join(used, 'data'), logger: silent })
  await query(postgres.url, 'create table kept as select 42 as answer')
  await postgres.stop()
})

afterAll(() => rm(used, { recursive: true }))

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tollgate-embedded-'))
  dataDir = join(root, 'data')
  await run('cp', ['-a', join(used, 'data'), dataDir])
})

afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop()
  for (const child of others.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'close')
  }
  await rm(root, { recursive: true })
})

const silent = { info() {}, warn() {}, debug() {} }

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silent, ...options })
  running.push(postgres)
  return postgres
}

async function stop(postgres: EmbeddedPostgres): Promise<void> {
  running.splice(running.indexOf(postgres), 1)
  await postgres.stop()
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  // A session that is killed says so twice: to the query and, when idle, here.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/**
 * A Tollgate of its own process: starts PostgreSQL, prints its URL, stops it on SIGTERM. As somebody else it changes its
 * user after its code is loaded, because the clone may lie where only root can read it.
 */
async function startElsewhere(user: ClusterUser | null = null): Promise<string> {
  const here = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)
  const script = `
    const { startEmbeddedPostgres } = await import(${here('./embedded.ts')})
    const { installedBinaries, runnableBinaries } = await import(${here('./binaries.ts')})
    const [user, dataDir, cache] = JSON.parse(process.argv[1])
    const binaries = await runnableBinaries(await installedBinaries(), user, [cache])
    if (user !== null) {
      process.setgid(user.gid)
      process.setuid(user.uid)
    }
    const logger = { info() {}, warn() {}, debug() {} }
    const postgres = await startEmbeddedPostgres({ dataDir, logger, binaries })
    process.on('SIGTERM', () => postgres.stop().then(() => process.exit(0)))
    console.log(postgres.url)`
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      script,
      JSON.stringify([user, dataDir, join(root, 'binaries')]),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  others.push(child)
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the other Tollgate ended before PostgreSQL was ready')
}

const serverPid = async (folder = dataDir): Promise<number> =>
  Number.parseInt(await readFile(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8'), 10)

const userOf = async (pid: number): Promise<number> =>
  Number((await run('ps', ['-o', 'uid=', '-p', String(pid)])).stdout)

/** A process that ended but was not waited for still has its number, and is marked Z. */
const isAlive = async (pid: number): Promise<boolean> => {
  const answer = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => null)
  return answer !== null && !answer.stdout.startsWith('Z')
}

const eventually = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 20_000, interval: 20 })

const codeOf = async (started: Promise<unknown>): Promise<string> =>
  started.then(
    () => 'started',
    (error: unknown) => (error instanceof EmbeddedPostgresFailure ? error.code : String(error)),
  )

describe('a cluster over its life', () => {
  test('given an earlier start’s data, when started again, then it is there, same address, closed to others', async () => {
    const first = await start()
    await query(first.url, 'insert into kept values (43)')
    await stop(first)
    const second = await start()
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'select answer from kept')).toEqual([
      { answer: 42 },
      { answer: 43 },
    ])
    const [settings] = await query(
      second.url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('listen_addresses') as address`,
    )
    expect(settings).toEqual({ fsync: 'on', commit: 'on', address: '127.0.0.1' })
    expect((await stat(join(dataDir, 'postgres/password'))).mode & 0o777).toBe(0o600)
    const withoutPassword = second.url.replace(/:[^:@]*@/, ':guess@')
    await expect(query(withoutPassword, 'select 1')).rejects.toThrow(
      /password authentication failed/,
    )
  })

  test('given a creation that was cut off, when started, then it is made anew', async () => {
    const fresh = join(root, 'fresh')
    await mkdir(join(fresh, 'postgres/cluster.unfinished/base'), { recursive: true })
    const postgres = await start({ dataDir: fresh })
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('given a lost password, when started, then there is a new one', async () => {
    await rm(join(dataDir, 'postgres/password'))
    const postgres = await start()
    expect(await query(postgres.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  })
})

describe('after a kill', () => {
  test('given a killed Tollgate, when started again, then its old PostgreSQL is gone and the data is there', async () => {
    const url = await startElsewhere()
    await query(url, 'insert into kept values (43)')
    const orphan = await serverPid()
    others[0]?.kill('SIGKILL')
    await eventually(() => expect(others[0]?.signalCode).toBe('SIGKILL'))
    expect(await isAlive(orphan)).toBe(true)
    const again = await start()
    expect(await isAlive(orphan)).toBe(false)
    expect(again.url).toBe(url)
    expect(await query(again.url, 'select max(answer) as newest from kept')).toEqual([
      { newest: 43 },
    ])
  })

  test('given a Tollgate at work, when a second starts on its folder, then it is refused, naming the first', async () => {
    const url = await startElsewhere()
    const refusal = start()
    expect(await codeOf(refusal)).toBe('DATA_FOLDER_IN_USE')
    await expect(refusal).rejects.toThrow(`process ${others[0]?.pid}`)
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('given PostgreSQL killed under Tollgate, when it is back, then the same URL has all committed data', async () => {
    const postgres = await start()
    const states: string[] = []
    postgres.onStateChange(({ status }) => states.push(status))
    for (const newest of [43, 44]) {
      states.length = 0
      await query(postgres.url, `insert into kept values (${newest})`)
      process.kill(await serverPid(), 'SIGKILL')
      await eventually(() => expect(states).toContain('ready'))
      expect(states[0]).toBe('restarting')
      expect(postgres.state()).toEqual({ status: 'ready' })
      expect(await query(postgres.url, 'select max(answer) as newest from kept')).toEqual([
        { newest },
      ])
    }
  })

  test('given one session killed, when PostgreSQL recovers, then it says so and goes on', async () => {
    const postgres = await start()
    const states: string[] = []
    postgres.onStateChange(({ status }) => states.push(status))
    const suicide = query(postgres.url, 'select pg_backend_pid() as pid, pg_sleep(60)')
    const victim = await vi.waitFor(async () => {
      const rows = await query(
        postgres.url,
        `select pid from pg_stat_activity where wait_event = 'PgSleep'`,
      )
      expect(rows).toHaveLength(1)
      return (rows[0] as { pid: number }).pid
    })
    process.kill(victim, 'SIGKILL')
    await expect(suicide).rejects.toThrow(/terminat|reset|No space/i)
    await eventually(() => expect(states).toEqual(['restarting', 'ready']))
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('given a restart that cannot succeed, when stopped meanwhile, then it stops at once', async () => {
    const postgres = await start()
    await rm(join(dataDir, 'postgres/cluster/global'), { recursive: true })
    process.kill(await serverPid(), 'SIGKILL')
    await eventually(() =>
      expect(postgres.state()).toMatchObject({ reason: expect.stringContaining('global') }),
    )
    await stop(postgres)
    expect(postgres.state()).toEqual({ status: 'stopped' })
  })
})

describe('the socket', () => {
  const serverAddress = 'select inet_server_addr() as address'
  const cluster = (): string => join(dataDir, 'postgres/cluster')

  test('given a cluster, when connected to, then it is by its socket, and by its port as well', async () => {
    const postgres = await start()
    expect(await query(postgres.url, serverAddress)).toEqual([{ address: null }])
    expect(await query(addressByPort(postgres.url), serverAddress)).toEqual([
      { address: '127.0.0.1' },
    ])
    expect(await urlOfRunningPostgres(dataDir)).toBe(postgres.url)
    await stop(postgres)
    expect((await readdir(cluster())).filter((name) => name.startsWith('.s'))).toEqual([])
  })

  test('given a folder with too long a name for sockets, when started, then it is connected to by its port', async () => {
    const long = join(root, 'd'.repeat(90))
    await rename(dataDir, long)
    const postgres = await start({ dataDir: long })
    expect(await query(postgres.url, serverAddress)).toEqual([{ address: '127.0.0.1' }])
    expect(await urlOfRunningPostgres(long)).toBe(postgres.url)
  })

  test('given a socket’s lock that names another program, when started, then it is put aside', async () => {
    const { port } = new URL((await start()).url)
    process.kill(await serverPid(), 'SIGKILL')
    for (const postgres of running.splice(0)) await postgres.stop()
    const lock = join(cluster(), `.s.PGSQL.${port}.lock`)
    await writeFile(lock, `${process.pid}\n${cluster()}\n1\n${port}\n.\n`)
    const owner = await stat(cluster())
    await chown(lock, owner.uid, owner.gid)
    const postgres = await start({ port: Number(port) })
    expect(await query(postgres.url, serverAddress)).toEqual([{ address: null }])
  })
})

describe('a start that cannot be', () => {
  test('given a taken remembered port, when started, then another is used, unless a port was asked for', async () => {
    const first = await start()
    const { port } = new URL(first.url)
    await stop(first)
    const squatter = createServer().listen(Number(port), '127.0.0.1')
    await once(squatter, 'listening')
    try {
      const insisting = start({ port: Number(port) })
      expect(await codeOf(insisting)).toBe('PORT_IN_USE')
      await expect(insisting).rejects.toThrow(/another program listens on the port/)
      expect((await start()).url).not.toBe(first.url)
    } finally {
      squatter.close()
    }
  })

  test('given a cluster of another major version, when started, then both are named and nothing is touched', async () => {
    await writeFile(join(dataDir, 'postgres/cluster/PG_VERSION'), '15\n')
    const refusal = start()
    expect(await codeOf(refusal)).toBe('OTHER_MAJOR_VERSION')
    await expect(refusal).rejects.toThrow(/PostgreSQL 15.*PostgreSQL 18/)
  })

  test.each([
    ['is empty', ''],
    ['is garbage', '\u0000\u0001 nonsense'],
    ['names a program that is not PostgreSQL', `${process.pid}\n/somewhere/else\n`],
  ])('given a pid file that %s, when started, then it is put aside', async (_, content) => {
    const path = join(dataDir, 'postgres/cluster/postmaster.pid')
    await writeFile(path, content)
    const owner = await stat(join(dataDir, 'postgres/cluster'))
    await chown(path, owner.uid, owner.gid)
    const postgres = await start()
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('given a file where the data folder should be, when started, then the path is named', async () => {
    const inTheWay = join(root, 'file')
    await writeFile(inTheWay, 'in the way')
    const refusal = start({ dataDir: inTheWay })
    expect(await codeOf(refusal)).toBe('DATA_FOLDER_NOT_WRITABLE')
    await expect(refusal).rejects.toThrow(/file\/postgres .*DATA_DIR/)
  })

  test('given no binaries for the platform, when looked for, then the message offers DATABASE_URL', async () => {
    await expect(installedBinaries('sunos', 'sparc')).rejects.toThrow(/sunos-sparc.*DATABASE_URL/)
  })
})

describe.runIf(isRoot)('started by root', () => {
  test('given folders that only root may enter, when started, then another user runs it and none is opened', async () => {
    const installed = await installedBinaries()
    const hidden = { ...installed, folder: join(root, 'native') }
    await cp(installed.folder, hidden.folder, { recursive: true, verbatimSymlinks: true })
    const cache = await mkdtemp(join(tmpdir(), 'tollgate-binaries-'))
    await chmod(cache, 0o755)
    try {
      const options = {
        dataDir: join(root, 'fresh'),
        binaries: hidden,
        binaryCacheFolders: [join(root, 'hidden'), cache],
      }
      const postgres = await start(options)
      await query(postgres.url, 'create table kept as select 42 as answer')
      expect(await userOf(await serverPid(options.dataDir))).toBeGreaterThan(0)
      expect((await stat(root)).mode & 0o777).toBe(0o700)
      expect((await stat(join(options.dataDir, 'postgres'))).mode & 0o777).toBe(0o700)
      await stop(postgres)
      const again = await start(options)
      expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }])
    } finally {
      for (const postgres of running.splice(0)) await postgres.stop()
      await rm(cache, { recursive: true })
    }
  })

  test('given an ordinary user’s folder, when that user starts Tollgate, then PostgreSQL runs as that user', async () => {
    const [uid, gid] = [65_534, 65_534]
    await run('chown', ['-R', `${uid}:${gid}`, dataDir])
    await chmod(root, 0o755)
    const url = await startElsewhere({ uid, gid })
    expect(await query(url, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(await userOf(await serverPid())).toBe(uid)
  })

  test('given a disk that fills up, when there is room again, then PostgreSQL is back with its data', async () => {
    const disk = join(root, 'disk')
    await mkdir(disk)
    await run('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk])
    const ballast = join(disk, 'ballast')
    try {
      const postgres = await start({ dataDir: disk })
      await query(postgres.url, 'create table kept as select 42 as answer')
      await fillUp(ballast)
      await expect(
        query(
          postgres.url,
          `select pg_logical_emit_message(false, 'fill', repeat('x', 1000000)) from generate_series(1, 200)`,
        ),
      ).rejects.toThrow(/terminat|reset|No space/i)
      await eventually(() =>
        expect(postgres.state()).toMatchObject({
          status: 'restarting',
          reason: expect.stringContaining('disk that holds DATA_DIR is full'),
        }),
      )
      await rm(ballast)
      await eventually(() => expect(postgres.state()).toEqual({ status: 'ready' }))
      expect(await query(postgres.url, 'select answer from kept')).toEqual([{ answer: 42 }])
      await stop(postgres)

      await fillUp(ballast)
      expect(await codeOf(start({ dataDir: disk }))).toBe('DISK_FULL')
    } finally {
      for (const postgres of running.splice(0)) await postgres.stop()
      await run('umount', [disk])
    }
  })
})

const fillUp = (path: string): Promise<unknown> =>
  run('dd', ['if=/dev/zero', `of=${path}`, 'bs=4k']).catch(() => null)
